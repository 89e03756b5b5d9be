"""A pendulum is hit in mid-span: angular velocity and deflection run along the beam as bending waves.

The flexible pendulum of Sheng, Liu and Yu (2006) swings against a stop at the middle. Sections near the blow stop at
once; the hinge and the tip learn of it later: a bending wave needs four times as long for twice the distance. (Waves of
this theory have no largest speed; what moves before sound could have come is no property of a real beam.)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cache

import numpy as np

import flexmbs as fm

FROM_MESH = ("length", "width", "thickness", "youngs_modulus", "poisson_ratio", "density")
HANGING = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # x of the marker points down, y to the right
PATCHES = ("plain", "attachment", "massless")
SECTIONS = (0.26, 0.38, 0.5, 0.62, 0.74, 1.0)  # of the length
ARRIVED = 0.3  # the wave is at a section when this has left its path as far as this part of what the blow has moved
SMALL = 0.01  # of the largest motion at the blow: below it nothing has arrived
TIMES = 401  # of the plots
UNITS = {
    "contact_start": "s",
    "contact_duration": "s",
    "peak_force": "N",
    "angular_velocity_before": "rad/s",
    "angular_velocity_after": "rad/s",
    "angular_velocity_jump": "rad/s",
    "arrival_times": "s",
    "section_jumps": "rad/s",
    "tip_deflection_max": "m",
}
PLOTS = {"Contact": ("stop.force",), "Angular velocity of the hinge": ("hinge.angle.rate",)}


@dataclass(frozen=True)
class Parameters:
    mesh: str = fm.parameter("pendulum_beam.inp", "", "mesh file (a bar along x with node sets ROOT and TIP)")
    length: float | None = fm.parameter(None, "m", "length; none: as in the mesh")
    width: float | None = fm.parameter(None, "m", "width, along the hinge axis; none: as in the mesh")
    thickness: float | None = fm.parameter(None, "m", "thickness, in the swing plane; none: as in the mesh")
    youngs_modulus: float | None = fm.parameter(None, "Pa", "Young's modulus; none: as in the mesh")
    poisson_ratio: float | None = fm.parameter(None, "", "Poisson's ratio; none: as in the mesh")
    density: float | None = fm.parameter(None, "kg/m3", "density; none: as in the mesh")
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, downwards")
    start_angle: float = fm.parameter(0.002, "rad", "angle at the start, from hanging")
    start_speed: float = fm.parameter(-5.4, "rad/s", "angular velocity at the start, towards the stop")
    modes: int = fm.parameter(20, "", "bending modes in the swing plane", minimum=1)
    patch: str = fm.parameter("massless", "", f"how the beam yields at the contact: {', '.join(PATCHES)}")
    position: float = fm.parameter(0.5, "", "where it is hit, as a part of the length", minimum=0.0, maximum=1.0)
    sphere_radius: float = fm.parameter(0.01, "m", "radius of the stop (enters the Hertz stiffness only)")
    contact_stiffness: float | None = fm.parameter(None, "N/m^1.5", "Hertz stiffness; none: from radius and material")
    t_end: float = fm.parameter(0.008, "s", "end time")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")
    atol: float = fm.parameter(1e-11, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Fill in what comes from the mesh and from the material."""
    if p.patch not in PATCHES:
        raise fm.CaseError(f"patch = {p.patch!r} must be one of {', '.join(PATCHES)}")
    found = fm.bar_values(fm.read_mesh(fm.find_mesh(p.mesh)))
    p = replace(p, **{name: found[name] for name in FROM_MESH if getattr(p, name) is None})
    if p.contact_stiffness is None:
        material = fm.Material("pendulum and stop", p.youngs_modulus, p.poisson_ratio)
        p = replace(p, contact_stiffness=fm.Hertz.from_materials(p.sphere_radius, material, material).stiffness)
    return p


