"""A surface with values at its points, at one instant, as a VTKHDF file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from flexmbs.common.hdf5_files import writing_hdf5
from flexmbs.result.export.checks import checked_path, ready_folder
from flexmbs.result.export.face_lists import Faces
from flexmbs.result.export.vtkhdf_layout import Mesh, write_mesh


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
