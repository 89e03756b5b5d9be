"""``read_exodus``: blocks, node sets and side sets of an Exodus II file to a Mesh.

Its variables are those of a netCDF file: of the classic kinds (CDF-1, CDF-2, CDF-5), or netCDF-4 (HDF5) through h5py.
SciPy reads no CDF-5, and refuses files whose results are cut off behind a whole mesh. VTK's reader of Exodus refuses files
without attributes that some writers leave out, and hands on neither the types of elements nor the elements of side sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import prod
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.connectivity import by_key
from flexmbs.mesh.element_kinds import face_of
from flexmbs.mesh.element_names import element_named
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, distinct_numbers, numbers_of_nodes
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes

_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}


class _Classic:
    """All that the header claims is checked against the size of the file before it is used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._data = np.memmap(path, np.uint8, "r")
        version = self._data[3]
        self._offset = ">i4" if version == 1 else ">i8"
        self._number = ">i8" if version == 5 else ">i4"
        self._at = 4
        self._take(self._number)  # how many records
        self._lengths = np.array([length for _, length in self._list(self._dimension)], np.int64)
        self._list(self._attribute)
        self._variables = dict(self._list(self._variable))
        self.names = list(self._variables)

    def attribute(self, variable: str, name: str) -> str:
        """A text attribute, empty when there is none."""
        value = self._variables[variable][1].get(name, np.empty(0))
        return value.tobytes().decode("utf-8", "replace").rstrip("\x00 ") if value.dtype.kind == "S" else ""

    def array(self, name: str) -> np.ndarray:
        """The values of a variable that does not change with time."""
        shape, _, dtype, begin = self._variables[name]
        if shape[:1] == [0]:
            raise MeshError(f"{self._path}: {name}: the variable changes with time; it must be constant.")
        size = prod(shape) * dtype.itemsize
        if begin < 0 or size > len(self._data) - begin:
            raise MeshError(
                f"{self._path}: {name}: {size} bytes are declared from byte {begin}, but the file has {len(self._data)}; it"
                " is damaged or cut off."
            )
        return np.array(self._data[begin : begin + size]).view(dtype).reshape(shape)

    def _take(self, code: str, count: int = 1) -> np.ndarray:
        """The next numbers of the header, and what fills up four bytes behind them."""
        size = count * np.dtype(code).itemsize
        if not 0 <= size <= len(self._data) - self._at:
            raise MeshError(f"{self._path}: byte {self._at}: the netCDF header is damaged or cut off.")
        values = np.array(self._data[self._at : self._at + size]).view(code)
        self._at += size + -size % 4
        return values

    def _count(self) -> int:
        count = int(self._take(self._number)[0])
        if count < 0:
            raise MeshError(f"{self._path}: byte {self._at}: {count} is not a length; the netCDF header is damaged.")
        return count

    def _list(self, entry: Callable[[], tuple]) -> list[tuple]:
        self._take(">i4")  # says of what
        return [entry() for _ in range(self._count())]

    def _name(self) -> str:
        return self._take("S1", self._count()).tobytes().decode("utf-8", "replace")

    def _dimension(self) -> tuple[str, int]:
        return self._name(), self._count()

    def _type(self) -> str:
        code = int(self._take(">i4")[0])
        if code not in _TYPES:
            raise MeshError(f"{self._path}: byte {self._at - 4}: {code} is not a netCDF type; the header is damaged.")
        return _TYPES[code]

    def _attribute(self) -> tuple[str, np.ndarray]:
        return self._name(), self._take(self._type(), self._count())

    def _variable(self) -> tuple[str, tuple[list[int], dict[str, np.ndarray], np.dtype, int]]:
        name = self._name()
        dimensions = self._take(self._number, self._count())
        if ((dimensions < 0) | (dimensions >= len(self._lengths))).any():
            raise MeshError(f"{self._path}: byte {self._at}: {name} has a dimension that the netCDF header does not define.")
        attributes, code, _ = dict(self._list(self._attribute)), self._type(), self._take(self._number)
        return name, (self._lengths[dimensions].tolist(), attributes, np.dtype(code), int(self._take(self._offset)[0]))


class _NetCDF4:
    """As ``_Classic``, through h5py."""

    def __init__(self, file, path: Path) -> None:
        self._file, self._path = file, path
        self.names = hdf5.children(file, path)

    def attribute(self, variable: str, name: str) -> str:
        return str(hdf5.attribute(self._dataset(variable), name, self._path, ""))

    def array(self, name: str) -> np.ndarray:
        return hdf5.array(self._dataset(name), self._path)

    def _dataset(self, name: str):
        return hdf5.needed(self._file, name, self._path, kind="dataset")


