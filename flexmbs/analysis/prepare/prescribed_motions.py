"""Prescribed motions that contradict the start values or their own derivatives, or that jump: reported by name.

A body cannot jump in position, and a jump of its velocity is an impact with an impulse on all connected bodies. A
driver can impose neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.log_rows import TIME
from flexmbs.mechanism.constraints import Coupling
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.mechanism.python_functions import DIFFERENCE_REACH
from flexmbs.mechanism.signal_jumps import NEGLIGIBLE, SAMPLES, SMALLEST, Jump, find_jump, find_kink, value_at
from flexmbs.mechanism.time_functions import Product, Sum
from flexmbs.mechanism.time_signals import Signal
from flexmbs.model.compiled_model import Model
from flexmbs.model.unknown_ordering import constraint_groups

SAME = 1e-6  # relative to the value (or to 1 rad, 1 m)
SAME_RATE = 1e-5  # relative to the rate, which may be a finite difference
STEP = 1e-6  # s, of the differences with which given derivatives are compared
WRONG = 1e-3  # allowed difference of a given derivative, relative to the largest rate
TOO_FAST = 0.02  # allowed error of a derivative by differences, relative to the largest rate
PLACES = 16  # times at which they are compared; two of them may lie on kinks
MAX_SEARCHED = 20  # steps of a chunk of steps that are searched for jumps
SAMPLES_AT_STOP = 100  # samples searched for a jump where a run has stopped
SAMPLES_IN_STEP = 16  # ... in a step, or where the acceleration of a chunk is largest
SMALLEST_JUMP = 1e-9  # m, rad: smaller jumps are within tolerances and rounding
UNEXPLAINED = 1e-3  # relative change in a step that the rates at its ends leave unexplained; above, it is searched


@dataclass(frozen=True)
class Prescribed:
    """A driver: its signal, level (0 position, 1 velocity, 2 acceleration) and unit ("" if unknown)."""

    signal: Signal
    level: int
    unit: str

    def jump(self, begin: float, end: float, samples: int = SAMPLES, smallest: float = SMALLEST) -> str:
        """The message about the first jump in position or velocity found between two times (s); empty if there is none."""
        made = self.signal
        for level, function in enumerate((made.value, None if made.by_differences else made.rate), self.level):
            if function is not None and level < 2:
                jump = find_jump(function, begin, end, samples, smallest)
                if jump is not None:
                    return self._jumps(level, jump)
        # differences hide where a rate that they are made into jumps
        differences = made.value is not None and (made.by_differences or isinstance(made.function, Sum | Product))
        kink = find_kink(made.value, begin, end, samples) if differences and self.level == 0 else None
        if kink is None:
            return ""
        early = f" (differences see it {1e3 * DIFFERENCE_REACH:g} ms before the start too; rate= needs none)"
        return self._jumps(1, kink) + (early if kink.t < 0.5 * DIFFERENCE_REACH else "")

    def _jumps(self, level: int, jump: Jump) -> str:
        unit = f" {self.unit}{'/s' * level}" if self.unit else ""
        noun, remedy = (
            ("position", "fm.Step(t0, t1, y0, y1) is a smooth step, fm.Table(t, y) a smooth curve through points"),
            ("velocity", "a driver cannot impose an impact; fm.Ramp(t0, t1, slope) is a smooth run-up"),
        )[level]
        at = 0.0 if abs(jump.t) < 1e-9 else jump.t
        return (
            f"{self.signal.name}: the prescribed {noun} jumps by {jump.after - jump.before:.6g}{unit} at t = {at:.9g} s (from "
            f"{jump.before:.9g} to {jump.after:.9g}{unit}). Prescribe a continuous motion: {remedy}"
        )


def prescribed_motions(system: Mechanism) -> list[Prescribed]:
    """All drivers of joint coordinates and of constraints."""
    found = [
        Prescribed(signal, joint.levels[name], joint.type.coordinates[name])
        for joint in system.joints.values()
        for name, signal in joint.drivers.items()
    ]
    driven = [one for one in system.constraints.values() if one.signal is not None]
    return found + [Prescribed(one.signal, one.level, "" if isinstance(one, Coupling) else "m") for one in driven]


def check_stated_start(system: Mechanism, model: Model) -> None:
    """Check that a stated start value or rate agrees with the driver of the coordinate at t = 0.

    In closed loops (``model`` in reduced coordinates) start values are only initial guesses, so a difference causes a
    MechanismWarning, unless the value is held.

    Raises
    ------
    MechanismError
        Both are stated, and they differ.
    """
    if not any(joint.drivers for joint in system.joints.values()):
        return
    touched = [coordinates for _own, coordinates in constraint_groups(model.tables)]
    looped = set(np.concatenate(touched).tolist()) if touched else set()
    for joint in system.joints.values():
        for name, signal in joint.drivers.items():
            rough = model.coordinate_index[f"{joint.name}.{name}"] in looped and name not in joint.held
            unit, level = joint.type.coordinates[name], joint.levels[name]
            stated_values = (("value", unit, joint.start, joint.given), ("rate", f"{unit}/s", joint.start_rate, joint.given_rates))
            for (noun, unit, stated, given), demanded in zip(stated_values, _at_start(signal, level), strict=True):
                if name in given and demanded is not None:
                    _compare(f"joint '{joint.name}'", name, unit, noun, stated[name], demanded, rough)


def _at_start(signal: Signal, level: int) -> tuple[float | None, float | None]:
    """Value and rate that a driver prescribes at t = 0 (None: not prescribed)."""
    first = signal.constant if signal.value is None else float(signal.value(0.0))
    second = 0.0 if signal.rate is None else float(signal.rate(0.0))
    return ((first, second), (None, first), (None, None))[level]


def _compare(where: str, name: str, unit: str, noun: str, stated: float, demanded: float, rough: bool) -> None:
    same = SAME if noun == "value" else SAME_RATE
    if abs(stated - demanded) <= same * max(1.0, abs(stated), abs(demanded)):
        return
    smooth = "fm.Step(t0, t1, y0, y1)" if noun == "value" else "fm.Ramp(t0, t1, slope)"
    fact = (
        f"{where}: the start {noun} of '{name}' is given as {stated:.9g} {unit}, but its driver starts at "
        f"{demanded:.9g} {unit} at t = 0 s"
    )
    remedy = f"Give {demanded:.9g}, or omit the start {noun}"
    if rough:
        warn(f"{fact}; the value of the driver is used. {remedy}", MechanismWarning)
        return
    raise MechanismError(
        f"{fact}: a jump of {demanded - stated:.9g} {unit}. {remedy}, or start the driver at {stated:.9g} "
        f"({smooth} continues smoothly from there)"
    )


def check_motions(system: Mechanism, begin: float, end: float) -> None:
    """MechanismError if a driver jumps in position or velocity between two times (s), or has wrong derivatives."""
    for one in prescribed_motions(system):
        # differences evaluate the function before the start too
        if jump := one.jump(begin - DIFFERENCE_REACH * one.signal.by_differences, end):
            raise MechanismError(jump)
        _check_derivatives(one, begin, end)


def _check_derivatives(one: Prescribed, begin: float, end: float) -> None:
    """Compare derivatives of a Python function with narrow differences, whose rounding does not count.

    MechanismError where the user gave wrong ones, MechanismWarning where the motion is too quick for those by differences.
    """
    signal, names = one.signal, (("the position", "rate="), ("the rate", "acceleration="))[one.level :]
    if signal.function is not None or signal.value is None:
        return
    pairs = [(signal.value, signal.rate)]
    if signal.own_acceleration and not signal.by_differences:
        pairs.append((signal.rate, signal.acceleration))
    # not at round fractions of the run, where kinks are likely
    times = begin + (end - begin) * (np.arange(PLACES) + 0.437) / PLACES
    for (of, argument), (function, derivative) in zip(names, pairs, strict=False):
        given = np.array([value_at(derivative, t) for t in times])
        found = np.array([(value_at(function, t + STEP) - value_at(function, t - STEP)) / (2.0 * STEP) for t in times])
        rounding = 1e-13 * max(abs(value_at(function, t)) for t in times) / STEP
        error = (np.abs(given - found) - rounding) / max(np.abs(given).max(), np.abs(found).max(), 1e-300)
        if np.count_nonzero(error > (TOO_FAST if signal.by_differences else WRONG)) <= 2:
            continue
        i = int(np.argmax(np.abs(given - found)))
        if not signal.by_differences:
            raise MechanismError(
                f"{signal.name}: {argument} is not the derivative of {of}: at t = {times[i]:.6g} s it gives "
                f"{given[i]:.6g}, but differences of {of} give {found[i]:.6g}"
            )
        derivatives = " and ".join(name for _of, name in names)
        warn(
            f"{signal.name}: {of} changes too quickly for derivatives by finite differences over "
            f"{1e3 * DIFFERENCE_REACH:g} ms to both sides: at t = {times[i]:.6g} s they give {given[i]:.6g} instead of "
            f"{found[i]:.6g}. Give {derivatives} too, or use a function with exact derivatives (fm.Harmonic, fm.Step, "
            "fm.Table)",
            MechanismWarning,
        )


def jump_in_rows(system: Mechanism, model: Model, rows: np.ndarray) -> tuple[float, str] | None:
    """First jump of a driven coordinate between rows of the log (flexmbs.core.stepping.describe_rows): time, message.

    The change over a step is compared with the rates at its ends; steps that differ are searched for a jump.
    """
    columns, t = model.log_row, rows[:, TIME]
    h = np.diff(t)
    found: list[tuple[float, str]] = []
    for joint in system.joints.values():
        for name, signal in joint.drivers.items():
            if joint.levels[name] != 0 or signal.value is None:
                continue
            k, one = model.coordinate_index[f"{joint.name}.{name}"], Prescribed(signal, 0, joint.type.coordinates[name])
            q, v, a = rows[:, columns.q][:, k], rows[:, columns.v][:, k], rows[:, columns.a][:, k]
            change = np.diff(q)
            explained = 0.5 * h * (v[1:] + v[:-1]) + h**2 / 12.0 * (a[:-1] - a[1:])
            left = np.where(h > 0.0, np.abs(change - explained), 0.0)
            left[left <= np.maximum(UNEXPLAINED * np.abs(change), NEGLIGIBLE * np.abs(q).max())] = 0.0
            largest = np.sort(np.argsort(-left)[:MAX_SEARCHED])
            places = [(float(t[i]), float(t[i + 1]), 0.5 * float(left[i])) for i in largest if left[i] > 0.0]
            if signal.by_differences:  # a jump of the rate is an acceleration over their reach
                peak = float(t[np.argmax(np.abs(a))])
                places.append((peak - DIFFERENCE_REACH, peak + DIFFERENCE_REACH, np.inf))
            for begin, end, smallest in places:
                jump = one.jump(begin, end, SAMPLES_IN_STEP, max(smallest, SMALLEST_JUMP))
                if jump:
                    found.append((begin, jump))
                    break
    return min(found, default=None)


def jump_between(system: Mechanism, begin: float, end: float) -> str:
    """The message about a driver that jumps between two times (s); empty if none does."""
    found = (one.jump(begin, end, SAMPLES_AT_STOP, SMALLEST_JUMP) for one in prescribed_motions(system))
    return next(filter(None, found), "")
