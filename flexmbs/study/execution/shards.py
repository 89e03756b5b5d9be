"""One part of a study's points, for job arrays: part 3 of 40 computes every fortieth point, beginning at the third."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.errors import StudyError


@dataclass(frozen=True)
class Shard:
    """Part ``number`` (from 1) of ``count``."""

    number: int
    count: int

    def indices(self, points: int) -> range:
        """Indices (from 0) of its points among all ``points``."""
        return range(self.number - 1, points, self.count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def shard_of(given: str | tuple[int, int] | Shard) -> Shard:
    """The shard that is given as "3/40", (3, 40) or a Shard; StudyError if it is none."""
    parts = given.split("/") if isinstance(given, str) else (given.number, given.count) if isinstance(given, Shard) else given
    try:
        number, count = (int(part) for part in parts)
    except (TypeError, ValueError):
        raise StudyError(f"shard {given!r}: write number/count, such as 3/40, the third of forty parts") from None
    if not 1 <= number <= count:
        raise StudyError(f"shard {given!r}: the number of a part runs from 1 to their count; the first of 40 is 1/40")
    return Shard(number, count)
