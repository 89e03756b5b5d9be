"""A satellite unfolds a solar wing of panels on torsion springs, whose hinges latch.

A hub that floats freely, without gravity, in the plane; hinge 1 on the hub, panel i from hinge i to hinge i + 1.
phi_i is the angle of panel i against its predecessor, 0 when the wing is straight. Hinge torque on phi_i:
-(stiffness phi_i + preload sign(phi_i at the start) + damping phi_i'). The panels are synchronised, phi_2 = -2 phi_1
and phi_i = -phi_(i-1) from the third on, by rigid couplings or by springs and dampers on these sums, or not at all. A
hinge that reaches 0 latches: an ideal impulse stops it for good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi

import numpy as np
from scipy.linalg import eigh

import flexmbs as fm

SAMPLES = 0.1  # s: the times among which largest_tip_before and _after are sought
SYNCHRONISATIONS, PANELS = ("rigid", "elastic", "none"), ("rigid", "beam", "shells", "solids")
DEFAULTS = {
    "panel_masses": (8.0, 8.0, 8.0),
    "panel_lengths": (1.5, 1.5, 1.5),
    "panel_inertias": (1.5, 1.5, 1.5),
    "hinge_stiffness": (0.4, 0.15, 0.15),
    "hinge_damping": (0.2, 0.1, 0.1),
    "hinge_preload": (0.1, 0.0, 0.0),
    "start_angles": (-0.5 * pi, pi, -pi),
}
IN_FILES = {
    "hub.mass": "hub_mass",
    "hub.inertia": "hub_inertia",
    "hub.hinge": "hinge",
    "hub.angle": "hub_angle",
    "hub.rate": "hub_rate",
    "hub.velocity": "hub_velocity",
    "panels.mass": "panel_masses",
    "panels.length": "panel_lengths",
    "panels.inertia": "panel_inertias",
    "hinge_stiffness": "hinge_stiffness",
    "hinge_damping": "hinge_damping",
    "hinge_preload": "hinge_preload",
    "start_angles": "start_angles",
    "sync.kind": "synchronisation",
    "sync.stiffness": "sync_stiffness",
    "sync.damping": "sync_damping",
    "last_panel.mass": "last_mass",
    "last_panel.length": "last_length",
    "last_panel.modes": "modes",
    "last_panel.damping_ratio": "damping_ratio",
    "last_panel.bending_stiffness": "bending_stiffness",
    "t_end": "t_end",
}
UNITS = {
    "latch_time": "s",
    "latch_times": "s",
    "hub_angle": "rad",
    "tip_acceleration_max": "m/s2",
    "tip_deflection_max": "m",
    "largest_tip_before": "m",
    "largest_tip_after": "m",
}
PLOTS = {
    "Hub": ("motion.angle", "motion.angle.rate"),
    "Panels": ("hinge 1.angle", "hinge 2.angle"),
    "Energy": ("energy.kinetic", "energy.elastic"),
}


@dataclass(frozen=True)
class Parameters:
    hub_mass: float = fm.parameter(200.0, "kg", "mass of the hub")
    hub_inertia: float = fm.parameter(80.0, "kg m2", "inertia of the hub about its centre")
    hinge: tuple = fm.parameter((0.6, 0.1), "m", "hinge 1 in the frame of the hub")
    hub_angle: float = fm.parameter(0.0, "rad", "angle of the hub at the start")
    hub_rate: float = fm.parameter(0.0, "rad/s", "rate of the hub at the start; all panels turn with it")
    hub_velocity: tuple = fm.parameter((0.0, 0.0), "m/s", "velocity of the hub's centre at the start")
    panel_masses: tuple | None = fm.parameter(None, "kg", "of the rigid panels; none: 8 each")
    panel_lengths: tuple | None = fm.parameter(None, "m", "of the rigid panels; none: 1.5 each")
    panel_inertias: tuple | None = fm.parameter(None, "kg m2", "about the centres; none: 1.5 each")
    hinge_stiffness: tuple | None = fm.parameter(None, "N m/rad", "of the hinges; none: 0.4, 0.15, 0.15")
    hinge_damping: tuple | None = fm.parameter(None, "N m s/rad", "of the hinges; none: 0.2, 0.1, 0.1")
    hinge_preload: tuple | None = fm.parameter(None, "N m", "of the hinges, towards 0; none: 0.1, 0, 0")
    start_angles: tuple | None = fm.parameter(None, "rad", "of the hinges; none: -pi/2, pi, -pi")
    synchronisation: str = fm.parameter("rigid", "", f"of the hinges: {', '.join(SYNCHRONISATIONS)}")
    sync_stiffness: tuple | None = fm.parameter(None, "N m/rad", "of elastic synchronisation; one, or one per coupling")
    sync_damping: tuple | None = fm.parameter(None, "N m s/rad", "of elastic synchronisation; none: 0")
    panels: str = fm.parameter("rigid", "", f"panels: {', '.join(PANELS)}; beam: the last one only")
    last_mass: float | None = fm.parameter(None, "kg", "mass of a last panel that is a beam")
    last_length: float | None = fm.parameter(None, "m", "its length")
    bending_stiffness: float = fm.parameter(120.0, "N m2", "EI of flexible panels")
    modes: int = fm.parameter(3, "", "modes of each flexible panel", minimum=1)
    damping_ratio: float = fm.parameter(0.0, "", "of these modes, held at the hinge", minimum=0.0)
    width: float = fm.parameter(1.0, "m", "width of panels that are meshed or drawn")
    thickness: float = fm.parameter(0.02, "m", "thickness of panels that are meshed or drawn")
    elements: int = fm.parameter(8, "", "elements along a meshed panel", minimum=1)
    latches: bool = fm.parameter(True, "", "whether hinges latch")
    parameters: str | None = fm.parameter(None, "", "JSON file with hub, panels, sync, last_panel and hinge_... lists")
    t_end: float = fm.parameter(30.0, "s", "end time")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; fill in the lists."""
    p = fm.with_parameter_file(p, IN_FILES)
    p = replace(p, **{name: values for name, values in DEFAULTS.items() if getattr(p, name) is None})
    if p.last_mass is not None and p.panels == "rigid":
        p = replace(p, panels="beam")
    if p.panels == "beam" and p.last_mass is None:  # the last of the rigid ones is the beam
        rigid = {name: getattr(p, name)[:-1] for name in ("panel_masses", "panel_lengths", "panel_inertias")}
        p = replace(p, last_mass=p.panel_masses[-1], last_length=p.panel_lengths[-1], **rigid)
    check(p)
    return replace(p, sync_stiffness=per_coupling(p.sync_stiffness, p), sync_damping=per_coupling(p.sync_damping, p))


