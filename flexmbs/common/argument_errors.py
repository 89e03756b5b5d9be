"""Calls with unknown or missing arguments: an error that says which, and what would be right."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from flexmbs.common.errors import MechanismError

Class = TypeVar("Class", bound=type)
MOST_FRAMES = 3  # between such a method and the function: itself, and one that shows progress
_WRONG = re.compile(r"(?:\w+\.)*(\w+)\(\) (?:got an unexpected keyword argument '(\w+)'|missing \d+ required .*|takes .*)")


def names_arguments(cls: Class) -> Class:
    """Make the public methods of ``cls`` raise a MechanismError for arguments that they do not have, or lack."""
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_"):
            setattr(cls, name, _checked(method))
    return cls


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return method(*args, **options)
        except TypeError as error:
            frames = []
            at = error.__traceback__
            while at is not None:
                frames.append(at.tb_frame)
                at = at.tb_next
            wrong = _WRONG.match(str(error))
            # of the call itself, or of that of a function of the same name, which the method stands for
            if wrong is None or len(frames) > MOST_FRAMES or wrong[1] != method.__name__:
                raise
            called = next((at.f_globals[wrong[1]] for at in frames[1:] if wrong[1] in at.f_globals), method)
            raise MechanismError(_sentence(called, wrong[1], wrong[2], str(error))) from None

    return call


def _sentence(called: Callable[..., Any], name: str, unknown: str | None, said: str) -> str:
    own = [one for one in inspect.signature(called).parameters.values() if one.name not in ("self", "system")]
    usage = ", ".join(one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in own)
    if unknown is None:
        return f"{name}: {said.partition('() ')[2]}; it is called as {name}({usage})"
    near = difflib.get_close_matches(unknown, [one.name for one in own], n=1)
    return f"{name}: there is no argument '{unknown}'; " + (f"did you mean '{near[0]}'?" if near else f"there are {usage}")
