"""Arrays of a page as bytes: a header that says where each is and how it is coded, and one deflated block."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

from flexmbs.view.page.quantised import Quantised, Surface, byte_planes

_RAW = {"f4": "f32", "f8": "f64", "u4": "u32", "i4": "i32", "u1": "u8"}
_IN_HEADER = 8  # most numbers of a step or of a low that stand in the header itself


class Packer:
    """Collects arrays; equal ones are stored once.

    In the header stands in place of an array: ``at``, where it is in the block (bytes), ``type`` and ``count`` for raw
    ones; also ``bytes`` of each number, ``shape``, ``order`` of differences, ``step`` and ``low`` for quantised ones,
    and ``surface`` if their neighbours on it predict them.
    """

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[str, bytes], dict[str, Any]] = {}
        self._surfaces: dict[Surface, dict[str, Any]] = {}

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
        if isinstance(tree, Surface):
            return self._surface(tree)
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
        if given.surface is not None:
            how["surface"] = self._surface(given.surface)
        elif order:
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

    def _surface(self, given: Surface) -> dict[str, Any]:
        if given not in self._surfaces:
            jumps = self._quantised(Quantised(given.jumps.reshape(1, -1, 1), kind="u32"))
            how = {"type": "surface", "count": len(given.symbols), "points": given.points, "triangles": given.triangles}
            self._surfaces[given] = self._add(given.symbols.tobytes(), how | {"jumps": jumps})
        return self._surfaces[given]
