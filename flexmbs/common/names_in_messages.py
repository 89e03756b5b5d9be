"""Names and numbers in messages: suggestions for misspelt names, and abbreviated lists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TypeVar

from flexmbs.common.errors import UnknownNameError

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
    return f"{number} {one if number == 1 else more or one + 's'}"


def few(values: Iterable[object], count: int = 5) -> str:
    """The first values of a sequence: "1, 2, 3, 4, 5, ..."."""
    shown = [str(value) for value in islice(values, count + 1)]
    return ", ".join(shown[:count] + (["..."] if len(shown) > count else []))


def listed(values: Iterable[object], count: int) -> str:
    """The first values of a sequence, and how many are left out: "1, 2, 3 and 4 more"."""
    shown = [str(value) for value in values]
    return ", ".join(shown[:count]) + (f" and {len(shown) - count:,} more" if len(shown) > count else "")
