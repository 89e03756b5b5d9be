"""A slender block rocks on its corners and loses energy at every change of corner.

Released at a tilt it turns about one corner, without sliding, until its base is flat; the other corner then hits the
floor without a bounce and takes over. Angular momentum about that corner gives the ratio of angular speeds after and
before, 1 - 3/2 sin(alpha)^2, alpha = atan(width / height) (G. W. Housner, Bulletin of the Seismological Society of
America 53 (1963) 403).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import acosh, atan2, cos, hypot, sin, sqrt

from scipy.optimize import brentq

import flexmbs as fm

IN_FILES = {"bw": "half_width", "hh": "half_height", "th0": "start_tilt", "g": "g", "t_end": "t_end"}
UNITS = {"alpha": "rad", "p": "rad/s", "ratio": "", "energy_ratio": "", "nonlinear": "", "linearised_housner": ""}
TILT, RATE = "motion.angle", "motion.angle.rate"
PLOTS = {
    "Tilt": (TILT,),
    "Angular velocity": (RATE,),
    "Forces of the corners": ("left.force", "right.force"),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
}


@dataclass(frozen=True)
class Parameters:
    half_width: float = fm.parameter(0.1, "m", "half its width", minimum=1e-6)
    half_height: float = fm.parameter(0.4, "m", "half its height", minimum=1e-6)
    start_tilt: float = fm.parameter(0.15, "rad", "tilt at which it is released", minimum=1e-9)
    friction: float = fm.parameter(100.0, "", "coefficient of friction: it must not slide")
    mass: float = fm.parameter(1.0, "kg", "mass")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -y", minimum=1e-9)
    count: int = fm.parameter(6, "", "impacts that are listed", minimum=1)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: after the impacts that are listed")
    rtol: float = fm.parameter(1e-11, "", "relative tolerance")
    atol: float = fm.parameter(1e-13, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    p = fm.with_parameter_file(p, IN_FILES)
    if not p.start_tilt < slenderness(p):
        raise fm.CaseError(
            f"parameter 'start_tilt' [rad] must be less than {slenderness(p):g}, where it topples, not {p.start_tilt:g}"
        )
    if p.t_end is not None:
        return p
    # half a swing longer than Housner's, and as much again for blocks that are not slender
    return replace(p, t_end=1.05 * housner(replace(p, count=p.count + 1))[-1]["t"] + 0.1 / frequency(p))


def slenderness(p: Parameters) -> float:
    """Tilt at which its centre is above the corner, rad."""
    return atan2(p.half_width, p.half_height)


def frequency(p: Parameters) -> float:
    """p of Housner, rad/s."""
    return sqrt(0.75 * p.g / hypot(p.half_width, p.half_height))


def housner(p: Parameters) -> list[dict[str, float]]:
    """Impacts of the slender block with small tilts, in closed form (Housner 1963)."""
    alpha, ratio, tilt = slenderness(p), 1.0 - 1.5 * sin(slenderness(p)) ** 2, p.start_tilt
    time, found = 0.0, []
    for number in range(p.count):
        quarter = acosh(1.0 / (1.0 - tilt / alpha)) / frequency(p)
        time += quarter if number == 0 else 2.0 * quarter
        left = 1.0 - (1.0 - tilt / alpha) ** 2
        speed = frequency(p) * alpha * sqrt(left)
        tilt = alpha * (1.0 - sqrt(1.0 - ratio**2 * left))
        found.append({"t": time, "angular_speed_before": speed, "next_tilt": tilt})
    return found


def build(p: Parameters) -> fm.System:
    """It starts on its right lower corner, which stands at x = half_width."""
    system = fm.System(gravity=(0.0, -p.g, 0.0))
    b, h = p.half_width, p.half_height
    moment = p.mass * (b**2 + h**2) / 3.0
    shape = fm.RigidBody.box(1.0, (2.0 * b, 2.0 * h, b)).surface
    block = system.add(fm.RigidBody(p.mass, (moment,) * 3, surface=shape), name="block")
    c, s = cos(p.start_tilt), sin(p.start_tilt)
    system.planar(
        system.ground["origin"],
        block["origin"],
        normal="z",
        u=b - c * b + s * h,
        v=s * b + c * h,
        angle=-p.start_tilt,
        name="motion",
    )
    floor, law = fm.Plane(system.ground["origin"], (0, 1, 0)), fm.Rigid(friction=p.friction)
    for corner, x in (("left", -b), ("right", b)):
        place = block.marker(corner, position=(x, -h, 0.0))
        system.contact(fm.Point(place), floor, law=law, name=corner)
    return system


def impact(result: fm.Result, hit: fm.EventRecord, until: float, p: Parameters) -> dict[str, float | None]:
    """``until``: time of the next impact, s."""
    behind = hit.time + 1e-9 * (until - hit.time)
    width = 2.0 * p.half_width
    return {
        "t": hit.time,
        "angular_speed_before": hit.approach_speed / width,
        "angular_speed_after": abs(row_behind(result, hit.time)),
        "next_tilt": largest_tilt(result, behind, until),
    }


def row_behind(result: fm.Result, time: float) -> float:
    """Angular velocity behind an impact, rad/s: the last of the rows of that time."""
    return float(result[RATE][result.t <= time][-1])


def largest_tilt(result: fm.Result, start: float, end: float) -> float | None:
    """Largest tilt between two times, rad: where the angular velocity changes sign; None: it does not."""

    def rate(t):
        return float(result.at(t)[RATE])

    end -= 1e-9 * (end - start)
    if not rate(start) * rate(end) < 0.0:
        return None
    return abs(float(result.at(brentq(rate, start, end, xtol=1e-15))[TILT]))


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """``nonlinear``: the impacts of the run; ``linearised_housner``: in closed form."""
    hits = result.impacts()
    ends = [*(hit.time for hit in hits[1:]), float(result.t[-1])]
    found = [impact(result, hit, end, p) for hit, end in zip(hits, ends, strict=True)][: p.count]
    ratio = found[0]["angular_speed_after"] / found[0]["angular_speed_before"] if found else None
    return {
        "alpha": slenderness(p),
        "p": frequency(p),
        "ratio": ratio,
        "energy_ratio": ratio and ratio**2,
        "nonlinear": found,
        "linearised_housner": housner(p),
    }
