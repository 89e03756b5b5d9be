"""Arrays of a page: whole multiples of a step, of which differences are stored (small numbers, which deflate makes smaller)."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError

HIGHEST_ORDER = 3  # of differences between neighbours in a row
MAX_BYTES = 4  # of a number without its sign


@dataclass(frozen=True, eq=False)
class Quantised:
    """low + step * numbers.

    Attributes
    ----------
    numbers : (rows, n, columns) int
    step, low : float, or (rows, columns) of them
    kind : what they become when they are decoded: "f32", "f64", "u32", "i32", "u8"
    """

    numbers: np.ndarray
    step: float | np.ndarray = 1.0
    low: float | np.ndarray = 0.0
    kind: str = "f32"

    def values(self) -> np.ndarray:
        """(rows, n, columns) the numbers as they are decoded, in double precision."""
        step, low = (np.asarray(each, dtype=float) for each in (self.step, self.low))
        if step.ndim:
            step = step[:, None, :]
        if low.ndim:
            low = low[:, None, :]
        return low + step * self.numbers

    def residuals(self) -> tuple[int, np.ndarray]:
        """The order of the differences along n, and (rows, columns, n) of them."""
        numbers = np.ascontiguousarray(np.moveaxis(self.numbers, 1, 2).astype(np.int64))
        best, order = numbers, 0
        tried = numbers
        for higher in range(1, HIGHEST_ORDER + 1):
            tried = np.diff(tried, axis=-1, prepend=0)
            if _bits(tried) < _bits(best):
                best, order = tried, higher
        return order, best


def byte_planes(residuals: np.ndarray) -> tuple[int, bytes]:
    """Number of bytes that each needs without its sign's place (0, -1, 1, -2, ...: 0, 1, 2, 3, ...), and the planes."""
    folded = np.where(residuals >= 0, 2 * residuals, -2 * residuals - 1).ravel()
    largest = int(folded.max(initial=0))
    count = max(1, (largest.bit_length() + 7) // 8)
    if count > MAX_BYTES:
        raise FlexmbsError(f"a number of a page needs {count} bytes; {MAX_BYTES} is the most")
    planes = [(folded >> (8 * plane) & 255).astype(np.uint8).tobytes() for plane in range(count)]
    return count, b"".join(planes)


def series(values: np.ndarray, step: float | np.ndarray, kind: str = "f32") -> Quantised:
    """Histories (n,) or (n, columns) with steps of one size, or one for each column; each starts at its low."""
    table = np.asarray(values, dtype=float)
    table = table[:, None] if table.ndim == 1 else table
    steps = np.broadcast_to(np.maximum(step, 1e-300), table.shape[1:])
    low = table[:1].copy() if len(table) else np.zeros((1, table.shape[1]))
    numbers = np.round((table - low) / steps).astype(np.int64)[None]
    return Quantised(numbers, steps[None], low, kind=kind)


def whole(values: np.ndarray, kind: str) -> Quantised:
    """Whole numbers (n,) or (n, columns)."""
    return Quantised(np.asarray(values, dtype=np.int64).reshape(1, len(values), int(np.prod(values.shape[1:]))), kind=kind)


def _bits(numbers: np.ndarray) -> float:
    return float(np.log2(1.0 + np.abs(numbers)).sum())


_RAW = {"f4": "f32", "f8": "f64", "u4": "u32", "i4": "i32", "u1": "u8"}
_IN_HEADER = 8  # most numbers of a step or of a low that stand in the header itself


class Packer:
    """Collects arrays; equal ones are stored once.

    In the header stands in place of an array: ``at``, where it is in the block (bytes), ``type`` and ``count`` for raw
    ones; also ``bytes`` of each number, ``shape``, ``order`` of differences, ``step`` and ``low`` for quantised ones.
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
            return self._raw(tree)
        if isinstance(tree, Quantised):
            return self._quantised(tree)
        if isinstance(tree, np.generic):
            return tree.item()
        return tree

    def data(self) -> str:
        """Everything, deflated, in base64."""
        packing = zlib.compressobj(9, zlib.DEFLATED, -15)
        content = packing.compress(b"".join(self._blocks)) + packing.flush()
        return base64.b64encode(content).decode("ascii")

    def _add(self, content: bytes, how: dict[str, Any]) -> dict[str, Any]:
        key = json.dumps(how, sort_keys=True), content
        if key not in self._known:
            padding = -self._size % 8
            self._blocks.append(bytes(padding) + content)
            self._known[key] = {"at": self._size + padding, **how}
            self._size += padding + len(content)
        return self._known[key]

    def _raw(self, values: np.ndarray) -> dict[str, Any]:
        kind = values.dtype.str[1:]
        content = np.ascontiguousarray(values).astype(f"<{kind}").tobytes()
        return self._add(content, {"type": _RAW[kind], "count": int(values.size)})

    def _quantised(self, given: Quantised) -> dict[str, Any]:
        order, left = given.residuals()
        count, planes = byte_planes(left)
        how: dict[str, Any] = {"type": given.kind, "bytes": count, "shape": list(given.numbers.shape)}
        if order:
            how["order"] = order
        for name, plain in (("step", 1.0), ("low", 0.0)):
            values = np.asarray(getattr(given, name), dtype=float)
            if np.any(values != plain):
                how[name] = self._scales(values)
        return self._add(planes, how)

    def _scales(self, values: np.ndarray) -> Any:
        """A number, a short list, or an entry; a list of equal ones is one number."""
        if np.all(values == values.flat[0]):
            return float(values.flat[0])
        return values.ravel().tolist() if values.size <= _IN_HEADER else self._raw(values.astype("f8"))
