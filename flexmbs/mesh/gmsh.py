"""Reader of Gmsh files (.msh, versions 2 and 4), through meshio.

The format has no materials and no sections: give them with ``with_material`` and ``with_rectangular_section``.
Node numbers are those of the file (in binary files, as meshio gives them: from 1 in the order of the file, with a
warning); elements are numbered from 1 in the order of the file.
"""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.mesh.gmsh_numbers import node_numbers
from flexmbs.mesh.mesh import ElementBlock, Mesh

_SOLIDS = {"tetra": "tet4", "tetra10": "tet10", "hexahedron": "hex8", "hexahedron20": "hex20"}
_BEAMS = {"line": "beam2"}
# Groups of these become node sets; they carry no mechanics.
_GEOMETRY = {"vertex", "line", "line3", "triangle", "triangle6", "triangle7", "quad", "quad8", "quad9"}


def read_gmsh(path: Path) -> Mesh:
    """Mesh of a Gmsh file.

    Solids are read when there are any, else two-node lines as beams. Every physical group becomes a node set;
    groups that hold structural elements become element sets too.
    """
    raw = _read_raw(path)
    kinds = _SOLIDS if any(block.type in _SOLIDS for block in raw.cells) else _BEAMS
    _check_types(path, raw, kinds)
    numbers = np.cumsum([1] + [len(block.data) for block in raw.cells])
    blocks = _blocks(raw, kinds, numbers)
    node_sets, element_sets = {}, {}
    for name, members in _groups(raw).items():
        nodes = [np.ravel(raw.cells[i].data[chosen]) for i, chosen in members]
        node_sets[name] = np.unique(np.concatenate(nodes)).astype(int)
        structural = [numbers[i] + chosen for i, chosen in members if raw.cells[i].type in kinds]
        if structural:
            element_sets[name] = np.concatenate(structural).astype(int)
    node_ids = node_numbers(path, len(raw.points))
    unnumbered = f"{path}: the file's node numbers are not known; nodes are numbered from 1 in the order of the file"
    return Mesh(
        points=_points(path, raw),
        node_ids=np.arange(1, len(raw.points) + 1) if node_ids is None else node_ids,
        warnings=(unnumbered,) if node_ids is None else (),
        blocks=blocks,
        node_sets=node_sets,
        element_sets=element_sets,
        source=str(path),
    )


def _read_raw(path: Path):
    with open(path, "rb") as file:
        start = file.read(200).lstrip()
    if not start.startswith((b"$MeshFormat", b"$Comments")):
        raise MeshError(f"{path}:1: no Gmsh mesh; a .msh file starts with $MeshFormat (versions 2 and 4 are read).")
    from meshio import gmsh

    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # it prints about tags that it does not use
            return gmsh.read(path)
    except Exception as error:  # meshio meets broken files with whatever its parsing ran into
        detail = f"{type(error).__name__}: {error}".rstrip(": ")
        raise MeshError(f"{path}: not a readable Gmsh file ({detail}); save it as version 4.1 or 2.2.") from error


def _check_types(path: Path, raw, kinds: dict[str, str]) -> None:
    found = {block.type for block in raw.cells}
    unknown = sorted(found - _GEOMETRY - set(_SOLIDS))
    if unknown:
        raise MeshError(
            f"{path}: elements of type {', '.join(unknown)} are not read; known are {', '.join(_SOLIDS)} and, for"
            " beams, line."
        )
    surfaces = sorted(kind for kind in found if kind.startswith(("triangle", "quad")))
    if kinds is _BEAMS and (surfaces or "line" not in found):
        held = ", ".join(sorted(found)) or "nothing"
        raise MeshError(
            f"{path}: no solid elements and not a mesh of lines alone (holds {held}); save the volumes too (in Gmsh: a"
            " physical group of the volume)."
        )


def _points(path: Path, raw) -> np.ndarray:
    points = np.asarray(raw.points, float)
    if points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(f"{path}: the nodes have no three coordinates each.")
    return points


def _blocks(raw, kinds: dict[str, str], numbers: np.ndarray) -> tuple[ElementBlock, ...]:
    """One block per kind; Gmsh writes one per geometric entity."""
    blocks = []
    for cell_type, kind in kinds.items():
        chosen = [i for i, block in enumerate(raw.cells) if block.type == cell_type and len(block.data)]
        if chosen:
            ids = np.concatenate([numbers[i] + np.arange(len(raw.cells[i].data)) for i in chosen])
            nodes = np.concatenate([np.asarray(raw.cells[i].data, int) for i in chosen])
            blocks.append(ElementBlock(kind, ids, nodes))
    return tuple(blocks)


def _groups(raw) -> dict[str, list[tuple[int, np.ndarray]]]:
    """Group name -> (block, rows in it); a group without a name is called by its dimension and number."""
    groups: dict[str, list[tuple[int, np.ndarray]]] = {}
    for name, rows_of_block in raw.cell_sets.items():
        if not name.startswith("gmsh:"):
            chosen = [(i, np.asarray(rows, int)) for i, rows in enumerate(rows_of_block) if rows is not None]
            groups[name] = [(i, rows) for i, rows in chosen if len(rows)]
    names = {(int(dimension), int(tag)): name for name, (tag, dimension) in raw.field_data.items()}
    for i, tags in enumerate(raw.cell_data.get("gmsh:physical", [])):
        dimension = raw.cells[i].dim
        for tag in np.unique(tags[tags > 0]):
            name = names.get((dimension, int(tag)), f"physical_{dimension}d_{tag}")
            if not any(block == i for block, _ in groups.get(name, [])):
                groups.setdefault(name, []).append((i, np.flatnonzero(tags == tag)))
    return {name: members for name, members in groups.items() if members}
