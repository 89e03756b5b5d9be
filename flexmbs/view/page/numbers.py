"""Arrays of a page: whole multiples of a step, of which the differences from row to row are stored and deflated."""

from __future__ import annotations

import base64
import json
import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError

MOST = 2**31  # of numbers, which are decoded as int32


@dataclass(frozen=True, eq=False)
class Quantised:
    """low + step * numbers.

    Attributes
    ----------
    numbers : (..., columns) int
    step, low : float, or (columns,) of them; without a step, the numbers themselves
    """

    numbers: np.ndarray
    step: float | np.ndarray | None = None
    low: float | np.ndarray = 0.0

    def values(self) -> np.ndarray:
        """(..., columns) what is decoded, in double precision."""
        return self.low + (1.0 if self.step is None else self.step) * self.numbers

    def differences(self) -> np.ndarray:
        """(n, columns) of the rows, one after the other; of as few bytes as the largest needs."""
        rows = self.numbers.reshape(math.prod(self.numbers.shape[:-1]), self.numbers.shape[-1])
        found = np.diff(rows.astype(np.int32), axis=0, prepend=np.zeros((1, rows.shape[1]), np.int32))
        low, high = found.min(initial=0), found.max(initial=0)
        kinds = (kind for kind in (np.int8, np.int16, np.int32) if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
        return found.astype(next(kinds))


def series(values: np.ndarray, step: float | np.ndarray) -> Quantised:
    """Histories (n,) or (n, columns) with steps of one size, or one for each column; each starts at its low."""
    table = np.asarray(values, dtype=float).reshape(len(values), -1 if np.size(values) else 1)
    steps, low = np.maximum(step, 1e-300), table[0] if len(table) else 0.0
    return Quantised(multiples(table - low, steps), steps, low)


def multiples(values: np.ndarray, step: float | np.ndarray) -> np.ndarray:
    """The nearest whole multiples of a step, int64; 0 for what is no number."""
    found = np.nan_to_num(np.round(values / step), nan=0.0, posinf=np.inf, neginf=-np.inf)
    if np.abs(found).max(initial=0.0) >= MOST:
        raise FlexmbsError(f"a number of a page is {np.abs(found).max():g} times its step; {MOST - 1} times is the most")
    return found.astype(np.int64)


def whole(values: np.ndarray) -> Quantised:
    """Whole numbers (n,) or (n, columns)."""
    return Quantised(values[:, None] if values.ndim == 1 else values)


class Packer:
    """Collects arrays; equal ones are stored once.

    In the header stands in place of an array: ``at``, where it is in the block (bytes), ``type`` and ``count``; of
    differences also ``columns``, ``step`` and ``low``.
    """

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[str, bytes], dict[str, Any]] = {}

    def packed(self, tree: Any) -> Any:
        """``tree`` of dicts and lists with arrays replaced by their entries."""
        if isinstance(tree, dict):
            return {name: self.packed(value) for name, value in tree.items()}
        if isinstance(tree, list | tuple):
            return [self.packed(value) for value in tree]
        if isinstance(tree, np.ndarray):
            return self._added(tree)
        if isinstance(tree, Quantised):
            scales = {"step": tree.step, "low": tree.low} if tree.step is not None else {}
            how = {name: self._scale(np.asarray(value, dtype=float)) for name, value in scales.items()}
            return self._added(tree.differences(), columns=tree.numbers.shape[-1], **how)
        return tree.item() if isinstance(tree, np.generic) else tree

    def data(self) -> str:
        """Everything, deflated, in base 64."""
        return deflated(b"".join(self._blocks))

    def _added(self, values: np.ndarray, **how: Any) -> dict[str, Any]:
        kind = values.dtype.str[1:]
        assert kind in ("f4", "f8", "u4", "u1", "i1", "i2", "i4"), kind  # that web/decode.js knows
        content, how = values.astype(f"<{kind}").tobytes(), {"type": kind, "count": int(values.size), **how}
        key = json.dumps(how, sort_keys=True), content
        if key not in self._known:
            padding = -self._size % 8
            self._blocks.append(bytes(padding) + content)
            self._known[key] = {"at": self._size + padding, **how}
            self._size += padding + len(content)
        return self._known[key]

    def _scale(self, values: np.ndarray) -> Any:
        """A number if all are equal, else the entry of an array."""
        return self._added(values) if np.any(values != values.flat[:1]) else float(next(values.flat, 0.0))


def deflated(content: bytes, level: int = 6) -> str:
    """What browsers inflate as "deflate-raw", in base 64."""
    packing = zlib.compressobj(level, zlib.DEFLATED, -15)
    return base64.b64encode(packing.compress(content) + packing.flush()).decode("ascii")
