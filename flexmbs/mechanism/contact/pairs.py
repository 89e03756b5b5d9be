"""Which shapes can touch, and what contact points each pair becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.contact.body_surface import BodySurface
from flexmbs.mechanism.contact.box import Box
from flexmbs.mechanism.contact.capsule import Capsule
from flexmbs.mechanism.contact.contact import ContactPoint
from flexmbs.mechanism.contact.cylinder import Cylinder
from flexmbs.mechanism.contact.finite_planes import Disc, Rectangle
from flexmbs.mechanism.contact.shape_pairs import (
    capsule_ends_on_shape,
    capsule_on_shape,
    convex_on_convex,
    corners_on_shape,
    cylinder_in_bore,
    cylinder_on_plane,
    rounded_on_rounded,
    sphere_on_shape,
    torus_on_plane,
    turning,
)
from flexmbs.mechanism.contact.shapes import Plane, Point, Shape, Sphere
from flexmbs.mechanism.contact.surface import RigidSurface
from flexmbs.mechanism.contact.surface_pairs import sphere_against_surface, surface_against_shape, surface_against_surface
from flexmbs.mechanism.contact.torus import Bore, Cavity, Torus

#: Contact points of two shapes; ``where`` names the contact in messages.
Expansion = Callable[[Any, Any, str], list[ContactPoint]]


def sphere_on_plane(sphere: Sphere, plane: Plane, where: str) -> list[ContactPoint]:
    """One point, below the centre of the sphere."""
    turning(where, plane)
    return [ContactPoint(sphere.marker, plane.marker, radius_a=sphere.radius, normal=plane.normal)]


def sphere_on_sphere(first: Sphere, second: Sphere, where: str) -> list[ContactPoint]:
    """One point, between the centres."""
    if first.radius + second.radius <= 0.0:
        raise MechanismError(f"{where}: two points cannot touch; give at least one a radius")
    return [ContactPoint(first.marker, second.marker, radius_a=first.radius, radius_b=second.radius)]


def rigid_on_surface(shape: Any, surface: RigidSurface, where: str) -> list[ContactPoint]:
    """One point, on a surface that is nowhere more hollow than the shape is round."""
    if surface.hollow <= shape.radius:
        raise MechanismError(
            f"{where}: the surface has concave edges, or places with a radius of {surface.hollow:.3g} m, where a "
            f"{type(shape).__name__} touches at two places at once and a rigid contact at one; state a contact with each convex "
            "part, or a law with stiffness"
        )
    return (sphere_on_shape if isinstance(shape, Sphere) else capsule_on_shape)(shape, surface, where)


PAIRS: dict[tuple[type, type], Expansion] = {
    (Sphere, Plane): sphere_on_plane,
    (Sphere, Sphere): sphere_on_sphere,
    **{(Sphere, kind): sphere_on_shape for kind in (Capsule, Cylinder, Bore, Cavity, Box, Torus, Rectangle, Disc, RigidSurface)},
    **dict.fromkeys([(Capsule, kind) for kind in (Plane, Bore, Cavity)], capsule_ends_on_shape),
    **dict.fromkeys([(Capsule, kind) for kind in (Capsule, Cylinder, Box, Rectangle, Disc, RigidSurface)], capsule_on_shape),
    **dict.fromkeys([(Box, kind) for kind in (Plane, Bore, Cavity)], corners_on_shape),
    **dict.fromkeys([(Box, kind) for kind in (Box, Cylinder, Rectangle, Disc)], convex_on_convex),
    (Cylinder, Plane): cylinder_on_plane,
    (Cylinder, Bore): cylinder_in_bore,
    **dict.fromkeys([(Cylinder, kind) for kind in (Cylinder, Rectangle, Disc)], convex_on_convex),
    (Torus, Plane): torus_on_plane,
    **dict.fromkeys([(Torus, kind) for kind in (Rectangle, Disc)], convex_on_convex),
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
    (Sphere, RigidSurface): rigid_on_surface,
    (Capsule, RigidSurface): rigid_on_surface,
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
    ring = "; what lies on a Torus touches it at several places at once: put spheres along one of them" if "Torus" in names else ""
    raise MechanismError(f"{where}: no contact between a {names[0]} and a {names[1]}{known}. Point is a Sphere{ring}")


def shapes() -> list[str]:
    """Names of all shapes."""
    return sorted({kind.__name__ for pair in PAIRS for kind in pair} | {Point.__name__})
