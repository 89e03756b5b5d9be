"""The list of what a reader leaves out."""

from __future__ import annotations

from flexmbs.mesh.mesh import Skipped

_LINES_AT_MOST = 10


class SkipList:
    """Collects what is left out, one entry per card and file, with the first lines."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, bool, str], tuple[list[int], list[int]]] = {}

    def add(self, card: str, file: str, line: int, *, analysis: bool = False, why: str = "") -> None:
        """Note that ``card`` in ``line`` of ``file`` is left out (``analysis``: it belongs to no body anyway)."""
        lines, count = self._found.setdefault((card, file, analysis, why), ([], [0]))
        count[0] += 1
        if len(lines) < _LINES_AT_MOST:
            lines.append(int(line))

    def as_tuple(self) -> tuple[Skipped, ...]:
        """The entries in the order in which they were first met."""
        return tuple(
            Skipped(card, file, tuple(lines), count[0], analysis, why)
            for (card, file, analysis, why), (lines, count) in self._found.items()
        )
