"""``read_vtk``, ``read_with_meshio``: a file that VTK or meshio reads, in a process of its own, to a Mesh.

What no limit of time and memory would see is checked before: references out of the folder of the file, and counts of binary files.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_names import element_named, elements_of
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, distinct_numbers
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes, without_inner_nodes
from flexmbs.mesh.readers.exchange_formats.library_process import TOO_LONG

# Processor time that a library gets; all read more than a megabyte per second in every format.
_SECONDS, _SECONDS_PER_MB = 2.0, 10.0
_WAIT = 60.0  # on the wall, for a busy machine
# Memory for the libraries themselves, and for each byte of the file: compressed numbers, texts as Python objects.
_BYTES, _BYTES_PER_BYTE = 1 << 30, 100
_XDMF, _HDF5 = (".xdmf", ".xmf"), (".h5m", ".hmf", ".cgns")
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VTK_SMP_MAX_THREADS"), "1")  # each takes memory


def read_apart(library: str, path: Path) -> dict:
    """What "VTK" or "meshio" finds (``library_process.content_of``); whatever happens within it becomes a MeshError."""
    size = sum(file.stat().st_size for file in _checked_files(path))
    seconds = _SECONDS + _SECONDS_PER_MB * size / 1e6
    try:
        code, answer, messages = _run(library, path.absolute(), seconds, _BYTES + _BYTES_PER_BYTE * size)
    except subprocess.TimeoutExpired:
        raise MeshError(f"{path}: {library} does not finish; check the file, or convert it to another format.") from None
    except (OSError, TypeError) as error:
        raise MeshError(
            f"{path}: {library} reads files in a process of its own, which Python (sys.executable = {sys.executable!r}) does not"
            f" start: {error}. Convert the file to another format, or read it where Python is a program of its own."
        ) from error
    if code == 0 and answer:
        return pickle.loads(answer)  # written by the program
    reason = " ".join(messages.decode("utf-8", "replace").split())[-200:]
    if code == TOO_LONG:
        reason = f"it did not finish within {seconds:.0f} s of processor time"
    elif code < 0 or not reason:  # by a signal
        reason = f"exit code {code}: it crashed, or needs more memory or time than a file of this size may take"
    raise MeshError(f"{path}: {library} cannot read the file ({reason}); check it, or convert it to another format.")


def _run(library: str, path: Path, seconds: float, size: int) -> tuple[int, bytes, bytes]:
    """Exit code of the program within limits of processor time and bytes of memory, its answer, and what it says."""
    program = Path(__file__).with_name("library_process.py")
    command = [sys.executable, "-P", "-W", "ignore", str(program), library, str(path), str(seconds), str(size)]
    # It imports from where this process does, and nothing from the folder of the file.
    imports = {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path if place)}
    done = subprocess.run(
        command,
        cwd=path.parent,  # from where meshio looks for the binary data that XDMF names
        env=os.environ | _ONE_THREAD | imports,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_WAIT + 20.0 * seconds,
    )
    return done.returncode, done.stdout, done.stderr


def _checked_files(path: Path) -> list[Path]:
    """The file and those that it names; MeshError when one is outside of its folder, or cannot hold what is declared."""
    suffix = path.suffix.lower()
    if suffix in _XDMF:
        return [path, *_xdmf_data(path)]
    if suffix in _HDF5:
        with hdf5.opened(path):
            return [path]
    if suffix == ".stl":
        _check_stl(path)
    return [path]


def _check_stl(path: Path) -> None:
    """Binary STL states how many triangles of 50 bytes follow its first 80 bytes."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        head = file.read(1024)
    if b"\x00" in head and size >= 84:
        count = int.from_bytes(head[80:84], "little")
        if 84 + 50 * count > size:
            what = f"{count} triangles are declared, but {size} bytes cannot hold them; the file is damaged or cut off"
            raise MeshError(f"{path}: byte 80: {what}.")