def count(p: Parameters) -> int:
    """Number of panels."""
    return len(p.panel_masses) + (p.panels == "beam")


def per_coupling(values: tuple | None, p: Parameters) -> tuple:
    """One value of each coupling, of a list that may hold one for all."""
    couplings = count(p) - 1
    return (0.0,) * couplings if values is None else values * couplings if len(values) == 1 else values


def check(p: Parameters) -> None:
    """CaseError for words that are not known, and lists that are too short."""
    for name, words in (("synchronisation", SYNCHRONISATIONS), ("panels", PANELS)):
        if getattr(p, name) not in words:
            raise fm.CaseError(f"parameter {name!r} must be one of {', '.join(words)}, not {getattr(p, name)!r}")
    n, rigid = count(p), len(p.panel_masses)
    wanted = dict.fromkeys(("panel_lengths", "panel_inertias"), rigid)
    wanted |= dict.fromkeys(("start_angles", "hinge_stiffness", "hinge_damping", "hinge_preload"), n)
    for name, size in wanted.items():
        if len(getattr(p, name)) != size:
            raise fm.CaseError(f"parameter {name!r} must be {size} numbers for {n} panels, not {getattr(p, name)}")
    if p.synchronisation == "elastic":
        if p.sync_stiffness is None:
            raise fm.CaseError("elastic synchronisation needs the parameter 'sync_stiffness' (N m/rad)")
        for name in ("sync_stiffness", "sync_damping"):
            if len(per_coupling(getattr(p, name), p)) != n - 1:
                raise fm.CaseError(f"parameter {name!r} must be one number or {n - 1}, not {getattr(p, name)}")


