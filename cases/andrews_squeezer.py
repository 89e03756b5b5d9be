"""Andrews' squeezing mechanism: seven bodies, three loops, driven by a motor.

IVP test set after Schiehlen, Multibody Systems Handbook (1990), Manning (1981); names of lengths as in Hairer and
Wanner, Solving Ordinary Differential Equations II, VII.7. World axes: the mechanism moves in the x-y plane, without
gravity. K1 turns about O, K3 about B, K5 and K7 about A; K2, K4 and K6 meet K3 at the end of K2.
The angles: beta of K1, theta of K2 relative to K1, gamma of K3, phi of K4 relative to K5, delta of K5, omega of K6
relative to K7, epsilon of K7.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np

import flexmbs as fm

ANGLES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
PLOTS = {
    "Angles of crank and rod": ("beta.angle", "theta.angle"),
    "Small angles": ("gamma.angle", "phi.angle", "delta.angle", "omega.angle", "epsilon.angle"),
    "Rates": tuple(f"{name}.angle.rate" for name in ANGLES[2:]),
}


@dataclass(frozen=True)
class Parameters:
    m1: float = fm.parameter(0.04325, "kg", "mass of K1")
    m2: float = fm.parameter(0.00365, "kg", "mass of K2")
    m3: float = fm.parameter(0.02373, "kg", "mass of K3")
    m4: float = fm.parameter(0.00706, "kg", "mass of K4")
    m5: float = fm.parameter(0.07050, "kg", "mass of K5")
    m6: float = fm.parameter(0.00706, "kg", "mass of K6")
    m7: float = fm.parameter(0.05498, "kg", "mass of K7")
    i1: float = fm.parameter(2.194e-6, "kg m2", "inertia of K1 about its centre")
    i2: float = fm.parameter(4.410e-7, "kg m2", "inertia of K2 about its centre")
    i3: float = fm.parameter(5.255e-6, "kg m2", "inertia of K3 about its centre")
    i4: float = fm.parameter(5.667e-7, "kg m2", "inertia of K4 about its centre")
    i5: float = fm.parameter(1.169e-5, "kg m2", "inertia of K5 about its centre")
    i6: float = fm.parameter(5.667e-7, "kg m2", "inertia of K6 about its centre")
    i7: float = fm.parameter(1.912e-5, "kg m2", "inertia of K7 about its centre")
    xa: float = fm.parameter(-0.06934, "m", "point A (bearing of K5 and K7), x")
    ya: float = fm.parameter(-0.00227, "m", "point A, y")
    xb: float = fm.parameter(-0.03635, "m", "point B (bearing of K3), x")
    yb: float = fm.parameter(0.03273, "m", "point B, y")
    xc: float = fm.parameter(0.014, "m", "point C (fixed end of the spring), x")
    yc: float = fm.parameter(0.072, "m", "point C, y")
    c0: float = fm.parameter(4530.0, "N/m", "stiffness of the spring")
    l0: float = fm.parameter(0.07785, "m", "free length of the spring")
    d: float = fm.parameter(0.028, "m", "length of K2")
    da: float = fm.parameter(0.0115, "m", "centre of K2, from K1")
    e: float = fm.parameter(0.02, "m", "length of K4")
    ea: float = fm.parameter(0.01421, "m", "centre of K4, from the common point")
    rr: float = fm.parameter(0.007, "m", "length of K1")
    ra: float = fm.parameter(0.00092, "m", "centre of K1, from O")
    ss: float = fm.parameter(0.035, "m", "length of K3")
    sa: float = fm.parameter(0.01874, "m", "centre of K3, along")
    sb: float = fm.parameter(0.01043, "m", "centre of K3, across")
    sc: float = fm.parameter(0.018, "m", "end of the spring on K3, along")
    sd: float = fm.parameter(0.02, "m", "end of the spring on K3, across")
    ta: float = fm.parameter(0.02308, "m", "centre of K5, along")
    tb: float = fm.parameter(0.00916, "m", "centre of K5, across")
    u: float = fm.parameter(0.04, "m", "length of K7")
    ua: float = fm.parameter(0.01228, "m", "centre of K7, along")
    ub: float = fm.parameter(0.00449, "m", "centre of K7, across")
    zf: float = fm.parameter(0.02, "m", "length of K6")
    zt: float = fm.parameter(0.04, "m", "length of K5")
    fa: float = fm.parameter(0.01421, "m", "centre of K6, from the common point")
    mom: float = fm.parameter(0.033, "N m", "torque of the motor on K1")
    q0: tuple = fm.parameter(
        (
            -0.06171389001427645,
            0.0,
            0.45527981916307037,
            0.22266839016588588,
            0.48736497954384256,
            -0.22266839016588588,
            1.2305474445498212,
        ),
        "rad",
        "angles at the start: theta is kept, the others close the loops",
    )
    v0: tuple = fm.parameter((0.0,) * 7, "rad/s", "rates at the start; theta is kept, the others follow from it")
    coordinates: str = fm.parameter("reduced", "", "coordinates: reduced or absolute")
    t_end: float = fm.parameter(0.03, "s", "end time")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def bodies(p: Parameters) -> dict[str, tuple]:
    """Name: mass, inertia, centre, then markers by name; plane coordinates from the body's bearing."""
    return {
        "K1": (p.m1, p.i1, (p.ra, 0.0), {"pin": (p.rr, 0.0)}),
        "K2": (p.m2, p.i2, (-p.da, 0.0), {"pin": (-p.d, 0.0)}),
        "K3": (p.m3, p.i3, (p.sb, -p.sa), {"pin": (0.0, -p.ss), "spring": (p.sd, -p.sc)}),
        "K4": (p.m4, p.i4, (0.0, -(p.e - p.ea)), {"pin": (0.0, -p.e)}),
        "K5": (p.m5, p.i5, (p.ta, p.tb), {"pin": (p.zt, 0.0)}),
        "K6": (p.m6, p.i6, (p.zf - p.fa, 0.0), {"pin": (p.zf, 0.0)}),
        "K7": (p.m7, p.i7, (-p.ub, -p.ua), {"pin": (0.0, -p.u)}),
    }


