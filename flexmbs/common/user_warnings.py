"""Warnings of flexmbs as Python warnings: one place that issues them, and one way to keep them for a report."""

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

_BETWEEN = ("flexmbs", "contextlib", "functools")  # modules between the line that warns and the user's


@dataclass
class _Report:
    """Warnings that wait for what a command shows."""

    waiting: list[tuple[str, str, type[FlexmbsWarning]]] = field(default_factory=list)  # message, with body, category
    shown: set[str] = field(default_factory=set)


_report: ContextVar[_Report | None] = ContextVar("report", default=None)


def warn(
    messages: str | Iterable[str], category: type[FlexmbsWarning], *, where: str = "", known: Iterable[str] = ()
) -> None:
    """Issue each message once as a Python warning that points at the line of the user's script.

    Parameters
    ----------
    messages : one sentence, or several
    category : of flexmbs.common.errors
    where : the body or file meant, such as "body 'rod'"; put in front of messages that do not name it
    known : messages that were issued before, by the function whose result is used here
    """
    said = set(known)
    for message in dict.fromkeys([messages] if isinstance(messages, str) else messages):
        if message not in said:
            _issue(message, message if not where or where in message else f"{where}: {message}", category)


@cache
def warn_once(message: str, category: type[FlexmbsWarning]) -> None:
    """Issue a message once in a process, for what is found at every kernel.

    Python's own filter does not see to that: it forgets what it showed whenever numba catches warnings.
    """
    warn(message, category)


@contextmanager
def reported() -> Iterator[None]:
    """While it lasts warnings wait: those that are ``shown`` with results (tables, JSON) are not issued as well.

    The others are issued at the end, also when an exception ends it. Serves as a decorator too.
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
    """Say, inside ``reported``, that these messages are among the results."""
    report = _report.get()
    if report is not None:
        report.shown.update(messages)


def _issue(message: str, text: str, category: type[FlexmbsWarning]) -> None:
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
    """By the module, which generated methods of dataclasses have too."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _BETWEEN
