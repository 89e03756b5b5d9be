"""The surface of a body as a shape of contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.contact.shapes import Shape
from flexmbs.mechanism.contact.surfaces.contact_surface import ContactSurface, flexible_surface, rigid_surface
from flexmbs.mechanism.geometry.surface_mesh import chosen_points
from flexmbs.mesh.mesh import Mesh
from flexmbs.reduction.flexible_body import FlexibleBody

Where = str | Callable[[np.ndarray], np.ndarray] | Sequence[int]
KINDS = "faces", "nodes"
_NEAR = 1e-6  # of the size of the body: points of a set and of the surface that are the same


@dataclass(frozen=True, init=False, eq=False)
class BodySurface(Shape):
    """The surface of a body, or a part of it: it deforms with the modes of a flexible body.

    As the first of two surfaces it is touched at points, each with the law's force per area (fm.ElasticFoundation; of
    other laws the stiffness then is N/m3 in place of N/m ...) times its area; as the second with its faces. A sphere or
    a point touches its faces with the law's force.

    Parameters
    ----------
    body : flexible body, or rigid body with a surface
    where : which faces: None, all; a function of points (k, 3) m in the body frame that returns (k,) bool; numbers of
        nodes of a flexible body; or the name of a node set or surface of ``mesh``. Faces count all of whose points do
    mesh : the mesh that the body was reduced from, for names
    points : as the first of two surfaces: "faces", integration points of the faces (three on a triangle, four on a
        quadrilateral); a number n, n x n of them on each face; or "nodes", each with its share of the area
    thickness : m; points that are deeper below the surface do not touch it. None: all points inside of the body
    """

    body: Any
    points: str | int
    thickness: float
    surface: ContactSurface

    def __init__(
        self,
        body: Any,
        where: Where | None = None,
        *,
        mesh: Mesh | None = None,
        points: str | int = "faces",
        thickness: float | None = None,
    ) -> None:
        if not hasattr(body, "frame"):
            raise MechanismError(f"contact surface: expected a body of the system, got {type(body).__name__}")
        label = f"contact surface of body '{body.name}'"
        number = isinstance(points, int) and not isinstance(points, bool) and points >= 1
        if not number and points not in KINDS:
            raise MechanismError(f"{label}: points must be 'faces', 'nodes' or a number of at least 1, not {points!r}")
        if thickness is not None and not (np.isfinite(thickness) and thickness > 0.0):
            raise MechanismError(f"{label}: thickness {thickness!r} m must be positive")
        object.__setattr__(self, "marker", body.frame)
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "thickness", np.inf if thickness is None else float(thickness))
        object.__setattr__(self, "surface", _surface_of(body, where, mesh, label))
        _check(self.surface, label)

    def outline(self) -> None:
        """None: the body itself is drawn, as it deforms."""


def _surface_of(body: Any, where: Where | None, mesh: Mesh | None, label: str) -> ContactSurface:
    drawn = getattr(body.body, "surface", None)
    if drawn is None or len(drawn.faces) == 0:
        raise MechanismError(
            f"{label}: it has no faces; reduce the body from a mesh of solids or shells, or give a rigid body a surface"
        )
    chosen = None if where is None else _chosen(body, drawn.points, where, mesh, label)
    if isinstance(body.body, FlexibleBody):
        surface = flexible_surface(body.body, chosen)
    else:
        surface = rigid_surface(drawn.points, drawn.faces, chosen)
    if len(surface.faces.corners) == 0:
        low, high = drawn.points.min(axis=0), drawn.points.max(axis=0)
        raise MechanismError(
            f"{label}: no face has all its points in where={where if isinstance(where, str) else '...'!s} (the surface "
            f"spans {low} to {high} m)"
        )
    return surface


def _chosen(body: Any, points: np.ndarray, where: Where, mesh: Mesh | None, label: str) -> np.ndarray:
    """(np,) bool: the points of the surface that are meant."""
    if callable(where):
        return chosen_points(where, points, label)
    if isinstance(where, str):
        return _near(points, _points_of_set(where, mesh, label))
    if not isinstance(body.body, FlexibleBody):
        raise MechanismError(f"{label}: a rigid body has no numbers of nodes; give where= as a function of points")
    numbers = np.asarray(where)
    known = np.isin(numbers, body.body.node_ids)
    if not known.all():
        raise MechanismError(f"{label}: the mesh has no node {numbers[~known][0]}")
    return _near(points, body.body.points[np.isin(body.body.node_ids, numbers)])


def _points_of_set(name: str, mesh: Mesh | None, label: str) -> np.ndarray:
    if mesh is None:
        raise MechanismError(f"{label}: for the set '{name}' give mesh=, the mesh that the body was reduced from")
    if name in mesh.surfaces:
        return mesh.points[mesh.surfaces[name].nodes]
    if name in mesh.node_sets:
        return mesh.points[np.asarray(mesh.node_sets[name], dtype=np.int64)]
    known = ", ".join(sorted({*mesh.surfaces, *mesh.node_sets})) or "none"
    raise MechanismError(f"{label}: the mesh has no node set or surface '{name}'; known: {known}")


def _near(points: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    from scipy.spatial import cKDTree

    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    distance, _ = cKDTree(wanted).query(points)
    return distance <= _NEAR * size


def _check(surface: ContactSurface, label: str) -> None:
    if surface.has_collapsed_faces:
        raise MechanismError(f"{label}: a face has no area; repair the mesh")
    if surface.has_turned_faces:
        raise MechanismError(
            f"{label}: neighbouring faces run in different directions; corners must run anticlockwise seen from outside"
        )
    if surface.is_closed and surface.volume < 0.0:
        raise MechanismError(
            f"{label}: it is inverted (it encloses {surface.volume:.3g} m3); corners must run anticlockwise seen from outside"
        )