def build(p: Parameters) -> fm.System:
    """Angles of the tree are the angles of the test set; the pins where K2, K4 and K6 meet K3 close the loops."""
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=p.coordinates)
    parts = {}
    for name, (mass, inertia, center, markers) in bodies(p).items():
        flat = (0.5 * inertia, 0.5 * inertia, inertia)  # of a flat body: only the last has a say
        body = fm.RigidBody(mass, flat, (*center, 0.0), surface=drawn(markers.values()))
        part = parts[name] = system.add(body, name=name)
        for marker, place in markers.items():
            part.marker(marker, (*place, 0.0))
    center = system.ground.marker("O")
    A = system.ground.marker("A", (p.xa, p.ya, 0.0))
    B = system.ground.marker("B", (p.xb, p.yb, 0.0))
    C = system.ground.marker("C", (p.xc, p.yc, 0.0))
    K1, K2, K3, K4, K5, K6, K7 = parts.values()
    bearings = (center, K1["pin"], B, K5["pin"], A, K7["pin"], A)
    for name, bearing, body, angle, rate in zip(ANGLES, bearings, parts.values(), p.q0, p.v0, strict=True):
        joint = system.revolute(bearing, body["origin"], axis="z", name=name)
        joint.start["angle"], joint.start_rate["angle"] = angle, rate
    system.joints["theta"].given.add("angle")
    system.joints["theta"].given_rates.add("angle")
    for body in (K2, K4, K6):
        system.revolute(K3["pin"], body["pin"], axis="z", name=f"{body.name} on K3")
    system.torque(K1["origin"], (0.0, 0.0, p.mom), name="motor")
    system.spring_damper(C, K3["spring"], p.c0, length=p.l0, name="spring")
    return system


def drawn(ends):
    """A link from the bearing to each of the ``ends``; drawn only."""
    links = []
    for x, y in ends:
        length = hypot(x, y)
        link = fm.RigidBody.link(1.0, length, 0.0025, 0.0015).surface
        turn = np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, length]]) / length
        links.append(link.moved(np.zeros(3), turn))
    return fm.SurfaceMesh.joined(links)


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    return {
        "q": [result[f"{name}.angle"][-1] for name in ANGLES],
        "v": [result[f"{name}.angle.rate"][-1] for name in ANGLES],
        "constraint_error": result["constraint_error"].max(),
    }