def rigid_panel(p: Parameters, i: int) -> fm.RigidBody:
    """Panel ``i``, from its hinge along x."""
    mass, length, inertia = p.panel_masses[i], p.panel_lengths[i], p.panel_inertias[i]
    centre = (0.5 * length, 0.0, 0.0)
    drawn = fm.RigidBody.box(1.0, (length, p.thickness, p.width), centre).surface
    return fm.RigidBody(mass, (0.5 * inertia, 0.5 * inertia, inertia), centre, surface=drawn)


def beam_panel(p: Parameters) -> fm.FlexibleBody:
    """The last panel: an inextensible beam that bends in the plane, without rotary inertia."""
    return fm.uniform_beam(
        length=p.last_length,
        bending_stiffness=p.bending_stiffness,
        mass_per_length=p.last_mass / p.last_length,
        supports=("clamped", "free"),
        modes=p.modes,
        markers={"root": 0.0, "tip": p.last_length},
        foreshortening=True,
        damping_ratio=p.damping_ratio,
    )


def meshed_panel(p: Parameters, i: int) -> fm.FlexibleBody:
    """Panel ``i`` of shells or solids with the bending stiffness and mass of the beam, without contraction across."""
    length, moment = p.panel_lengths[i], p.width * p.thickness**3 / 12.0
    density = p.panel_masses[i] / (length * p.width * p.thickness)
    across = max(1, round(p.elements * p.width / length))
    metal = fm.Material("panel", p.bending_stiffness / moment, 0.0, density)
    if p.panels == "solids":
        mesh = fm.box_mesh((length, p.thickness, p.width), (p.elements, 1, across), metal)
    else:
        mesh = sheet(length, p, (p.elements, across), metal)
    ends = {"root": fm.Interface(set="ROOT", kind="rigid"), "tip": fm.Interface(set="TIP", kind="rigid")}
    return fm.reduce(mesh, interfaces=ends, modes=fm.ClampedFree(at="root", count=p.modes), damping=p.damping_ratio or None)


def sheet(length: float, p: Parameters, divisions: tuple[int, int], metal: fm.Material) -> fm.Mesh:
    """Rectangle of quad4 shells in the plane y = 0; node sets ROOT and TIP."""
    lines = (np.linspace(0.0, side, n + 1) for side, n in zip((length, p.width), divisions, strict=True))
    x, z = (grid.ravel() for grid in np.meshgrid(*lines, indexing="ij"))
    numbers = np.arange(len(x)).reshape(divisions[0] + 1, -1)
    corners = [numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]]
    cells = np.stack(corners, axis=-1).reshape(-1, 4)
    block = fm.ElementBlock("quad4", np.arange(len(cells)) + 1, cells, metal, fm.ShellSection(p.thickness))
    sets = {"ROOT": np.flatnonzero(x == 0.0), "TIP": np.flatnonzero(x == length)}
    points = np.stack([x, 0.0 * x, z], axis=-1)
    return fm.Mesh(points, np.arange(len(x)) + 1, (block,), node_sets=sets, source="panel")


def add_panels(system: fm.System, p: Parameters) -> list:
    """The panels, each with the markers "root" and "tip"."""
    panels = []
    for i in range(count(p)):
        if p.panels in ("shells", "solids"):
            panels.append(system.add(meshed_panel(p, i), f"panel {i + 1}"))
        elif i < len(p.panel_masses):
            panels.append(system.add(rigid_panel(p, i), f"panel {i + 1}"))
            panels[-1].marker("root")
            panels[-1].marker("tip", (p.panel_lengths[i], 0.0, 0.0))
        else:
            panels.append(system.add(beam_panel(p), f"panel {i + 1}"))
    return panels


