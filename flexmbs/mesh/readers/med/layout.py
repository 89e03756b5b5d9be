"""Where the parts of a mesh stand in a MED file: the groups of HDF5, which differ between versions 2 and 3/4."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools import hdf5


@dataclass(frozen=True)
class MedMesh:
    """One mesh of a file.

    Attributes
    ----------
    place : where it stands, for messages
    step : HDF5 group that holds the following two
    nodes, cells : HDF5 groups NOE and MAI (None: no elements)
    families : HDF5 group of the mesh's families, or None
    dimension, space : of the elements and of the coordinates
    unit : the unit of the coordinates as the file states it, often empty
    """

    path: Path
    name: str
    place: str
    step: object
    nodes: object
    cells: object
    families: object
    dimension: int
    space: int
    unit: str


def find_mesh(file, path: Path, warnings: list[str]) -> MedMesh:
    """The first mesh of the file in its last step; MeshError when there is none that can be read."""
    meshes = hdf5.child(file, "ENS_MAA", path, kind="group")
    names = hdf5.children(meshes, path) if meshes is not None else []
    if not names:
        raise MeshError(f"{path}: ENS_MAA: the file holds no mesh; in Salome, export a mesh to it.")
    name = names[0]
    if len(names) > 1:
        warnings.append(f"{path}: ENS_MAA: only the first of {len(names)} meshes is read ({name}); others: {names[1:6]}.")
    mesh = hdf5.needed(meshes, name, path, kind="group")
    if hdf5.integer(mesh, "TYP", path, 0) == 1:
        raise MeshError(f"{path}: ENS_MAA/{name}: a structured grid (TYP = 1) is not supported; export it as unstructured.")
    if hdf5.integer(mesh, "REP", path, 0) > 0:
        raise MeshError(f"{path}: ENS_MAA/{name}: cylindrical or spherical coordinates (REP) are not supported.")
    step = _last_step(mesh, path, name, warnings)
    nodes = hdf5.child(step, "NOE", path, kind="group")
    if nodes is None:
        raise MeshError(f"{path}: ENS_MAA/{name}: the mesh has no nodes (NOE).")
    families = hdf5.child(file, "FAS", path, kind="group")
    families = hdf5.child(families, name, path, kind="group") if families is not None else None
    dimension = hdf5.integer(mesh, "DIM", path, 3)
    return MedMesh(
        path,
        name,
        f"ENS_MAA/{name}",
        step,
        nodes,
        hdf5.child(step, "MAI", path, kind="group"),
        families,
        dimension,
        hdf5.integer(mesh, "ESP", path, dimension),
        str(hdf5.attribute(mesh, "UNI", path, "")).strip(),
    )


def _last_step(mesh, path: Path, name: str, warnings: list[str]):
    """The group that holds NOE: from version 3 on, one per computing step; in version 2 the mesh itself."""
    if hdf5.child(mesh, "NOE", path) is not None:
        return mesh
    steps = []
    for step in hdf5.children(mesh, path):
        group = hdf5.child(mesh, step, path)
        if hasattr(group, "keys") and hdf5.child(group, "NOE", path) is not None:
            steps.append((step, group))
    if not steps:
        raise MeshError(f"{path}: ENS_MAA/{name}: the mesh has no nodes (NOE).")
    if len(steps) > 1:
        warnings.append(f"{path}: ENS_MAA/{name}: the mesh has {len(steps)} steps; only the last is read ({steps[-1][0]}).")
    return steps[-1][1]


def family_groups(mesh: MedMesh) -> dict[int, list[str]]:
    """Number of each family -> names of its groups."""
    found: dict[int, list[str]] = {}
    if mesh.families is None:
        return found
    for name in hdf5.children(mesh.families, mesh.path):
        group = hdf5.needed(mesh.families, name, mesh.path, kind="group")
        if name in ("NOEUD", "ELEME"):
            inner = hdf5.children(group, mesh.path)
            members = [(member, hdf5.needed(group, member, mesh.path, kind="group")) for member in inner]
        else:
            members = [(name, group)]
        for member, family in members:
            number = hdf5.integer(family, "NUM", mesh.path, 0)
            if number:
                found[number] = _group_names(mesh, member, family)
    return found


def _group_names(mesh: MedMesh, name: str, family) -> list[str]:
    groups = hdf5.child(family, "GRO", mesh.path, kind="group")
    names = hdf5.child(groups, "NOM", mesh.path, kind="dataset") if groups is not None else None
    if names is None:
        return []
    values = np.ascontiguousarray(hdf5.array(names, mesh.path))
    if values.dtype.kind not in "iuS" or values.dtype.itemsize * values.size > 1 << 26:
        raise MeshError(f"{mesh.path}: FAS/{mesh.name}/{name}/GRO/NOM: group names were expected.")
    if values.dtype.kind != "S" and values.dtype.itemsize != 1:
        values = values.astype(np.uint8)
    rows = values.reshape(len(values), -1) if values.ndim else values.reshape(1, -1)
    return [row.tobytes().split(b"\x00")[0].decode("utf-8", "replace").strip() for row in rows]
