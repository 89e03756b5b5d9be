"""Calls with unknown or missing arguments: an error that says which, and what would be right."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from flexmbs.common.errors import FlexmbsError

Called = TypeVar("Called", bound=Callable[..., Any])


def names_arguments(error: type[FlexmbsError]) -> Callable[[Called], Called]:
    """Make a function, or a class and its public methods, raise ``error`` for arguments that they do not have, or lack."""

    def checked(called: Called) -> Called:
        if not isinstance(called, type):
            return cast(Called, _checked(called, error, called.__name__))
        for name, method in inspect.getmembers(called, inspect.isfunction):
            if not name.startswith("_") or name == "__init__":
                setattr(called, name, _checked(method, error, called.__name__ if name == "__init__" else name))
        for name, made in list(vars(called).items()):
            if isinstance(made, classmethod) and not name.startswith("_"):
                setattr(called, name, classmethod(_checked(made.__func__, error, f"{called.__name__}.{name}")))
        return called

    return checked


def _checked(method: Callable[..., Any], error: type[FlexmbsError], label: str) -> Callable[..., Any]:
    # as of a method; a function that it calls has the object there
    first = bool({"self", "cls"} & inspect.signature(method).parameters.keys())

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
                raise error(_sentence(label, list(signature.parameters.values())[first:], options, str(wrong))) from None
            for option in options:  # passed on to a function of another name
                if f"unexpected keyword argument '{option}'" in str(raised):
                    raise error(f"{label}: there is no argument '{option}'") from None
            raise

    return call


def _sentence(name: str, own: list[inspect.Parameter], options: dict[str, Any], wrong: str) -> str:
    usage = ", ".join(one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in own)
    unknown = next((option for option in options if option not in [one.name for one in own]), None)
    if unknown is None:
        return f"{name}: {wrong}; it is called as {name}({usage})"
    near = difflib.get_close_matches(unknown, [one.name for one in own], n=1)
    return f"{name}: there is no argument '{unknown}'; " + (f"did you mean '{near[0]}'?" if near else f"there are {usage}")
