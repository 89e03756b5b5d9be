"""Contact points of boxes, plates and capsules that are rigid: corners on faces and edges, edges across edges."""

from __future__ import annotations

import itertools

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.pairs.rounded_boxes import body_on_corner, corner_on_body, edge_on_edge
from flexmbs.mechanism.contact.box import Box
from flexmbs.mechanism.contact.capsule import Capsule
from flexmbs.mechanism.contact.contact import ContactPoint
from flexmbs.mechanism.contact.convex_body import EDGE_RADIUS
from flexmbs.mechanism.contact.finite_planes import Rectangle
from flexmbs.mechanism.contact.shape_pairs import turning
from flexmbs.mesh.coordinate_systems import across

Rounded = Box | Rectangle | Capsule


def rounded_on_rounded(first: Rounded, second: Rounded, where: str) -> list[ContactPoint]:
    """A point for each corner of both, and for each two edges that can cross."""
    bodies = []
    for shape in (first, second):
        turning(where, shape)
        bodies.append(rounded_body(shape, where))
    a, b = bodies
    markers = first.marker, second.marker
    points = [ContactPoint(*markers, corner_on_body, corner, shared=(a, b)) for corner in corners_of(a)]
    points += [ContactPoint(*markers, body_on_corner, corner, shared=(b, a)) for corner in corners_of(b)]
    for edges in itertools.product(edges_of(a), edges_of(b)):
        points.append(ContactPoint(*markers, edge_on_edge, np.array(edges, dtype=float).ravel(), shared=(a, b)))
    return points


def rounded_body(shape: Rounded, where: str) -> np.ndarray:
    """(16,) centre, axes, half edges and radius of a core (core.contact.pairs.rounded_boxes)."""
    if isinstance(shape, Capsule):
        axis = np.array(shape.axis, dtype=float)
        core = np.array([np.linalg.norm(shape.half), 0.0, 0.0])
        return np.array([0.0, 0.0, 0.0, *axis, *np.ravel(across(axis)), *core, shape.radius])
    if isinstance(shape, Rectangle):
        shape.require_thickness(where)
        axes, radius = shape.axes, EDGE_RADIUS * float(shape.half.min())
    else:
        axes, radius = np.eye(3), float(shape.edge_radius or 0.0)
    if radius == 0.0:
        raise MechanismError(f"{where}: rigid contact of boxes needs rounded edges; give {shape.where} an edge_radius")
    return np.array([*shape.centre, *axes.ravel(), *(shape.half - radius), radius])


def corners_of(body: np.ndarray) -> list[np.ndarray]:
    """(3,) each, m, in the axes of the marker: those of a segment are two."""
    centre, axes, half = body[:3], body[3:12].reshape(3, 3), body[12:15]
    signs = itertools.product(*[(-1.0, 1.0) if h > 0.0 else (0.0,) for h in half])
    return [centre + (half * np.array(sign)) @ axes for sign in signs]


def edges_of(body: np.ndarray) -> list[tuple[int, int]]:
    """Axis and diagonal (0 or 1) of the edges, two opposite ones at a time; a segment is one."""
    half = body[12:15]
    if np.count_nonzero(half) == 1:
        return [(int(np.argmax(half)), 0)]
    return list(itertools.product(range(3), range(2)))
