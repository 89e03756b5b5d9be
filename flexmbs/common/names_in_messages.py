"""Names and numbers in messages: what may have been meant, and the first few of many."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice


def near_names(wrong: str, known: Iterable[str]) -> str:
    """Sentences that suggest the nearest known name and list the known ones (the first 30)."""
    known = list(known)
    if not known:
        return "There are none."
    by_upper = {name.upper(): name for name in known}
    near = difflib.get_close_matches(wrong.upper(), by_upper, n=1, cutoff=0.6)
    suggestion = f"Did you mean {by_upper[near[0]]}? " if near else ""
    listed = few(known, 30)
    return f"{suggestion}There are: {listed}{'' if listed.endswith('...') else '.'}"


def few(values: Iterable[object], most: int = 5) -> str:
    """The first of some values: "1, 2, 3, 4, 5, ..."."""
    shown = [str(value) for value in islice(values, most + 1)]
    return ", ".join(shown[:most] + (["..."] if len(shown) > most else []))