class Variables:
    """Variables by name, with checks of type and shape."""

    def __init__(self, path: Path, source: _Classic | _NetCDF4) -> None:
        self.path, self._source, self.names = path, source, source.names

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def attribute(self, variable: str, name: str) -> str:
        """A text attribute, empty when there is none or no such variable."""
        return self._source.attribute(variable, name) if variable in self else ""

    def integers(self, name: str, ndim: int = 1) -> np.ndarray:
        """An integer variable as int64."""
        return self._checked(name, ndim, "iu").astype(np.int64)

    def integers_or_none(self, name: str) -> np.ndarray:
        """An integer variable, empty when there is no such variable."""
        return self.integers(name) if name in self else np.empty(0, np.int64)

    def floats(self, name: str, ndim: int = 1) -> np.ndarray:
        """A floating-point variable as float64."""
        return self._checked(name, ndim, "f").astype(float)

    def texts(self, name: str) -> list[str]:
        """Names, one per row of characters; none when there is no such variable."""
        rows = self._checked(name, 2, "S") if name in self else ()
        return [row.tobytes().split(b"\x00")[0].decode("utf-8", "replace").strip() for row in rows]

    def _checked(self, name: str, ndim: int, kinds: str) -> np.ndarray:
        if name not in self:
            raise MeshError(f"{self.path}: the variable {name} is missing; every Exodus file has it.")
        values = self._source.array(name)
        if values.ndim != ndim or values.dtype.kind not in kinds:
            raise MeshError(
                f"{self.path}: {name}: {values.ndim} dimensions of type {values.dtype} were found, but {ndim} of"
                f" {'numbers' if kinds != 'S' else 'characters'} were expected."
            )
        return values


@contextmanager
def opened(path: Path) -> Iterator[Variables]:
    """The variables of a file; MeshError when it is no netCDF file."""
    with open(path, "rb") as file:
        start = file.read(8)
    if start[:4] in (b"CDF\x01", b"CDF\x02", b"CDF\x05"):
        yield Variables(path, _Classic(path))
    elif start == hdf5.SIGNATURE:
        with hdf5.opened(path) as file:
            yield Variables(path, _NetCDF4(file, path))
    else:
        raise MeshError(f"{path}: not an Exodus file: it starts with {start!r} instead of 'CDF' or '\\x89HDF'.")


