"""Where the marker of a node set is placed (the center of the bore on which its nodes lie, or their weighted mean).

The weights say how much of a surface, a line or a volume belongs to each node.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.common.stored_arrays import parsed_json
from flexmbs.mesh.connectivity import by_key, outer_faces
from flexmbs.mesh.element_kinds import KINDS, face_of, shape_values
from flexmbs.mesh.fitted_shapes import FittedShape, fitted_shape
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.quadrature import line_samples, rule, solid_samples, surface_samples

# A set counts as a surface (or a volume, or a line) when at least so many of its nodes belong to whole faces of it.
ENOUGH = 0.9
_LINES = {"line2": "truss2", "line3": "truss3"}

Cells = Mapping[str, np.ndarray]  # kind -> (k, n) node indices


@dataclass(frozen=True)
class NodeWeights:
    """Weights (k,) of the nodes of a set, with sum 1."""

    values: np.ndarray
    by: str  # "area", "volume", "length" or "equal"
    cells: Cells  # what the weights are shares of: faces, elements or edges all of whose nodes are in the set; of "equal" none
    left_out: np.ndarray  # (m,) nodes of the set that belong to none of these; their weight is zero


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
    return shape_values(KINDS[kind], rule(kind)[0]) ** 2


def _cells_of(mesh: Mesh, nodes: np.ndarray, faces: Cells | None) -> Iterator[tuple[str, Cells]]:
    """Faces, elements and edges all of whose nodes are in the set, with the word for their measure."""
    inside = np.zeros(len(mesh.points), dtype=bool)
    inside[nodes] = True
    near = _near(mesh, inside)
    if faces is not None and not all(kind in _LINES for kind in faces):
        yield "area", faces
    else:
        yield "area", by_key((kind, rows[inside[rows].all(axis=1)]) for kind, rows, _ in outer_faces(near))
    solids = [block for block in near.blocks if KINDS[block.kind].dimension == 3]
    yield "volume", by_key((block.kind, block.nodes[inside[block.nodes].all(axis=1)]) for block in solids)
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
    edges = [(block, *face_of(block.kind, edge)) for block in mesh.blocks for edge in KINDS[block.kind].edges]
    cells = by_key((kind, rows[inside[rows].all(axis=1)]) for block, kind, local in edges for rows in (block.nodes[:, local],))
    first = {kind: np.unique(np.sort(rows[:, :2], axis=1), axis=0, return_index=True)[1] for kind, rows in cells.items()}
    return {kind: rows[first[kind]] for kind, rows in cells.items()}


APART = 0.01  # of the radius: mean and centre of a bore that differ by more are worth a word
ASKEW = 1.0  # degrees between an axis that is given and the one that is fitted


@dataclass(frozen=True)
class Place:
    """Where the marker of a set is placed, and why.

    Attributes
    ----------
    position : (3,) m, of the marker
    by : what the nodes' weights are shares of: "area", "volume", "length", "equal", or "coupling" (as the file says)
    mean : (3,) m, of the nodes, all counted alike
    centroid : (3,) m, of the nodes with their weights
    left_out : number of nodes without weight, as they belong to no whole face (element, edge) of the set
    shape : what the nodes lie on, or None
    axis : (3,) unit vector asked for as the marker's z axis, or None: the marker has the axes of the body
    """

    position: np.ndarray
    by: str
    mean: np.ndarray
    centroid: np.ndarray
    left_out: int = 0
    shape: FittedShape | None = None
    axis: np.ndarray | None = None

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3) axes of the marker in those of the body."""
        if self.axis is None:
            return np.eye(3)
        x = np.eye(3)[np.argmin(np.abs(self.axis))]
        x = x - (x @ self.axis) * self.axis
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(self.axis, x), self.axis])

    def __str__(self) -> str:
        parts = [self._weights if self.shape is None else f"{self.shape}; {self._weights}"]
        off = float(np.linalg.norm(self.position - self.mean))
        if self.shape is not None and self.shape.is_round and off > APART * self.shape.radius:
            parts.append(f"unweighted mean of the nodes {off:.3g} m from the marker")
        return "; ".join(parts)

    @property
    def _weights(self) -> str:
        return {"equal": "equal weights", "coupling": "weights of the file"}.get(self.by, f"weights by {self.by}")

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is unusual about it, as text to follow the name of a set or an interface and a colon."""
        found = []
        if self.left_out:
            found.append(f"{self.left_out} of its nodes belong to no complete face (element, edge) of the set and carry no load.")
        if self.shape is None:
            return tuple(found)
        shape, what = self.shape, f"{self.shape.kind} of radius {self.shape.radius:.4g} m"
        if shape.is_round:
            off = float(np.linalg.norm(shape.center - self.centroid))
            if off > APART * shape.radius:
                part = f" on an arc of {np.degrees(shape.arc):.0f} degrees" if 0.0 < shape.arc < 6.28 else ""
                found.append(f"its nodes lie on a {what}{part}; their mean ({self._weights}) is {off:.3g} m from its centre.")
            away = self.position - shape.center
            if shape.kind == "cylinder":
                away = away - (away @ shape.axis) * shape.axis
            if np.linalg.norm(away) > APART * shape.radius:
                place = "axis" if shape.kind == "cylinder" else "centre"
                found.append(f"the marker was placed {np.linalg.norm(away):.3g} m from the {place} of the {what}.")
        if self.axis is not None and shape.axis is not None:
            tilt = float(np.degrees(np.arccos(min(1.0, abs(float(self.axis @ shape.axis))))))
            if tilt > ASKEW:
                found.append(f"the given axis is {tilt:.3g} degrees from that of the {shape.kind} on which its nodes lie.")
        return tuple(found)


def place_of_nodes(mesh: Mesh, nodes: np.ndarray, faces: Cells | None = None) -> tuple[Place, NodeWeights]:
    """Place of a marker on ``nodes`` (each once), and their weights; ``faces``: those of the set, where the file names them."""
    weights = node_weights(mesh, nodes, faces)
    points = mesh.points[nodes]
    centroid = weights.values @ points
    counted = nodes if not len(weights.left_out) else np.setdiff1d(nodes, weights.left_out)
    shape = fitted_shape(mesh.points, counted, weights.cells) if weights.by != "volume" else None
    position = shape.center if shape is not None and shape.is_round else centroid
    return Place(position, weights.by, points.mean(axis=0), centroid, len(weights.left_out), shape), weights


def place_of_set(mesh: Mesh, name: str) -> tuple[Place, NodeWeights]:
    """Place of a marker on a node set of the mesh: on its faces, where the file names faces by the same name."""
    nodes = np.unique(np.asarray(mesh.node_sets[name], dtype=np.int64))
    surface = mesh.surfaces.get(name)
    same = surface is not None and np.array_equal(surface.nodes, nodes)
    return place_of_nodes(mesh, nodes, surface.faces if same else None)


def place_numbers(place: Place) -> dict:
    """Keys as the attributes of ``Place`` and ``FittedShape``; arrays as lists."""

    def plain(items: list[tuple[str, Any]]) -> dict:
        return {name: value.tolist() if isinstance(value, np.ndarray | np.generic) else value for name, value in items}

    return asdict(place, dict_factory=plain)


def places_text(places: Mapping[str, Place]) -> tuple[str, ...]:
    """One JSON text for each place, with the name of its marker."""
    return tuple(json.dumps({"name": name, **place_numbers(place)}) for name, place in places.items())


def places_of_text(texts: Iterable[str], where: str) -> dict[str, Place]:
    """What ``places_text`` wrote, bit for bit; BodyError, with ``where``, when it is something else."""
    found = {}
    for text in texts:
        try:
            values = parsed_json(text)
            found[str(values["name"])] = Place(**{name: checked(values[name]) for name, checked in _OF_PLACE.items()})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BodyError(f"{where}: places: not the place of a marker ({error}); the file is damaged") from None
    return found


def _shape(values: dict | None) -> FittedShape | None:
    return None if values is None else FittedShape(**{name: checked(values[name]) for name, checked in _OF_SHAPE.items()})


def _kind(value) -> str:
    if value not in ("cylinder", "circle", "sphere", "plane"):
        raise ValueError(f"unknown shape {value!r}")
    return value


def _number(value) -> float:
    if not np.isfinite(float(value)):
        raise ValueError(f"{value!r} is not finite")
    return float(value)


def _vector(values) -> np.ndarray:
    found = np.array(values, dtype=float)
    if found.shape != (3,) or not np.all(np.isfinite(found)):
        raise ValueError(f"{values!r} is not three finite numbers")
    return found


def _direction(values) -> np.ndarray | None:
    found = None if values is None else _vector(values)
    if found is not None and abs(np.linalg.norm(found) - 1.0) > 1e-9:
        raise ValueError(f"{values!r} is no unit vector")
    return found


_OF_SHAPE = {"kind": _kind, "center": _vector, "axis": _direction} | dict.fromkeys(
    ("radius", "length", "arc", "rms", "largest"), _number
)
_OF_PLACE = {"by": str, "left_out": int, "shape": _shape, "axis": _direction} | dict.fromkeys(
    ("position", "mean", "centroid"), _vector
)
