"""Arrays of a page as bytes: a header that says where each is and how it is coded, and one deflated block."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

_RAW = {"f4": "f32", "f8": "f64", "u4": "u32", "i4": "i32", "u1": "u8"}


class Packer:
    """Collects arrays; each is stored once, however often it occurs."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[str, bytes], dict[str, Any]] = {}

    def raw(self, values: np.ndarray) -> dict[str, Any]:
        """Where ``values`` are, as they are: the entry of the header."""
        kind = values.dtype.str[1:]
        content = np.ascontiguousarray(values).astype(f"<{kind}").tobytes()
        return self.add(content, {"type": _RAW[kind], "count": int(values.size)})

    def add(self, content: bytes, how: dict[str, Any]) -> dict[str, Any]:
        """The entry of some bytes: ``at``, and ``how`` they are coded."""
        key = json.dumps(how, sort_keys=True), content
        if key not in self._known:
            padding = -self._size % 8
            self._blocks.append(bytes(padding) + content)
            self._known[key] = {"at": self._size + padding, **how}
            self._size += padding + len(content)
        return self._known[key]

    def packed(self, tree: Any) -> Any:
        """``tree`` of dicts and lists with arrays replaced by their entries."""
        if isinstance(tree, dict):
            return {name: self.packed(value) for name, value in tree.items()}
        if isinstance(tree, list | tuple):
            return [self.packed(value) for value in tree]
        if isinstance(tree, np.ndarray):
            return self.raw(tree)
        if isinstance(tree, np.generic):
            return tree.item()
        return tree

    def data(self) -> str:
        """Everything, deflated, in base64."""
        packing = zlib.compressobj(9, zlib.DEFLATED, -15)
        content = packing.compress(b"".join(self._blocks)) + packing.flush()
        return base64.b64encode(content).decode("ascii")
