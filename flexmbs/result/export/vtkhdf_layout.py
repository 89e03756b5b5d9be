"""Groups and data sets of a VTKHDF file of one unstructured grid, and a surface with values at its points as such a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.hdf5_files import writing_hdf5
from flexmbs.result.export.checks import checked_path, ready_folder
from flexmbs.result.export.parts import Faces

_KINDS = {1: 1, 2: 3, 3: 5, 4: 9}  # cells of VTK by their number of points: vertex, line, triangle, quadrilateral
_POLYGON = 7


@dataclass(frozen=True, eq=False)
class Mesh:
    """Polygons: ``points`` (m, 3), ``connectivity`` (c,) and ``offsets`` (cells + 1,) of their point indices."""

    points: np.ndarray
    connectivity: np.ndarray
    offsets: np.ndarray

    @property
    def size(self) -> float:
        """Bytes of what is stored once: cells, their kinds and bodies, numbers of nodes."""
        return 8.0 * len(self.connectivity) + 13.0 * len(self.offsets) + 4.0 * len(self.points)


def write_mesh(file: Any, mesh: Mesh, constant: Mapping[str, Mapping[str, Any]]) -> Any:
    """The group VTKHDF with cells and constant data ("PointData", "CellData", "FieldData"); without points."""
    import h5py

    group = file.create_group("VTKHDF")
    group.attrs["Version"] = np.array([2, 0], dtype=np.int64)
    group.attrs.create("Type", b"UnstructuredGrid", dtype=h5py.string_dtype("ascii", len("UnstructuredGrid")))
    cells = len(mesh.offsets) - 1
    sizes = np.diff(mesh.offsets)
    kinds = np.array([_KINDS.get(int(size), _POLYGON) for size in range(int(sizes.max(initial=0)) + 1)], dtype=np.uint8)
    group["NumberOfPoints"] = np.array([len(mesh.points)], dtype=np.int64)
    group["NumberOfCells"] = np.array([cells], dtype=np.int64)
    group["NumberOfConnectivityIds"] = np.array([len(mesh.connectivity)], dtype=np.int64)
    group["Connectivity"] = mesh.connectivity.astype(np.int64)
    group["Offsets"] = mesh.offsets.astype(np.int64)
    group["Types"] = kinds[sizes]
    for kind, arrays in constant.items():
        inner = group.create_group(kind)
        for name, values in arrays.items():
            if isinstance(values, list):
                texts = np.array([text.encode() for text in values], dtype=object)  # VTK takes them for UTF-8 if they claim ASCII
                inner.create_dataset(name, data=texts, dtype=h5py.string_dtype("ascii"))
            else:
                inner[name] = values
    return group


def write_steps(group: Any, times: np.ndarray, mesh: Mesh, fields: Mapping[str, int], dtype: str) -> dict[str, Any]:
    """The group of the times, and empty data sets of points and of point data for all of them, by their names."""
    count, steps = len(mesh.points), len(times)
    own = group.create_group("Steps")
    own.attrs["NSteps"] = np.int64(steps)
    own["Values"] = np.asarray(times, dtype=float)
    once, nothing = np.ones(steps, dtype=np.int64), np.zeros(steps, dtype=np.int64)
    moving = count * np.arange(steps, dtype=np.int64)
    own["NumberOfParts"], own["PartOffsets"], own["PointOffsets"] = once, nothing, moving
    own["CellOffsets"], own["ConnectivityIdOffsets"] = nothing[:, None], nothing[:, None]
    for kind in ("PointData", "CellData", "FieldData"):
        offsets = own.create_group(f"{kind}Offsets")
        for name in group[kind] if kind in group else ():
            offsets[name] = nothing
    for name, values in group.get("FieldData", {}).items():  # of all steps; readers before version 2.2 take the first
        own[f"FieldDataSizes/{name}"] = np.tile(np.array([1, len(values)], dtype=np.int64), (steps, 1))
    data = {"Points": group.create_dataset("Points", (steps * count, 3), dtype)}
    inner = group.require_group("PointData")
    for name, width in fields.items():
        shape = (steps * count,) if width == 1 else (steps * count, width)
        data[name] = inner.create_dataset(name, shape, dtype)
        own[f"PointDataOffsets/{name}"] = moving
    return data


def write_surface(
    path: str | Path, points: np.ndarray, faces: np.ndarray, fields: Mapping[str, np.ndarray], *, force: bool
) -> Path:
    """Write points (m, 3), faces (VTK style) and point data (m, ...) by name."""
    path = checked_path(path, (".vtkhdf", ".hdf", ".h5"), force)
    ready_folder(path)
    polygons = Faces.of_vtk(faces)
    with writing_hdf5(path) as file:
        group = write_mesh(file, Mesh(points, polygons.connectivity, polygons.offsets), {"PointData": fields})
        group["Points"] = np.asarray(points, dtype=float)
    return path
