"""Progress of long computations: library code reports it, and a callback, the terminal or a notebook shows it.

There is one channel: everything that takes long calls :func:`report` (or :func:`stage`), and the callback of the
innermost :func:`on_progress` receives it. Runs in time report a :class:`Progress`, which is a :class:`Stage` too.
Without a callback a bar on the terminal (stderr) or an output of the notebook shows it.
"""

from __future__ import annotations

import html
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

MIN_DURATION = 1.0  # s; shorter work is not shown
MIN_INTERVAL = 0.1  # s between two drawings on the terminal within one stage
NOTEBOOK_INTERVAL = 0.25  # s between two updates of a notebook: each is a message to the browser
VARIABLE = "FLEXMBS_PROGRESS"  # environment variable: 0 (off, no, false) turns the display off
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
    """A duration for people: "0.123 s", "42 s", "3 min 20 s", "5 h 10 min", "2 d 7 h"."""
    if seconds < 99.5:
        return f"{seconds:.3g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, whole = round(seconds / 60.0), round(seconds)
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s"
    if minutes < 2880:
        return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes // 1440} d {minutes % 1440 // 60} h"


_callback: ContextVar[Callable[[Stage], object] | None] = ContextVar("callback", default=None)
_display_allowed = True


def show_progress(shown: bool = True) -> None:
    """Turn the display of progress off, or on again, for this process.

    It is a bar on stderr where that is a terminal, an output below the cell in a notebook, and nothing in pipes, files
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

    None: the surrounding callback stays in use; if there is none, a bar on the terminal or an output of the notebook
    shows work that takes longer than a second, and is removed at the end.
    """
    display = None
    if callback is None:
        callback = _callback.get()
    if callback is None and is_shown():
        callback = display = TerminalBar() if on_terminal() else NotebookOutput() if in_notebook() else None
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)
        if display is not None:
            display.close()


@contextmanager
def progress_bar(name: str) -> Iterator[None]:
    """Within this context, a bar with a name shows progress on the terminal, from the start on, and stays at the end."""
    bar = TerminalBar(name) if on_terminal() and is_shown() else None
    try:
        with on_progress(bar):
            yield
    finally:
        if bar is not None:
            bar.close()


def is_shown() -> bool:
    """Whether neither :func:`show_progress` nor the environment asks for silence."""
    return _display_allowed and os.environ.get(VARIABLE, "").strip().lower() not in ("0", "off", "no", "false")


def on_terminal() -> bool:
    """Whether what is written to stderr is seen; services and windows have none."""
    return sys.stderr is not None and sys.stderr.isatty()


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook; IPython is not imported for that."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if hasattr(ipython, "get_ipython") else None  # type: ignore[union-attr]
    return hasattr(shell, "kernel")


class TerminalBar:
    """A callback that draws stages as a bar on stderr: with a name at once; without, work that takes long, until closed."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._next_drawing = time.perf_counter() + (0.0 if name else MIN_DURATION)
        self._bar: Any = None

    def __call__(self, stage: Stage) -> None:
        """Draw a stage, unless it counts and has just been drawn."""
        now, fraction = time.perf_counter(), stage.fraction
        is_news = self._bar is not None and (fraction is None or fraction == 1.0)
        if now < self._next_drawing and not (stage.long or is_news):
            return
        self._next_drawing = now + MIN_INTERVAL
        if self._bar is None:
            self._start(str(stage))
        self._bar.update(self._task, completed=fraction or 0.0, text=str(stage), refresh=True)

    def _start(self, text: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        texts = TextColumn("{task.fields[text]}", markup=False, table_column=Column(no_wrap=True))
        name = TextColumn(self._name, markup=False, table_column=Column(no_wrap=True, min_width=min(len(self._name), 30)))
        self._bar = Progress(
            *[name] * bool(self._name),
            BarColumn(None, table_column=Column(min_width=10, max_width=30)),
            texts,
            console=Console(stderr=True),
            auto_refresh=False,
            transient=not self._name,
            redirect_stdout=False,  # scripts write there as they like
        )
        self._task = self._bar.add_task("", total=1.0, text=text)
        self._bar.start()

    def close(self) -> None:
        """Stop drawing; a bar without a name is removed."""
        if self._bar is not None:
            self._bar.stop()


class NotebookOutput:
    """A callback that shows stages of long work in an output below the cell, which is emptied at the end."""

    def __init__(self) -> None:
        self._start, self._drawn_at = time.perf_counter(), -NOTEBOOK_INTERVAL
        self._handle: Any = None

    def __call__(self, stage: Stage) -> None:
        """Draw a stage, if the work is long enough."""
        now = time.perf_counter()
        if now - self._drawn_at < NOTEBOOK_INTERVAL or not (stage.long or now - self._start > MIN_DURATION):
            return
        self._drawn_at = now
        bar = "" if stage.fraction is None else f'<progress value="{stage.fraction:.4f}" max="1"></progress> '
        self._show(str(stage), f'<div style="font-size: 0.9em">{bar}{html.escape(str(stage))}</div>')

    def close(self) -> None:
        """Empty the output."""
        if self._handle is not None:
            self._show("", "")

    def _show(self, plain: str, page: str) -> None:
        from IPython.display import display

        content = {"text/plain": plain, "text/html": page}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)
