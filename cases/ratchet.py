"""A winch with a ratchet: a swinging torque lifts a load from tooth to tooth, and a pawl holds it.

The torque A sin(w t) acts on a drum against the constant torque of the load. At the start the drum rests on its pawl,
which lets it go as soon as the torque exceeds the load. For each tooth that passes, the pawl falls in behind it; when
the drum comes back, it hits the pawl on the last tooth without rebound, and rests there until the torque is large
enough again. Between these events the motion has a closed form, J phi'' = A sin(w t) - load.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, cos, pi, sin

import numpy as np
from scipy.optimize import brentq

import flexmbs as fm

UNITS = {"tooth_times": "s", "release_times": "s", "hold_times": "s", "energy_lost": "J", "angle_end": "rad"}
PLOTS = {"Drum": ("drum.angle", "teeth"), "Rate": ("drum.angle.rate",), "Torque": ("torque",), "Energy": ("energy.kinetic",)}
# a drum that rests lets steps grow beyond the half waves of the torque
SIMULATION = {"max_step": 0.05}
SCAN = 2000  # points of a period between which events of the closed form are looked for


@dataclass(frozen=True)
class Parameters:
    teeth: int = fm.parameter(24, "", "teeth of the wheel", minimum=1)
    inertia: float = fm.parameter(0.8, "kg m2", "inertia of drum, wheel and load about the axle")
    torque: float = fm.parameter(60.0, "N m", "amplitude A of the torque", minimum=0.0)
    load: float = fm.parameter(20.0, "N m", "torque of the load")
    frequency: float = fm.parameter(1.0, "Hz", "of the torque")
    radius: float = fm.parameter(0.15, "m", "radius of the wheel, as drawn")
    t_end: float = fm.parameter(3.0, "s", "end time")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def build(p: Parameters) -> fm.System:
    if p.load <= 0.0:
        raise fm.CaseError(f"parameter 'load' [N m] must be positive, so that the drum comes back, not {p.load:g}")
    w, pitch = 2.0 * pi * p.frequency, 2.0 * pi / p.teeth
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    inertia = p.inertia * np.array([0.6, 0.6, 1.0])
    wheel = system.add(fm.RigidBody(10.0, inertia, surface=wheel_surface(p)), "wheel")
    drum = system.revolute(system.ground.marker("axle"), wheel["origin"], axis="z", angle=0.0, rate=0.0, name="drum")
    passed = system.variable("teeth")  # that the drum has gone forward
    amplitude, load = p.torque, p.load  # numbers of their own: functions that read p itself cannot be compiled
    torque = system.function(lambda t: amplitude * np.sin(w * t) - load, name="torque")
    drum.actuate(torque)
    above = system.function(lambda t, angle, count: angle - count * pitch, (system.sensor("coordinate", drum), passed))
    one_more = system.function(lambda t, count: count + 1.0, (passed,))
    system.event(when=0.0, do=fm.Lock(drum), name="rest")
    system.event(when=torque >= 0.0, do=fm.Free(drum), name="release")
    hold = system.event(when=above <= 0.0, do=fm.Lock(drum), name="hold", armed=False)
    system.event(when=above >= pitch, do=[fm.Set(passed, one_more), fm.Disarm(hold)], name="tooth")
    system.event(when=system.sensor("rate", drum) <= 0.0, do=fm.Arm(hold), name="turning back")
    return system


def wheel_surface(p: Parameters) -> fm.SurfaceMesh:
    """A wheel with saw teeth."""
    angles = 2.0 * pi / p.teeth * np.repeat(np.arange(p.teeth), 2)
    radii = p.radius * np.tile([0.85, 1.0], p.teeth)
    outline = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1)
    return fm.RigidBody.extrusion(1.0, outline, 0.2 * p.radius).surface


def closed_form(p: Parameters) -> dict[str, list[float]]:
    """Times (s) at which teeth pass, the pawl holds and lets go, and impacts' speeds (rad/s), by the exact motion."""
    w, pitch, J = 2.0 * pi * p.frequency, 2.0 * pi / p.teeth, p.inertia
    found: dict[str, list[float]] = {"tooth_times": [], "hold_times": [], "release_times": [], "hold_speeds": []}
    if p.torque <= p.load:
        return found
    count, start = 0, asin(p.load / p.torque) / w
    while start < p.t_end:
        found["release_times"].append(start)
        at = start

        def angle(t: float, start=start, count=count) -> float:
            swing = (cos(w * start) * (t - start) - (sin(w * t) - sin(w * start)) / w) * p.torque / (J * w)
            return count * pitch + swing - 0.5 * p.load / J * (t - start) ** 2

        def rate(t: float, start=start) -> float:
            return p.torque / (J * w) * (cos(w * start) - cos(w * t)) - p.load / J * (t - start)

        while (event := next_event(angle, count, pitch, at, p)) is not None:
            at, up = event
            if not up:
                break
            count += 1
            found["tooth_times"].append(at)
        if event is None:
            return found
        found["hold_times"].append(at)
        found["hold_speeds"].append(rate(at))
        start = next_release(at, p)
    return found


def next_event(angle, count: int, pitch: float, after: float, p: Parameters) -> tuple[float, bool] | None:
    """Time of the next tooth (True) or of the return onto the last one (False), before the end; None: neither."""
    step = 1.0 / (SCAN * p.frequency)
    at = after + 1e-3 * step
    while at < p.t_end:
        end = min(at + step, p.t_end)
        for up, value in ((True, (count + 1) * pitch), (False, count * pitch)):
            before, behind = angle(at) - value, angle(end) - value
            if (before < 0.0 <= behind) if up else (before > 0.0 >= behind):
                return brentq(lambda t, value=value: angle(t) - value, at, end, xtol=1e-15, rtol=1e-15), up
        at = end
    return None


def next_release(after: float, p: Parameters) -> float:
    """When the torque next rises above the load; at once if it is above it."""
    w = 2.0 * pi * p.frequency
    if p.torque * sin(w * after) > p.load:
        return after
    first = asin(p.load / p.torque) / w
    return first + np.ceil((after - first) * p.frequency) / p.frequency


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Times of the run and by the closed form, energy lost at the pawl."""
    names = {"tooth_times": "tooth", "hold_times": "hold", "release_times": "release"}
    found = {key: [event.time for event in result.events if event.name == name] for key, name in names.items()}
    rate = result["drum.angle.rate"]
    holds = np.searchsorted(result.t, found["hold_times"], side="right") - 2  # rows before the impacts
    exact = closed_form(p)
    errors = [abs(time - wanted) for name in found for time, wanted in zip(found[name], exact[name], strict=False)]
    return found | {
        "tooth_times_closed_form": exact["tooth_times"],
        "hold_times_closed_form": exact["hold_times"],
        "largest_time_error": max(errors, default=0.0),
        "teeth_passed": round(float(result["teeth"][-1])),
        "angle_end": float(result["drum.angle"][-1]),
        "energy_lost": 0.5 * p.inertia * float(np.sum(rate[holds] ** 2)),
        "energy_lost_closed_form": 0.5 * p.inertia * sum(speed**2 for speed in exact["hold_speeds"]),
    }
