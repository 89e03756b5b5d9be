"""Kinematics: motion fully determined by drivers, with reactions and driving forces (inverse dynamics)."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from flexmbs.analysis.assembly.close_loops import followed
from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.prepare.driver_conflicts import closed_with_drivers
from flexmbs.analysis.prepare.prepare import closed, prepared
from flexmbs.analysis.recording.deformation_watch import DeformationWatch
from flexmbs.analysis.recording.state_results import Moment, free_moment, result_of
from flexmbs.analysis.run.settings import check_end
from flexmbs.common.errors import MechanismError, SimulationError
from flexmbs.core.layout.tables import PERMANENT
from flexmbs.core.mechanics.rotation import rotate_quaternion
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.result.result import Result

# Largest correction (rad or m) of the extrapolated pose; larger ones halve the step, so that the mechanism does not
# jump to another assembly of its loops.
LARGEST_CORRECTION = 0.1
HALVINGS = 12
MAX_STEPS = 10_000_000  # each is kept in memory


def kinematics(
    system: Mechanism, t_end: float, *, steps: int = 200, out: str | Path | None = None, stop_on_deformation: bool = True
) -> Result:
    """Motion of a mechanism whose drivers leave no degree of freedom, at ``steps`` + 1 times from 0 to ``t_end`` (s).

    The result has the same histories as that of :func:`flexmbs.simulate`, including accelerations,
    reactions and driving forces (inverse dynamics). Nothing is integrated in time: the result at each time is exact.
    ``stop_on_deformation=False``: as in :func:`flexmbs.simulate`.

    Raises
    ------
    MechanismError
        Degrees of freedom remain (they are named), a driver prescribes only a rate, or drivers contradict each other.
    SimulationError
        The motion cannot continue; ``error.result`` holds the times computed so far.
    """
    check_end(t_end, "kinematics: ")
    if not isinstance(steps, int | float | np.number) or not 1 <= steps <= MAX_STEPS or steps != int(steps):
        raise MechanismError(f"kinematics: steps = {steps!r} must be a whole number from 1 to {MAX_STEPS:,}")
    begin = time.perf_counter()
    model = prepared(system)
    _check(system, model)
    moments: list[Moment] = []
    watch = DeformationWatch(model)
    try:
        for t in np.linspace(0.0, float(t_end), int(steps) + 1):
            before = moments[-1] if moments else None
            model = _advanced(model, before, float(t))
            moments.append(free_moment(model, float(t), before))
            found = watch.take(np.array([t]), moments[-1].q[None], stop_on_deformation)
            if found is not None:
                raise MechanismError(found[1])
    except MechanismError as failure:
        reason = _cause(model, float(t), failure)
        since = f"at {t:.6g} s" if moments[-1].t == t else f"between {moments[-1].t:.6g} and {t:.6g} s"
        error = SimulationError(f"kinematics: the motion stops {since}: {reason}")
        error.result = result_of(system, model, moments, f"stopped: {error}", _stats(begin, moments, watch), out)
        raise error from None
    return result_of(system, model, moments, "finished", _stats(begin, moments, watch), out)


def _cause(model: Model, t: float, failure: MechanismError) -> MechanismError:
    """The conflict between drivers, by name, if there is one; otherwise ``failure``."""
    try:
        closed_with_drivers(model, t)
    except MechanismError as error:
        return error
    return failure


def _stats(begin: float, moments: list[Moment], watch: DeformationWatch) -> dict[str, object]:
    watch.warn()
    return {"steps": len(moments) - 1, "solve_seconds": time.perf_counter() - begin, **watch.stats()}


def _check(system: Mechanism, model: Model) -> None:
    """MechanismError if degrees of freedom remain, naming coordinates that could be prescribed."""
    tables = model.tables
    by_rate = np.flatnonzero((tables.coordinates["signal"] >= 0) & (tables.coordinates["level"] > 0))
    if len(by_rate):
        raise MechanismError(
            f"kinematics: the driver of '{model.coordinate_names[by_rate[0]]}' prescribes a rate; its position "
            "requires integration in time: use simulate"
        )
    if np.any(model.state_coordinates):
        name = model.coordinate_names[int(np.argmax(model.state_coordinates))]
        raise MechanismError(f"kinematics: '{name}', as all states and controllers, requires integration in time: use simulate")
    kinds = tables.coordinates["multiplier"][tables.free]  # switched ones, as of rigid contacts, hold nothing here
    left = int(np.count_nonzero(kinds == 0) - np.count_nonzero(kinds == PERMANENT))
    if left > 0:
        names = ", ".join(f"'{name}'" for name in undriven(system, left))
        raise MechanismError(
            f"kinematics: {left} degree{'s' if left > 1 else ''} of freedom left: nothing prescribes, for example, "
            f"{names}; add drivers with prescribe(...), or use simulate"
        )


def undriven(system: Mechanism, count: int) -> list[str]:
    """Up to ``count`` (at most five) coordinates that drivers could prescribe to remove degrees of freedom."""
    from scipy.linalg import qr

    model = closed(system, 0.0)
    G = Evaluator(model).constraint_matrix(model.q, model.reference, 0.0)
    free = model.free_coordinates
    motions = null_space(G[:, free])
    _triangle, order = qr(motions.T, mode="r", pivoting=True)
    return [model.coordinate_names[free[k]] for k in order[: min(count, 5, motions.shape[1])]]


def _advanced(model: Model, before: Moment | None, t: float, halvings: int = 0) -> Model:
    """The mechanism at time ``t``: extrapolated from the previous time, with drivers imposed and loops closed."""
    if before is None:
        return imposed(followed(imposed(model, t), t), t)
    h = t - before.t
    n = model.coordinate_count
    q = before.q.copy()
    q[:n] += h * before.v[:n] + 0.5 * h * h * before.a[:n]
    v = before.v.copy()
    v[:n] += h * before.a[:n]
    predicted = imposed(replace(model, q=q, v=v, reference=before.reference), t)
    try:
        closed = followed(predicted, t)
        jump = _distance(predicted, closed)
    except MechanismError:
        if halvings >= HALVINGS:
            raise
        jump = np.inf
    if jump > LARGEST_CORRECTION and halvings < HALVINGS:
        middle = 0.5 * (before.t + t)
        halfway = free_moment(_advanced(model, before, middle, halvings + 1), middle)
        return _advanced(model, halfway, t, halvings + 1)
    return imposed(closed, t)


def _distance(before: Model, after: Model) -> float:
    """Largest change of a coordinate; for a ball joint, the angle between its quaternions."""
    change = np.abs(after.q - before.q)
    for ball, start in enumerate(before.balls):
        turned = np.zeros(4)
        rotate_quaternion(before.reference[ball], *before.q[start : start + 3], turned)
        change[start : start + 3] = 2.0 * np.arccos(min(1.0, abs(float(turned @ after.reference[ball]))))
    return float(change.max(initial=0.0))
