"""What a long computation is doing just now: library code says it, whoever listens shows it."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_QUIET = 1.0  # s; work that ends before is not worth a line
_LEAST = 0.1  # s between two drawings of one stage


@dataclass(frozen=True)
class Stage:
    """A stage of a computation.

    Attributes
    ----------
    text : what is being done, such as "factorising (299,307 unknowns, about 2.1 GB)"
    done, total : int or None
        Parts finished, where the stage has parts.
    long : bool
        It may well take more than a second.
    """

    text: str
    done: int | None = None
    total: int | None = None
    long: bool = False

    def __str__(self) -> str:
        return self.text if self.total is None else f"{self.text} {self.done}/{self.total}"


_listener: ContextVar[Callable[[Stage], None] | None] = ContextVar("listener", default=None)
_shown = True


def show_progress(shown: bool = True) -> None:
    """Turn the line on which a terminal shows what a long computation is doing off, or on again, for this process.

    It never appears where stderr is no terminal (pipes, files, batch jobs).
    """
    global _shown
    _shown = bool(shown)


def stage(text: str, done: int | None = None, total: int | None = None, *, long: bool = False) -> None:
    """Say which stage begins, or how far it is. Without a listener it costs next to nothing."""
    listener = _listener.get()
    if listener is not None:
        listener(Stage(text, done, total, long))


@contextmanager
def listening(listener: Callable[[Stage], None] | None = None) -> Iterator[None]:
    """While it lasts, ``listener`` is called with every :class:`Stage`.

    None: whoever listens already goes on; if nobody does and stderr is a terminal, a line there shows the stage and
    goes away at the end.
    """
    line = None
    if listener is None:
        listener = _listener.get()
    if listener is None and _shown and sys.stderr.isatty():
        listener = line = _TerminalLine()
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
        if line is not None:
            line.close()


class _TerminalLine:
    """One line on stderr that is written over by the next stage."""

    def __init__(self) -> None:
        self._start = self._drawn_at = time.perf_counter()
        self._drawn = ""

    def __call__(self, stage: Stage) -> None:
        now = time.perf_counter()
        counting = stage.total is not None and now - self._drawn_at < _LEAST
        if counting or not (stage.long or now - self._start > _QUIET):
            return
        self._drawn, self._drawn_at = str(stage)[: shutil.get_terminal_size().columns - 1], now
        sys.stderr.write(f"\r\x1b[2K{self._drawn}")
        sys.stderr.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
