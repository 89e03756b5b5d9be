"""Where progress is shown without being asked: a line on the terminal that is rewritten, or an output of a notebook."""

from __future__ import annotations

import html
import os
import shutil
import sys
import time
from typing import Any, Protocol

MIN_DURATION = 1.0  # s; shorter work is not shown
MIN_INTERVAL = 0.1  # s between two updates of the terminal within one stage
NOTEBOOK_INTERVAL = 0.25  # s between two updates of a notebook: each is a message to the browser
VARIABLE = "FLEXMBS_PROGRESS"  # environment variable: 0 (off, no, false) turns the display off


class Shown(Protocol):
    """What is shown of a stage: its text (``str``), whether it is long, the finished part of it (None: unknown)."""

    @property
    def total(self) -> int | None: ...
    @property
    def long(self) -> bool: ...
    @property
    def fraction(self) -> float | None: ...


def turned_off() -> bool:
    """Whether the environment asks for silence."""
    return os.environ.get(VARIABLE, "").strip().lower() in ("0", "off", "no", "false")


def on_terminal() -> bool:
    """Whether what is written to stderr is seen; services and windows have none."""
    return sys.stderr is not None and sys.stderr.isatty()


def new_display() -> TerminalLine | NotebookOutput | None:
    """A line on stderr if that is a terminal, an output in a notebook, otherwise nothing."""
    if on_terminal():
        return TerminalLine()
    return NotebookOutput() if in_notebook() else None


def started_bar(name: str, total: float | None, counts: bool = False) -> tuple[Any, Any]:
    """A bar on stderr, which is drawn when it is told to, and its task; with ``counts`` it shows "done/total"."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = [TextColumn("{task.description}"), BarColumn(30), TextColumn("{task.fields[note]}")]
    columns[2:2] = [MofNCompleteColumn()] * counts
    bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False)
    bar.start()
    task = bar.add_task(name, total=total, note="starting")
    bar.refresh()
    return bar, task


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook; IPython is not imported for that."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if hasattr(ipython, "get_ipython") else None  # type: ignore[union-attr]
    return hasattr(shell, "kernel")


class TerminalLine:
    """One line on stderr that is overwritten by the next stage."""

    def __init__(self) -> None:
        self._start = self._drawn_at = time.perf_counter()
        self._drawn = ""

    def __call__(self, stage: Shown) -> None:
        """Draw a stage, if the work is long enough."""
        now = time.perf_counter()
        counting = stage.total is not None and now - self._drawn_at < MIN_INTERVAL
        if counting or not (stage.long or now - self._start > MIN_DURATION):
            return
        self._drawn, self._drawn_at = str(stage)[: shutil.get_terminal_size().columns - 1], now
        sys.stderr.write(f"\r\x1b[2K{self._drawn}")
        sys.stderr.flush()

    def close(self) -> None:
        """Remove the line."""
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


class NotebookOutput:
    """An output below the cell that is updated, and emptied at the end."""

    def __init__(self) -> None:
        self._start, self._drawn_at = time.perf_counter(), -NOTEBOOK_INTERVAL
        self._handle: Any = None

    def __call__(self, stage: Shown) -> None:
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
