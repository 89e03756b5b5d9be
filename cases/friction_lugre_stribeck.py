"""Friction models on one mass: stick-slip and pre-sliding with LuGre, stick-slip on a belt with a Stribeck curve.

C. Canudas de Wit, H. Olsson, K. J. Astrom and P. Lischinsky, IEEE Trans. Automatic Control 40 (1995) 419. Three
experiments: "lugre/pull" (a spring whose end moves steadily pulls the mass), "lugre/presliding" (a force swings below
breakaway), "stribeck/belt" (spring and damper hold the mass on a moving belt).

Stribeck friction is regularised: the mass sticks while it creeps below the transition speed, which shifts its events in
proportion to that speed. Those of the set-valued law are extrapolated from a second run with half the transition speed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from scipy.optimize import brentq

import flexmbs as fm

PULL, PRESLIDING, BELT = EXPERIMENTS = "lugre/pull", "lugre/presliding", "stribeck/belt"
IN_FILES = {
    "sigma0": "bristle_stiffness",
    "sigma1": "bristle_damping",
    "sigma2": "viscous",
    "Fc": "coulomb_force",
    "Fs": "static_force",
    "vs": "stribeck_speed",
    "m": "mass",
    "k": "stiffness",
    "v_pull": "pull_speed",
    "v_threshold": "threshold",
    "rate": "force_rate",
    "F_max": "force_max",
    "c": "damping",
    "N": "normal_force",
    "v_belt": "belt_speed",
    "mu_s": "static",
    "mu_k": "kinetic",
    "v_s": "belt_stribeck_speed",
    "x0": "start",
    "v0": "start_speed",
    "t_end": "t_end",
}
UNITS = {
    "slips": "",
    "turning_points": "",
    "events": "",
    "events_of_run": "",
    "period": "s",
    "lugre_pull": "",
    "lugre_presliding": "",
    "stribeck_belt": "",
}
RATE, ACCELERATION = "slide.displacement.rate", "slide.displacement.acceleration"
FRICTION = "slide.displacement.friction"
PLOTS = {"Displacement": ("slide.displacement",), "Speed": (RATE,), "Friction": (f"{FRICTION}.effort",)}


@dataclass(frozen=True)
class Parameters:
    experiment: str | None = fm.parameter(None, "", f"{', '.join(EXPERIMENTS)}; none: what the file states, or the first")
    bristle_stiffness: float = fm.parameter(1e5, "N/m", "sigma_0 of LuGre")
    bristle_damping: float = fm.parameter(sqrt(1e5), "N s/m", "sigma_1")
    viscous: float = fm.parameter(0.4, "N s/m", "sigma_2")
    coulomb_force: float = fm.parameter(1.0, "N", "kinetic friction of LuGre")
    static_force: float = fm.parameter(1.5, "N", "static friction of LuGre")
    stribeck_speed: float = fm.parameter(1e-3, "m/s", "Stribeck speed of LuGre")
    mass: float = fm.parameter(1.0, "kg", "mass")
    stiffness: float | None = fm.parameter(None, "N/m", "of the spring; none: 2 (pull), 1 (belt)")
    pull_speed: float | None = fm.parameter(None, "m/s", "of the end of the spring; none: 0.1")
    threshold: float = fm.parameter(0.05, "m/s", "speed that begins and ends a slip")
    force_rate: float = fm.parameter(0.1, "N/s", "at which the force of pre-sliding changes")
    force_max: float | None = fm.parameter(None, "N", "its largest value; none: 1.425")
    damping: float = fm.parameter(0.0, "N s/m", "of the mass on the belt")
    normal_force: float = fm.parameter(1.0, "N", "on the belt")
    belt_speed: float | None = fm.parameter(None, "m/s", "speed of the belt; none: 0.2")
    static: float = fm.parameter(0.5, "", "static coefficient on the belt")
    kinetic: float = fm.parameter(0.25, "", "kinetic coefficient on the belt")
    belt_stribeck_speed: float = fm.parameter(0.3, "m/s", "Stribeck speed on the belt (exponent 1)")
    transition: float = fm.parameter(1e-6, "m/s", "below this slip the mass sticks to the belt", minimum=1e-12)
    start: float = fm.parameter(0.0, "m", "position on the belt at the start")
    start_speed: float = fm.parameter(0.0, "m/s", "speed on the belt at the start")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    event_count: int = fm.parameter(12, "", "events on the belt that are listed")
    t_end: float | None = fm.parameter(None, "s", "end time; none: 25 (pull), 60 (belt), three ramps (pre-sliding)")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters, which tells by its names which experiment it is; fill in what is missing."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.experiment is None:
        stated = {PULL: p.pull_speed, PRESLIDING: p.force_max, BELT: p.belt_speed}
        p = replace(p, experiment=next((name for name, value in stated.items() if value is not None), PULL))
    if p.experiment not in EXPERIMENTS:
        raise fm.CaseError(f"parameter 'experiment' must be one of {', '.join(EXPERIMENTS)}, not {p.experiment!r}")
    belt = p.experiment == BELT
    defaults = {"stiffness": 1.0 if belt else 2.0, "pull_speed": 0.1, "force_max": 1.425, "belt_speed": 0.2}
    p = replace(p, **{name: value for name, value in defaults.items() if getattr(p, name) is None})
    lasts = {PULL: 25.0, PRESLIDING: 5.0 * p.force_max / p.force_rate, BELT: 60.0}
    return p if p.t_end is not None else replace(p, t_end=lasts[p.experiment])


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody.point(p.mass), name="mass")
    if p.experiment == BELT:
        on_belt(system, body, p)
        return system
    slide = system.prismatic(system.ground.frame, body["origin"], axis="x", name="slide")
    slide.friction(lugre(p), normal_force=p.coulomb_force)
    if p.experiment == PULL:
        # k (v t - x)
        slide.spring(p.stiffness).actuate(fm.Polynomial([0.0, p.stiffness * p.pull_speed]), name="pull")
    else:
        slide.actuate(applied_force(p), name="force")
    return system


def lugre(p: Parameters) -> fm.LuGre:
    """The law with a normal force of the kinetic friction, so that its kinetic coefficient is 1."""
    force = p.coulomb_force
    return fm.LuGre(
        p.static_force / force, 1.0, p.stribeck_speed, p.bristle_stiffness / force, p.bristle_damping / force, p.viscous / force
    )


def turning_times(p: Parameters) -> list[float]:
    """Times at which the force of pre-sliding is largest, smallest, largest, s."""
    ramp = p.force_max / p.force_rate
    return [ramp, 3.0 * ramp, 5.0 * ramp]


def applied_force(p: Parameters) -> Callable[[float], float]:
    """Force of pre-sliding over time: 0, F, -F, F at a constant rate."""
    rate, (first, second, _third) = p.force_rate, turning_times(p)

    def force(t: float) -> float:
        # rises, falls twice as far, rises again
        return rate * (t - 2.0 * max(min(t, second) - first, 0.0))

    return force


def on_belt(system: fm.System, body: fm.BodyInSystem, p: Parameters) -> None:
    """A mass on a belt: its position relative to the belt is a joint coordinate, on which friction acts."""
    belt = system.add(fm.RigidBody.point(1.0), name="belt")
    carrier = system.prismatic(system.ground.frame, belt["origin"], axis="x", name="belt drive")
    speed = p.belt_speed
    carrier.prescribe(fm.Polynomial([0.0, speed]))
    slide = system.prismatic(
        belt["origin"], body["origin"], axis="x", displacement=p.start, rate=p.start_speed - speed, name="slide"
    )
    law = fm.Stribeck(p.static, p.kinetic, p.belt_stribeck_speed, exponent=1.0, transition=p.transition)
    slide.friction(law, normal_force=p.normal_force)
    # -k (x + v t) - c (x' + v), with x on the belt, which is at v t
    slide.spring(p.stiffness, p.damping)
    slide.actuate(fm.Polynomial([-p.damping * speed, -p.stiffness * speed]), name="support")


def crossings(result: fm.Result, value: Callable[[object], float], rising: bool, samples: np.ndarray) -> list[float]:
    """Times at which a quantity that has the ``samples`` at the steps passes zero upwards, or downwards, s."""
    sign = 1.0 if rising else -1.0
    at = np.flatnonzero((sign * samples[:-1] < 0.0) & (sign * samples[1:] >= 0.0))
    return [brentq(lambda t: value(result.at(t)), result.t[i], result.t[i + 1], xtol=1e-13, rtol=1e-15) for i in at]


def slips(result: fm.Result, p: Parameters) -> list[dict[str, float]]:
    """Slips of the pulled mass that have ended: times, largest speed, positions and spring forces at the threshold."""
    samples = result[RATE] - p.threshold
    ups = crossings(result, lambda s: s[RATE] - p.threshold, True, samples)
    downs = crossings(result, lambda s: s[RATE] - p.threshold, False, samples)
    found = []
    for up, down in zip(ups, downs, strict=False):
        inside = (result.t > up) & (result.t < down)
        i = int(np.argmax(np.where(inside, result[RATE], -np.inf)))
        peak = brentq(lambda t: result.at(t)[ACCELERATION], result.t[i - 1], result.t[i + 1])
        found.append(
            {
                "t_up": up,
                "t_down": down,
                "v_max": result.at(peak)[RATE],
                "x_up": result.at(up)["slide.displacement"],
                "x_down": result.at(down)["slide.displacement"],
                "spring_force_up": p.stiffness * (p.pull_speed * up - result.at(up)["slide.displacement"]),
                "spring_force_down": p.stiffness * (p.pull_speed * down - result.at(down)["slide.displacement"]),
            }
        )
    return found


def turning_points(result: fm.Result, p: Parameters) -> list[dict[str, float]]:
    """State of the mass where the force of pre-sliding turns."""
    force = applied_force(p)
    return [
        {
            "t": t,
            "force": force(t),
            "x": result.at(t)["slide.displacement"],
            "v": result.at(t)[RATE],
            "z": result.at(t)[f"{FRICTION}.bristle.x"],
        }
        for t in turning_times(p)
        if t <= result.t[-1]
    ]


def belt_events(result: fm.Result, p: Parameters) -> list[dict[str, object]]:
    """Where the mass begins to stick (slip below the transition), and where the springs overcome static friction."""
    slip = np.abs(result[RATE])
    limit = p.static * p.normal_force

    def load(state) -> float:
        return abs(p.stiffness * state["mass.position.x"] + p.damping * p.belt_speed) - limit

    slows = crossings(result, lambda s: abs(s[RATE]) - p.transition, False, slip - p.transition)
    sticks = [t for t in slows if load(result.at(t)) <= 0.0]  # else the slip reverses
    loads = np.abs(p.stiffness * result["mass.position.x"] + p.damping * p.belt_speed) - limit
    frees = crossings(result, load, True, loads)
    found: list[dict[str, object]] = []
    begins = [float(result.t[0])] if slip[0] <= p.transition else []
    for t in (*begins, *sticks):
        if t in sticks:
            found.append({"t": t, "x": result.at(t)["mass.position.x"], "kind": "slip -> stick"})
        after = next((free for free in frees if free > t), None)
        if after is not None and not any(t < other < after for other in sticks):
            found.append({"t": after, "x": result.at(after)["mass.position.x"], "kind": "stick -> slip"})
    return found[: p.event_count]


def extrapolated(result: fm.Result, p: Parameters) -> list[dict[str, object]]:
    """Events on the belt at a transition speed of zero; fewer where the two runs differ in their kinds."""
    half = replace(p, transition=0.5 * p.transition)
    second = belt_events(build(half).simulate(half.t_end, rtol=half.rtol, progress=False), half)
    found: list[dict[str, object]] = []
    for one, two in zip(belt_events(result, p), second, strict=False):
        if one["kind"] != two["kind"]:
            break
        found.append({"t": 2.0 * two["t"] - one["t"], "x": 2.0 * two["x"] - one["x"], "kind": one["kind"]})
    return found


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Those of the experiment, under its name in the reference and by themselves."""
    if p.experiment == PULL:
        found: dict[str, object] = {"slips": slips(result, p)}
        return {**found, "lugre_pull": found}
    if p.experiment == PRESLIDING:
        found = {"turning_points": turning_points(result, p)}
        return {**found, "lugre_presliding": found}
    events = extrapolated(result, p)
    starts = [event["t"] for event in events if event["kind"] == "stick -> slip"]
    found = {"events": events, "period": starts[-1] - starts[-2] if len(starts) > 1 else None}
    return {**found, "stribeck_belt": found, "events_of_run": belt_events(result, p)}