def build(p: Parameters, straight: bool = False) -> fm.System:
    """The satellite as it starts; or ``straight``, with all hinges fixed."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    size = (1.2, 1.2, p.width)
    hub_body = fm.RigidBody(p.hub_mass, p.hub_inertia * np.array([0.5, 0.5, 1.0]), size=size)
    hub = system.add(hub_body, "hub")
    hub.marker("hinge", (*p.hinge, 0.0))
    panels = add_panels(system, p)
    u_rate, v_rate = (0.0, 0.0) if straight else p.hub_velocity
    system.planar(
        system.ground["origin"],
        hub["origin"],
        u=0.0,
        v=0.0,
        angle=p.hub_angle,
        u_rate=u_rate,
        v_rate=v_rate,
        angle_rate=0.0 if straight else p.hub_rate,
        name="motion",
    )
    carriers = [hub["hinge"], *(panel["tip"] for panel in panels[:-1])]
    ends = [(carrier, panel["root"]) for carrier, panel in zip(carriers, panels, strict=True)]
    if straight:
        for i, (carrier, root) in enumerate(ends):
            system.fixed(carrier, root, name=f"hinge {i + 1}")
        return system
    hinges = [
        system.revolute(carrier, root, axis="z", angle=angle, rate=0.0, name=f"hinge {i + 1}")
        for i, ((carrier, root), angle) in enumerate(zip(ends, p.start_angles, strict=True))
    ]
    for i, hinge in enumerate(hinges):
        preload = float(p.hinge_preload[i] * np.sign(p.start_angles[i]))
        hinge.spring(p.hinge_stiffness[i], p.hinge_damping[i], preload=preload, name="hinge")
        if p.latches:
            system.latch(hinge, at=0.0, name=f"latch {i + 1}")
    synchronise(system, hinges, p)
    if p.panels != "rigid":
        system.sensor("acceleration", panels[-1]["tip"], name="tip acceleration")
    return system


def synchronise(system: fm.System, hinges: list, p: Parameters) -> None:
    """phi_2 = -2 phi_1 and phi_i = -phi_(i-1), by constraints or by springs and dampers."""
    for i in range(1, len(hinges)):
        terms = (hinges[i], 1.0), (hinges[i - 1], 2.0 if i == 1 else 1.0)
        name = f"synchronisation {i}"
        if p.synchronisation == "rigid":
            system.couple(*terms, value=0.0, name=name)
        elif p.synchronisation == "elastic":
            stiffness, damping = p.sync_stiffness[i - 1], p.sync_damping[i - 1]
            system.couple_elastically(*terms, stiffness=stiffness, damping=damping, rest=0.0, name=name)


def bodies_of(p: Parameters, system: fm.System) -> dict[str, object]:
    """The bodies in the order of the chain."""
    names = ["hub", *(f"panel {i + 1}" for i in range(count(p)))]
    return {name: system.bodies[name].body for name in names}


def hinge_momenta(result: fm.Result, bodies: dict[str, object]) -> np.ndarray:
    """(nt, n) N m s: angular momentum about each hinge of all that is beyond it.

    Where it jumps, the jump is the angular impulse in the hinge.
    """
    names, found = list(bodies), []
    for i in range(1, len(names)):
        beyond = {name: bodies[name] for name in names[i:]}
        place = np.stack([result[f"{names[i]}.root.position.{axis}"] for axis in "xyz"], axis=-1)
        found.append(fm.momenta(result, beyond, about=place)[1][:, 2])
    return np.stack(found, axis=-1)


def hinge_rates(result: fm.Result, p: Parameters) -> np.ndarray:
    """(nt, n) rad/s."""
    return np.stack([result[f"hinge {i + 1}.angle.rate"] for i in range(count(p))], axis=-1)


def latched_rows(result: fm.Result, p: Parameters) -> list[tuple[int, list[int]]]:
    """Row before each latch, with the hinges (from 0) whose rates jump to zero there; the next row is the one after."""
    rates, found = hinge_rates(result, p), []
    size = np.abs(rates).max()
    for row in np.flatnonzero(np.diff(result.t) == 0.0):
        stopped = (np.abs(rates[row]) > 1e-9 * size) & (np.abs(rates[row + 1]) <= 1e-9 * size)
        if stopped.any():
            found.append((int(row), np.flatnonzero(stopped).tolist()))
    return found


def latch_figures(result: fm.Result, p: Parameters, bodies: dict[str, object]) -> list[dict[str, object]]:
    """One entry for each instant at which hinges latch; impulses of all hinges that have latched by then."""
    rates, momenta, kinetic = hinge_rates(result, p), hinge_momenta(result, bodies), result["energy.kinetic"].tolist()
    angle, hub_rate = result["motion.angle"].tolist(), result["motion.angle.rate"].tolist()
    latched: set[int] = set()
    found = []
    for row, hinges in latched_rows(result, p):
        latched |= set(hinges)
        impulses = (momenta[row + 1] - momenta[row]).tolist()
        found.append(
            {
                "time": float(result.t[row]),
                "hinges": [i + 1 for i in hinges],
                "hub_angle": angle[row],
                "hub_rate_before": hub_rate[row],
                "hub_rate_after": hub_rate[row + 1],
                "rates_before": rates[row].tolist(),
                "rates_after": rates[row + 1].tolist(),
                "angles": [float(result[f"hinge {i + 1}.angle"][row]) for i in range(count(p))],
                "latch_angular_impulse": {f"hinge{i + 1}": impulses[i] for i in sorted(latched)},
                "energy_lost": kinetic[row] - kinetic[row + 1],
                "kinetic_before": kinetic[row],
                "kinetic_after": kinetic[row + 1],
            }
        )
    return found


def strain_energy(result: fm.Result, bodies: dict[str, object]) -> np.ndarray:
    """(nt,) J, of the flexible panels."""
    total = np.zeros(len(result.t))
    for name, body in bodies.items():
        if isinstance(body, fm.FlexibleBody):
            q = result.modal(name, result.t)
            total += 0.5 * np.einsum("ta,ab,tb->t", q, body.Ke, q)
    return total


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """latches, momenta, start and end; with flexible panels also deflections and acceleration of the outer tip."""
    bodies = bodies_of(p, build(p))
    linear, angular = fm.momenta(result, bodies)
    angular = angular[:, 2]
    drifts = np.linalg.norm(linear - linear[0], axis=1).max(), np.abs(angular - angular[0]).max()
    found: dict[str, object] = {
        "latches": latch_figures(result, p, bodies),
        "linear_momentum": linear[0, :2].tolist(),
        "angular_momentum_about_world_origin": angular[0],
        "drift_of_momenta": [float(drift) for drift in drifts],
    }
    found["latch_times"] = [latch["time"] for latch in found["latches"]]
    strain = strain_energy(result, bodies)
    springs = result["energy.elastic"] - strain
    kinetic = result["energy.kinetic"]
    found["start_energy"] = {"kinetic": float(kinetic[0]), "springs": float(springs[0])}
    names = {"x": "motion.u", "y": "motion.v", "hub_angle": "motion.angle", "hub_rate": "motion.angle.rate"}
    found["end"] = {
        "t": float(result.t[-1]),
        **{name: float(result[history][-1]) for name, history in names.items()},
        "phi": [float(result[f"hinge {i + 1}.angle"][-1]) for i in range(count(p))],
        "kinetic": float(kinetic[-1]),
        "springs": float(springs[-1]),
    }
    return found if p.panels == "rigid" else flexible_figures(result, p, bodies, found, strain)


def flexible_figures(
    result: fm.Result, p: Parameters, bodies: dict[str, object], found: dict[str, object], strain: np.ndarray
) -> dict[str, object]:
    """The figures with those of flexible panels; before and after: of the first latch."""
    tip = f"panel {count(p)}.tip.displacement.y"
    tips, rates = result[tip], tip_rates(result, p, bodies)
    acceleration = np.linalg.norm([result[f"tip acceleration.{axis}"] for axis in "xyz"], axis=0)
    wing = build(p, straight=True).linearize().frequencies
    found["end"] |= {"tip": float(tips[-1])}
    found["tip_deflection_max"] = abs(result.extreme(tip)[1])
    found |= {
        "cantilever_frequencies_hz": bodies[f"panel {count(p)}"].frequencies.tolist(),
        "straight_wing_frequencies_hz": wing[wing > 1e-3 * wing.max()].tolist(),
        "tip_acceleration_max": acceleration.max(),
    }
    if not found["latches"]:
        return found
    latch, row = found["latches"][0], latched_rows(result, p)[0][0]
    if p.panels == "beam":
        found["latched_frequencies_hz"] = latched_frequencies(p, bodies, result.modal(f"panel {count(p)}", result.t)[row])
    found |= {"latch_time": latch["time"], "hub_angle": latch["hub_angle"]}
    found["before"] = {
        "hub_rate": latch["hub_rate_before"],
        "phi_rates": latch["rates_before"],
        "tip": float(tips[row]),
        "tip_rate": float(rates[row]),
        "kinetic": latch["kinetic_before"],
        "strain": float(strain[row]),
    }
    found["after"] = {"hub_rate": latch["hub_rate_after"], "tip_rate": float(rates[row + 1]), "kinetic": latch["kinetic_after"]}
    samples = result.resampled(SAMPLES * np.arange(int(result.t[-1] / SAMPLES + 1e-9) + 1))
    sampled = np.abs(samples[tip])
    found["largest_tip_before"] = sampled[samples.t <= latch["time"]].max()
    found["largest_tip_after"] = sampled[samples.t > latch["time"]].max(initial=0.0)
    return found


def tip_rates(result: fm.Result, p: Parameters, bodies: dict[str, object]) -> np.ndarray:
    """(nt,) m/s: rate of the deflection of the outer tip, in axes of its panel's root."""
    name = f"panel {count(p)}"
    body, record = bodies[name], result.structure.bodies[result.structure.body_index(name)]
    outermost = np.argmax(body.points[:, 0])
    return result.trajectory.v[:, record.rates] @ body.modes[:, outermost, 1]


