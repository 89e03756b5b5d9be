"""Binary glTF 2.0 files: accessors in one buffer, meshes and materials, each once, and the JSON that refers to them."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.view.page.shapes import triangulated

_COMPONENTS = {"float32": 5126, "uint32": 5125, "uint16": 5123}
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_VERTICES, _INDICES = 34962, 34963  # targets of buffer views
_CREASE = 35.0  # degrees; edges sharper than this stay sharp in the light


class Glb:
    """A glTF document that grows: its methods return the index of what they add."""

    def __init__(self) -> None:
        lists: dict[str, Any] = {kind: [] for kind in ("nodes", "meshes", "materials", "accessors", "bufferViews")}
        self.document: dict[str, Any] = {"asset": {"version": "2.0", "generator": "flexmbs"}, **lists}
        self._chunks: list[bytes] = []
        self._size = 0
        self._meshes: dict[bytes, int] = {}
        self._materials: dict[tuple[str, float], int] = {}

    def add(self, kind: str, entry: Mapping[str, Any]) -> int:
        """Append to "nodes", "meshes", "materials" ..."""
        self.document.setdefault(kind, []).append(dict(entry))
        return len(self.document[kind]) - 1

    def add_array(self, values: np.ndarray, *, target: int | None = None, bounds: bool = False, dtype: type = np.float32) -> int:
        """Accessor of (k,), (k, 3) or (k, 4) numbers: vertices or indices (``target``), else samples of an animation.

        Positions and times need ``bounds``.
        """
        data = np.ascontiguousarray(values, dtype=dtype)
        view = {"buffer": 0, "byteOffset": self._size, "byteLength": data.nbytes}
        if target is not None:
            view["target"] = target
        padded = data.tobytes() + b"\0" * (-data.nbytes % 4)
        self._chunks.append(padded)
        self._size += len(padded)
        width = 1 if data.ndim == 1 else data.shape[1]
        place, kind = self.add("bufferViews", view), _COMPONENTS[data.dtype.name]
        entry: dict[str, Any] = {"bufferView": place, "componentType": kind, "count": len(data), "type": _KINDS[width]}
        if bounds:
            flat = data.reshape(len(data), width)
            entry |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def add_mesh(
        self, name: str, points: np.ndarray, faces: np.ndarray, color: str, opacity: float, shapes: np.ndarray | None = None
    ) -> int:
        """Mesh of points (m, 3) and faces (VTK style), which those of the same form and colour share.

        With ``shapes`` (r, m, 3) as morph targets it is one of its own.
        """
        if shapes is not None:
            return self._mesh(name, points, faces, color, opacity, shapes)
        form = np.asarray(points, dtype=float).tobytes() + np.asarray(faces).tobytes()
        key = hashlib.blake2b(form + f"{color} {opacity}".encode()).digest()
        if key not in self._meshes:
            self._meshes[key] = self._mesh(name, points, faces, color, opacity, np.zeros((0, len(points), 3)))
        return self._meshes[key]

    def _mesh(self, name: str, points: np.ndarray, faces: np.ndarray, color: str, opacity: float, shapes: np.ndarray) -> int:
        material, triangles = self._material(color, opacity), triangulated(faces).corners
        if not len(triangles):  # nodes without elements
            own = np.arange(len(points))
            primitive = {"attributes": {"POSITION": self.add_array(points, target=_VERTICES, bounds=True)}, "mode": 0}
        else:
            own, normals, triangles = _creased(points, triangles)
            attributes = {"POSITION": self.add_array(points[own], target=_VERTICES, bounds=True)}
            attributes["NORMAL"] = self.add_array(normals, target=_VERTICES)
            small = np.uint16 if triangles.max(initial=0) < 65535 else np.uint32
            primitive = {"attributes": attributes, "indices": self.add_array(triangles.ravel(), target=_INDICES, dtype=small)}
            primitive["mode"] = 4
        entry: dict[str, Any] = {"name": name, "primitives": [primitive | {"material": material}]}
        if len(shapes):
            targets = [{"POSITION": self.add_array(shape[own], target=_VERTICES, bounds=True)} for shape in shapes]
            entry["primitives"][0]["targets"] = targets
            entry["extras"] = {"targetNames": [f"shape {i + 1}" for i in range(len(shapes))]}
        return self.add("meshes", entry)

    def _material(self, color: str, opacity: float) -> int:
        if (color, opacity) not in self._materials:
            values = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
            linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
            look = {"baseColorFactor": [*np.round(linear, 6).tolist(), opacity], "metallicFactor": 0.0, "roughnessFactor": 0.6}
            entry: dict[str, Any] = {"name": color, "pbrMetallicRoughness": look, "doubleSided": True}
            if opacity < 1.0:
                entry["alphaMode"] = "BLEND"
            self._materials[color, opacity] = self.add("materials", entry)
        return self._materials[color, opacity]

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


def _creased(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (m,) to take (several times at sharp edges), their unit normals (m, 3), triangles (t, 3) of them."""
    import pyvista

    surface = pyvista.PolyData.from_regular_faces(np.asarray(points, dtype=float), triangles)
    surface.point_data["own"] = np.arange(len(points))
    split = surface.compute_normals(
        cell_normals=False, split_vertices=True, feature_angle=_CREASE, consistent_normals=False, auto_orient_normals=False
    )
    normals = np.asarray(split.point_data["Normals"], dtype=float)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 1e-6, normals / np.where(length > 1e-6, length, 1.0), [0.0, 0.0, 1.0])
    return np.asarray(split.point_data["own"]), normals, split.regular_faces


def quaternions(turn: np.ndarray) -> np.ndarray:
    """(k, 4) unit quaternions x, y, z, w of rotations (k, 3, 3), without jumps of sign."""
    from scipy.spatial.transform import Rotation

    found = Rotation.from_matrix(turn).as_quat()
    jumps = np.sum(found[1:] * found[:-1], axis=1) < 0.0
    return found * np.concatenate([[1.0], np.where(np.cumsum(jumps) % 2, -1.0, 1.0)])[:, None]


def upright(gravity: np.ndarray) -> list[float]:
    """Quaternion x, y, z, w that turns the world so that gravity points along -y, which glTF takes for down."""
    size = float(np.linalg.norm(gravity))
    up = -np.asarray(gravity) / size if size > 0.0 else np.array([0.0, 1.0, 0.0])
    axis, cosine = np.cross(up, [0.0, 1.0, 0.0]), up[1]
    sine = float(np.linalg.norm(axis))
    if sine < 1e-9:
        return [0.0, 0.0, 0.0, 1.0] if cosine > 0.0 else [1.0, 0.0, 0.0, 0.0]
    vector = axis / sine * np.arctan2(sine, cosine)
    return quaternions(matrices_of_vectors(vector[None]))[0].tolist()
