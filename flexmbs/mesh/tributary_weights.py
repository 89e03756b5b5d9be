"""How much of a surface, a line or a volume belongs to each node of a set: the weights of its mean motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, face_of, shape_values
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.outer_faces import outer_faces
from flexmbs.mesh.quadrature import line_samples, rule, solid_samples, surface_samples, with_polynomials

# A set counts as a surface (or a volume, or a line) when at least so many of its nodes belong to whole faces of it.
ENOUGH = 0.9
_LINES = {"line2": "truss2", "line3": "truss3"}

Cells = Mapping[str, np.ndarray]  # kind -> (k, n) node indices


@dataclass(frozen=True)
class NodeWeights:
    """Weights (k,) of the nodes of a set, with sum 1.

    Attributes
    ----------
    by : "area", "volume", "length" or "equal"
    cells : what the weights are shares of: faces, elements or edges all of whose nodes are in the set; of "equal" none
    left_out : (m,) nodes of the set that belong to none of these; their weight is zero
    """

    values: np.ndarray
    by: str
    cells: Cells
    left_out: np.ndarray


def node_weights(mesh: Mesh, nodes: np.ndarray, faces: Cells | None = None) -> NodeWeights:
    """Weights of a set by the area of its faces; of a set without them by volume, or by length; else equal.

    The share of a node in an element is that of the diagonal of int N N^T (Hinton, Rock and Zienkiewicz, Earthquake
    Engineering and Structural Dynamics 4, 1976): positive on every kind. The consistent shares, int N, are zero at the
    corners of tri6 and negative at those of quad8, and no weights of a least-squares fit.

    Parameters
    ----------
    nodes : (k,) int, each once
    faces : the faces of the set where the file names them; None: all outer faces all of whose nodes are in the set
    """
    nodes = np.asarray(nodes, dtype=np.int64)
    equal = NodeWeights(np.full(len(nodes), 1.0 / max(len(nodes), 1)), "equal", {}, np.empty(0, dtype=np.int64))
    if len(nodes) < 2:
        return equal
    best = equal
    for by, cells in _cells_of(mesh, nodes, faces):
        covered = np.isin(nodes, np.concatenate([rows.ravel() for rows in cells.values()] or [nodes[:0]]))
        needed = ENOUGH if best is equal else 1.0 - len(best.left_out) / len(nodes) + 1e-12
        if covered.mean() < needed:
            continue
        measure = np.zeros(len(mesh.points))
        for kind, rows in cells.items():
            np.add.at(measure, rows, lumped_measure(kind, mesh.points[rows]))
        total = measure[nodes].sum()
        if not (np.isfinite(total) and total > 0.0):
            continue
        best = NodeWeights(measure[nodes] / total, by, cells, nodes[~covered])
        if covered.all():
            break
    return best


def lumped_measure(kind: str, corners: np.ndarray) -> np.ndarray:
    """(k, n) length, area or volume that belongs to each node of elements with nodes at ``corners`` (k, n, 3)."""
    kind = _LINES.get(kind, kind)
    samples = {1: line_samples, 2: surface_samples, 3: solid_samples}[KINDS[kind].dimension]
    at_points = samples(kind, corners)[2 if samples is line_samples else 1]
    share = at_points @ _squares(kind)
    total = share.sum(axis=1, keepdims=True)
    return share * np.divide(at_points.sum(axis=1, keepdims=True), total, out=np.zeros_like(total), where=total > 0.0)


@cache
def _squares(kind: str) -> np.ndarray:
    """(m, n) squares of the shape functions at the sample points."""
    return shape_values(with_polynomials(kind), rule(kind)[0]) ** 2


def _cells_of(mesh: Mesh, nodes: np.ndarray, faces: Cells | None) -> Iterator[tuple[str, Cells]]:
    """Faces, elements and edges all of whose nodes are in the set, with the word for their measure."""
    inside = np.zeros(len(mesh.points), dtype=bool)
    inside[nodes] = True
    near = _near(mesh, inside)
    if faces is not None and not all(kind in _LINES for kind in faces):
        yield "area", faces
    else:
        found: dict[str, list] = {}
        for kind, rows, _ in outer_faces(near):
            found.setdefault(kind, []).append(rows[inside[rows].all(axis=1)])
        yield "area", {kind: np.concatenate(rows) for kind, rows in found.items()}
    solids: dict[str, list] = {}
    for block in near.blocks:
        if KINDS[block.kind].dimension == 3:
            solids.setdefault(block.kind, []).append(block.nodes[inside[block.nodes].all(axis=1)])
    yield "volume", {kind: np.concatenate(rows) for kind, rows in solids.items()}
    yield "length", _edges(near, inside)


def _near(mesh: Mesh, inside: np.ndarray) -> Mesh:
    """The elements that have two nodes or more in the set: no other has a face or an edge in it."""
    blocks = []
    for block in mesh.blocks:
        if KINDS[block.kind].dimension == 0 or block.kind.startswith("spring"):
            continue
        chosen = np.count_nonzero(inside[block.nodes], axis=1) >= 2
        if chosen.any():
            blocks.append(ElementBlock(block.kind, block.ids[chosen], block.nodes[chosen]))
    return replace(mesh, blocks=tuple(blocks))


def _edges(mesh: Mesh, inside: np.ndarray) -> Cells:
    """Edges of all elements, and beams, all of whose nodes are in the set, each once."""
    found: dict[str, list] = {}
    for block in mesh.blocks:
        for edge in KINDS[block.kind].edges:
            kind, local = face_of(block.kind, edge)
            rows = block.nodes[:, local]
            found.setdefault(kind, []).append(rows[inside[rows].all(axis=1)])
    cells = {}
    for kind, parts in found.items():
        rows = np.concatenate(parts)
        _, first = np.unique(np.sort(rows[:, :2], axis=1), axis=0, return_index=True)
        cells[kind] = rows[first]
    return cells
