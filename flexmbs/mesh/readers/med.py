"""``read_med``: nodes, elements and groups of a MED file (.med of Salome and code_aster) to a Mesh.

The groups of HDF5 differ between versions 2 and 3/4. MED's solids are oriented opposite to VTK's: the corners of the
first face turn the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS, elements_of
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.reader_tools.degenerate_elements import mirrored
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes, without_inner_nodes


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


_READ = ("ENS_MAA", "FAS", "INFOS_GENERALES")
_RESULTS = ("CHA", "GAUSS", "PROFILS", "NUM_DATA", "LIENS", "INTERPOLATIONS")


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
        warnings: list[str] = []
        mesh = find_mesh(file, path, warnings)
        if mesh.space < 3:
            raise MeshError(f"{path}: {mesh.place}: the mesh has {mesh.space} dimensions (ESP); a flexible body needs three.")
        if mesh.unit and mesh.unit.split()[0].lower() not in ("m", "metre", "meter"):
            warnings.append(f"{path}: {mesh.place}: the file's unit of length is {mesh.unit.split()[0]} (UNI).")
        table, node_ids, node_families = _nodes(mesh)
        shapes = Shapes(path, "MED", table, warnings=warnings)
        families = family_groups(mesh)
        _elements(mesh, shapes, node_ids, families)
        shapes.node_groups = _named(families, [(node_ids, node_families)])
        shapes.skipped = _skipped(file, path, mesh)
    return mesh_of_shapes(shapes)


def _nodes(mesh: MedMesh) -> tuple[NodeTable, np.ndarray, np.ndarray | None]:
    values = _numbers(mesh, mesh.nodes, "COO", "f")
    if values is None or len(values) % mesh.space or values.ndim != 1:
        raise MeshError(f"{mesh.path}: {mesh.place}: NOE/COO: {mesh.space} coordinates per node were expected.")
    points = values.reshape(mesh.space, -1).T[:, :3]
    count = len(points)
    ids = _numbers(mesh, mesh.nodes, "NUM", "i", count)
    if ids is None or len(np.unique(ids)) < count or ids.min(initial=1) < 1:
        ids = np.arange(1, count + 1)
    table = NodeTable(str(mesh.path), "node (NOE/COO)")
    table.add(ids, points, f"{mesh.path}: NOE/COO, node", np.arange(1, count + 1))
    return table, ids, _numbers(mesh, mesh.nodes, "FAM", "i", count)


def _elements(mesh: MedMesh, shapes: Shapes, node_ids: np.ndarray, families: dict[int, list[str]]) -> None:
    tagged, numbers = [], []
    for name in hdf5.children(mesh.cells, mesh.path) if mesh.cells is not None else []:
        group = hdf5.needed(mesh.cells, name, mesh.path, kind="group")
        if name in UNREAD or name not in TYPES:
            what = UNREAD.get(name, "an unknown type")
            raise MeshError(f"{mesh.path}: {mesh.place}: MAI/{name}: {what}; mesh with tetrahedra or hexahedra.")
        rows = _element_rows(mesh, name, TYPES[name], group, node_ids)
        known = TYPES[name]
        if known.node_count > len(known.order):
            place = f"{mesh.path}: {mesh.place}: MAI/{name}"
            shapes.warnings.append(without_inner_nodes(f"{place}: elements of type {known.name}"))
        shapes.groups.append(rows)
        numbers.append(_numbers(mesh, group, "NUM", "i", len(rows.ids)))
        tagged.append(_numbers(mesh, group, "FAM", "i", len(rows.ids)))
    _number(shapes, numbers)
    ids = [rows.ids for rows in shapes.groups]
    shapes.element_groups = _named(families, zip(ids, tagged, strict=True))


def _element_rows(mesh: MedMesh, name: str, known: MedType, group, node_ids: np.ndarray) -> ElementRows:
    place = f"{mesh.path}: {mesh.place}: MAI/{name}"
    values = _numbers(mesh, group, "NOD", "i")
    if values is None or values.ndim != 1 or len(values) % known.node_count:
        raise MeshError(f"{place}/NOD: {known.node_count} nodes per element were expected (nodal connectivity).")
    nodes = values.reshape(known.node_count, -1).T
    wrong = np.argwhere((nodes < 1) | (nodes > len(node_ids)))
    if len(wrong):
        row, column = wrong[0]
        raise MeshError(f"{place}, element:{row + 1}: uses node {nodes[row, column]}, but there are only {len(node_ids)} nodes.")
    lines = np.arange(1, len(nodes) + 1)
    role, type_name = ("", known.name) if known.kind else ("geometry", "point")
    nodes = node_ids[nodes[:, list(known.order)] - 1]
    return ElementRows(known.kind, type_name, lines, nodes, f"{place}, element", lines, role)


def _number(shapes: Shapes, numbers: list[np.ndarray | None]) -> None:
    """Element numbers of the file, where they are different in the whole mesh; MED numbers each type by itself."""
    if numbers and all(own is not None for own in numbers):
        together = np.concatenate(numbers)
        if len(np.unique(together)) == len(together) and together.min(initial=1) > 0:
            for rows, own in zip(shapes.groups, numbers, strict=True):
                rows.ids = own
            return
        what = "the file numbers the elements of each type separately; they are renumbered from 1 in the order of the file"
        shapes.warnings.append(f"{shapes.path}: MAI: {what}.")
    start = 1
    for rows in shapes.groups:
        rows.ids = np.arange(start, start + len(rows.ids))
        start += len(rows.ids)


def _named(families: dict[int, list[str]], tagged) -> dict[str, np.ndarray]:
    """Name of group -> numbers of the nodes or elements whose family is in it."""
    groups: dict[str, list[np.ndarray]] = {}
    for ids, tags in tagged:
        for tag in np.unique(tags) if tags is not None else ():
            for name in families.get(int(tag), ()):
                groups.setdefault(name, []).append(ids[tags == tag])
    return {name: np.concatenate(parts) for name, parts in sorted(groups.items())}


def _numbers(mesh: MedMesh, group, name: str, code: str, count: int | None = None) -> np.ndarray | None:
    """A dataset, None when it is absent; MeshError when it has not ``count`` entries."""
    dataset = hdf5.child(group, name, mesh.path, kind="dataset")
    if dataset is None:
        return None
    values = hdf5.numbers(dataset, mesh.path, code)
    if count is not None and values.shape != (count,):
        raise MeshError(f"{mesh.path}: {dataset.name}: {values.size} entries, but {count} were expected.")
    return values


def _skipped(file, path: Path, mesh: MedMesh) -> tuple:
    skipped = SkipList()
    for name in hdf5.children(file, path):
        if name not in _READ:
            skipped.add(name, str(path), 0, analysis=name in _RESULTS)
    for name, what in (("EQS", "equivalences of nodes"), ("JNT", "joints between parts of a parallel mesh")):
        if hdf5.child(mesh.step, name, path) is not None:
            skipped.add(f"{mesh.place}/{name}", str(path), 0, why=what)
    return skipped.as_tuple()


@dataclass(frozen=True)
class MedType:
    """An element type: its name, number of nodes, kind (or None), and where the kind's nodes stand in it."""

    name: str
    node_count: int
    kind: str | None
    order: tuple[int, ...]


def _types() -> dict[str, MedType]:
    types = {"PO1": MedType("POI1", 1, None, (0,))}
    for element in elements_of("MED"):
        (count,) = element.node_counts
        order = mirrored(element.kind) if KINDS[element.kind].dimension == 3 else element.order
        letters = 2 if count < 10 else 1
        types[f"{element.name[:letters]}{count}"] = MedType(element.name, count, element.kind, tuple(order))
    return types


# Names of the groups in the file ("TR3", "P15") -> type.
TYPES = _types()
UNREAD = {
    "SE4": "lines of third order",
    "OCT": "hexagonal prisms",
    "POG": "polygons",
    "PO2": "polygons of second order",
    "POE": "polyhedra",
}
