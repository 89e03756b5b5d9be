"""Pendulums that hit a rigid wall with restitution: a rigid double pendulum, or a flexible pendulum with n modes.

Angles from hanging, anticlockwise, of both rods absolute. The rigid rods touch the wall at the elbow and at the tip.
The flexible pendulum, that of flexible_pendulum_impact, touches a stop with a point of its centreline: at the free tip
its effective mass falls with every mode added, so that figures are those of a number of modes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi

import numpy as np

import flexmbs as fm

RIGID, FLEXIBLE = KINDS = "rigid", "flexible"
IN_FILES = {
    "L1": "length1",
    "L2": "length2",
    "m1": "mass1",
    "m2": "mass2",
    "g": "gravity",
    "yw": "wall",
    "e": "restitution",
    "theta0": "start_angles",
    "omega0": "start_rates",
    "t_end": "t_end",
    "L": "length",
    "b": "width",
    "h": "thickness",
    "E": "youngs_modulus",
    "rho": "density",
    "lp": "contact_position",
    "th0": "start_angle",
    "om0": "start_rate",
    "nimp": "impacts",
    "tend": "t_end",
    "n": "bending_modes",
}
HANGING = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # x of the marker points down, y to the right
ELBOW, TIP, STOP = "elbow_at_wall", "tip_at_wall", "stop"
POINTS = {ELBOW: "elbow", TIP: "tip"}
MODES = (1.0, 2.0, 3.0, 5.0)
LATEST = 2.0  # in parts of the run with the first number of modes: when the impacts with others have happened
POISSON = 0.3  # has no effect on bending and stretching of a slender beam
AT_REST = 1e-8  # m/s: slower impacts are not listed
UNITS = {"first_impact_time": "s", "first_impulse": "N s", "energy_lost": "J"}
VIEW = {"color": "von_mises"}


@dataclass(frozen=True)
class Parameters:
    kind: str | None = fm.parameter(None, "", "rigid or flexible; none: as the file has it, else rigid")
    length1: float = fm.parameter(0.6, "m", "length of rod 1")
    length2: float = fm.parameter(0.5, "m", "length of rod 2")
    mass1: float = fm.parameter(1.2, "kg", "mass of rod 1")
    mass2: float = fm.parameter(0.8, "kg", "mass of rod 2")
    wall: float = fm.parameter(0.0, "m", "where the wall stands, to the right of the hinge")
    start_angles: tuple = fm.parameter((pi / 4, pi / 4), "rad", "of both rods, from hanging")
    start_rates: tuple = fm.parameter((0.0, 0.0), "rad/s", "of both rods")
    length: float | None = fm.parameter(None, "m", "flexible: length; none: 1")
    width: float = fm.parameter(0.02, "m", "flexible: width, along the hinge axis")
    thickness: float = fm.parameter(0.004, "m", "flexible: thickness, in the swing plane")
    youngs_modulus: float = fm.parameter(210e9, "Pa", "flexible: Young's modulus")
    density: float = fm.parameter(7850.0, "kg/m3", "flexible: density")
    contact_position: float | None = fm.parameter(None, "m", "flexible: from the hinge to the contact; none: tip")
    start_angle: float = fm.parameter(pi / 2, "rad", "flexible: angle at the start, from hanging")
    start_rate: float = fm.parameter(0.0, "rad/s", "flexible: angular velocity at the start")
    bending_modes: tuple | None = fm.parameter(None, "", "flexible: numbers of bending modes, one run each; none: 1, 2, 3, 5")
    elements: int = fm.parameter(240, "", "flexible: elements of the mesh, to which modes are computed")
    impacts: int = fm.parameter(3, "", "flexible: impacts of which there are figures")
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, downwards")
    restitution: float = fm.parameter(0.5, "", "restitution", minimum=0.0, maximum=1.0)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: 5 (rigid), 0.7 (flexible)")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float | None = fm.parameter(None, "", "absolute tolerance; none: 1e-12 (rigid), 1e-15 (flexible)")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters, which tells by its names which pendulum it is; fill in what is missing."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.kind is None:
        p = replace(p, kind=RIGID if p.length is None else FLEXIBLE)
    if p.kind not in KINDS:
        raise fm.CaseError(f"parameter 'kind' must be one of {', '.join(KINDS)}, not {p.kind!r}")
    p = replace(p, length=1.0 if p.length is None else p.length)
    p = replace(p, contact_position=p.length if p.contact_position is None else p.contact_position)
    p = replace(p, bending_modes=MODES if p.bending_modes is None else p.bending_modes)
    default_end, default_atol = (5.0, 1e-12) if p.kind == RIGID else (0.7, 1e-15)
    p = replace(p, atol=default_atol if p.atol is None else p.atol)
    p = replace(p, t_end=default_end if p.t_end is None else p.t_end)
    return p if p.kind == RIGID else replace(p, t_end=end_of(p, int(p.bending_modes[0])))


def end_of(p: Parameters, modes: int) -> float:
    """A little after the last impact of the figures of the flexible pendulum, t_end at the latest."""
    impacts = flexible(p, modes).simulate(p.t_end, rtol=1e-6, atol=1e-9, progress=False).impacts()
    return p.t_end if len(impacts) < p.impacts else min(p.t_end, 1.002 * impacts[p.impacts - 1].time)


def build(p: Parameters) -> fm.System:
    """The rigid double pendulum, or the flexible one with the first number of modes."""
    return rigid(p) if p.kind == RIGID else flexible(p, int(p.bending_modes[0]))


def rigid(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    one, two = (
        system.add(rod(mass, length), name=name)
        for name, mass, length in (("rod1", p.mass1, p.length1), ("rod2", p.mass2, p.length2))
    )
    (angle1, angle2), (rate1, rate2) = p.start_angles, p.start_rates
    hanging = system.ground.marker("hinge", rotation=HANGING)
    system.revolute(hanging, one["origin"], angle=angle1, rate=rate1, name="hinge")
    elbow, tip = one.marker("elbow", (p.length1, 0.0, 0.0)), two.marker("tip", (p.length2, 0.0, 0.0))
    system.revolute(elbow, two["origin"], angle=angle2 - angle1, rate=rate2 - rate1, name="elbow")
    wall = fm.Plane(system.ground.marker("wall", (p.wall, 0.0, 0.0), rotation=HANGING), normal=(0.0, 1.0, 0.0))
    for name, point in ((ELBOW, elbow), (TIP, tip)):
        system.contact(fm.Point(point), wall, law=fm.Rigid(p.restitution), name=name)
    return system


def rod(mass: float, length: float) -> fm.RigidBody:
    """A slender uniform rod along x from its origin."""
    inertia, middle = mass * length**2 / 12.0, (0.5 * length, 0.0, 0.0)
    shape = fm.RigidBody.box(1.0, (length, 0.02 * length, 0.02 * length), middle)
    return fm.RigidBody(mass, (0.01 * inertia, inertia, inertia), center=middle, surface=shape.surface)


def flexible(p: Parameters, modes: int) -> fm.System:
    """As flexible_pendulum_impact: slender beam without rotary inertia, one axial mode, all terms of second order."""
    section = fm.rectangle(p.thickness, p.width)
    material = fm.Material("pendulum", p.youngs_modulus, POISSON, p.density)
    mesh = fm.line_mesh(p.length, p.elements, section, material)
    contact = fm.Interface(point=fm.centreline_point(mesh, p.contact_position))
    body = fm.reduce(
        mesh,
        interfaces={"hinge": "ROOT", "tip": "TIP", "contact": contact},
        modes=fm.ClampedFree(at="hinge", bending=(modes, 0), axial=1),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
        second_order="full",
    )
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    pendulum = system.add(body, name="pendulum")
    hanging = system.ground.marker("hinge", rotation=HANGING)
    system.revolute(hanging, pendulum["hinge"], angle=p.start_angle, rate=p.start_rate, name="hinge")
    wall = fm.Plane(hanging, normal=(0.0, 1.0, 0.0))
    system.contact(fm.Point(pendulum["contact"]), wall, law=fm.Rigid(p.restitution), name=STOP)
    return system


def rows_at(result: fm.Result, time: float) -> tuple[int, int]:
    """Rows just before and just behind an event."""
    rows = np.flatnonzero(result.t == time)
    return int(rows[0]), int(rows[-1])


def values(result: fm.Result, names: list[str], row: int) -> np.ndarray:
    return np.array([result[name][row] for name in names])


def rigid_figures(result: fm.Result) -> list[dict[str, object]]:
    """Impacts as the reference lists them."""
    found = []
    for event in result.impacts():
        if event.approach_speed <= AT_REST:
            continue
        before, behind = rows_at(result, event.time)
        angles = values(result, ["hinge.angle", "elbow.angle"], before)
        rates = [values(result, ["hinge.angle.rate", "elbow.angle.rate"], row) for row in (before, behind)]
        found.append(
            {
                "t": event.time,
                "point": POINTS[event.name],
                "theta": np.cumsum(angles).tolist(),
                "approach_velocity": event.approach_speed,
                "impulse": event.normal_impulse,
                "omega_before": np.cumsum(rates[0]).tolist(),
                "omega_after": np.cumsum(rates[1]).tolist(),
                "energy_change": -event.energy_lost,
            }
        )
    return found


def flexible_figures(result: fm.Result, p: Parameters, modes: int) -> list[dict[str, object]]:
    """Impacts with ``modes`` bending modes as the reference lists them: q = theta, axial, bending."""
    bending = [f"pendulum.bending y {k + 1}" for k in range(modes)]
    names = ["hinge.angle", "pendulum.axial 1", *bending]
    scales = mode_scales(result, modes)
    found = []
    for event in result.impacts()[: p.impacts]:
        before, behind = rows_at(result, event.time)
        rates = [values(result, [f"{name}.rate" for name in names], row) * scales for row in (before, behind)]
        change = event.approach_speed + event.rebound_speed
        found.append(
            {
                "t": event.time,
                "approach_velocity": event.approach_speed,
                "impulse": event.normal_impulse,
                "effective_mass": event.normal_impulse / change,
                "velocity_after": event.rebound_speed,
                "q": (values(result, names, before) * scales).tolist(),
                "qdot_before": rates[0].tolist(),
                "qdot_after": rates[1].tolist(),
                "energy_change": -event.energy_lost,
            }
        )
    return found


def mode_scales(result: fm.Result, modes: int) -> np.ndarray:
    """Factors from the coordinates theta, axial, bending to those of the reference, whose modes are known at the tip.

    Axial sin(pi x / 2 L); bending cos k x - cosh k x - s (sin k x - sinh k x), which is 2 (-1)^i at the tip.
    """
    body = result.flexible("pendulum")
    tip = {label: shape for label, shape in zip(body.mode_labels, body.markers["tip"].Phi, strict=True)}
    bending = [tip[f"bending y {k}"][1] / (2.0 * (-1.0) ** k) for k in range(1, modes + 1)]
    return np.array([1.0, tip["axial 1"][0], *bending])


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """``impacts`` (rigid), or of each number of modes ``n1``, ``n2``, ... (flexible)."""
    if p.kind == RIGID:
        listed: dict[str, object] = {"impacts": rigid_figures(result)}
        first = listed["impacts"]
    else:
        listed = {f"n{int(p.bending_modes[0])}": flexible_figures(result, p, int(p.bending_modes[0]))}
        first = next(iter(listed.values()))
        for modes in map(int, p.bending_modes[1:]):
            end = end_of(replace(p, t_end=LATEST * p.t_end), modes)
            run = flexible(p, modes).simulate(end, rtol=p.rtol, atol=p.atol, progress=False)
            listed[f"n{modes}"] = flexible_figures(run, p, modes)
    return {
        "first_impact_time": first[0]["t"] if first else None,
        "first_impulse": first[0]["impulse"] if first else None,
        "impact_count": len(result.impacts()),
        "energy_lost": sum(event.energy_lost for event in result.impacts()),
        **listed,
    }
