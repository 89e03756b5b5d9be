"""``read_med``: nodes, elements and groups of a MED file (.med of Salome and code_aster) to a Mesh.

The groups of HDF5 differ between versions 2 and 3/4. MED's solids are oriented opposite to VTK's: the corners of the
first face turn the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.connectivity import by_key
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import FileElement, elements_of
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.reader_tools.degenerate_elements import mirrored
from flexmbs.mesh.reader_tools.numbering import NodeTable, distinct_numbers, numbers_of_nodes
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes, without_inner_nodes

_READ = ("ENS_MAA", "FAS", "INFOS_GENERALES")
_RESULTS = ("CHA", "GAUSS", "PROFILS", "NUM_DATA", "LIENS", "INTERPOLATIONS")
# Names of the groups in the file ("TR3", "P15") -> element.
_TYPES = {"PO1": FileElement("POI1", (1,), None, (0,))} | {
    f"{element.name[: 2 if count < 10 else 1]}{count}": (
        replace(element, order=tuple(mirrored(element.kind))) if KINDS[element.kind].dimension == 3 else element
    )
    for element in elements_of("MED")
    for count in element.node_counts
}
_UNREAD = {
    "SE4": "lines of third order",
    "OCT": "hexagonal prisms",
    "POG": "polygons",
    "PO2": "polygons of second order",
    "POE": "polyhedra",
}


@dataclass(frozen=True)
class MedMesh:
    """One mesh of a file."""

    path: Path
    name: str
    place: str  # where it stands, for messages
    step: object  # HDF5 group that holds NOE (nodes) and perhaps MAI (elements)
    families: object  # HDF5 group of the mesh's families, or None
    space: int  # dimensions of the coordinates
    unit: str  # the unit of the coordinates as the file states it, often empty

    def numbers(self, group, name: str, code: str, count: int | None = None) -> np.ndarray | None:
        """A dataset, None when it is absent; MeshError when it has not ``count`` entries."""
        dataset = hdf5.child(group, name, self.path, kind="dataset")
        if dataset is None:
            return None
        values = hdf5.numbers(dataset, self.path, code)
        if count is not None and values.shape != (count,):
            raise MeshError(f"{self.path}: {dataset.name}: {values.size} entries, but {count} were expected.")
        return values


def read_med(path: Path) -> Mesh:
    """Mesh of a MED file (.med of Salome and code_aster, versions 2 to 4), with its node and element numbers.

    Groups of elements become node sets, and element sets or surfaces; groups of nodes become node sets. The format
    has no materials and no sections.

    Raises
    ------
    MeshError
        The file is no MED file, is damaged, two-dimensional, or holds nothing that is structural.
    """
    with hdf5.opened(path) as file:
        shapes = Shapes(path, "MED", NodeTable(str(path), "node (NOE/COO)"))
        mesh = _find_mesh(file, path, shapes.warnings)
        if mesh.space < 3:
            raise MeshError(f"{path}: {mesh.place}: the mesh has {mesh.space} dimensions (ESP); a flexible body needs three.")
        if mesh.unit and mesh.unit.split()[0].lower() not in ("m", "metre", "meter"):
            shapes.warnings.append(f"{path}: {mesh.place}: the file's unit of length is {mesh.unit.split()[0]} (UNI).")
        node_ids, node_families = _nodes(mesh, shapes.table)
        families = _family_groups(mesh)
        _elements(mesh, shapes, node_ids, families)
        shapes.node_groups = _named(families, [(node_ids, node_families)])
        _skip(file, path, mesh, shapes.skipped)
    return mesh_of_shapes(shapes)


def _find_mesh(file, path: Path, warnings: list[str]) -> MedMesh:
    """The first mesh of the file in its last step; MeshError when there is none that can be read."""
    meshes = hdf5.child(file, "ENS_MAA", path, kind="group")
    names = hdf5.children(meshes, path) if meshes is not None else []
    if not names:
        raise MeshError(f"{path}: ENS_MAA: the file holds no mesh; in Salome, export a mesh to it.")
    name, place = names[0], f"ENS_MAA/{names[0]}"
    if len(names) > 1:
        warnings.append(f"{path}: ENS_MAA: only the first of {len(names)} meshes is read ({name}); others: {names[1:6]}.")
    mesh = hdf5.needed(meshes, name, path, kind="group")
    if hdf5.integer(mesh, "TYP", path, 0) == 1:
        raise MeshError(f"{path}: {place}: a structured grid (TYP = 1) is not supported; export it as unstructured.")
    if hdf5.integer(mesh, "REP", path, 0) > 0:
        raise MeshError(f"{path}: {place}: cylindrical or spherical coordinates (REP) are not supported.")
    step = _last_step(mesh, path, place, warnings)
    families = hdf5.child(file, "FAS", path, kind="group")
    families = hdf5.child(families, name, path, kind="group") if families is not None else None
    space = hdf5.integer(mesh, "ESP", path, hdf5.integer(mesh, "DIM", path, 3))
    return MedMesh(path, name, place, step, families, space, str(hdf5.attribute(mesh, "UNI", path, "")).strip())


def _last_step(mesh, path: Path, place: str, warnings: list[str]):
    """The group that holds NOE: from version 3 on, one per computing step; in version 2 the mesh itself."""
    steps = [("", mesh)]
    if hdf5.child(mesh, "NOE", path) is None:
        groups = [(step, hdf5.child(mesh, step, path)) for step in hdf5.children(mesh, path)]
        steps = [(step, group) for step, group in groups if hasattr(group, "keys") and hdf5.child(group, "NOE", path) is not None]
    if not steps:
        raise MeshError(f"{path}: {place}: the mesh has no nodes (NOE).")
    if len(steps) > 1:
        warnings.append(f"{path}: {place}: the mesh has {len(steps)} steps; only the last is read ({steps[-1][0]}).")
    return steps[-1][1]


def _family_groups(mesh: MedMesh) -> dict[int, list[str]]:
    """Number of each family -> names of its groups."""
    found: dict[int, list[str]] = {}
    for name in hdf5.children(mesh.families, mesh.path) if mesh.families is not None else ():
        group = hdf5.needed(mesh.families, name, mesh.path, kind="group")
        members = [(name, group)]
        if name in ("NOEUD", "ELEME"):
            members = [(own, hdf5.needed(group, own, mesh.path, kind="group")) for own in hdf5.children(group, mesh.path)]
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


def _nodes(mesh: MedMesh, table: NodeTable) -> tuple[np.ndarray, np.ndarray | None]:
    """Adds the nodes; returns their numbers and families."""
    group = hdf5.needed(mesh.step, "NOE", mesh.path, kind="group")
    values = mesh.numbers(group, "COO", "f")
    if values is None or len(values) % mesh.space or values.ndim != 1:
        raise MeshError(f"{mesh.path}: {mesh.place}: NOE/COO: {mesh.space} coordinates per node were expected.")
    points = values.reshape(mesh.space, -1).T[:, :3]
    count = len(points)
    ids = distinct_numbers(mesh.numbers(group, "NUM", "i", count), count)
    table.add(ids, points, f"{mesh.path}: NOE/COO, node", np.arange(1, count + 1))
    return ids, mesh.numbers(group, "FAM", "i", count)


def _elements(mesh: MedMesh, shapes: Shapes, node_ids: np.ndarray, families: dict[int, list[str]]) -> None:
    cells = hdf5.child(mesh.step, "MAI", mesh.path, kind="group")
    tagged, numbers = [], []
    for name in hdf5.children(cells, mesh.path) if cells is not None else []:
        group, place = hdf5.needed(cells, name, mesh.path, kind="group"), f"{mesh.path}: {mesh.place}: MAI/{name}"
        element = _TYPES.get(name)
        if element is None:
            raise MeshError(f"{place}: {_UNREAD.get(name, 'an unknown type')}; mesh with tetrahedra or hexahedra.")
        count = element.node_counts[0]
        values = mesh.numbers(group, "NOD", "i")
        if values is None or values.ndim != 1 or len(values) % count:
            raise MeshError(f"{place}/NOD: {count} nodes per element were expected (nodal connectivity).")
        nodes = numbers_of_nodes(node_ids, values.reshape(count, -1).T, place)
        lines = np.arange(1, len(nodes) + 1)
        shapes.add_elements(element, lines, nodes, f"{place}, element", lines)
        if count > len(element.order):
            shapes.warnings.append(without_inner_nodes(f"{place}: elements of type {element.name}"))
        numbers.append(mesh.numbers(group, "NUM", "i", len(nodes)))
        tagged.append(mesh.numbers(group, "FAM", "i", len(nodes)))
    _number(shapes, numbers)
    shapes.element_groups = _named(families, zip([rows.ids for rows in shapes.groups], tagged, strict=True))


def _number(shapes: Shapes, numbers: list[np.ndarray | None]) -> None:
    """Element numbers of the file, where they are different in the whole mesh; MED numbers each type by itself."""
    counts = [len(rows.ids) for rows in shapes.groups]
    ids = np.arange(1, sum(counts) + 1)
    if numbers and all(own is not None for own in numbers):
        together = np.concatenate(numbers)
        ids = distinct_numbers(together, len(together))
        if ids is not together:
            what = "the file numbers the elements of each type separately; they are renumbered from 1 in the order of the file"
            shapes.warnings.append(f"{shapes.path}: MAI: {what}.")
    for rows, own in zip(shapes.groups, np.split(ids, np.cumsum(counts)[:-1]) if counts else (), strict=True):
        rows.ids = own


def _named(families: dict[int, list[str]], tagged) -> dict[str, np.ndarray]:
    """Name of group -> numbers of the nodes or elements whose family is in it."""
    pairs = [(ids, tags, tag) for ids, tags in tagged if tags is not None for tag in np.unique(tags)]
    groups = by_key((name, ids[tags == tag]) for ids, tags, tag in pairs for name in families.get(int(tag), ()))
    return dict(sorted(groups.items()))


def _skip(file, path: Path, mesh: MedMesh, skipped: SkipList) -> None:
    for name in hdf5.children(file, path):
        if name not in _READ:
            skipped.add(name, str(path), 0, analysis=name in _RESULTS)
    for name, what in (("EQS", "equivalences of nodes"), ("JNT", "joints between parts of a parallel mesh")):
        if hdf5.child(mesh.step, name, path) is not None:
            skipped.add(f"{mesh.place}/{name}", str(path), 0, why=what)
