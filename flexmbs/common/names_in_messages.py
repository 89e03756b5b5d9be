"""Names and numbers in messages: suggestions for misspelt names, and abbreviated lists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice


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


def few(values: Iterable[object], count: int = 5) -> str:
    """The first values of a sequence: "1, 2, 3, 4, 5, ..."."""
    shown = [str(value) for value in islice(values, count + 1)]
    return ", ".join(shown[:count] + (["..."] if len(shown) > count else []))


def listed(values: Iterable[object], count: int) -> str:
    """The first values of a sequence, and how many are left out: "1, 2, 3 and 4 more"."""
    shown = [str(value) for value in values]
    return ", ".join(shown[:count]) + (f" and {len(shown) - count:,} more" if len(shown) > count else "")
