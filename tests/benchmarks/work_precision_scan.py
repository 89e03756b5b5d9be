"""What every code reaches and what it costs: scans of settings, and who needs least time for an accuracy."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from accuracy import End, end_error
from work_precision_systems import FINEST, Case, Family, families, our_run

from flexmbs import FlexmbsError

SHARPEST = 3e-10  # scans end when the error is below this
LONGEST = 1.5  # s, or when a run takes longer
ROUNDS, ROUND_SECONDS = 20, 15.0  # repetitions of all runs in turn, and their budget for a case


@dataclass(frozen=True)
class Point:
    """One setting of one code: relative error, s, evaluations of the residual (or of the right-hand side)."""

    code: str
    settings: str
    error: float
    seconds: float
    evaluations: int
    steps: int


@dataclass(frozen=True)
class Measured:
    """``curves``: families of points of each code, from loose to tight; ``distance``: between the codes' ends."""

    case: Case
    curves: dict[str, list[list[Point]]]
    distance: dict[str, float]


def relative(run: End, reference: End, sizes: tuple[float, float]) -> float:
    """Largest of the errors in position and velocity, each relative to the size of the motion."""
    position, velocity = end_error(run, reference)
    error = max(position / sizes[0], velocity / sizes[1])
    return error if np.isfinite(error) else np.inf


def motion_sizes(system, case: Case) -> tuple[float, float]:
    """Largest distance of the point from its start (m), and its largest speed (m/s)."""
    result = system.simulate(case.t_end, rtol=1e-6, atol=1e-8)
    position, velocity = (
        np.column_stack([result[f"{case.point}.{what}.{axis}"] for axis in "xyz"]) for what in ("position", "velocity")
    )
    return (float(np.linalg.norm(position - position[0], axis=1).max()), float(np.linalg.norm(velocity, axis=1).max()))


def attempt(run) -> End | None:
    """None where a code gives up, which is no point of its curve."""
    try:
        found = run()
    except (ArithmeticError, RuntimeError, ValueError, FlexmbsError):
        return None
    return found if np.all(np.isfinite(found.position)) and np.all(np.isfinite(found.velocity)) else None


def scan(code: str, family: Family, reference: End | None, sizes) -> tuple[list[Point], list, End | None]:
    """Points of a family until it is sharp or slow, their runs, and its last end; without reference its own last one.

    A code of another model is compared with its own finest run, of which the last two settings are left out.
    """
    ends = []
    for name, run in family:
        found = attempt(run)
        if found is None:
            continue
        ends.append((name, run, found))
        if found.seconds > LONGEST or reference is not None and relative(found, reference, sizes) < SHARPEST:
            break
    own = reference is None
    if own and len(ends) < 4:
        return [], [], None
    target = ends[-1][2] if own and ends else reference
    kept = ends[:-2] if own else ends
    points = [Point(code, name, relative(end, target, sizes), end.seconds, end.evaluations, end.steps) for name, _run, end in kept]
    while len(points) > 1 and points[-2].error < SHARPEST:
        points.pop()
    return points, [run for _name, run, _end in kept][: len(points)], target


def measure(case: Case) -> Measured:
    system = case.build()
    sizes = motion_sizes(system, case)
    exact = our_run(system, case, "radau", FINEST, 1e-2 * FINEST)
    curves, runs, distance = {}, [], {}
    for code, choices in families(case, system).items():
        theirs = code.startswith("Exudyn")
        curves[code] = []
        for family in choices:
            points, own_runs, target = scan(code, family, None if theirs else exact, sizes)
            curves[code].append(points)
            runs += [(points, i, run) for i, run in enumerate(own_runs)]
            if theirs and target is not None:
                distance[code] = relative(target, exact, sizes)
    repeat(runs)
    return Measured(case, {code: found for code, found in curves.items() if any(found)}, distance)


def repeat(runs: list) -> None:
    """All runs in turn, so that a busy machine slows all of them; each point keeps its quickest."""
    begin = time.perf_counter()
    for _ in range(ROUNDS):
        for points, i, run in runs:
            if points[i].seconds > 0.1 * LONGEST and time.perf_counter() - begin > 0.5 * ROUND_SECONDS:
                continue
            again = attempt(run)
            if again is not None:
                points[i] = replace(points[i], seconds=min(points[i].seconds, again.seconds))
            if time.perf_counter() - begin > ROUND_SECONDS:
                return


def seconds_for(families_of_points: list[list[Point]], accuracy: float) -> float:
    """Least time for an accuracy over the families of a code; infinite where it is not reached.

    Time is interpolated (logarithms) between settings.  A setting counts with the largest error of all tighter ones, so
    that an error that passes through zero by chance counts for nothing.
    """
    best = np.inf
    for points in families_of_points:
        if not points:
            continue
        errors = np.maximum.accumulate([point.error for point in reversed(points)])[::-1]
        seconds = np.minimum.accumulate([point.seconds for point in reversed(points)])[::-1]
        reached = np.flatnonzero(errors <= accuracy)
        if len(reached) == 0:
            continue
        i = reached[0]
        if i == 0:
            best = min(best, seconds[0])
            continue
        logs = np.log([errors[i - 1], errors[i]])
        part = (np.log(accuracy) - logs[0]) / (logs[1] - logs[0]) if logs[1] < logs[0] else 1.0
        best = min(best, float(np.exp((1.0 - part) * np.log(seconds[i - 1]) + part * np.log(seconds[i]))))
    return best
