"""Where two surfaces touch at one time of a result: points, depths and pressures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.core.contact.surfaces import layout
from flexmbs.core.contact.surfaces.closest_point import surface_gap
from flexmbs.mechanism.contact.contact import Contact
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.result.interpolation import frames_at
from flexmbs.result.result import Result


@dataclass(frozen=True)
class ContactPressure:
    """Points of the first surface of a contact that penetrate the second.

    Attributes
    ----------
    points : (k, 3) m, world axes
    normals : (k, 3) of the second surface there, world axes
    depths : (k,) m
    areas : (k,) m2 that each point stands for
    pressures : (k,) Pa at rest: without the damping of the law
    """

    points: np.ndarray
    normals: np.ndarray
    depths: np.ndarray
    areas: np.ndarray
    pressures: np.ndarray

    @property
    def area(self) -> float:
        """Of the patch, m2."""
        return float(self.areas.sum())

    @property
    def force(self) -> np.ndarray:
        """(3,) N on the first body, without damping and friction."""
        return (self.pressures * self.areas) @ self.normals


def contact_pressure(system: Mechanism, result: Result, name: str, time: float) -> ContactPressure:
    """The patch of a contact between a surface and another surface or shape at ``time`` (s).

    Parameters
    ----------
    system : of which ``result`` is; name : of the contact

    Raises
    ------
    MechanismError
        There is no such contact, or it has one point only.
    """
    contact = system.contacts.get(name)
    if contact is None or not _has_surface(contact):
        known = [key for key, other in system.contacts.items() if _has_surface(other)]
        raise MechanismError(f"no contact '{name}' of a surface with many points; known: {', '.join(known) or 'none'}")
    point = contact.points[0]
    numbers, cache = point.numbers, np.zeros(point.scratch)
    p_A, R_A, q_A = _body_at(system, result, point.a.body, time)
    first = int(numbers[layout.SURFACE_A])
    places = _deformed(numbers, first, q_A) @ R_A.T + p_A
    p_B, R_B, q_B = _body_at(system, result, point.b.body, time)
    p_B, R_B = p_B + R_B @ point.b.position, R_B @ point.b.rotation
    gaps, normals, out = np.full(len(places), np.inf), np.zeros((len(places), 3)), np.zeros(7)
    second, shape = int(numbers[layout.SURFACE_B]), int(numbers[layout.SHAPE_B])
    for i, local in enumerate(np.ascontiguousarray((places - p_B) @ R_B)):
        if second:
            gaps[i], normals[i] = surface_gap(numbers, second, q_B, 0, cache, local, 0.0, out), out[:3]
        else:
            gaps[i], *normals[i] = shape_distance(numbers, shape, *local)
    deep = (gaps < 0.0) & (gaps >= -numbers[layout.THICKNESS])
    items = first + int(numbers[first + layout.ITEMS_AT])
    law, depths = contact.law, -gaps[deep]
    parameters = np.array([float(value) for value in law.parameters()])
    pressures = np.array([law.force(parameters, depth, 0.0) for depth in depths])
    areas = numbers[items : items + len(places)][deep]
    return ContactPressure(places[deep], normals[deep] @ R_B.T, depths, areas, pressures)


def _has_surface(contact: Contact) -> bool:
    return contact.points[0].many_points and not contact.points[0].always


def _body_at(system: Mechanism, result: Result, name: str, time: float):
    """Position, rotation and modal coordinates of a body."""
    position, rotation = frames_at(result.trajectory, time, [result.structure.body_index(name)])
    q = result.modal(name, time) if system.bodies[name].is_flexible else np.zeros(0)
    return position[0, 0], rotation[0, 0], np.ascontiguousarray(q)


def _deformed(numbers: np.ndarray, s: int, q: np.ndarray) -> np.ndarray:
    """(nodes, 3) where the nodes of a surface are, body axes."""
    n, K, terms, nodes = (int(numbers[s + k]) for k in (layout.MODES, layout.FORMS, layout.TERMS, layout.NODES))

    def part(place: int, *shape: int) -> np.ndarray:
        at = s + int(numbers[s + place])
        return numbers[at : at + int(np.prod(shape))].reshape(shape)

    weights = np.zeros(terms)
    weights[:n] = q
    weights[n : n + K] = np.einsum("rab,a,b->r", part(layout.FORMS_AT, K, n, n), q, q)
    return part(layout.POSITIONS_AT, nodes, 3) + part(layout.FIELDS_AT, nodes, 3, terms) @ weights
