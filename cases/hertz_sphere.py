"""A steel sphere hits a half-space.

Hertz (K. L. Johnson, Contact Mechanics, 1985, sec. 11.4): a free sphere without gravity, a rigidly held half-space. The
contact lasts 2.943 d/v with the indentation d = (5 m v^2 / (4 k))^(2/5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt

import flexmbs as fm

SPEEDS = (0.01, 0.1, 1.0, 5.0)  # m/s
LASTS = 2.943275184324706  # contact time in indentations over the approach speed
IN_FILES = {
    "R": "radius",
    "E": "youngs_modulus",
    "nu": "poisson_ratio",
    "rho": "density",
    "E_star": "effective_modulus",
    "m": "mass",
    "k": "stiffness",
    "v": "speeds",
}
UNITS = {"contact_time": "s", "peak_force": "N", "indentation_max": "m", "rebound_speed": "m/s"}
PLOTS = {"Contact": ("wall.force",), "Indentation": ("wall.gap",)}


@dataclass(frozen=True)
class Parameters:
    radius: float = fm.parameter(0.01, "m", "radius of the sphere")
    youngs_modulus: float = fm.parameter(210e9, "Pa", "Young's modulus of sphere and half-space")
    poisson_ratio: float = fm.parameter(0.3, "", "Poisson's ratio of both")
    density: float = fm.parameter(7850.0, "kg/m3", "density of the sphere")
    effective_modulus: float | None = fm.parameter(None, "Pa", "E*; none: of the two materials")
    mass: float | None = fm.parameter(None, "kg", "mass of the sphere; none: from its density")
    stiffness: float | None = fm.parameter(None, "N/m^1.5", "k of F = k d^1.5; none: 4/3 E* sqrt(radius)")
    speed: float = fm.parameter(1.0, "m/s", "approach speed of the run", minimum=1e-9)
    speeds: tuple | None = fm.parameter(None, "m/s", "approach speeds of the table cases; none: 0.01, 0.1, 1 and 5")
    gap: float = fm.parameter(1e-4, "m", "distance between sphere and half-space at the start", minimum=0.0)
    parameters: str | None = fm.parameter(None, "", "JSON file with values of R, E, nu, rho, E_star, m, k, v")
    t_end: float | None = fm.parameter(None, "s", "end time; none: twice the contact time after the sphere has arrived")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-13, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; fill in what follows from others."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.parameters is not None and p.speeds is not None and p.speed not in p.speeds:
        p = replace(p, speed=p.speeds[0])
    if p.effective_modulus is None:
        p = replace(p, effective_modulus=0.5 * p.youngs_modulus / (1.0 - p.poisson_ratio**2))
    if p.mass is None:
        p = replace(p, mass=p.density * 4.0 / 3.0 * pi * p.radius**3)
    if p.stiffness is None:
        p = replace(p, stiffness=4.0 / 3.0 * p.effective_modulus * sqrt(p.radius))
    if p.speeds is None:
        p = replace(p, speeds=SPEEDS)
    return p if p.t_end is not None else replace(p, t_end=end_of(p))


def end_of(p: Parameters) -> float:
    """Twice the time of the contact after the sphere has arrived, s."""
    indentation = (1.25 * p.mass * p.speed**2 / p.stiffness) ** 0.4
    return (p.gap + 2.0 * LASTS * indentation) / p.speed


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    inertia = 0.4 * p.mass * p.radius**2
    surface = fm.RigidBody.sphere(p.density, p.radius).surface
    ball = system.add(fm.RigidBody(p.mass, (inertia, inertia, inertia), surface=surface), name="ball")
    wall = system.ground.marker("wall")
    system.prismatic(wall, ball["origin"], axis="y", displacement=p.radius + p.gap, rate=-p.speed, name="guide")
    system.contact(fm.Sphere(ball["origin"], p.radius), fm.Plane(wall), law=fm.Hertz(p.stiffness), name="wall")
    return system


def hit(result: fm.Result) -> fm.ContactRecord | None:
    """The first contact, if it has ended."""
    return next((contact for contact in result.contacts if contact.end == contact.end), None)


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Of this run; ``cases``: of each of the speeds."""
    cases = []
    for speed in p.speeds:
        at = replace(p, speed=speed)
        one = hit(build(at).simulate(end_of(at), rtol=p.rtol, atol=p.atol, progress=False))
        cases.append({"v": speed, "delta_max": one.max_depth, "F_max": one.peak_force, "t_c": one.duration, "impulse": one.impulse})
    one = hit(result)
    return {
        "contact_time": one and one.duration,
        "peak_force": one and one.peak_force,
        "indentation_max": one and one.max_depth,
        "rebound_speed": one and one.rebound_speed,
        "restitution_measured": one and one.restitution,
        "impulse": one and one.impulse,
        "energy_error": fm.energy_error(result),
        "cases": cases,
    }
