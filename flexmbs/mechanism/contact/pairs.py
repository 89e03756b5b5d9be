"""Which shapes can touch, and what contact points each pair becomes: one line for each pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.contact.body_surface import BodySurface
from flexmbs.mechanism.contact.box import Box
from flexmbs.mechanism.contact.capsule import Capsule
from flexmbs.mechanism.contact.contact_point import ContactPoint
from flexmbs.mechanism.contact.cylinder import Cylinder
from flexmbs.mechanism.contact.finite_planes import Disc, Rectangle
from flexmbs.mechanism.contact.hollow import Bore, Cavity
from flexmbs.mechanism.contact.rounded_pairs import rounded_on_rounded
from flexmbs.mechanism.contact.shape_pairs import (
    capsule_ends_on_shape,
    capsule_on_shape,
    convex_on_convex,
    corners_on_shape,
    cylinder_in_bore,
    cylinder_on_plane,
    sphere_on_shape,
    torus_on_plane,
)
from flexmbs.mechanism.contact.shapes import Plane, Point, Shape, Sphere
from flexmbs.mechanism.contact.surface import RigidSurface
from flexmbs.mechanism.contact.surface_pairs import sphere_against_surface, surface_against_shape, surface_against_surface
from flexmbs.mechanism.contact.torus import Torus

#: Contact points of two shapes; ``where`` names the contact in messages.
Expansion = Callable[[Any, Any, str], list[ContactPoint]]


def sphere_on_plane(sphere: Sphere, plane: Plane, where: str) -> list[ContactPoint]:
    """One point, below the centre of the sphere."""
    if not plane.marker.can_turn:
        raise MechanismError(f"{where}: a plane needs a marker that can turn, not '{plane.marker.label}'")
    return [ContactPoint(sphere.marker, plane.marker, radius_a=sphere.radius, normal=plane.normal)]


def sphere_on_sphere(first: Sphere, second: Sphere, where: str) -> list[ContactPoint]:
    """One point, between the centres."""
    if first.radius + second.radius <= 0.0:
        raise MechanismError(f"{where}: two points cannot touch; give at least one a radius")
    return [ContactPoint(first.marker, second.marker, radius_a=first.radius, radius_b=second.radius)]


PAIRS: dict[tuple[type, type], Expansion] = {
    (Sphere, Plane): sphere_on_plane,
    (Sphere, Sphere): sphere_on_sphere,
    (Sphere, Capsule): sphere_on_shape,
    (Sphere, Cylinder): sphere_on_shape,
    (Sphere, Bore): sphere_on_shape,
    (Sphere, Cavity): sphere_on_shape,
    (Sphere, Box): sphere_on_shape,
    (Sphere, Torus): sphere_on_shape,
    (Sphere, Rectangle): sphere_on_shape,
    (Sphere, Disc): sphere_on_shape,
    (Sphere, RigidSurface): sphere_on_shape,
    (Capsule, Plane): capsule_ends_on_shape,
    (Capsule, Bore): capsule_ends_on_shape,
    (Capsule, Cavity): capsule_ends_on_shape,
    (Capsule, Capsule): capsule_on_shape,
    (Capsule, Cylinder): capsule_on_shape,
    (Capsule, Box): capsule_on_shape,
    (Capsule, Torus): capsule_on_shape,
    (Capsule, Rectangle): capsule_on_shape,
    (Capsule, Disc): capsule_on_shape,
    (Capsule, RigidSurface): capsule_on_shape,
    (Box, Plane): corners_on_shape,
    (Box, Bore): corners_on_shape,
    (Box, Cavity): corners_on_shape,
    (Box, Box): convex_on_convex,
    (Box, Cylinder): convex_on_convex,
    (Box, Rectangle): convex_on_convex,
    (Box, Disc): convex_on_convex,
    (Cylinder, Plane): cylinder_on_plane,
    (Cylinder, Bore): cylinder_in_bore,
    (Cylinder, Cylinder): convex_on_convex,
    (Cylinder, Rectangle): convex_on_convex,
    (Cylinder, Disc): convex_on_convex,
    (Torus, Plane): torus_on_plane,
    (Torus, Rectangle): convex_on_convex,
    (Torus, Disc): convex_on_convex,
    (Sphere, BodySurface): sphere_against_surface,
    (BodySurface, BodySurface): surface_against_surface,
    **{
        (BodySurface, kind): surface_against_shape
        for kind in (Plane, Capsule, Cylinder, Bore, Cavity, Box, Torus, Rectangle, Disc, RigidSurface)
    },
}


# Of rigid contact, where it differs: one closest point would jump as a face comes to rest on a face.
RIGID_PAIRS: dict[tuple[type, type], Expansion] = {
    (Box, Box): rounded_on_rounded,
    (Box, Rectangle): rounded_on_rounded,
    (Capsule, Box): rounded_on_rounded,
    (Capsule, Capsule): rounded_on_rounded,
    (Capsule, Rectangle): rounded_on_rounded,
}


def contact_points(first: Shape, second: Shape, where: str, rigid: bool = False) -> tuple[Shape, Shape, tuple[ContactPoint, ...]]:
    """The shapes in the order of their pair, and its contact points; ``rigid``: of rigid contact.

    Raises
    ------
    MechanismError
        The two cannot touch: the message names what each of them can.
    """
    known_pairs = PAIRS | RIGID_PAIRS if rigid else PAIRS
    for one, two in ((first, second), (second, first)):
        for kind_one in type(one).__mro__:
            for kind_two in type(two).__mro__:
                if (kind_one, kind_two) in known_pairs:
                    return one, two, tuple(known_pairs[kind_one, kind_two](one, two, where))
    names = type(first).__name__, type(second).__name__
    partners = sorted({(b if isinstance(first, a) else a).__name__ for a, b in PAIRS if isinstance(first, (a, b))})
    known = f"; a {names[0]} can touch: {', '.join(partners)}" if partners else f"; known shapes: {', '.join(shapes())}"
    raise MechanismError(f"{where}: no contact between a {names[0]} and a {names[1]}{known}. Point is a Sphere")


def shapes() -> list[str]:
    """Names of all shapes."""
    return sorted({kind.__name__ for pair in PAIRS for kind in pair} | {Point.__name__})
