"""Contact points of surfaces of bodies: with spheres, with rigid shapes, with each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.surfaces import layout
from flexmbs.core.contact.surfaces.many_points import points_on_shape, points_on_surface
from flexmbs.core.contact.surfaces.sphere_on_surface import sphere_on_surface
from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.mechanism.contact.body_surface import BodySurface
from flexmbs.mechanism.contact.contact import ContactPoint
from flexmbs.mechanism.contact.shape_pairs import turning
from flexmbs.mechanism.contact.shapes import Shape, Sphere


def sphere_against_surface(sphere: Sphere, surface: BodySurface, where: str) -> list[ContactPoint]:
    """One point: where the faces are closest to the centre of the sphere."""
    numbers, end = surface.surface.face_numbers(layout.SCRATCH)
    header = _header({layout.SURFACE_B: layout.CONTACT_HEADER}, surface.thickness)
    return [
        ContactPoint(
            sphere.marker,
            surface.marker,
            sphere_on_surface,
            np.concatenate([header, numbers]),
            follows_surface=True,
            scratch=end,
            radius_a=sphere.radius,
        )
    ]


def surface_against_surface(first: BodySurface, second: BodySurface, where: str) -> list[ContactPoint]:
    """Points of the first surface against the faces of the second: one record."""
    points, end = first.surface.point_numbers(layout.SCRATCH, first.points)
    faces, end = second.surface.face_numbers(end)
    header = _header(
        {layout.SURFACE_A: layout.CONTACT_HEADER, layout.SURFACE_B: layout.CONTACT_HEADER + len(points)}, second.thickness
    )
    numbers = np.concatenate([header, points, faces])
    return [ContactPoint(first.marker, second.marker, points_on_surface, numbers, many_points=True, scratch=end)]


def surface_against_shape(surface: BodySurface, shape: Shape, where: str) -> list[ContactPoint]:
    """Points of a surface against a rigid shape with a distance function (core.contact.distance): one record."""
    turning(where, shape)
    points, end = surface.surface.point_numbers(layout.SCRATCH, surface.points)
    header = _header({layout.SURFACE_A: layout.CONTACT_HEADER, layout.SHAPE_B: layout.CONTACT_HEADER + len(points)}, np.inf)
    numbers = np.concatenate([header, points, shape.numbers])
    return [ContactPoint(surface.marker, shape.marker, points_on_shape, numbers, many_points=True, scratch=end)]


def _header(places: dict[int, int], thickness: float) -> np.ndarray:
    header = np.zeros(layout.CONTACT_HEADER)
    for number, place in places.items():
        header[number] = place
    header[layout.THICKNESS] = min(thickness, 1e300)  # numbers in tables are finite
    return header


def refuse_memory(points: tuple[ContactPoint, ...], law: ContactLaw, friction: Any, where: str) -> None:
    """MechanismError for laws that remember their contact, where many points share one record."""
    if not any(point.many_points for point in points):
        if law.per_area:
            raise MechanismError(
                f"{where}: law {type(law).__name__} gives a pressure, for surfaces that touch at many points; between "
                "these shapes give a force, such as fm.Hertz(...)"
            )
        return
    if not (law.history or law.per_area):
        raise MechanismError(
            f"{where}: law {type(law).__name__} gives a force; surfaces of bodies that touch at many points need a "
            "pressure: fm.ElasticFoundation(stiffness in N/m3, ...), or a law of your own with per_area = True"
        )
    if law.history:
        raise MechanismError(
            f"{where}: law {type(law).__name__} remembers {', '.join(law.history)} of one contact, but a surface has "
            "many points; use a law without a history, such as fm.ElasticFoundation"
        )
    if getattr(friction, "bristles", 0):
        raise MechanismError(
            f"{where}: friction {type(friction).__name__} has bristles, and each point of a surface would need its "
            "own; use a regularised law"
        )
