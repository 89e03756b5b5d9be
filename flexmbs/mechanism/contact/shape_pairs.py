"""Contact points of pairs of rigid shapes, also of crowned and rounded ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.pairs.capsule_and_shape import capsule_and_shape
from flexmbs.core.contact.pairs.convex_body_and_plane import convex_body_and_plane
from flexmbs.core.contact.pairs.convex_pair import convex_pair
from flexmbs.core.contact.pairs.disc_and_bore import disc_and_bore
from flexmbs.core.contact.pairs.rounded_boxes import body_on_corner, corner_on_body, edge_on_edge
from flexmbs.core.contact.pairs.sphere_and_shape import sphere_and_shape
from flexmbs.mechanism.contact.box import Box
from flexmbs.mechanism.contact.capsule import Capsule
from flexmbs.mechanism.contact.contact import ContactPoint
from flexmbs.mechanism.contact.convex_body import EDGE_RADIUS
from flexmbs.mechanism.contact.cylinder import Cylinder
from flexmbs.mechanism.contact.finite_planes import Disc, FinitePlane, Rectangle
from flexmbs.mechanism.contact.shapes import Plane, Shape, Sphere
from flexmbs.mechanism.contact.torus import Bore, Cavity, Torus
from flexmbs.mechanism.markers import Marker
from flexmbs.mesh.coordinate_systems import across


def spheres_and_shape(marker: Marker, centres: Sequence[np.ndarray], radius: float, shape: Shape) -> list[ContactPoint]:
    """One point for each of several spheres of one body."""
    return [
        ContactPoint(marker, shape.marker, sphere_and_shape, np.array([*centre, radius]), shared=(shape.numbers,), radius_a=radius)
        for centre in centres
    ]


def sphere_on_shape(sphere: Sphere, shape: Shape, where: str) -> list[ContactPoint]:
    """One point: the closest of the shape."""
    turning(where, shape)
    if isinstance(shape, Bore | Cavity | Torus):
        require_smaller("sphere", sphere.radius, shape, where)
    return spheres_and_shape(sphere.marker, [np.zeros(3)], sphere.radius, shape)


def require_smaller(name: str, size: float, hole: Bore | Cavity | Torus, where: str) -> None:
    """MechanismError unless a shape that reaches ``size`` (m) from its middle is smaller than the hole in another one."""
    radius = hole.radius - hole.tube_radius if isinstance(hole, Torus) else hole.radius
    if size >= radius:
        has_rim = isinstance(hole, Torus) or isinstance(hole, Bore) and hole.length is not None
        rim = "; it lies on the whole rim, and not on one closest point: put spheres or points round that" if has_rim else ""
        raise MechanismError(
            f"{where}: the {name} ({size:g} m) is not smaller than the {type(hole).__name__.lower()} ({radius:g} m){rim}"
        )


def require_endless(name: str, size: float, bore: Bore, where: str) -> None:
    """MechanismError unless what has straight sides fits a bore, which has no rims that these would touch."""
    if bore.length is not None:
        raise MechanismError(f"{where}: a {name} fits a Bore without ends only (nothing finds its rims); leave its length out")
    require_smaller(name.lower(), size, bore, where)


def capsule_ends_on_shape(capsule: Capsule, shape: Shape, where: str) -> list[ContactPoint]:
    """Two points: planes, bores and cavities are touched by the ends."""
    turning(where, capsule, shape)
    if isinstance(shape, Bore):
        require_endless("Capsule", capsule.radius, shape, where)
    return spheres_and_shape(capsule.marker, [-capsule.half, capsule.half], capsule.radius, shape)


def capsule_on_shape(capsule: Capsule, shape: Shape, where: str) -> list[ContactPoint]:
    """One point: the closest of its segment."""
    turning(where, capsule, shape)
    numbers = np.array([*capsule.half, capsule.radius, float(capsule.crown or 0.0)])
    return [ContactPoint(capsule.marker, shape.marker, capsule_and_shape, numbers, shared=(shape.numbers,))]


def corners_on_shape(box: Box, shape: Shape, where: str) -> list[ContactPoint]:
    """Eight points: the corners of the box."""
    turning(where, box, shape)
    if isinstance(shape, Bore):
        require_endless("Box", float(np.linalg.norm(np.sort(box.half)[:2])), shape, where)
    return spheres_and_shape(box.marker, list(box.corners), 0.0, shape)


def cylinder_on_plane(cylinder: Cylinder, plane: Plane, where: str) -> list[ContactPoint]:
    """Two points: the lowest of each end."""
    turning(where, cylinder, plane)
    crown = float(cylinder.crown or 0.0)
    reach = (0.5 * cylinder.length - crown) * cylinder.vector
    return [
        ContactPoint(
            cylinder.marker, plane.marker, convex_body_and_plane, np.array([*centre, *plane.normal]), shared=(cylinder.end,)
        )
        for centre in (-reach, reach)
    ]


def cylinder_in_bore(cylinder: Cylinder, bore: Bore, where: str) -> list[ContactPoint]:
    """Two points: the ends of the cylinder on the wall."""
    turning(where, cylinder, bore)
    require_endless("Cylinder", cylinder.radius, bore, where)
    half = 0.5 * cylinder.length * cylinder.vector
    return [
        ContactPoint(
            cylinder.marker,
            bore.marker,
            disc_and_bore,
            np.array([*centre, *cylinder.vector, cylinder.radius, *map(float, bore.axis), bore.radius]),
        )
        for centre in (-half, half)
    ]


def torus_on_plane(torus: Torus, plane: Plane, where: str) -> list[ContactPoint]:
    """One point: the lowest."""
    turning(where, torus, plane)
    numbers = np.array([*torus.centre, *plane.normal])
    return [ContactPoint(torus.marker, plane.marker, convex_body_and_plane, numbers, shared=(torus.convex,))]


Convex = Box | Cylinder | Rectangle | Disc | Torus


def convex_on_convex(first: Convex, second: Convex, where: str) -> list[ContactPoint]:
    """One point: the closest of two smooth convex bodies."""
    turning(where, first, second)
    for shape in (first, second):
        if isinstance(shape, FinitePlane):
            shape.require_thickness(where)
    numbers = np.array([*first.centre, *second.centre])
    shared = (first.convex, second.convex)
    return [ContactPoint(first.marker, second.marker, convex_pair, numbers, shared=shared)]


def turning(where: str, *shapes: Shape) -> None:
    """MechanismError unless the markers of shapes have a rotation."""
    for shape in shapes:
        if not shape.marker.can_turn:
            name = type(shape).__name__.lower()
            raise MechanismError(f"{where}: a {name} needs a marker that can turn, not '{shape.marker.label}'")


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