def _xdmf_data(path: Path) -> Iterator[Path]:
    """The files in which XDMF keeps its numbers, which must be beside it."""
    try:
        root = ElementTree.fromstring(path.read_bytes())  # as meshio sees it, in any encoding
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise MeshError(f"{path}: the XML is damaged or cut off ({error}).") from error
    folder = Path(os.path.realpath(path)).parent
    for node in root.iter():
        kind, where = node.get("Format", "XML"), f"{path}: {node.tag}"
        if kind == "XML":
            continue
        if len(node):
            raise MeshError(f"{where}: it contains other elements; expected the name of a file alone.")
        text = (node.text or "").strip()
        name, inside = (text, "") if kind == "Binary" else text.partition(":")[::2]
        data = folder / name
        if os.path.isabs(name) or not Path(os.path.realpath(data)).is_relative_to(folder):
            raise MeshError(f"{where}: {name} is outside the folder of the file; copy it there, and give its name alone.")
        if path_problem(data):
            raise MeshError(f"{where}: {name} {path_problem(data)}; expected a file with the numbers.")
        if kind == "HDF":
            try:
                with hdf5.opened(data) as file:  # meshio would take any size that it declares
                    hdf5.array(hdf5.needed(file, inside.strip("/"), data, kind="dataset"), data)
            except MeshError as error:
                raise MeshError(f"{where}: {error}") from error
        yield data


_SURFACES_OF_CAD = (".stl", ".ply", ".obj", ".off")
_POINTS, _POLYLINE, _STRIP = (1, 2), 4, 6
_NAMES = dict(
    entry.split(":")
    for entry in """
    1:VERTEX 2:POLY_VERTEX 3:LINE 4:POLY_LINE 5:TRIANGLE 6:TRIANGLE_STRIP 7:POLYGON 8:PIXEL 9:QUAD 10:TETRA 11:VOXEL
    12:HEXAHEDRON 13:WEDGE 14:PYRAMID 15:PENTAGONAL_PRISM 16:HEXAGONAL_PRISM 21:QUADRATIC_EDGE 22:QUADRATIC_TRIANGLE
    23:QUADRATIC_QUAD 24:QUADRATIC_TETRA 25:QUADRATIC_HEXAHEDRON 26:QUADRATIC_WEDGE 27:QUADRATIC_PYRAMID
    28:BIQUADRATIC_QUAD 29:TRIQUADRATIC_HEXAHEDRON 32:BIQUADRATIC_QUADRATIC_WEDGE 33:BIQUADRATIC_QUADRATIC_HEXAHEDRON
    34:BIQUADRATIC_TRIANGLE 37:TRIQUADRATIC_PYRAMID 42:POLYHEDRON 68:LAGRANGE_CURVE 69:LAGRANGE_TRIANGLE
    70:LAGRANGE_QUADRILATERAL 71:LAGRANGE_TETRAHEDRON 72:LAGRANGE_HEXAHEDRON 73:LAGRANGE_WEDGE 74:LAGRANGE_PYRAMID
    """.split()
)
# Cell types whose number of points is fixed.
_FIXED = {
    int(element.name): element.node_counts
    for element in elements_of("VTK")
    if element.name not in ("4", "6", "7") and int(element.name) < 60
}
_FIXED |= {1: (1,), 15: (10,), 16: (12,)}


@dataclass(frozen=True)
class Content:
    """Points, cells and the data on them."""

    points: np.ndarray  # (n, 3)
    connectivity: np.ndarray  # nodes of all cells, one after another, from 0
    sizes: np.ndarray  # (c,) how many nodes each cell has
    types: np.ndarray  # (c,) numbers of VTK's cell types; 0 for types that it does not have
    blocks: np.ndarray  # (c,) numbers of the blocks of cells that the file keeps apart
    point_data: dict[str, np.ndarray | None]  # name -> one integer for each; None: the array holds something else
    cell_data: dict[str, np.ndarray | None]
    point_sets: dict[str, np.ndarray] = field(default_factory=dict)  # name -> indices
    cell_sets: dict[str, np.ndarray] = field(default_factory=dict)
    point_numbers: np.ndarray | None = None  # what the file declares as their numbers, or None
    cell_numbers: np.ndarray | None = None
    warnings: list[str] = field(default_factory=list)  # what the library says


