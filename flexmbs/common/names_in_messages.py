"""Names in messages, plots and files: misspelt ones, long lists, TeX, what no file holds, and unknown or missing arguments."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, TypeVar, cast

from flexmbs.common.errors import FlexmbsError, UnknownNameError

Part = TypeVar("Part")


class Named(dict[str, Part]):
    """Parts of a mechanism by name; a name that is not there is an UnknownNameError (a KeyError) with near ones."""

    def __init__(self, kind: str, parts: Mapping[str, Part] | None = None) -> None:
        super().__init__(parts or {})
        self.kind = kind

    def __missing__(self, name: str) -> Part:
        raise UnknownNameError(f"no {self.kind} named {name!r}. {near_names(str(name), self)}")


def near_names(wrong: str, known: Iterable[str]) -> str:
    """Sentences that suggest the most similar known name and list the known names (the first 30)."""
    known = list(known)
    if not known:
        return "There are none."
    by_upper = {name.upper(): name for name in known}
    near = difflib.get_close_matches(wrong.upper(), by_upper, n=1, cutoff=0.6)
    suggestion = f"Did you mean {by_upper[near[0]]}? " if near else ""
    listed = few(known, 30)
    return f"{suggestion}There are: {listed}{'' if listed.endswith('...') else '.'}"


def counted(number: int, one: str, more: str | None = None) -> str:
    """A number and its noun: "1 body", "2 bodies"; ``more`` of them are with an s if it is not given."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def few(values: Iterable[object], count: int = 5) -> str:
    """The first values of a sequence: "1, 2, 3, 4, 5, ..."."""
    shown = [str(value) for value in islice(values, count + 1)]
    return ", ".join(shown[:count] + (["..."] if len(shown) > count else []))


def listed(values: Iterable[object], count: int) -> str:
    """The first values of a sequence, and how many are left out: "1, 2, 3 and 4 more"."""
    shown = [str(value) for value in values]
    return ", ".join(shown[:count]) + (f" and {len(shown) - count:,} more" if len(shown) > count else "")


def no_formula(text: str) -> str:
    """A text with dollars, between which matplotlib would read TeX."""
    return text.replace("$", r"\$")


def refuse_unwritable(names: Iterable[str], where: object, error: type[FlexmbsError] = FlexmbsError) -> None:
    """``error`` for a name that no file can hold: with a NUL character, or half of a pair of code units (a lone surrogate)."""
    for name in names:
        if wrong := re.search("[\0\ud800-\udfff]", str(name)):
            raise error(f"{where}: the name {name!r} contains {wrong[0]!r}, which no file can hold in a name: rename it")


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


# Arguments that are gone: (method, argument) -> what does instead.
_FORMER = {("simulate", "live"): "load the steps stored so far from another process, fm.load(out) (docs/durable_runs.md)"}


def _sentence(name: str, own: list[inspect.Parameter], options: dict[str, Any], wrong: str) -> str:
    usage = ", ".join(one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in own)
    unknown = next((option for option in options if option not in [one.name for one in own]), None)
    if unknown is None:
        return f"{name}: {wrong}; it is called as {name}({usage})"
    if (name, unknown) in _FORMER:
        return f"{name}: there is no argument '{unknown}' any more: {_FORMER[name, unknown]}"
    near = difflib.get_close_matches(unknown, [one.name for one in own], n=1)
    return f"{name}: there is no argument '{unknown}'; " + (f"did you mean '{near[0]}'?" if near else f"there are {usage}")
