"""The quickest settings of a code that reach a given accuracy, measured against its own converged solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass

import numpy as np

REPEATS = 7  # of a run whose time counts: the quickest is kept


@dataclass(frozen=True)
class End:
    """State of the observed point (or points: (n, 3)) at the end of one run, and what the run cost."""

    position: np.ndarray
    velocity: np.ndarray
    seconds: float
    steps: int
    evaluations: int
    wall_seconds: float = float("nan")  # of the whole call, where it does more than solve


@dataclass(frozen=True)
class Measured:
    """Error (m, m/s) and cost of one choice of settings."""

    settings: str
    position_error: float
    velocity_error: float
    seconds: float
    steps: int
    evaluations: int

    def reaches(self, limits: tuple[float, float]) -> bool:
        return self.position_error <= limits[0] and self.velocity_error <= limits[1]


def end_error(run, reference) -> tuple[float, float]:
    """Distance in position (m) and in velocity (m/s), of several points the largest."""
    position = float(np.linalg.norm(run.position - reference.position, axis=-1).max())
    return position, float(np.linalg.norm(run.velocity - reference.velocity, axis=-1).max())


def measure(name: str, run: Callable[[], object], reference, repeats: int = REPEATS) -> Measured:
    return measure_together({"": (name, run)}, {"": reference}, repeats)[""]


def measure_together(chosen: Mapping[str, tuple], references: Mapping, repeats: int = REPEATS) -> dict[str, Measured]:
    """Runs of several codes in turn, so that a busy machine slows all of them; (name of the settings, run) of each."""
    seconds = dict.fromkeys(chosen, np.inf)
    last = {}
    for _ in range(repeats):
        for code, (_name, run) in chosen.items():
            last[code] = run()
            seconds[code] = min(seconds[code], last[code].seconds)
    return {
        code: Measured(name, *end_error(last[code], references[code]), seconds[code], last[code].steps, last[code].evaluations)
        for code, (name, _run) in chosen.items()
    }


def loosest(families: Iterable[Iterable[tuple[str, Callable[[], object]]]], reference, limits) -> tuple | None:
    """(name, run) of the quickest settings that reach the limits without luck: the next tighter ones do so too.

    A family is a sequence of settings from loose to tight.
    """
    firsts = (first_reaching(family, reference, limits) for family in families)
    found = {first[0]: first for first in firsts if first is not None}
    timed = measure_together(found, dict.fromkeys(found, reference), repeats=3)
    return min(found.values(), key=lambda pair: timed[pair[0]].seconds, default=None)


def first_reaching(
    family: Iterable[tuple[str, Callable[[], object]]], reference, limits, tried: list[Measured] | None = None
) -> tuple | None:
    """(name, run) of the loosest settings of one family that reach the limits, as the next tighter ones do.

    ``tried`` gets what each of its runs came to, once.
    """
    earlier = None
    for name, run in family:
        end = run()
        once = Measured(name, *end_error(end, reference), end.seconds, end.steps, end.evaluations)
        if tried is not None:
            tried.append(once)
        if not once.reaches(limits):
            earlier = None
        elif earlier is None:
            earlier = (name, run)
        else:
            return earlier
    return None


def as_row(measured: Measured) -> dict:
    return asdict(measured)