def latched_frequencies(p: Parameters, bodies: dict[str, object], q: np.ndarray) -> list[float]:
    """Hz: of the latched wing, its hub free, with the mass matrix at the modal coordinates of the latch."""
    beam = bodies[f"panel {count(p)}"]
    M = np.zeros((3 + p.modes, 3 + p.modes))
    x = p.hinge[0] + np.cumsum([0.0, *p.panel_lengths])
    places = [(0.0, 0.0), *((hinge, p.hinge[1]) for hinge in x)]
    for body, place in zip(bodies.values(), places, strict=True):
        moved = rigid_motions(body, place, q)
        if body is beam:
            rates = [body.quadratic_coordinates(q, unit) for unit in np.eye(p.modes)]
            moved = np.concatenate([moved, body.inertia.P + np.tensordot(rates, body.inertia.Z, 1)])
        M[: len(moved), : len(moved)] += np.einsum("aks,bks->ab", moved, moved)
    K = np.zeros_like(M)
    K[3:, 3:] = beam.Ke
    squares = eigh(K, M, eigvals_only=True)[3:]
    return (np.sqrt(squares) / (2.0 * np.pi)).tolist()


def rigid_motions(body: object, place: tuple[float, float], q: np.ndarray) -> np.ndarray:
    """(3, 3, R): the mass points of a body at ``place`` in the hub's frame as the hub moves along x, y and turns."""
    root = np.sqrt(body.mass)
    if isinstance(body, fm.FlexibleBody):
        points = body.inertia.X + np.tensordot(q, body.inertia.P, 1)
        points = points + np.tensordot(body.quadratic_coordinates(q), body.inertia.Z, 1)
    else:
        squares, axes = np.linalg.eigh(body.second_moment)
        points = np.column_stack([root * body.center, axes * np.sqrt(np.maximum(squares, 0.0))])
    points[:2, 0] += root * np.asarray(place)
    moved = np.zeros((3, *points.shape))
    moved[0, 0, 0] = moved[1, 1, 0] = root
    moved[2, 0], moved[2, 1] = -points[1], points[0]
    return moved
