"""Issuing warnings as Python warnings, and collecting them for a report."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from types import FrameType

from flexmbs.common.errors import FlexmbsWarning

_INTERNAL = ("flexmbs", "contextlib", "functools")  # modules skipped to find the user's line


@dataclass
class _Report:
    """Warnings that are held back until a command has shown its results."""

    waiting: list[tuple[str, str, type[FlexmbsWarning]]] = field(default_factory=list)  # message, full text, category
    shown: set[str] = field(default_factory=set)


_collected: ContextVar[tuple[list[str], ...]] = ContextVar("collected", default=())
_report: ContextVar[_Report | None] = ContextVar("report", default=None)


def warn(messages: str | Iterable[str], category: type[FlexmbsWarning], *, where: str = "", known: Iterable[str] = ()) -> None:
    """Issue each message once as a Python warning that points to the line of the user's script.

    Parameters
    ----------
    messages : one sentence, or several
    category : a warning class of flexmbs.common.errors
    where : the body or file concerned, such as "body 'rod'"; prepended to messages that do not name it
    known : messages already issued by the function whose result is used here
    """
    said = set(known)
    for message in dict.fromkeys([messages] if isinstance(messages, str) else messages):
        if message not in said:
            _issue(message, message if not where or where in message else f"{where}: {message}", category)


@cache
def warn_once(message: str, category: type[FlexmbsWarning]) -> None:
    """Issue a message once per process, for conditions that recur with every kernel.

    Python's own filter does not ensure this: it is reset whenever numba catches warnings.
    """
    warn(message, category)


@contextmanager
def reported() -> Iterator[None]:
    """Hold warnings back within this context: those ``shown`` with results (tables, JSON) are not issued again.

    The others are issued at the end, also after an exception. Usable as a decorator.
    """
    report = _Report()
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)
        for message, text, category in dict.fromkeys(report.waiting):
            if message not in report.shown:
                _issue(message, text, category)


def shown(messages: Iterable[str]) -> None:
    """Mark messages, within ``reported``, as already shown with the results."""
    report = _report.get()
    if report is not None:
        report.shown.update(messages)


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """A list of the warnings of flexmbs within this context, each once; they are issued as always.

    It is complete whatever filters of warnings are set, and whatever was issued before.
    """
    texts: list[str] = []
    token = _collected.set((*_collected.get(), texts))
    try:
        yield texts
    finally:
        _collected.reset(token)


def _issue(message: str, text: str, category: type[FlexmbsWarning]) -> None:
    for texts in _collected.get():
        if text not in texts:
            texts.append(text)
    report = _report.get()
    if report is None:
        warnings.warn(text, category, stacklevel=_levels_to_user())
    else:
        report.waiting.append((message, text, category))


def _levels_to_user() -> int:
    """Stack level, as ``_issue`` counts, of the first frame outside flexmbs."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame):
        level, frame = level + 1, frame.f_back
    return level


def _is_inside(frame: FrameType) -> bool:
    """Whether a frame belongs to flexmbs, by its module (which generated methods of dataclasses have too)."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _INTERNAL