def read_vtk(path: Path) -> Mesh:
    """Mesh of a VTK file: legacy (.vtk) or XML (.vtu, .vtp), text or binary.

    Nodes and elements are numbered from 1 in the order of the file unless it declares their numbers (GlobalIds). The
    format has no sets: integers on cells or points whose name speaks of regions, materials, blocks, groups make sets
    "name value". There are no materials and no sections.

    Raises
    ------
    MeshError
        The file is no VTK file, is damaged, or holds nothing that is structural.
    """
    return _mesh(path, "VTK", Content(**read_apart("VTK", path)))


def read_with_meshio(path: Path) -> Mesh:
    """Mesh of a file that meshio knows: Netgen, Tetgen, Permas, FLAC3D, XDMF, SU2, STL, PLY, OBJ, ...

    Nodes and elements are numbered from 1 in the order of the file. meshio's sets become node and element sets, and
    integers on cells or points make sets as in ``read_vtk``.

    Raises
    ------
    MeshError
        meshio cannot read the file (with what it says), or it holds nothing that is structural.
    """
    content = Content(**read_apart("meshio", path))
    points = content.points
    if points.ndim != 2 or points.dtype.kind not in "fiu" or not len(points):
        raise MeshError(f"{path}: meshio finds no nodes with coordinates in the file; it is empty or damaged.")
    if points.shape[1] != 3:
        raise MeshError(f"{path}: the nodes have {points.shape[1]} coordinates; a flexible body needs a mesh with three.")
    if path.suffix.lower() in _SURFACES_OF_CAD:
        content.warnings.append("the file holds only a surface; it is read as shells.")
    return _mesh(path, "a format of meshio", content)


def _mesh(path: Path, file_format: str, content: Content) -> Mesh:
    _check(path, content)
    content = _in_pieces(content)
    node_ids = distinct_numbers(content.point_numbers, len(content.points))
    cell_ids = distinct_numbers(content.cell_numbers, len(content.types))
    table = NodeTable(str(path), "point")
    table.add(node_ids, content.points, f"{path}: point", np.arange(len(node_ids)))
    shapes = Shapes(path, file_format, table, warnings=[f"{path}: {text}" for text in content.warnings])
    shapes.groups = _element_rows(path, content, node_ids, cell_ids, shapes.warnings)
    shapes.element_groups, unused_cells = _sets(content.cell_data, content.cell_sets, cell_ids)
    shapes.node_groups, unused_points = _sets(content.point_data, content.point_sets, node_ids, zero_is_none=True)
    for name in (*unused_cells, *unused_points):
        shapes.skipped.add(name, str(path), 0, analysis=True)
    return mesh_of_shapes(shapes)


