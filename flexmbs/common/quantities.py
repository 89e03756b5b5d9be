"""Numbers for people: significant digits, units with prefixes, lists shortened, and tables of plain text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_WITH_PREFIX = ("Pa", "N", "Hz", "J", "W", "m", "s")  # other units stay as they are
_PLAIN = {"m": (1.0, math.inf), "s": (0.01, math.inf)}  # from, to: shown without a prefix
_LISTED = 6  # numbers of a list that are shown


def number(value: float, digits: int = 4) -> str:
    """A number with so many significant digits: "12,340", "0.00123", "1.2e-07"; "not finite" for infinity and nan."""
    value = float(value)
    if not math.isfinite(value):
        return "not finite"
    if value.is_integer() and abs(value) < 1e9:
        return f"{int(value):,}"
    if 1e4 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def quantity(value: object, unit: str = "", digits: int = 4) -> str:
    """Any value with its unit: "155.2 MPa", "true", "0.1, 0.2, ... (12 values) s"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _with_unit(float(value), unit, digits)
    if isinstance(value, list | tuple):
        parts = [number(item, digits) if _is_number(item) else quantity(item) for item in value[:_LISTED]]
        more = f", ... ({len(value)} values)" if len(value) > _LISTED else ""
        return f"{', '.join(parts) or 'none'}{more}" + (f" {unit}" if unit and parts else "")
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {quantity(item, unit, digits)}" for name, item in value.items()) or "none"
    return "none" if value is None else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with_unit(value: float, unit: str, digits: int) -> str:
    if unit in _WITH_PREFIX and value != 0.0 and math.isfinite(value):
        size = abs(value) * (1.0 + 1e-12)
        low, high = _PLAIN.get(unit, (1.0, 1e3))
        if low <= size < high:
            return f"{number(value, digits)} {unit}"
        factor, prefix = next(((f, p) for f, p in _PREFIXES if size >= f), _PREFIXES[-1])
        return f"{value / factor:.{digits}g} {prefix}{unit}"
    return f"{number(value, digits)} {unit}".rstrip()


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "  ") -> list[str]:
    """Lines of ``rows`` in columns two blanks apart; those in ``right`` are aligned there."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))] if rows else []
    padded = [[c.rjust(w) if k in right else c.ljust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))] for row in rows]
    return [(indent + "  ".join(row)).rstrip() for row in padded]
