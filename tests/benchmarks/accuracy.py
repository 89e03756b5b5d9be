"""The quickest settings of a code that reach a given accuracy, measured against its own converged solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import numpy as np

REPEATS = 7  # of a run whose time counts: the quickest is kept


@dataclass(frozen=True)
class End:
    """State of the observed point at the end of one run, and what the run cost."""

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
    """Distance in position (m) and in velocity (m/s)."""
    position = float(np.linalg.norm(run.position - reference.position))
    return position, float(np.linalg.norm(run.velocity - reference.velocity))


def measure(name: str, run: Callable[[], object], reference, repeats: int = REPEATS) -> Measured:
    runs = [run() for _ in range(repeats)]
    last = runs[-1]
    seconds = min(r.seconds for r in runs)
    return Measured(name, *end_error(last, reference), seconds, last.steps, last.evaluations)


def loosest(families: Iterable[Iterable[tuple[str, Callable[[], object]]]], reference, limits) -> Measured | None:
    """The quickest run that reaches the limits without luck: so does the next tighter one of its family.

    A family is a sequence of settings from loose to tight.
    """
    found = []
    for family in families:
        earlier = None
        for name, run in family:
            once = Measured(name, *end_error(run(), reference), 0.0, 0, 0)
            if not once.reaches(limits):
                earlier = None
            elif earlier is None:
                earlier = (name, run)
            else:
                found.append(measure(*earlier, reference))
                break
    return min(found, key=lambda m: m.seconds, default=None)


def as_row(measured: Measured | None) -> dict | None:
    return None if measured is None else asdict(measured)