@cache
def rod_of(p: Parameters) -> fm.FlexibleBody:
    """Slender beam (Euler-Bernoulli) without rotary inertia, held at the hinge."""
    mesh = fm.bar_with(fm.read_mesh(fm.find_mesh(p.mesh)), asdict(p))
    contact_point = fm.Interface(point=fm.centreline_point(mesh, p.position * p.length))
    return fm.reduce(
        mesh,
        interfaces={"hinge": "ROOT", "tip": "TIP", "contact": contact_point},
        modes=fm.ClampedFree(at="hinge", bending=(p.modes, 0)),
        contact_patches={"contact": fm.ContactPatch(p.patch, directions=("y",))},
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
    )


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    pendulum = system.add(rod_of(p), name="pendulum")
    hanging = system.ground.marker("hinge", rotation=HANGING)
    system.revolute(hanging, pendulum["hinge"], axis="z", angle=p.start_angle, rate=p.start_speed, name="hinge")
    wall = fm.Plane(hanging, normal=(0.0, 1.0, 0.0))
    system.contact(fm.Point(pendulum["contact"]), wall, law=fm.Hertz(p.contact_stiffness), name="stop")
    return system


def along_beam(result: fm.Result, p: Parameters, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x (n,) m; of the sections (times, n) angular velocity, rad/s, and how far they have left the rigid motion, m.

    The rigid motion is that of the first of the times.
    """
    body = rod_of(p)
    order = np.argsort(body.points[:, 0], kind="stable")
    moving = np.flatnonzero(~body.massless)

    def at(name: str) -> np.ndarray:
        return np.interp(times, result.t, result[name])

    q = np.column_stack([at(f"pendulum.{label}") for label in body.mode_labels])
    rates = np.column_stack([at(f"pendulum.{body.mode_labels[i]}.rate") for i in moving])
    x, angle, deflection = body.points[order, 0], at("hinge.angle"), q @ body.modes[:, order, 1]
    spin = at("hinge.angle.rate")[:, None] + rates @ body.rotations[moving][:, order, 2]
    turned = angle - angle[0] - spin[0].mean() * (times - times[0])
    return x, spin, turned[:, None] * x + deflection - deflection[0]


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    hit = result.contacts[0] if result.contacts else None
    if hit is None:
        return {"contact_start": None}
    t = result.t[result.t >= hit.start]
    x, spin, left = along_beam(result, p, t)
    before = spin[0]
    sections = np.abs(x[:, None] - p.length * np.array(SECTIONS)).argmin(axis=0)
    change = np.abs(spin - before)[:, sections]
    blow = np.abs(x - p.position * p.length).argmin()
    arrived = np.abs(left[:, sections]) >= ARRIVED * np.abs(left[:, [blow]])
    arrived &= np.abs(left[:, [blow]]) >= SMALL * np.abs(left[:, blow]).max()
    mean = np.trapezoid(spin, x, axis=1) / p.length
    end = np.searchsorted(t, hit.end) if hit.end == hit.end else -1
    return {
        "contact_start": hit.start,
        "contact_duration": hit.duration,
        "peak_force": hit.peak_force,
        "peak_forces": [contact.peak_force for contact in result.contacts],
        "angular_velocity_before": float(before[0]),
        "angular_velocity_after": float(mean[end]),
        "angular_velocity_jump": float(change.max()),
        "sections": [float(x[i] / p.length) for i in sections],
        "section_jumps": [float(value) for value in change.max(axis=0)],
        "arrival_times": [float(t[column.argmax()] - hit.start) if column.any() else None for column in arrived.T],
        "tip_deflection_max": abs(result.extreme("pendulum.tip.displacement.y")[1]),
        "energy_error": fm.energy_error(result),
    }


def maps(result: fm.Result, p: Parameters) -> dict[str, fm.SpaceTimeMap]:
    """Angular velocity, and deflection from the rigid motion, over position and time from the blow on."""
    hit = result.contacts[0].start if result.contacts else 0.0
    times = np.linspace(hit, result.t[-1], TIMES)
    x, spin, left = along_beam(result, p, times)
    axes = {"x": x, "x_label": "distance from the hinge [m]", "t": 1e3 * (times - hit), "t_label": "time [ms]"}
    return {
        "Angular velocity": fm.SpaceTimeMap(values=spin, label="angular velocity [rad/s]", **axes),
        "Deflection": fm.SpaceTimeMap(values=1e3 * left, label="deflection from the rigid motion [mm]", **axes),
    }
