"""Balls in a row hit each other: one after another, all at once by Newton's or Poisson's law, or with Hertz's contact.

Three equal balls, the first of which moves, end with the speeds 0, 0, 1 after hits one after another, with -1/3, 2/3,
2/3 by both laws of a simultaneous impact without loss, and with -0.07095, 0.07640, 0.99455 where Hertz's contact
decides. Which of them is right depends on what the balls are made of, not on mechanics of rigid bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicHermiteSpline

import flexmbs as fm

IN_FILES = {"m": "masses", "v": "speeds", "e": "restitution", "poisson": "poisson", "K": "stiffness", "t_end": "t_end"}
UNITS = {"velocities": "m/s", "impulses": "N s", "end_of_compression": "m/s", "peak_forces": "N", "times_of_peak": "s"}
VIEW = {"end": 0.1}  # the balls are apart then; later they only move away
PLOTS = {"Speeds": ("guide 1.displacement.rate", "guide 2.displacement.rate", "guide 3.displacement.rate")}


@dataclass(frozen=True)
class Parameters:
    masses: tuple | None = fm.parameter(None, "kg", "of the balls, from the left; none: three of 1 kg")
    speeds: tuple | None = fm.parameter(None, "m/s", "at the start, to the right; none: the first has 1 m/s")
    restitution: float = fm.parameter(1.0, "", "restitution of rigid balls", minimum=0.0, maximum=1.0)
    poisson: bool | None = fm.parameter(
        None, "", "all touch at once, by Poisson's law (true) or Newton's (false); none: one hit after another"
    )
    stiffness: float | None = fm.parameter(None, "N/m^1.5", "K of Hertz's contact; none: rigid balls")
    radius: float = fm.parameter(0.02, "m", "radius")
    gap: float = fm.parameter(1e-3, "m", "between the second ball and the next ones, where they hit one after another")
    count: int = fm.parameter(12, "", "hits that are listed", minimum=1)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: long after the last hit")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-14, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    p = fm.with_parameter_file(p, IN_FILES, unused=("g",))
    masses = p.masses or (1.0,) * len(p.speeds or (0.0,) * 3)
    p = replace(p, masses=masses, speeds=p.speeds or (1.0,) + (0.0,) * (len(masses) - 1))
    if len(p.masses) != len(p.speeds) or len(p.masses) < 2:
        raise fm.CaseError(
            f"parameters 'masses' and 'speeds' must be as many numbers, two or more, not {len(p.masses)} and {len(p.speeds)}"
        )
    return p if p.t_end is not None else replace(p, t_end=end_of(p))


def end_of(p: Parameters) -> float:
    """A time behind the last hit, s: of rigid balls until a relative speed of 1e-5 of the largest closes a gap."""
    speed = max(abs(v) for v in p.speeds) or 1.0
    if p.stiffness is None:
        return 1e5 * p.gap / speed
    depth = (1.25 * max(p.masses) * speed**2 / p.stiffness) ** 0.4
    return 4.0 * len(p.masses) * depth / speed


def contact_law(p: Parameters) -> fm.ContactLaw:
    if p.stiffness is not None:
        return fm.Hertz(p.stiffness)
    return fm.Rigid(restitution=p.restitution, impact="poisson" if p.poisson else "newton")


def build(p: Parameters) -> fm.System:
    """The first two balls touch; the others too, unless they are to be hit one after another."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    gap = p.gap if p.stiffness is None and p.poisson is None else 0.0
    balls, count = [], len(p.masses)
    surface = fm.RigidBody.sphere(1.0, p.radius).surface
    for i, (mass, speed) in enumerate(zip(p.masses, p.speeds, strict=True)):
        moment = 0.4 * mass * p.radius**2
        ball = system.add(fm.RigidBody(mass, (moment,) * 3, surface=surface), name=f"ball {i + 1}")
        place = 2.0 * p.radius * i + gap * max(0, i - 1)
        rest = system.ground.marker(f"rest {i + 1}", position=(place, 0.0, 0.0))
        system.prismatic(rest, ball["origin"], axis="x", rate=speed, name=f"guide {i + 1}")
        balls.append(fm.Sphere(ball["origin"], p.radius))
    for i in range(count - 1):
        system.contact(balls[i], balls[i + 1], law=contact_law(p), name=f"hit {i + 1}")
    return system


