"""Warnings of flexmbs as Python warnings: one place that issues them, and one way to keep them for a report."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from flexmbs.errors import FlexmbsWarning

_BETWEEN = ("flexmbs", "contextlib", "functools")  # modules between the line that warns and the user's
_kept: ContextVar[list[tuple[str, type[FlexmbsWarning]]] | None] = ContextVar("kept", default=None)


def warn(
    messages: str | Iterable[str], category: type[FlexmbsWarning], *, where: str = "", known: Iterable[str] = ()
) -> None:
    """Issue each message once as a Python warning that points at the line of the user's script.

    Parameters
    ----------
    messages : one sentence, or several
    category : of flexmbs.errors
    where : the body or file meant, such as "body 'rod'"; put in front of messages that do not name it
    known : messages that were issued before, by the function whose result is used here
    """
    said = set(known)
    for message in dict.fromkeys([messages] if isinstance(messages, str) else messages):
        if message not in said:
            _issue(message if not where or where in message else f"{where}: {message}", category)


@contextmanager
def reported_by_caller() -> Iterator[None]:
    """While it lasts no warning is issued: the caller shows them with its results (the command line's tables and JSON).

    When it ends in an exception there is no report, and they are issued after all.
    """
    kept: list[tuple[str, type[FlexmbsWarning]]] = []
    token = _kept.set(kept)
    try:
        yield
    except BaseException:
        _kept.reset(token)
        for message, category in dict.fromkeys(kept):
            _issue(message, category)
        raise
    else:
        _kept.reset(token)


def _issue(message: str, category: type[FlexmbsWarning]) -> None:
    kept = _kept.get()
    if kept is not None:
        kept.append((message, category))
        return
    warnings.warn(message, category, stacklevel=_levels_to_user())


def _levels_to_user() -> int:
    """Stack level, as ``_issue`` counts, of the first frame outside flexmbs."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame):
        level, frame = level + 1, frame.f_back
    return level


def _is_inside(frame: FrameType) -> bool:
    """By the module, which generated methods of dataclasses have too."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _BETWEEN
