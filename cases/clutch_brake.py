"""A clutch slips, locks up, breaks away under an overload and locks up again; then a brake stops both shafts.

Two inertias on one axis with a dry clutch between them: while it slips it transmits its kinetic torque, when both
speeds are equal it locks, and it breaks away where it would have to transmit more than its static torque. The drive's
torque is constant, grows during an overload and is cut off when the brake, on the first shaft, is applied. All phases
have closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

UNITS = {
    "lock_up_time": "s",
    "lock_up_times": "s",
    "break_away_time": "s",
    "stop_time": "s",
    "lock_up_speed": "rad/s",
    "torque_slipping": "N m",
    "torque_locked": "N m",
    "torque_largest": "N m",
    "clutch_loss": "J",
}
PLOTS = {"Speeds": ("shaft.angle.rate", "clutch.angle.rate"), "Torques": ("drive", "slip torque"), "Energy": ("energy.kinetic",)}
VIEW = {"color": "body", "camera": (1.0, 0.4, 0.9)}  # the shafts lie one behind the other along z


@dataclass(frozen=True)
class Parameters:
    drive_inertia: float = fm.parameter(0.5, "kg m2", "inertia of the first shaft", minimum=1e-9)
    load_inertia: float = fm.parameter(2.0, "kg m2", "inertia of the second shaft", minimum=1e-9)
    speed: float = fm.parameter(150.0, "rad/s", "of the first shaft at the start; the second is at rest", minimum=1e-9)
    drive_torque: float = fm.parameter(40.0, "N m", "on the first shaft")
    load_torque: float = fm.parameter(30.0, "N m", "on the second shaft, against its rotation")
    kinetic_torque: float = fm.parameter(100.0, "N m", "of the slipping clutch", minimum=0.0)
    static_torque: float = fm.parameter(120.0, "N m", "that the locked clutch transmits at most", minimum=0.0)
    overload_start: float = fm.parameter(1.5, "s", "from when on the torque of the drive grows")
    overload_rate: float = fm.parameter(200.0, "N m/s", "by which it grows")
    overload_end: float = fm.parameter(2.3, "s", "when it is back at its constant value")
    brake_start: float = fm.parameter(3.0, "s", "when the brake is applied and the drive cut off")
    brake_torque: float = fm.parameter(60.0, "N m", "of the brake", minimum=0.0)
    t_end: float = fm.parameter(6.0, "s", "end time")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-11, "", "absolute tolerance")


def disc(inertia: float, radius: float) -> fm.RigidBody:
    """A disc on the z axis."""
    surface = fm.RigidBody.cylinder(1.0, radius, 0.05, axis="z").surface
    return fm.RigidBody(10.0, inertia * np.array([0.5, 0.5, 1.0]), surface=surface)


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    drive, load = (system.add(disc(p.drive_inertia, 0.2), "drive disc"), system.add(disc(p.load_inertia, 0.3), "load disc"))
    face = drive.marker("face", (0.0, 0.0, 0.06))
    shaft = system.revolute(system.ground["origin"], drive["origin"], angle=0.0, rate=p.speed, name="shaft")
    clutch = system.revolute(face, load["origin"], angle=0.0, rate=-p.speed, name="clutch")
    on, growth, slips = system.variable("drive on", 1.0), system.variable("growth"), system.variable("slips", 1.0)
    braking = system.variable("braking")
    # numbers of their own: functions that read p itself cannot be compiled
    drive_torque, brake_torque, kinetic_torque, overload_start = p.drive_torque, p.brake_torque, p.kinetic_torque, p.overload_start
    given = system.function(lambda t, on, growth: on * drive_torque + growth * (t - overload_start), (on, growth), name="drive")
    shaft.actuate(given, name="drive")
    shaft.actuate(system.function(lambda t, braking: -brake_torque * braking, (braking,)), name="brake")
    system.torque(load["origin"], (0.0, 0.0, -p.load_torque), name="load")
    clutch.actuate(system.function(lambda t, slips: kinetic_torque * slips, (slips,), name="slip torque"), name="plates")
    lock_and_slip(system, clutch, slips, p)
    system.event(when=p.overload_start, do=fm.Set(growth, p.overload_rate), name="overload")
    system.event(when=p.overload_end, do=fm.Set(growth, 0.0), name="overload ends")
    stop = system.event(
        when=system.sensor("rate", shaft) <= 0.0, do=[fm.Set(braking, 0.0), fm.Lock(shaft)], name="stop", armed=False, repeats=False
    )
    system.event(when=p.brake_start, do=[fm.Set(on, 0.0), fm.Set(braking, 1.0), fm.Arm(stop)], name="brake")
    return system


def lock_and_slip(system: fm.System, clutch, slips, p: Parameters) -> None:
    """The clutch locks where its rate vanishes; it breaks away where the torque of its lock gets to the static one."""
    rate = system.sensor("rate", clutch)
    plates = system.latch(clutch, gap=rate, at=0.0, direction="both", name="plates")
    plates.event.do.append(fm.Set(slips, 0.0))
    for side, name in ((1.0, "break away"), (-1.0, "break away backwards")):
        way = "rising" if side > 0.0 else "falling"
        system.event(
            when=fm.Crossing(plates.force, side * p.static_torque, way),
            do=[plates.release, fm.Set(slips, side), fm.Arm(plates.event)],
            name=name,
        )


def closed_form(p: Parameters) -> dict[str, float]:
    """Times (s) of lock-up, breaking away, second lock-up and stop, the speed (rad/s) of the first, loss (J).

    For runs in that order: a lock-up before the overload, a second one between its end and the brake.
    """
    J1, J2, T1, T2, Mk = p.drive_inertia, p.load_inertia, p.drive_torque, p.load_torque, p.kinetic_torque
    fall = (Mk - T1) / J1 + (Mk - T2) / J2
    lock = p.speed / fall
    speed = (Mk - T2) / J2 * lock
    loss = 0.5 * Mk * p.speed * lock
    both = J1 + J2
    after = ((both * p.static_torque - J1 * T2) / J2 - T1) / p.overload_rate  # since the start of the overload
    away = p.overload_start + after
    speed_away = speed + (T1 - T2) / both * (away - lock) + 0.5 * p.overload_rate * after**2 / both
    long = p.overload_end - away
    rise = (T1 + p.overload_rate * after - Mk) / J1 - (Mk - T2) / J2
    slip = rise * long + 0.5 * p.overload_rate / J1 * long**2
    again = p.overload_end + slip / fall
    way = 0.5 * rise * long**2 + p.overload_rate / J1 * long**3 / 6.0 + 0.5 * slip**2 / fall
    speed_again = speed_away + (Mk - T2) / J2 * (again - away)
    speed_brake = speed_again + (T1 - T2) / both * (p.brake_start - again)
    return {
        "lock_up_time": lock,
        "lock_up_speed": speed,
        "torque_locked": (J2 * T1 + J1 * T2) / both,
        "break_away_time": away,
        "second_lock_up_time": again,
        "stop_time": p.brake_start + speed_brake * both / (p.brake_torque + T2),
        "clutch_loss": loss + Mk * way,
    }


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Times of the run and in closed form; torque that the clutch transmits."""
    times = {name: [event.time for event in result.events if event.name == name] for name in ("plates", "break away", "stop")}
    locks, away, stops = times["plates"], times["break away"], times["stop"]
    first = np.searchsorted(result.t, locks[0], side="right") - 1 if locks else 0  # row behind the first lock-up
    rate = result["shaft.angle.rate"]
    torque = p.load_inertia * (result["shaft.angle.acceleration"] + result["clutch.angle.acceleration"]) + p.load_torque
    return {
        "lock_up_times": locks,
        "lock_up_time": locks[0] if locks else None,
        "lock_up_speed": float(rate[first]) if locks else None,
        "torque_slipping": float(torque[0]),
        "torque_locked": float(torque[first]) if locks else None,
        "torque_largest": float(np.abs(torque).max()),
        "break_away_time": away[0] if away else None,
        "second_lock_up_time": locks[1] if len(locks) > 1 else None,
        "stop_time": stops[0] if stops else None,
        "clutch_loss": -result["clutch.angle.plates.work"][-1],
        "closed_form": closed_form(p),
    }