_READ = ("coord", "connect", "eb_", "ns_", "ss_", "node_ns", "elem_ss", "side_ss", "attrib", "node_num_", "elem_num_")
_NO_CONTENT = ("elem_map", "time_whole", "coor_names", "qa_records", "info_records", "dist_fact", "name_", "_tab")
_DIMENSIONS = ("num_", "len_", "four", "time_step")  # which netCDF-4 lists too
_ROLES = {"SPH": "geometry", "CIR": "geometry", "POI": "geometry", "NOD": "geometry", "SPR": "connector"}
# Sides by the shape's first three letters.
_SIDES = {
    "hex": ((0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (0, 4, 7, 3), (0, 3, 2, 1), (4, 5, 6, 7)),
    "tet": ((0, 1, 3), (1, 2, 3), (0, 3, 2), (0, 2, 1)),
    "wed": ((0, 1, 4, 3), (1, 2, 5, 4), (0, 3, 5, 2), (0, 2, 1), (3, 4, 5)),
    "pyr": ((0, 1, 4), (1, 2, 4), (2, 3, 4), (0, 4, 3), (0, 3, 2, 1)),
    "qua": ((0, 1, 2, 3), (0, 3, 2, 1), (0, 1), (1, 2), (2, 3), (3, 0)),
    "tri": ((0, 1, 2), (0, 2, 1), (0, 1), (1, 2), (2, 0)),
    "bea": ((0, 1),),
    "tru": ((0, 1),),
}


def read_exodus(path: Path) -> Mesh:
    """Mesh of an Exodus II file (.e, .exo, .ex2, .g; netCDF classic or netCDF-4), with its node and element numbers.

    Element blocks become element sets, node sets node sets, side sets surfaces; those without a name are called
    "block_1", "nodeset_1", "sideset_1" by their number. The format has no materials; the thickness of shells is taken
    from their attribute. Coordinates are in the file's own unit, which it does not state.

    Raises
    ------
    MeshError
        The file is no Exodus file, is damaged, two-dimensional, or holds nothing that is structural.
    """
    with opened(path) as variables:
        shapes = Shapes(path, "Exodus", NodeTable(str(path), "node"))
        node_ids = _nodes(variables, shapes)
        _blocks(variables, shapes, node_ids)
        _node_sets(variables, shapes, node_ids)
        _side_sets(variables, shapes)
        _skip(variables, shapes.skipped)
    return mesh_of_shapes(shapes)


def _nodes(variables: Variables, shapes: Shapes) -> np.ndarray:
    """Adds the nodes to the shapes; returns their numbers."""
    path = variables.path
    if "coord" in variables:
        axes = [*variables.floats("coord", 2)]
    else:
        axes = [variables.floats(f"coord{axis}") for axis in "xyz" if f"coord{axis}" in variables]
    if not axes:
        raise MeshError(f"{path}: the file has neither coord nor coordx; it is not an Exodus mesh, or has no nodes.")
    if len(axes) != 3:
        raise MeshError(f"{path}: the nodes have {len(axes)} coordinates; a flexible body needs a mesh with three.")
    if len({len(axis) for axis in axes}) > 1:
        raise MeshError(f"{path}: coordx, coordy and coordz differ in length; the file is damaged.")
    ids = _numbers(variables, "node_num_map", len(axes[0]), shapes.warnings)
    shapes.table.add(ids, np.stack(axes, axis=1), f"{path}: node", np.arange(1, len(ids) + 1))
    return ids


def _numbers(variables: Variables, name: str, count: int, warnings: list[str]) -> np.ndarray:
    """The file's numbers of nodes or elements; from 1 on when it has none that are different and positive."""
    stated = variables.integers(name) if name in variables else None
    numbers = distinct_numbers(stated, count)
    if stated is not None and numbers is not stated:
        warnings.append(f"{variables.path}: {name}: the numbers are not all positive and distinct; 1 to {count} are used.")
    return numbers


def _named(variables: Variables, prefix: str, word: str, count: int = 0) -> Iterator[tuple[int, str]]:
    """Index (from 1) and name of each block or set; those without a name are called by their number."""
    names, numbers = variables.texts(f"{prefix}_names"), variables.integers_or_none(f"{prefix}_prop1").tolist()
    for index in range(max(len(names), len(numbers), count)):
        own = names[index] if index < len(names) else ""
        yield index + 1, own or f"{word}_{numbers[index] if index < len(numbers) else index + 1}"


def _blocks(variables: Variables, shapes: Shapes, node_ids: np.ndarray) -> None:
    """Adds elements and element groups to the shapes, the blocks in the order in which elements count."""
    status = variables.integers_or_none("eb_status")
    blocks: dict[str, ElementRows] = {}
    for number, name in _named(variables, "eb", "block", sum(name.startswith("connect") for name in variables.names)):
        if f"connect{number}" in variables or number > len(status) or status[number - 1] != 0:  # 0: without elements
            blocks[_unused(name, blocks)] = _block(variables, number, node_ids)
    shapes.groups = list(blocks.values())
    ids = _numbers(variables, "elem_num_map", sum(len(rows.ids) for rows in shapes.groups), shapes.warnings)
    start = 0
    for name, rows in blocks.items():
        rows.ids = shapes.element_groups[name] = ids[start : start + len(rows.ids)]
        start += len(rows.ids)
        _thickness(variables, shapes, rows)
        if rows.role == "unknown" and len(rows.ids):
            shapes.warnings.append(f"{rows.where(0)}: the type {rows.type_name} is unknown; its elements are not part of the body.")


def _block(variables: Variables, number: int, node_ids: np.ndarray) -> ElementRows:
    path, variable = variables.path, f"connect{number}"
    if variable not in variables:
        raise MeshError(f"{path}: {variable} is missing; it must hold the nodes of the block's elements.")
    type_name = variables.attribute(variable, "elem_type") or "(no type)"
    if type_name.lower().startswith(("nsided", "nfaced")):
        raise MeshError(f"{path}: {variable}: polygons and polyhedra are not supported; mesh with hexahedra.")
    nodes = numbers_of_nodes(node_ids, variables.integers(variable, 2), f"{path}: {variable}")
    shape = type_name[:3].upper()
    element = element_named("Exodus", shape, nodes.shape[1])
    kind, role = (element.kind, "") if element else (None, _ROLES.get(shape, "unknown"))
    nodes = nodes[:, element.order] if element else nodes
    lines = np.arange(1, len(nodes) + 1)
    return ElementRows(kind, type_name, lines, nodes, f"{path}: {variable}, element", lines, role)


def _thickness(variables: Variables, shapes: Shapes, rows: ElementRows) -> None:
    """The thickness of shells is an attribute of that name, or the first one of types called SHELL."""
    number = rows.file.split("connect")[-1].split(",")[0]
    variable = f"attrib{number}"
    if rows.kind is None or not rows.kind.startswith(("tri", "quad")) or variable not in variables:
        return
    values = variables.floats(variable, 2)
    names = [name.lower() for name in variables.texts(f"attrib_name{number}")]
    column = next((i for i, name in enumerate(names) if "thick" in name), None)
    if column is None and "SHELL" in rows.type_name.upper() and not any(names):
        column = 0
    if column is None or len(values) != len(rows.ids) or column >= values.shape[1]:
        return
    wrong = np.flatnonzero(~(values[:, column] > 0.0) | ~np.isfinite(values[:, column]))
    if wrong.size:
        what = f"element {rows.ids[wrong[0]]} has the thickness {values[wrong[0], column]:g}; it must be positive"
        raise MeshError(f"{shapes.path}: {variable}: {what}.")
    rows.data["shell_thickness"] = values[:, column]


def _node_sets(variables: Variables, shapes: Shapes, node_ids: np.ndarray) -> None:
    for number, name in _named(variables, "ns", "nodeset"):
        members = variables.integers_or_none(f"node_ns{number}")
        exists = (members >= 1) & (members <= len(node_ids))
        if not exists.all() or not len(members):
            what = f"has {np.sum(exists)} nodes, and refers to {np.sum(~exists)} that do not exist"
            shapes.warnings.append(f"{shapes.path}: node_ns{number}: the node set {name} {what}.")
        shapes.node_groups[_unused(name, shapes.node_groups)] = node_ids[members[exists] - 1]


def _side_sets(variables: Variables, shapes: Shapes) -> None:
    for number, name in _named(variables, "ss", "sideset"):
        if f"elem_ss{number}" not in variables:
            shapes.warnings.append(f"{shapes.path}: elem_ss{number}: the side set {name} is empty.")
            continue
        elements, sides = (variables.integers(f"{what}_ss{number}") for what in ("elem", "side"))
        if len(elements) != len(sides):
            raise MeshError(f"{shapes.path}: elem_ss{number} and side_ss{number} differ in length.")
        faces, missing = _faces(shapes.groups, elements - 1, sides)
        if missing:
            what = f"the side set {name} refers to {missing} sides that do not exist; they are left out"
            shapes.warnings.append(f"{shapes.path}: side_ss{number}: {what}.")
        shapes.sides[_unused(name, shapes.sides)] = faces


def _faces(blocks: list[ElementRows], elements: np.ndarray, sides: np.ndarray) -> tuple[dict[str, np.ndarray], int]:
    """Kind of face -> (k, n) node numbers, of sides of elements by their index; and how many do not exist."""
    faces, start = [], 0
    for rows in blocks:
        own = (elements >= start) & (elements < start + len(rows.ids))
        for number in np.unique(sides[own]) if rows.kind else ():
            face = side(rows.kind, int(number), rows.type_name.upper().startswith("QUAD"))
            if face is not None:
                kind, columns = face
                faces.append((kind, rows.nodes[elements[own & (sides == number)] - start][:, list(columns)]))
        start += len(rows.ids)
    return by_key(faces), len(elements) - sum(len(rows) for _, rows in faces)


@lru_cache
def side(kind: str, number: int, is_flat: bool) -> tuple[str, tuple[int, ...]] | None:
    """Face or edge of a side (numbered from 1): its kind, and its nodes as positions in the kind; None: no such side.

    ``is_flat``: the type is called QUAD..., whose sides are its edges (those of SHELL... begin with its two faces).
    """
    rings = _SIDES[kind[:3]][2 if is_flat else 0 :]
    return face_of(kind, rings[number - 1]) if 1 <= number <= len(rings) else None


def _unused(name: str, taken: dict) -> str:
    """The name, or with a number behind it when another set has it."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _skip(variables: Variables, skipped: SkipList) -> None:
    for name in variables.names:
        if name.startswith("vals_"):
            skipped.add(name, str(variables.path), 0, analysis=True)
        elif name.startswith("attrib") and not name.startswith("attrib_name"):
            if "SHELL" not in variables.attribute(f"connect{name.removeprefix('attrib')}", "elem_type").upper():
                skipped.add(name, str(variables.path), 0, why="attributes of elements other than shells")
        elif not name.startswith((*_READ, *_NO_CONTENT, *_DIMENSIONS)) and not name.endswith(_NO_CONTENT):
            skipped.add(name, str(variables.path), 0)
