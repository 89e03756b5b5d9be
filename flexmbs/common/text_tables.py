"""Tables of plain text."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "  ") -> list[str]:
    """Lines of ``rows`` in columns two blanks apart; those in ``right`` are aligned there."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))] if rows else []
    padded = [[c.rjust(w) if k in right else c.ljust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))] for row in rows]
    return [(indent + "  ".join(row)).rstrip() for row in padded]
