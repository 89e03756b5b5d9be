"""Progress of long computations: library code reports it, and a callback or the terminal shows it.

There is one channel: everything that takes long calls :func:`report` (or :func:`stage`), and the callback of the
innermost :func:`on_progress` receives it. Runs in time report a :class:`Progress`, which is a :class:`Stage` too.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_MIN_DURATION = 1.0  # s; shorter work is not shown on the terminal
_MIN_INTERVAL = 0.1  # s between two updates of the terminal within one stage
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


@dataclass(frozen=True)
class Progress(Stage):
    """Progress of a run: simulated time and its end, current step size (all in s), and number of steps so far.

    ``result_bytes``: expected size of the result at the end, if the run goes on like this; ``note``: what slows it.
    """

    text: str = "simulating"
    time: float = 0.0
    t_end: float = 0.0
    step: float = 0.0
    steps: int = 0
    result_bytes: float = 0.0
    note: str = ""

    def __str__(self) -> str:
        return f"{self.text}: {self.numbers}"

    @property
    def numbers(self) -> str:
        """Time and step size as text, the size of the result if it will be large, and the note."""
        size = f", result about {size_text(self.result_bytes)}" if self.result_bytes >= _LARGE_RESULT else ""
        note = f" ({self.note})" if self.note else ""
        return f"t = {self.time:.4g} of {self.t_end:g} s, step {self.step:.1e} s{size}{note}"


def size_text(size: float) -> str:
    """A number of bytes for people: "340 MB"."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= 0.9995 * factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"


_callback: ContextVar[Callable[[Stage], object] | None] = ContextVar("callback", default=None)
_terminal_allowed = True


def show_progress(shown: bool = True) -> None:
    """Turn the progress line on the terminal off, or on again, for this process.

    It never appears if stderr is not a terminal (pipes, files, batch jobs).
    """
    global _terminal_allowed
    _terminal_allowed = bool(shown)


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

    None: the surrounding callback stays in use; if there is none and stderr is a terminal, a line there shows the
    progress and is removed at the end.
    """
    line = None
    if callback is None:
        callback = _callback.get()
    if callback is None and _terminal_allowed and sys.stderr.isatty():
        callback = line = _TerminalLine()
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)
        if line is not None:
            line.close()


class ProgressBar:
    """A context in which a bar on the terminal shows the progress of a run, at most ten times a second.

    Without a terminal it shows nothing.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn = 0.0
        self._bar: Any = None
        self._context: AbstractContextManager[None] | None = None

    def __enter__(self) -> ProgressBar:
        if not sys.stderr.isatty():
            return self
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[note]}"),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._bar = RichProgress(*columns, console=Console(stderr=True), auto_refresh=False)
        self._bar.start()
        self._task = self._bar.add_task(self._name, total=1.0, note="starting")
        self._bar.refresh()
        self._context = on_progress(self)
        self._context.__enter__()
        return self

    def __call__(self, progress: Stage) -> None:
        """Draw a stage, or the progress of a run."""
        now = time.perf_counter()
        last = isinstance(progress, Progress) and progress.time >= progress.t_end
        if self._bar is None or (now - self._drawn < _MIN_INTERVAL and not last and not progress.long):
            return
        self._drawn = now
        if isinstance(progress, Progress):
            self._bar.update(self._task, completed=progress.time / progress.t_end, note=progress.numbers)
        else:
            self._bar.update(self._task, note=str(progress))
        self._bar.refresh()

    def __exit__(self, *exception: Any) -> None:
        if self._context is not None:
            self._context.__exit__(None, None, None)
            self._context = None
        if self._bar is not None:
            self._bar.stop()


class _TerminalLine:
    """One line on stderr that is overwritten by the next stage."""

    def __init__(self) -> None:
        self._start = self._drawn_at = time.perf_counter()
        self._drawn = ""

    def __call__(self, stage: Stage) -> None:
        now = time.perf_counter()
        counting = stage.total is not None and now - self._drawn_at < _MIN_INTERVAL
        if counting or not (stage.long or now - self._start > _MIN_DURATION):
            return
        self._drawn, self._drawn_at = str(stage)[: shutil.get_terminal_size().columns - 1], now
        sys.stderr.write(f"\r\x1b[2K{self._drawn}")
        sys.stderr.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
