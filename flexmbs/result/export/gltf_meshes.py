"""Meshes and materials of glTF documents, each once; rotations as glTF has them."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.result.export.glb import Glb
from flexmbs.result.export.gltf_links import Stretched
from flexmbs.result.export.parts import ExportedPart, Faces

_CREASE = 35.0  # degrees; edges sharper than this stay sharp in the light


class MeshStore:
    """Meshes of a document: parts of the same shape and colour share one."""

    def __init__(self, glb: Glb) -> None:
        self._glb = glb
        self._meshes: dict[str, int] = {}
        self._materials: dict[tuple[str, float], int] = {}

    def of_part(self, part: ExportedPart, shapes: np.ndarray | None) -> int:
        """Mesh of a part, with ``shapes`` (r, m, 3) as morph targets."""
        if shapes is None:
            return self._shared(part.name, part.points, part.faces, part.color, part.opacity)
        return self._add(part.name, part.points, part.faces, part.color, part.opacity, shapes)

    def of_link(self, link: Stretched) -> int:
        return self._shared(link.kind, link.solid.points, Faces.of_vtk(link.solid.faces), link.color, 1.0)

    def _shared(self, name: str, points: np.ndarray, faces: Faces, color: str, opacity: float) -> int:
        digest = hashlib.blake2b(points.tobytes() + faces.connectivity.tobytes() + f"{color} {opacity}".encode())
        key = digest.hexdigest()
        if key not in self._meshes:
            self._meshes[key] = self._add(name, points, faces, color, opacity, None)
        return self._meshes[key]

    def _add(self, name: str, points: np.ndarray, faces: Faces, color: str, opacity: float, shapes: np.ndarray | None) -> int:
        material = self._material(color, opacity)
        triangles = faces.triangles()
        if not len(triangles):  # nodes without elements
            primitive = {"attributes": {"POSITION": self._glb.add_vertices(points, bounds=True)}, "mode": 0}
            own = np.arange(len(points))
        else:
            own, normals, triangles = _creased(points, triangles)
            attributes = {"POSITION": self._glb.add_vertices(points[own], bounds=True)}
            attributes["NORMAL"] = self._glb.add_vertices(normals)
            primitive = {"attributes": attributes, "indices": self._glb.add_indices(triangles), "mode": 4}
        entry: dict[str, Any] = {"name": name, "primitives": [primitive | {"material": material}]}
        if shapes is not None:
            targets = [{"POSITION": self._glb.add_vertices(shape[own], bounds=True)} for shape in shapes]
            entry["primitives"][0]["targets"] = targets
            entry["extras"] = {"targetNames": [f"shape {i + 1}" for i in range(len(shapes))]}
        return self._glb.add("meshes", entry)

    def _material(self, color: str, opacity: float) -> int:
        if (color, opacity) not in self._materials:
            values = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
            linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
            entry: dict[str, Any] = {
                "name": color,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*np.round(linear, 6).tolist(), opacity],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.6,
                },
                "doubleSided": True,
            }
            if opacity < 1.0:
                entry["alphaMode"] = "BLEND"
            self._materials[color, opacity] = self._glb.add("materials", entry)
        return self._materials[color, opacity]


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
    axis, sine, cosine = np.cross(up, [0.0, 1.0, 0.0]), 0.0, up[1]
    sine = float(np.linalg.norm(axis))
    if sine < 1e-9:
        return [0.0, 0.0, 0.0, 1.0] if cosine > 0.0 else [1.0, 0.0, 0.0, 0.0]
    vector = axis / sine * np.arctan2(sine, cosine)
    return quaternions(matrices_of_vectors(vector[None]))[0].tolist()
