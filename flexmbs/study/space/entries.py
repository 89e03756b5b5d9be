"""Entries of a space from what a user writes and from stored data."""

from __future__ import annotations

from typing import Any

from flexmbs.common.errors import StudyError
from flexmbs.study.space.distributions import Distribution
from flexmbs.study.space.entry import Entry
from flexmbs.study.space.ranges import Choices, Range, RunSeeds

EXAMPLES = "a range (0.8, 1.2), a list [2, 3, 4], fm.Range(1e9, 1e11, log=True), fm.Normal(7850, 50), scipy.stats.norm(...)"


def entry_from(given: object) -> Entry | RunSeeds:
    """A range of two numbers (low, high), a list of values, a frozen distribution of scipy.stats, or an entry itself.

    Raises StudyError, with examples, for anything else.
    """
    if isinstance(given, Entry | RunSeeds):
        return given
    if isinstance(given, list | range | set | frozenset):
        return Choices(sorted(given, key=repr) if isinstance(given, set | frozenset) else given)
    if isinstance(given, tuple):
        if len(given) == 3 and given[2] == "log":
            return Range(given[0], given[1], log=True)
        if len(given) == 2:
            return Range(*given)
        raise StudyError(f"a tuple is a range, (low, high), and {given!r} is not; a list of values is written [1, 2, 3]")
    if hasattr(given, "ppf") or hasattr(given, "icdf"):
        return Distribution(given)
    if hasattr(given, "tolist"):  # an array
        return entry_from(given.tolist())
    raise StudyError(f"{given!r} says no values; write {EXAMPLES}")


def entry_from_json(data: dict[str, Any]) -> Entry | RunSeeds:
    """The entry that ``to_json`` of an entry wrote; StudyError for other data."""
    try:
        if "range" in data:
            low, high = data["range"]
            return Range(low, high, log=data["log"])
        if "choices" in data:
            return Choices(data["choices"])
        if "distribution" in data:
            return Distribution.from_json(data)
        if "run_seeds" in data:
            return RunSeeds()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StudyError(f"the stored values {data!r} of a parameter cannot be read ({error})") from None
    raise StudyError(f"the stored values {data!r} of a parameter are of no kind that this version of flexmbs knows")
