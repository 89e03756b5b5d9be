"""A mass hits a wall: restitution, peak force and depth of damped contact laws.

F = K d^n (1 + D d'/v0) with the factor D of Hunt and Crossley, Lankarani and Nikravesh, Flores, Gonthier, or the linear
law of Anagnostopoulos, F = k d + c d'. In the published factors the restitution that is stated is not the one that is
measured: (1 + e) D v/v0 = ln((1 + D v/v0) / (1 - e D v/v0)).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, log, pi, sqrt

import numpy as np
from scipy.interpolate import CubicHermiteSpline

import flexmbs as fm

PUBLISHED = {"hunt_crossley": None, "lankarani_nikravesh": fm.LankaraniNikravesh, "flores_2011": fm.Flores, "gonthier": fm.Gonthier}
LINEAR = "anagnostopoulos_linear"
LAWS = (*PUBLISHED, LINEAR)
IN_FILES = {
    "m": "mass",
    "K": "stiffness",
    "n": "exponent",
    "v0_in_law": "law_speed",
    "v_impact": "speed",
    "e": "restitutions",
    "k_linear": "linear_stiffness",
}
UNITS = {"contact_time": "s", "peak_force": "N", "indentation_max": "m", "rebound_speed": "m/s"}
PLOTS = {"Contact": ("wall.force",), "Depth": ("wall.gap",)}


@dataclass(frozen=True)
class Parameters:
    law: str = fm.parameter("lankarani_nikravesh", "", f"contact law of the run: {', '.join(LAWS)}")
    restitution: float = fm.parameter(0.5, "", "restitution that the law is given", minimum=0.0, maximum=1.0)
    exact: bool = fm.parameter(False, "", "factor of exactly that restitution instead of the published one")
    separation: str = fm.parameter("zero depth", "", "end of a contact of the linear law: zero depth or zero force")
    mass: float = fm.parameter(1.0, "kg", "mass")
    stiffness: float = fm.parameter(1e9, "N/m^n", "K")
    exponent: float = fm.parameter(1.5, "", "n", minimum=1.0)
    linear_stiffness: float = fm.parameter(1e6, "N/m", "k of the linear law")
    speed: float = fm.parameter(1.0, "m/s", "approach speed", minimum=1e-9)
    law_speed: float | None = fm.parameter(None, "m/s", "v0 of the law; none: the approach speed of each hit")
    restitutions: tuple | None = fm.parameter(None, "", "restitutions of the table of all laws; none: no table")
    gap: float = fm.parameter(1e-3, "m", "distance between mass and wall at the start", minimum=0.0)
    parameters: str | None = fm.parameter(None, "", "JSON file with values of m, K, n, v0_in_law, v_impact, e, k_linear")
    t_end: float | None = fm.parameter(None, "s", "end time; none: long enough for the contact")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-13, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; fill in the end time."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.parameters is not None and p.restitutions is not None and p.restitution not in p.restitutions:
        p = replace(p, restitution=p.restitutions[0])
    contact_law(p)  # a name that is not known ends the case here
    return p if p.t_end is not None else replace(p, t_end=end_of(p))


def end_of(p: Parameters) -> float:
    """A time at which the contact is over, s: longer than without damping, by the slow way back."""
    if p.law == LINEAR:
        lasts = 2.0 * pi * sqrt(p.mass / p.linear_stiffness) * (1.0 + 0.1 / max(p.restitution, 0.01))
    else:
        depth = (0.5 * (p.exponent + 1.0) * p.mass * p.speed**2 / p.stiffness) ** (1.0 / (p.exponent + 1.0))
        lasts = depth / p.speed * (4.0 + 1.0 / closed_relation(p)["e_closed_relation"])
    return p.gap / p.speed + lasts


def contact_law(p: Parameters) -> fm.ContactLaw:
    """The law of the parameters."""
    if p.law not in LAWS:
        raise fm.CaseError(f"parameter 'law' must be one of {', '.join(LAWS)}, not {p.law!r}")
    if p.law == LINEAR:
        return fm.Anagnostopoulos(p.linear_stiffness, p.restitution, separation=p.separation)
    if p.law == "hunt_crossley":
        speed = p.speed if p.law_speed is None else p.law_speed
        return fm.HuntCrossley.from_restitution(p.stiffness, p.restitution, speed, p.exponent, exact=p.exact)
    kind = PUBLISHED[p.law]
    return kind(p.stiffness, p.restitution, p.exponent, exact=p.exact, speed=p.law_speed)


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    box = fm.RigidBody.box(1.0, (0.02, 0.02, 0.02), (0.0, 0.01, 0.0))
    body = system.add(fm.RigidBody(p.mass, p.mass * 1e-4 * np.ones(3), surface=box.surface), name="mass")
    wall = system.ground.marker("wall")
    system.prismatic(wall, body["origin"], axis="y", displacement=p.gap, rate=-p.speed, name="guide")
    system.contact(fm.Point(body["origin"]), fm.Plane(wall), law=contact_law(p), name="wall")
    return system


def deepest(result: fm.Result, contact: fm.ContactRecord) -> float:
    """Time at which the mass comes to rest in a contact, s."""
    inside = (result.t > contact.start) & (result.t < contact.end)
    rate, acceleration = (result[f"guide.displacement.{name}"][inside] for name in ("rate", "acceleration"))
    return float(CubicHermiteSpline(result.t[inside], rate, acceleration).roots(extrapolate=False)[0])


def hit(p: Parameters, result: fm.Result | None = None) -> dict[str, float]:
    """Duration, depth and force of the first contact, times from its start, and restitution.

    Of a run of the parameters, unless a ``result`` is given. Empty if no contact has ended.
    """
    if result is None:
        result = build(p).simulate(end_of(p), rtol=p.rtol, atol=p.atol, progress=False)
    contact = next((contact for contact in result.contacts if contact.end == contact.end), None)
    if contact is None:
        return {}
    return {
        "e_measured": contact.restitution,
        "duration": contact.duration,
        "time_of_max_depth": deepest(result, contact) - contact.start,
        "max_depth": contact.max_depth,
        "peak_force": contact.peak_force,
        "time_of_peak": contact.peak_time - contact.start,
        "rebound_speed": contact.rebound_speed,
    }


def published_hits(p: Parameters) -> dict[str, list[dict[str, float]]]:
    """Name of a law -> its figures at each of the restitutions."""
    found: dict[str, list[dict[str, float]]] = {}
    for law in PUBLISHED:
        found[law] = []
        for e in p.restitutions:
            at = replace(p, law=law, restitution=e)
            found[law].append({"e": e, **closed_relation(at), **hit(at)})
    return found


def closed_relation(p: Parameters) -> dict[str, float]:
    """Damping over stiffness, D / v0 in s/m, and the restitution that follows at the speed of the run."""
    law = contact_law(p)
    damping = law.damping if isinstance(law, fm.HuntCrossley) else law.factor / (p.law_speed or p.speed)
    return {"damping_over_stiffness": damping, "e_closed_relation": law.restitution_at(p.speed)}


def linear_hits(p: Parameters) -> list[dict[str, float]]:
    """Figures of the linear law at each of the restitutions, for both ends of a contact."""
    found = []
    for e in p.restitutions:
        at = replace(p, law=LINEAR, restitution=e)
        zeta = -log(e) / hypot(pi, log(e))
        depth, force = hit(replace(at, separation="zero depth")), hit(replace(at, separation="zero force"))
        found.append(
            {
                "e": e,
                "zeta": zeta,
                "c": 2.0 * zeta * sqrt(p.linear_stiffness * p.mass),
                "e_separation_at_zero_depth": depth["e_measured"],
                "e_separation_at_zero_force": force["e_measured"],
                "duration_zero_depth": depth["duration"],
                "duration_zero_force": force["duration"],
                "max_depth": depth["max_depth"],
                "peak_force": depth["peak_force"],
                "time_of_peak": depth["time_of_peak"],
                # there k d = c times the speed of parting
                "depth_at_zero_force": 2.0 * zeta * sqrt(p.mass / p.linear_stiffness) * force["rebound_speed"],
            }
        )
    return found


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Of this run, and with ``restitutions`` those of all laws: ``laws`` and ``anagnostopoulos_linear``."""
    one = hit(p, result)
    found: dict[str, object] = {
        "contact_time": one.get("duration"),
        "peak_force": one.get("peak_force"),
        "indentation_max": one.get("max_depth"),
        "rebound_speed": one.get("rebound_speed"),
        "restitution_measured": one.get("e_measured"),
    }
    if p.restitutions is not None:
        found |= {"laws": published_hits(p), LINEAR: linear_hits(p)}
    return found
