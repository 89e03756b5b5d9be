"""Calls with unknown or missing arguments: an error that says which, and what would be right."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from flexmbs.common.errors import FlexmbsError

Class = TypeVar("Class", bound=type)


def names_arguments(error: type[FlexmbsError]) -> Callable[[Class], Class]:
    """Make the public methods of a class raise ``error`` for arguments that they do not have, or lack."""

    def checked(cls: Class) -> Class:
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            if not name.startswith("_"):
                setattr(cls, name, _checked(method, error))
        return cls

    return checked


def _checked(method: Callable[..., Any], error: type[FlexmbsError]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return method(*args, **options)
        except TypeError as raised:
            signature = inspect.signature(method)
            if any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values()):  # passed on to that function
                signature = inspect.signature(inspect.unwrap(method).__globals__.get(method.__name__, method))
            try:
                signature.bind(*args, **options)
            except TypeError as wrong:
                raise error(_sentence(method.__name__, signature, options, str(wrong))) from None
            for option in options:  # passed on to a function of another name
                if f"unexpected keyword argument '{option}'" in str(raised):
                    raise error(f"{method.__name__}: there is no argument '{option}'") from None
            raise

    return call


def _sentence(name: str, signature: inspect.Signature, options: dict[str, Any], wrong: str) -> str:
    own = list(signature.parameters.values())[1:]
    usage = ", ".join(one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in own)
    unknown = next((option for option in options if option not in signature.parameters), None)
    if unknown is None:
        return f"{name}: {wrong}; it is called as {name}({usage})"
    near = difflib.get_close_matches(unknown, [one.name for one in own], n=1)
    return f"{name}: there is no argument '{unknown}'; " + (f"did you mean '{near[0]}'?" if near else f"there are {usage}")
