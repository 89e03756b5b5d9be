"""Which shapes can touch, and what contact points each pair becomes: one line for each pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.contact.contact_point import ContactPoint
from flexmbs.mechanism.contact.shapes import Plane, Point, Shape, Sphere
from flexmbs.mechanism.contact.body_surface import Surface
from flexmbs.mechanism.contact.surface_pairs import (
    sphere_against_surface,
    surface_against_plane,
    surface_against_surface,
)

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
    (Sphere, Surface): sphere_against_surface,
    (Surface, Plane): surface_against_plane,
    (Surface, Surface): surface_against_surface,
}


def contact_points(first: Shape, second: Shape, where: str) -> tuple[Shape, Shape, tuple[ContactPoint, ...]]:
    """The shapes in the order of their pair, and its contact points.

    Raises
    ------
    MechanismError
        The two cannot touch: the message names what each of them can.
    """
    for one, two in ((first, second), (second, first)):
        for kind_one in type(one).__mro__:
            for kind_two in type(two).__mro__:
                if (kind_one, kind_two) in PAIRS:
                    return one, two, tuple(PAIRS[kind_one, kind_two](one, two, where))
    names = type(first).__name__, type(second).__name__
    partners = sorted({(b if isinstance(first, a) else a).__name__ for a, b in PAIRS if isinstance(first, (a, b))})
    known = f"; a {names[0]} can touch: {', '.join(partners)}" if partners else f"; known shapes: {', '.join(shapes())}"
    raise MechanismError(f"{where}: no contact between a {names[0]} and a {names[1]}{known}. Point is a Sphere")


def shapes() -> list[str]:
    """Names of all shapes."""
    return sorted({kind.__name__ for pair in PAIRS for kind in pair} | {Point.__name__})