def _sets(
    data: dict[str, np.ndarray | None], sets: dict[str, np.ndarray], ids: np.ndarray, zero_is_none: bool = False
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Sets, and the names of the arrays that make none."""
    integers = {name: values.astype(np.int64) for name, values in data.items() if values is not None}
    made, unused = sets_of_values(integers, ids, zero_is_none=zero_is_none)
    unused = [name for name in data if name in unused or name not in integers]
    return made | {name: ids[members] for name, members in sets.items()}, unused


def _check(path: Path, content: Content) -> None:
    """MeshError when cells have a wrong number of points, or use points that do not exist."""
    sizes, types, used = content.sizes, content.types, content.connectivity
    if len(types) != len(sizes) or (sizes < 0).any() or sizes.sum() != len(used):
        what = f"{len(types)} cell types, {len(sizes)} cells of {sizes.sum()} points together, and {len(used)} numbers of points"
        raise MeshError(f"{path}: {what}; make them agree.")
    for number, sizes_of_type in _FIXED.items():
        odd = np.flatnonzero((types == number) & ~np.isin(sizes, sizes_of_type))
        if odd.size:
            raise MeshError(
                f"{path}: cell {odd[0]} of type {number} ({_NAMES[str(number)]}) has {sizes[odd[0]]} points; it needs"
                f" {' or '.join(map(str, sizes_of_type))}."
            )
    wrong = np.flatnonzero((used < 0) | (used >= len(content.points)))
    if wrong.size:
        cell = int(np.searchsorted(np.cumsum(sizes), wrong[0], side="right"))
        raise MeshError(
            f"{path}: cell {cell} uses point {used[wrong[0]]}, but the points are numbered from 0 to {len(content.points) - 1}."
        )


def _in_pieces(content: Content) -> Content:
    """The content with strips of triangles and polylines cut into triangles and lines, numbered through."""
    sizes, types = content.sizes, content.types
    width = np.where(types == _STRIP, 3, 2)
    long = np.isin(types, (_STRIP, _POLYLINE)) & (sizes > width)
    if not long.any():
        return content
    count = np.where(long, sizes - width + 1, 1)
    own = np.where(long, width, sizes)
    origin = np.repeat(np.arange(len(sizes)), count)
    number = np.arange(len(origin)) - np.repeat(np.cumsum(count) - count, count)  # of the piece in its strip
    ends = np.cumsum(own[origin])
    within = np.arange(ends[-1]) - np.repeat(ends - own[origin], own[origin])
    piece = np.repeat(np.arange(len(origin)), own[origin])
    # Every second triangle of a strip turns the other way round.
    turned = (number[piece] % 2 == 1) & (types[origin[piece]] == _STRIP) & (within > 0)
    within = np.where(turned, 3 - within, within)
    connectivity = content.connectivity[(np.cumsum(sizes) - sizes)[origin[piece]] + number[piece] + within]
    data = {name: None if values is None else values[origin] for name, values in content.cell_data.items()}
    return replace(
        content,
        connectivity=connectivity,
        sizes=own[origin],
        types=types[origin],
        blocks=content.blocks[origin],
        cell_numbers=None,
        cell_data=data,
    )


def _element_rows(
    path: Path, content: Content, node_ids: np.ndarray, cell_ids: np.ndarray, warnings: list[str]
) -> list[ElementRows]:
    """The cells by type; those of types that flexmbs does not know are kept with the role "unknown"."""
    starts = np.cumsum(content.sizes) - content.sizes
    groups = []
    keys = np.stack([content.blocks, content.types, content.sizes], axis=1)
    kinds, kind_of_cell, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    cells_of_kinds = np.split(np.argsort(kind_of_cell.ravel(), kind="stable"), np.cumsum(counts)[:-1])
    for (_, number, size), cells in zip(kinds.tolist(), cells_of_kinds, strict=False):  # no cells: no kind, one part
        nodes = node_ids[content.connectivity[starts[cells][:, None] + np.arange(size)]]
        element = element_named("VTK", str(number), size)
        kind, order = (element.kind, list(element.order)) if element else (None, list(range(size)))
        role = "" if kind else "geometry" if number in _POINTS else "unknown"
        name = "point" if role == "geometry" else _NAMES.get(str(number), f"cell type {number}")
        rows = ElementRows(kind, name, cell_ids[cells], nodes[:, order], f"{path}: cell", cells, role)
        groups.append(rows)
        if role == "unknown" and size:
            what = f"{len(cells)} cells {name} of {size} points"
            warnings.append(f"{rows.where(0)}: {what} are not supported as elements; they are not part of the body.")
        if kind and len(order) < size:
            warnings.append(without_inner_nodes(f"{rows.where(0)}: {len(cells)} cells {name}"))
    return groups


_WORDS = tuple(
    "region mat block group part zone physical entity ref pid prop domain label"
    " tag body marker attribute set color component bound surface patch subdomain".split()
)
_GEOMETRICAL = re.compile(r"geometrical|dim_tags|elementary", re.IGNORECASE)
_FEW, _MAX_SETS = 10, 1000  # so many sets are made of few cells, and at most


def sets_of_values(
    data: dict[str, np.ndarray], ids: np.ndarray, *, zero_is_none: bool = False
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Sets "name value" of the elements (nodes) ``ids`` (n,) by the integers (n,) that arrays of such a name give them.

    Returns the sets and the names of the arrays that make none. Negative values stand for no group, and so does 0 when
    it is the only value or ``zero_is_none``.
    """
    sets: dict[str, np.ndarray] = {}
    unused = []
    for name, values in data.items():
        distinct = np.unique(values)
        looks_so = any(word in name.lower() for word in _WORDS) and not _GEOMETRICAL.search(name)
        if not looks_so or len(distinct) > min(_MAX_SETS, max(len(values) // 2, _FEW)):
            unused.append(name)
            continue
        lowest = 1 if zero_is_none or len(distinct) == 1 else 0
        for value in distinct[distinct >= lowest]:
            sets[f"{name} {value}"] = ids[values == value]
    return sets, unused
