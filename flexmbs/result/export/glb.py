"""Binary glTF 2.0 files: accessors in one buffer, and the JSON that refers to them."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

_COMPONENTS = {"float32": 5126, "uint32": 5125, "uint16": 5123}
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_VERTICES, _INDICES = 34962, 34963  # targets of buffer views


class Glb:
    """A glTF document that grows: ``add_...`` return the index of what they add."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "flexmbs"},
            "nodes": [],
            "meshes": [],
            "materials": [],
            "accessors": [],
            "bufferViews": [],
        }
        self._chunks: list[bytes] = []
        self._size = 0

    def add(self, kind: str, entry: Mapping[str, Any]) -> int:
        """Append to "nodes", "meshes", "materials" ..."""
        self.document.setdefault(kind, []).append(dict(entry))
        return len(self.document[kind]) - 1

    def add_vertices(self, values: np.ndarray, *, bounds: bool = False) -> int:
        """Accessor of vertex data (m, 3) or (m, 4); positions have ``bounds``."""
        return self._accessor(np.asarray(values, dtype=np.float32), _VERTICES, bounds)

    def add_indices(self, indices: np.ndarray) -> int:
        """Accessor of indices of vertices."""
        kind = np.uint16 if indices.max(initial=0) < 65535 else np.uint32
        return self._accessor(np.asarray(indices, dtype=kind).ravel(), _INDICES, False)

    def add_samples(self, values: np.ndarray, *, bounds: bool = False) -> int:
        """Accessor of the data of an animation: (k,), (k, 3) or (k, 4); times have ``bounds``."""
        return self._accessor(np.asarray(values, dtype=np.float32), None, bounds)

    def _accessor(self, values: np.ndarray, target: int | None, bounds: bool) -> int:
        data = np.ascontiguousarray(values)
        view = {"buffer": 0, "byteOffset": self._size, "byteLength": data.nbytes}
        if target is not None:
            view["target"] = target
        padded = data.tobytes() + b"\0" * (-data.nbytes % 4)
        self._chunks.append(padded)
        self._size += len(padded)
        width = 1 if data.ndim == 1 else data.shape[1]
        entry: dict[str, Any] = {
            "bufferView": self.add("bufferViews", view),
            "componentType": _COMPONENTS[data.dtype.name],
            "count": len(data),
            "type": _KINDS[width],
        }
        if bounds:
            flat = data.reshape(len(data), width)
            entry |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def write(self, file: BinaryIO) -> None:
        """The whole file."""
        document = {name: value for name, value in self.document.items() if not isinstance(value, list) or value}
        document["buffers"] = [{"byteLength": self._size}]
        text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + self._size))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", self._size, b"BIN\0"))
        for chunk in self._chunks:
            file.write(chunk)
