"""Where the marker of a node set is placed (the center of the bore on which its nodes lie, or their mean), also as JSON data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.common.stored_arrays import parsed_json
from flexmbs.mesh.fitted_shapes import FittedShape, fitted_shape
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.tributary_weights import Cells, NodeWeights, node_weights

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
    """Place of a marker on ``nodes`` (each once) by themselves, and their weights.

    Parameters
    ----------
    faces : kind -> (m, n) faces of the set, where the file names them
    """
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


_KINDS = ("cylinder", "circle", "sphere", "plane")


def place_numbers(place: Place) -> dict:
    """Keys as the attributes of ``Place`` and ``FittedShape``; arrays as lists."""
    return {part.name: _plain(getattr(place, part.name)) for part in fields(place)}


def _plain(value):
    if isinstance(value, FittedShape):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, np.ndarray):
        return [float(number) for number in value]
    return value.item() if isinstance(value, np.generic) else value


def places_text(places: Mapping[str, Place]) -> tuple[str, ...]:
    """One JSON text for each place, with the name of its marker."""
    return tuple(json.dumps({"name": name, **place_numbers(place)}) for name, place in places.items())


def places_of_text(texts: Iterable[str], where: str) -> dict[str, Place]:
    """What ``places_text`` wrote, bit for bit; BodyError, with ``where``, when it is something else."""
    found = {}
    for text in texts:
        try:
            values = parsed_json(text)
            shape = values["shape"]
            found[str(values["name"])] = Place(
                position=_vector(values["position"]),
                by=str(values["by"]),
                mean=_vector(values["mean"]),
                centroid=_vector(values["centroid"]),
                left_out=int(values["left_out"]),
                shape=None if shape is None else _shape(shape),
                axis=None if values["axis"] is None else _direction(values["axis"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BodyError(f"{where}: places: not the place of a marker ({error}); the file is damaged") from None
    return found


def _shape(values: dict) -> FittedShape:
    if values["kind"] not in _KINDS:
        raise ValueError(f"unknown shape {values['kind']!r}")
    numbers = {name: _number(values[name]) for name in ("radius", "length", "arc", "rms", "largest")}
    axis = None if values["axis"] is None else _direction(values["axis"])
    return FittedShape(kind=values["kind"], center=_vector(values["center"]), axis=axis, **numbers)


def _number(value) -> float:
    if not np.isfinite(float(value)):
        raise ValueError(f"{value!r} is not finite")
    return float(value)


def _vector(values) -> np.ndarray:
    found = np.array(values, dtype=float)
    if found.shape != (3,) or not np.all(np.isfinite(found)):
        raise ValueError(f"{values!r} is not three finite numbers")
    return found


def _direction(values) -> np.ndarray:
    found = _vector(values)
    if abs(np.linalg.norm(found) - 1.0) > 1e-9:
        raise ValueError(f"{values!r} is no unit vector")
    return found
