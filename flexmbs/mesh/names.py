"""Suggestions for a name that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near_names(wrong: str, known: Iterable[str]) -> str:
    """A sentence that suggests the nearest known name and lists the known ones."""
    known = list(known)
    if not known:
        return "There are none."
    by_upper = {name.upper(): name for name in known}
    near = difflib.get_close_matches(wrong.upper(), by_upper, n=1, cutoff=0.6)
    suggestion = f"Did you mean {by_upper[near[0]]}? " if near else ""
    return f"{suggestion}There are: {', '.join(known)}."