def speeds_of(result: fm.Result, p: Parameters) -> list[float]:
    """Speeds of the balls at the end, m/s."""
    return [float(result[f"guide {i + 1}.displacement.rate"][-1]) for i in range(len(p.masses))]


def one_after_another(result: fm.Result, p: Parameters) -> dict[str, object]:
    hits = result.impacts()
    pairs = [int(hit.name.split()[1]) for hit in hits]
    first = [{"pair": [i, i + 1], "impulse": hit.normal_impulse} for i, hit in zip(pairs, hits, strict=True)]
    return {"collisions": len(hits), "first": first[: p.count]}


def all_at_once(result: fm.Result, p: Parameters) -> dict[str, object]:
    """The compression of Poisson's law ends with the speeds of an impact without restitution."""
    hits = {hit.name: hit.normal_impulse for hit in result.impacts()}
    found = {"impulses": [hits.get(f"hit {i + 1}", 0.0) for i in range(len(p.masses) - 1)]}
    if p.poisson:
        plastic = replace(p, restitution=0.0)
        found["end_of_compression"] = speeds_of(build(plastic).simulate(p.t_end, progress=False), p)
    return found


def elastic(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Of the hardest contact of each pair; impulses: of all its contacts."""
    pairs = [[c for c in result.contacts if c.name == f"hit {i + 1}"] for i in range(len(p.masses) - 1)]
    peaks = [max(contacts, key=lambda c: c.peak_force) for contacts in pairs]
    energy, momentum = (np.array(x) for x in moments_of(result, p))
    return {
        "peak_forces": [contact.peak_force for contact in peaks],
        "times_of_peak": [peak_time(result, contact) for contact in peaks],
        "impulses": [sum(contact.impulse for contact in contacts) for contacts in pairs],
        "energy_error_rel": float((energy[1] - energy[0]) / energy[0]),
        "momentum_error": float(momentum[1] - momentum[0]),
        "gaps_open": all(result[f"hit {i + 1}.gap"][-1] > 0.0 for i in range(len(p.masses) - 1)),
    }


def moments_of(result: fm.Result, p: Parameters) -> tuple[list[float], list[float]]:
    """Kinetic energy (J) and momentum (N s) of the balls at the start and at the end, when no contact is loaded."""
    masses = np.array(p.masses)
    rates = np.array([result[f"guide {i + 1}.displacement.rate"][[0, -1]] for i in range(len(masses))])
    return list(0.5 * masses @ rates**2), list(masses @ rates)


def peak_time(result: fm.Result, contact: fm.ContactRecord) -> float:
    """Time of the largest force, s: where the balls approach no more."""
    first = contact.name.split()[1]
    names = [f"guide {i}.displacement.{what}" for i in (first, int(first) + 1) for what in ("rate", "acceleration")]
    inside = (result.t > contact.start) & (result.t < contact.end)
    rate, acceleration, next_rate, next_acceleration = (result[name][inside] for name in names)
    approach = CubicHermiteSpline(result.t[inside], rate - next_rate, acceleration - next_acceleration)
    turns = approach.roots(extrapolate=False)
    return float(turns[np.argmin(np.abs(turns - contact.peak_time))])


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """``velocities`` at the end, and what belongs to the kind of contact."""
    if p.stiffness is not None:
        return {"velocities": speeds_of(result, p), **elastic(result, p)}
    kind = one_after_another if p.poisson is None else all_at_once
    return {"velocities": speeds_of(result, p), **kind(result, p)}
