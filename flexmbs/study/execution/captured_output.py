"""What runs print, in a file that the parent of the worker process has opened: it is there after any end of a run."""

from __future__ import annotations

import faulthandler
import os
import sys
from typing import TextIO

#: What is kept of a longer text, in bytes: its beginning and its end, this much each.
_KEPT = 200_000


def take_over_streams() -> tuple[TextIO, TextIO]:
    """The streams from and to the parent; from here on code reads nothing and prints into the file that is stderr."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process lives
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    faulthandler.enable(2)  # a segmentation fault says where
    return requests, answers


def begin_output() -> None:
    """Forget what the run before has printed."""
    _flush()
    os.ftruncate(2, 0)
    os.lseek(2, 0, os.SEEK_SET)


def end_output() -> None:
    """Have everything in the file."""
    _flush()


def text_in(descriptor: int) -> str:
    """What has been printed into this file; the middle of a very long text is left out."""
    size = os.fstat(descriptor).st_size
    if size <= 2 * _KEPT:
        return _read(descriptor, 0, size)
    left_out = size - 2 * _KEPT
    begin, end = _read(descriptor, 0, _KEPT), _read(descriptor, size - _KEPT, _KEPT)
    return f"{begin}\n... {left_out} bytes are left out here ...\n{end}"


def _read(descriptor: int, offset: int, size: int) -> str:
    os.lseek(descriptor, offset, os.SEEK_SET)  # writing appends wherever this stands
    return os.read(descriptor, size).decode(errors="replace")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
