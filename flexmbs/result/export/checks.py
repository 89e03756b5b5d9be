"""What is checked before a file is written: libraries, sizes, times, bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.atomic_files import reason, refuse_existing, require_writable
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names, refuse_unwritable
from flexmbs.common.progress import size_text
from flexmbs.result.structure import Structure

SIZE_LIMIT = 2e9  # bytes


def checked_path(path: str | Path, endings: Sequence[str], force: bool, names: Iterable[str] = ()) -> Path:
    """``path`` if it has one of the endings (none: any) and may be written, with these names in it; else FlexmbsError."""
    path = Path(path)
    if endings and path.suffix.lower() not in endings:
        raise FlexmbsError(f"{path}: the name must end in {' or '.join(endings)}")
    refuse_existing(path, force)
    refuse_unwritable(names, path)
    return path


def ready_folder(path: Path) -> None:
    """Make the folder of ``path``; FlexmbsError if that or a file in it cannot be written, before work is done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FlexmbsError(f"{path}: cannot be written: {reason(error)}") from error
    require_writable(path)


def check_size(path: Path, size: float, limit: float | None, remedy: str) -> None:
    """FlexmbsError if a file of about ``size`` bytes would exceed the limit; ``remedy``: what makes it smaller."""
    if limit is not None and size > limit:
        raise FlexmbsError(
            f"{path}: it would take about {size_text(size)}, more than the limit of {size_text(limit)}: {remedy}, or "
            "give a larger size_limit (--size-limit)"
        )


def chosen_times(t: np.ndarray, times: int | ArrayLike | None, start: float | None, end: float | None) -> np.ndarray:
    """(k,) s, ascending: that many times from ``start`` to ``end``, these times, or (None) every step between.

    FlexmbsError for an empty part, a part outside the run, times outside of it or that do not ascend.
    """
    if not len(t):
        raise FlexmbsError("the result has no steps: there is nothing to write")
    low = float(t[0]) if start is None else float(start)
    high = float(t[-1]) if end is None else float(end)
    whole = f"the run covers {t[0]:g} to {t[-1]:g} s"
    slack = 1e-12 * max(1.0, abs(float(t[-1])))
    if not (t[0] - slack <= low <= high <= t[-1] + slack):
        raise FlexmbsError(f"the part from {low:g} to {high:g} s is empty or outside the run: {whole}")
    if times is None:
        return np.unique([low, *t[(t > low) & (t < high)], high])
    if np.ndim(times) == 0:
        count = int(np.asarray(times))
        if count != times or count < 1 or (count == 1 and high > low):
            raise FlexmbsError(f"times is {times!r}; it must be at least 2, an array of times in s, or None: every step")
        return np.linspace(low, high, count)
    given = np.asarray(times, dtype=float)
    if given.ndim != 1 or not len(given) or not np.all(np.diff(given) > 0.0):
        raise FlexmbsError("times must be ascending numbers in s, at least one")
    if start is not None or end is not None:
        given = given[(given >= low) & (given <= high)]
    if not len(given) or given[0] < t[0] - slack or given[-1] > t[-1] + slack:
        raise FlexmbsError(f"times: none is in the part asked for, or one is outside the run: {whole}")
    return given


def chosen_bodies(structure: Structure, bodies: str | Sequence[str] | None) -> list[int]:
    """Indices of the named bodies (None: all but ground); FlexmbsError with near names for an unknown one."""
    names = [body.name for body in structure.bodies]
    if bodies is None:
        return list(range(1, len(names)))
    wanted = [bodies] if isinstance(bodies, str) else list(bodies)
    for name in wanted:
        if name not in names:
            raise FlexmbsError(f"no body named '{name}'. {near_names(name, names[1:])}")
    if not wanted:
        raise FlexmbsError("no bodies are given; None takes all")
    return sorted({structure.body_index(name) for name in wanted})
