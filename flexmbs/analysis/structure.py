"""From the compiled model to the constant part of a result."""

from __future__ import annotations

import numpy as np

from flexmbs.model.model import Model
from flexmbs.reduction.body import FlexibleBody
from flexmbs.result import BodyRecord, ContactPair, MarkerRecord, Structure
from flexmbs.system.contacts import Plane
from flexmbs.system.system import System

_BOX_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def result_structure(system: System, model: Model) -> Structure:
    """Bodies, markers, contacts and names as results store them."""
    markers, index = [], {}
    for name, part in system.bodies.items():
        for marker in part.markers.values():
            index[name, marker.name] = len(markers)
            markers.append(MarkerRecord(marker.name, name, marker.fields, marker.position, marker.rotation))
    pairs = []
    for contact in system.contacts.values():
        a, b = contact.first.marker, contact.second.marker
        plane = isinstance(contact.second, Plane)
        pairs.append(
            ContactPair(
                contact.name, index[a.body, a.name], index[b.body, b.name], contact.first.radius,
                0.0 if plane else contact.second.radius, np.array(contact.second.normal) if plane else None,
            )
        )  # fmt: skip
    return Structure(
        bodies=tuple(_body_record(name, model) for name in model.body_names),
        coordinate_names=model.stored_names,
        rate_names=model.rate_names,
        markers=tuple(markers),
        contacts=tuple(pairs),
        coordinate_units=model.stored_units,
        quaternion_starts=tuple(_stored_index(model, start) for start in model.balls),
        rate_of=_rate_of(model),
        gravity=model.tables.gravity,
    )


def _stored_index(model: Model, local: int) -> int:
    """Stored coordinates have one entry more than local ones for every ball before them."""
    return local + sum(start < local for start in model.balls)


def _rate_of(model: Model) -> np.ndarray:
    columns = model.stored_columns
    return np.where(columns < len(model.coordinate_names), columns, -1)


def _body_record(name: str, model: Model) -> BodyRecord:
    body = model.bodies.get(name)
    if isinstance(body, FlexibleBody):
        start = model.modal[name].start
        return BodyRecord(name, body, _stored_index(model, start), start)
    if body is None:
        return BodyRecord(name)
    if body.size is None:
        return BodyRecord(name, center=body.center)
    faces = np.column_stack([np.full(6, 4), _BOX_FACES]).ravel()
    return BodyRecord(name, center=body.center, shape_points=body.center + _BOX_CORNERS * body.size, shape_faces=faces)
