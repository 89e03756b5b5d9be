"""The contact points of a joint with clearance: where its second marker's body can touch that of its first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from flexmbs.core.contact.pairs.joint_play import ball_in_socket, corner_at_rail, face_at_shoulder, pin_in_bore
from flexmbs.core.contact.pairs.journal_film import journal_film
from flexmbs.core.contact.pairs.worn_bore import pin_in_worn_bore
from flexmbs.machine_code.entry import Entry
from flexmbs.mechanism.clearance.clearance import Clearance
from flexmbs.mechanism.clearance.free_motions import across, slider_directions
from flexmbs.mechanism.contact.contact import ContactPoint
from flexmbs.mechanism.joint_type import JointType
from flexmbs.mechanism.markers import Marker

SHOULDER_POINTS = 4  # of a pin that tilts, around each shoulder
SIDES = (-1.0, 1.0)


def play_points(kind: JointType, clearance: Clearance, a: Marker, b: Marker, where: str) -> tuple[ContactPoint, ...]:
    """Points at which a joint of this type, from marker ``a`` to ``b``, touches."""
    makers = {"spherical": ball_points, "prismatic": slider_points}
    found = makers.get(kind.name, pin_points)(kind, clearance, where)
    return tuple(ContactPoint(b, a, geometry, np.array(numbers, dtype=float), label=label) for label, geometry, numbers in found)


def film_point(kind: JointType, clearance: Clearance, a: Marker, b: Marker, where: str) -> ContactPoint:
    """The film of a journal, which acts all the time."""
    film = clearance.film
    least = film.least_thickness
    numbers = [*kind.axes[-1].direction, clearance.radius, clearance.length, clearance.radial, film.viscosity, least]
    return ContactPoint(b, a, journal_film, np.array(numbers, dtype=float), many_points=True, always=True)


Point = tuple[str, Entry, list[float]]


def ball_points(kind: JointType, clearance: Clearance, where: str) -> Iterator[Point]:
    """Of a ball in its socket."""
    yield "", ball_in_socket, [clearance.radius or 0.0, clearance.radial]


def pin_points(kind: JointType, clearance: Clearance, where: str) -> Iterator[Point]:
    """Of a pin in its bore: at its middle or, if it tilts, at both ends; then at its shoulders."""
    axis = kind.axes[-1].direction
    radius = clearance.radius or 0.0
    ends = pin_ends(kind, clearance)
    for end, label in zip(ends, ("end 1", "end 2") if len(ends) == 2 else ("pin",), strict=True):
        numbers = [*axis, *axis, end, radius, clearance.dry]
        if clearance.profile is None:
            yield label, pin_in_bore, numbers
        else:
            u, _v, _w = across(axis, where)
            yield label, pin_in_worn_bore, [*numbers, *u, *clearance.profile.pool_values()]
    if clearance.axial is not None:
        yield from shoulder_points(axis, clearance, where)


def pin_ends(kind: JointType, clearance: Clearance) -> list[float]:
    """m along a pin from its marker: where it can touch its bore; none of joints without a pin."""
    if kind.name not in ("revolute", "cylindrical"):
        return []
    tilts = clearance.tilting and clearance.length is not None
    return [side * 0.5 * clearance.length for side in SIDES] if tilts else [0.0]


def shoulder_points(axis: tuple[float, float, float], clearance: Clearance, where: str) -> Iterator[Point]:
    """Faces of the bearing, with points that do not turn with the pin, between the pin's shoulders.

    Each point is on the bearing, and its rail the plane of the shoulder: so a pin that spins feels no corners.
    """
    u, v, w = (np.array(direction) for direction in across(axis, where))
    angles = 2.0 * np.pi * np.arange(SHOULDER_POINTS) / SHOULDER_POINTS if clearance.tilting else []
    around = [(clearance.radius or 0.0) * (np.cos(angle) * u + np.sin(angle) * v) for angle in angles] or [np.zeros(3)]
    half = 0.5 * (clearance.length or 0.0)
    for side, (number, place) in product(SIDES, enumerate(around, 1)):
        # the shoulder stands outside the face, at half + axial along the pin
        numbers = [*(place + side * half * w), *(-side * w), half + clearance.axial]
        yield f"shoulder {_sign(side)}{f' {number}' if len(around) > 1 else ''}", face_at_shoulder, numbers


def slider_points(kind: JointType, clearance: Clearance, where: str) -> Iterator[Point]:
    """Corners of a slider, each at the rail beside it; without a plane of motion each has two rails."""
    u, v, w = (np.array(direction) for direction in slider_directions(kind, clearance, where))
    widths = clearance.widths
    length = 0.5 * clearance.length
    planar = clearance.normal is not None
    half_u = 0.5 * widths[0]
    half_v = 0.0 if len(widths) == 1 else 0.5 * widths[1]
    for along, beside_u, beside_v in product(SIDES, SIDES, (0.0,) if planar else SIDES):
        corner = along * length * w + beside_u * half_u * u + beside_v * half_v * v
        name = f"{_sign(along)}{_sign(beside_u)}{'' if planar else _sign(beside_v)}"
        rails = [("", beside_u, u, half_u)] if planar else [(" u", beside_u, u, half_u), (" v", beside_v, v, half_v)]
        for suffix, side, direction, half in rails:
            yield f"{name}{suffix}", corner_at_rail, [*corner, *(-side * direction), half + clearance.radial]


def _sign(side: float) -> str:
    return "+" if side > 0.0 else "-"
