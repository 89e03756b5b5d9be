"""Progress of long computations: library code reports it, and a callback or the terminal shows it.

There is one channel: everything that takes long calls :func:`report` (or :func:`stage`), and the callback of the
innermost :func:`on_progress` receives it. Runs in time report a :class:`Progress`, which is a :class:`Stage` too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from flexmbs.common.progress_display import MIN_INTERVAL, new_display, on_terminal, started_bar, turned_off

_LARGE_RESULT = 50e6  # bytes; smaller results are not mentioned


@dataclass(frozen=True)
class Stage:
    """A stage of a computation.

    Attributes
    ----------
    text : description, such as "factorising (299,307 unknowns, about 2.1 GB)"
    done, total : int or None
        Number of finished parts, for stages that consist of parts.
    long : bool
        The stage is expected to take more than a second.
    """

    text: str
    done: int | None = None
    total: int | None = None
    long: bool = False

    def __str__(self) -> str:
        return self.text if self.total is None else f"{self.text} {self.done}/{self.total}"

    @property
    def fraction(self) -> float | None:
        """How much of it is finished, from 0 to 1; None: unknown."""
        return min((self.done or 0) / self.total, 1.0) if self.total else None


@dataclass(frozen=True)
class Progress(Stage):
    """Progress of a run: simulated time and its end, current step size (all in s), and number of steps so far.

    ``seconds_left``: expected duration of the rest, s of the clock, if the run goes on like this (nan: not known yet);
    ``result_bytes``: expected size of the result at its end; ``note``: what slows it.
    """

    text: str = "simulating"
    time: float = 0.0
    t_end: float = 0.0
    step: float = 0.0
    steps: int = 0
    result_bytes: float = 0.0
    note: str = ""
    seconds_left: float = math.nan

    def __str__(self) -> str:
        return f"{self.text}: {self.numbers}"

    @property
    def fraction(self) -> float | None:
        """Simulated time in parts of its end."""
        return min(max(self.time / self.t_end, 0.0), 1.0) if self.t_end > 0.0 else None

    @property
    def numbers(self) -> str:
        """Time and step size, what is left, the size of the result if it will be large, and the note."""
        left = f", {duration_text(self.seconds_left)} left" if math.isfinite(self.seconds_left) else ""
        size = f", result about {size_text(self.result_bytes)}" if self.result_bytes >= _LARGE_RESULT else ""
        note = f" ({self.note})" if self.note else ""
        return f"t = {self.time:.4g} of {self.t_end:g} s, step {self.step:.1e} s{left}{size}{note}"


def size_text(size: float) -> str:
    """A number of bytes for people: "340 MB"."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= 0.9995 * factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"


def duration_text(seconds: float) -> str:
    """A duration for people: "0.123 s", "42 s", "3 min 20 s", "5 h 10 min"."""
    if seconds < 99.5:
        return f"{seconds:.3g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, whole = round(seconds / 60.0), round(seconds)
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


_callback: ContextVar[Callable[[Stage], object] | None] = ContextVar("callback", default=None)
_display_allowed = True


def show_progress(shown: bool = True) -> None:
    """Turn the display of progress off, or on again, for this process.

    It is a line on stderr where that is a terminal, an output below the cell in a notebook, and nothing in pipes, files
    and batch jobs. The environment variable FLEXMBS_PROGRESS=0 turns it off too.
    """
    global _display_allowed
    _display_allowed = bool(shown)


def report(progress: Stage) -> None:
    """Report progress to the current callback; without one this costs next to nothing."""
    callback = _callback.get()
    if callback is not None:
        callback(progress)


def stage(text: str, done: int | None = None, total: int | None = None, *, long: bool = False) -> None:
    """Report the start of a stage, or the number of its finished parts."""
    if _callback.get() is not None:
        report(Stage(text, done, total, long))


@contextmanager
def on_progress(callback: Callable[[Stage], object] | None = None) -> Iterator[None]:
    """Within this context, call ``callback`` with every :class:`Stage` (of runs: :class:`Progress`).

    None: the surrounding callback stays in use; if there is none, a line on the terminal or an output of the notebook
    shows work that takes longer than a second, and is removed at the end.
    """
    line = None
    if callback is None:
        callback = _callback.get()
    if callback is None and _display_allowed and not turned_off():
        callback = line = new_display()
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)
        if line is not None:
            line.close()


class ProgressBar:
    """A context in which a bar on the terminal shows the progress of a run, at most ten times a second.

    Without a terminal, and with FLEXMBS_PROGRESS=0, it shows nothing.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn = 0.0
        self._bar: Any = None
        self._context: AbstractContextManager[None] | None = None

    def __enter__(self) -> ProgressBar:
        if not on_terminal() or turned_off():
            return self
        self._bar, self._task = started_bar(self._name, total=1.0)
        self._context = on_progress(self)
        self._context.__enter__()
        return self

    def __call__(self, progress: Stage) -> None:
        """Draw a stage, or the progress of a run."""
        now = time.perf_counter()
        last = isinstance(progress, Progress) and progress.time >= progress.t_end
        if self._bar is None or (now - self._drawn < MIN_INTERVAL and not last and not progress.long):
            return
        self._drawn = now
        if isinstance(progress, Progress):
            self._bar.update(self._task, completed=progress.fraction, note=progress.numbers, refresh=True)
        else:
            self._bar.update(self._task, note=str(progress), refresh=True)

    def __exit__(self, *exception: Any) -> None:
        if self._context is not None:
            self._context.__exit__(None, None, None)
            self._context = None
        if self._bar is not None:
            self._bar.stop()
