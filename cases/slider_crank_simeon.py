"""A slider-crank whose rod bends and stretches.

Simeon, Modelling a flexible slider crank mechanism by a mixed system of DAEs and PDEs, Math. Modelling of Systems 2
(1996) 1-18; IVP test set. The crank turns at constant speed, the rod has two sine modes across and a quadratic
displacement along (middle and end), the block slides along x. World axes: everything moves in the plane x y.

The mass matrix of the test set lacks a factor 1/15 in the block of the displacement along the rod, which is thereby 15
times too heavy. It is taken as published unless ``physical_mass`` is set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan2, pi

import numpy as np

import flexmbs as fm

MODES = ("q1", "q2", "q3", "q4")
STATIONS = 21  # along the rod, for pictures and markers
CORNERS = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))
STARTS = {  # start values of the four shapes and of their rates, as published
    "init1": ((0.0, 0.0, 0.103339863e-4, 0.169327969e-4), (0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5)),
    "init2": ((0.0,) * 4, (0.0,) * 4),
}
PLOTS = {
    "Rod angle against crank": ("pin.angle",),
    "Bending": ("rod.q1", "rod.q2"),
    "Stretch": ("rod.q3", "rod.q4"),
    "Block": ("slide.displacement",),
}
VIEW = {"scale": 20.0}  # of the deformation


@dataclass(frozen=True)
class Parameters:
    m1: float = fm.parameter(0.36, "kg", "mass of the crank")
    m2: float = fm.parameter(0.151104, "kg", "mass of the rod")
    m3: float = fm.parameter(0.075552, "kg", "mass of the block")
    l1: float = fm.parameter(0.15, "m", "length of the crank")
    l2: float = fm.parameter(0.30, "m", "length of the rod")
    J1: float = fm.parameter(0.002727, "kg m2", "inertia of the crank about its bearing")
    J2: float = fm.parameter(0.0045339259, "kg m2", "inertia of the rod about its end on the crank")
    E: float = fm.parameter(2e11, "Pa", "Young's modulus of the rod")
    nu: float = fm.parameter(0.3, "", "Poisson's ratio of the rod (has no effect)")
    b: float = fm.parameter(0.008, "m", "width of the rod")
    h: float = fm.parameter(0.008, "m", "height of the rod, in the plane of motion")
    rho: float = fm.parameter(7870.0, "kg/m3", "density of the rod (modal masses)")
    grav: float = fm.parameter(0.0, "m/s2", "gravity, along -y")
    Omega: float = fm.parameter(150.0, "rad/s", "speed of the crank")
    init: str = fm.parameter("init1", "", "start values of the rod: init1 (smooth motion) or init2 (rigid, oscillates)")
    q0: tuple | None = fm.parameter(None, "m", "q1 to q4 at the start; none: from init")
    qd0: tuple | None = fm.parameter(None, "m/s", "rates of q1 to q4 at the start; none: from init")
    physical_mass: bool = fm.parameter(False, "", "include the factor 1/15 in the mass of the axial displacement")
    nlstiff: bool = fm.parameter(False, "", "include third-order strain energy: stretching stiffens the rod in bending")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(0.1, "s", "end time")
    rtol: float = fm.parameter(1e-6, "", "relative tolerance")
    atol: float = fm.parameter(1e-10, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    if p.init not in STARTS:
        raise fm.CaseError(f"parameter 'init' must be {' or '.join(STARTS)}, not {p.init!r}")
    start, rates = STARTS[p.init]
    p = replace(p, q0=start if p.q0 is None else p.q0, qd0=rates if p.qd0 is None else p.qd0)
    for name in ("q0", "qd0"):
        if len(getattr(p, name)) != len(MODES):
            raise fm.CaseError(f"parameter {name!r} must be 4 numbers, not {getattr(p, name)}")
    return p


def rod(p: Parameters) -> fm.FlexibleBody:
    """The rod in the frame of its chord: sin(n pi s) across, 4 s (1 - s) and s (2 s - 1) along, s = x / l2."""
    s = np.linspace(0.0, 1.0, STATIONS)
    across, slope, along = np.zeros((4, STATIONS)), np.zeros((4, STATIONS)), np.zeros((4, STATIONS))
    for n in (1, 2):
        across[n - 1], slope[n - 1] = np.sin(n * pi * s), n * pi / p.l2 * np.cos(n * pi * s)
    across[:, -1] = 0.0  # sin(n pi) but for rounding
    along[2], along[3] = 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)
    points, modes, rotations = [], [], []
    for y, z in ((0.0, 0.0), *CORNERS):  # centre line, then the edges, which are only drawn
        y, z = y * p.h, z * p.b
        points.append(np.column_stack([p.l2 * s, y + 0.0 * s, z + 0.0 * s]))
        modes.append(np.stack([along - y * slope, across, 0.0 * across], axis=2))
        rotations.append(np.stack([0.0 * slope, 0.0 * slope, slope], axis=2))
    stretching, bending = p.E * p.b * p.h / p.l2, p.E * p.b * p.h**3 * pi**4 / (24.0 * p.l2**3)
    stiffness = np.zeros((4, 4))
    stiffness[0, 0], stiffness[1, 1] = bending, 16.0 * bending
    stiffness[2:, 2:] = stretching / 3.0 * np.array([[16.0, -8.0], [-8.0, 7.0]])
    pairs, cubic = stiffening(p)
    return fm.body_from_arrays(
        points=np.concatenate(points),
        modes=np.concatenate(modes, axis=1),
        rotations=np.concatenate(rotations, axis=1),
        K=stiffness,
        moments=integrals(p),
        pairs=pairs,
        cubic=cubic,
        labels=MODES,
        markers={"crank": 1, "block": STATIONS},
        faces=sides(),
        name="rod",
    )


def stiffening(p: Parameters) -> tuple[np.ndarray, np.ndarray | None]:
    """Pairs of shapes, and the strain energy E A / 2 int u' w'^2 dx of their product with q1 to q4."""
    if not p.nlstiff:
        return np.zeros((0, 2), dtype=int), None
    stiffness, beta = p.E * p.b * p.h * pi**2 / (2.0 * p.l2**2), 80.0 / (9.0 * pi**2)
    cubic = np.zeros((3, 4))
    cubic[0, 3], cubic[1, 2:], cubic[2, 3] = 0.5, (4.0 * beta, -2.0 * beta), 2.0
    return np.array([(0, 0), (0, 1), (1, 1)]), stiffness * cubic


def sides() -> np.ndarray:
    """The four sides between the edges, station by station."""
    at = STATIONS * (1 + np.arange(4))
    quads = [(4, at[k] + i, at[k] + i + 1, at[k - 1] + i + 1, at[k - 1] + i) for k in range(4) for i in range(STATIONS - 1)]
    return np.array(quads)


def integrals(p: Parameters) -> fm.InertiaMoments:
    """Integrals of the shapes over the rod; those of the shapes along the rod with each other as published."""
    line = p.rho * p.b * p.h * p.l2  # kg
    first, position = np.zeros((4, 3)), np.zeros((4, 3, 3))
    first[0, 1], first[2, 0], first[3, 0] = 2.0 / pi, 2.0 / 3.0, 1.0 / 6.0
    position[0, 1, 0], position[1, 1, 0] = 1.0 / pi, -0.5 / pi
    position[2, 0, 0], position[3, 0, 0] = 1.0 / 3.0, 1.0 / 6.0
    product = np.zeros((4, 4, 3, 3))
    product[0, 0, 1, 1] = product[1, 1, 1, 1] = 0.5
    product[2:, 2:, 0, 0] = np.array([[8.0, 1.0], [1.0, 2.0]]) / (15.0 if p.physical_mass else 1.0)
    for a, b, value in ((0, 2, 16.0 / pi**3), (0, 3, 1.0 / pi - 8.0 / pi**3), (1, 3, -0.5 / pi)):
        product[a, b, 1, 0] = product[b, a, 0, 1] = value
    pairs = len(stiffening(p)[0])
    # the plane motion knows only the sum of the second moments
    second_x = min(p.m2 * p.l2**2 / 3.0, p.J2)
    return fm.InertiaMoments(
        mass=p.m2,
        first=np.array([0.5 * p.m2 * p.l2, 0.0, 0.0]),
        second=np.diag([second_x, p.J2 - second_x, 0.0]),
        mode_first=line * first,
        mode_position=line * p.l2 * position,
        mode_mode=line * product,
        pair_first=np.zeros((pairs, 3)),
        pair_position=np.zeros((pairs, 3, 3)),
    )


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.grav, 0.0), coordinates=p.coordinates)
    about_center = p.J1 - 0.25 * p.m1 * p.l1**2
    drawn = fm.RigidBody.link(1.0, p.l1, 0.03, 0.02)
    inertia = (0.5 * about_center, 0.5 * about_center, about_center)
    crank = system.add(fm.RigidBody(p.m1, inertia, (0.5 * p.l1, 0.0, 0.0), surface=drawn.surface), name="crank")
    crank.marker("pin", (p.l1, 0.0, 0.0))
    bent = system.add(rod(p), name="rod", modal_coordinates=p.q0, modal_velocities=p.qd0)
    cube = fm.RigidBody.box(1.0, (0.05, 0.03, 0.03))
    block = system.add(fm.RigidBody(p.m3, p.m3 * 1e-4 * np.ones(3), surface=cube.surface), name="block")
    speed = p.Omega
    drive = system.revolute(system.ground.marker("bearing"), crank["origin"], axis="z", name="drive")
    drive.prescribe(lambda t: speed * t, lambda t: speed, lambda t: 0.0)
    # the chord turns so that the block stays on its rail; the end on the crank also has the slope of the modes
    reach, slope = p.l2 + p.q0[3], pi / p.l2 * np.array([1.0, 2.0])
    swing = -p.l1 * p.Omega / reach - p.Omega + slope @ p.qd0[:2]
    system.revolute(crank["pin"], bent["crank"], axis="z", angle=slope @ p.q0[:2], rate=swing, name="pin")
    system.prismatic(
        system.ground.marker("rail"), block["origin"], axis="x", displacement=p.l1 + reach, rate=p.qd0[3], name="slide"
    )
    system.revolute(bent["block"], block["origin"], axis="z", name="gudgeon")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    chord = result.rotation("rod")[-1, :, 0]
    return {
        "phi2": atan2(chord[1], chord[0]),
        "x3": result["slide.displacement"][-1],
        **{name: result[f"rod.{name}"][-1] for name in MODES},
        "constraint_error": result["constraint_error"].max(),
    }
