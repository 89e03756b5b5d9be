"""Conversion of the compiled model to the constant part of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

import numpy as np

from flexmbs.analysis.recording.entries import stated_model
from flexmbs.analysis.recording.reactions import reaction_slots
from flexmbs.common.versions import library_versions
from flexmbs.core.laws.force.spring import SpringLaw
from flexmbs.mechanism.clearance.play_points import pin_ends
from flexmbs.mechanism.constraints import Belt, Cable, Distance
from flexmbs.mechanism.contact.contact import Contact, ContactPoint
from flexmbs.mechanism.contact.shapes import Plane, Sphere
from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.joint_type import JointType
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.result.structure import (
    BodyRecord,
    ClearanceRecord,
    ContactPair,
    JointRecord,
    LinkRecord,
    MarkerRecord,
    OutlineRecord,
    Structure,
)

CURVE_POINTS = 241  # of a curve as stored for pictures


def result_structure(system: Mechanism, model: Model) -> Structure:
    """Bodies, markers, contacts and names as stored in a result."""
    markers: list[MarkerRecord] = []
    index: dict[tuple[str, str], int] = {}

    def place(marker: Marker) -> int:
        """Number of a marker; the frame of a flexible body is none of its own, and is taken where something uses it."""
        key = marker.body, marker.name
        if key not in index:
            index[key] = len(markers)
            markers.append(MarkerRecord(marker.name, marker.body, marker.fields, marker.position, marker.rotation))
        return index[key]

    for part in system.bodies.values():
        for marker in part.markers.values():
            place(marker)
    pairs = []
    for contact in system.contacts.values():
        for label, point in zip(contact.point_names, contact.points, strict=True):
            pairs.append(ContactPair(label, place(point.a), place(point.b), *_radii_and_normal(contact, point)))
    joints = tuple(
        JointRecord(
            name,
            place(joint.a),
            place(joint.b),
            _free(joint.type, "translation"),
            _free(joint.type, "rotation"),
            joint.type.name,
            _curve_points(joint.type),
        )
        for name, joint in system.joints.items()
    )
    outlines, links = tuple(_outlines(system, place)), tuple(_links(system, place))  # which may take further markers
    return Structure(
        bodies=tuple(_body_record(name, model) for name in model.body_names),
        coordinate_names=model.stored_names,
        rate_names=model.rate_names,
        markers=tuple(markers),
        contacts=tuple(pairs),
        outlines=outlines,
        joints=joints,
        links=links,
        clearances=tuple(_clearance(joint, system) for joint in system.joints.values() if joint.clearance is not None),
        coordinate_units=model.stored_units,
        quaternion_starts=tuple(_stored_index(model, start) for start in model.balls),
        rate_of=_rate_of(model),
        gravity=model.tables.gravity,
        reaction_names=tuple(name for name, _slot in reaction_slots(model)),
        driven_names=tuple(model.coordinate_names[k] for k in model.driven_coordinates),
        record_names=tuple(column.name for column in model.record_columns),
        record_units=tuple(column.unit for column in model.record_columns),
        stated=stated_model(system, model),
    )


def with_run(structure: Structure, t_end: float, requested: Mapping[str, str]) -> Structure:
    """``structure`` with how it is run: end (s), requested settings as text, versions, date."""
    run = {
        "t_end": t_end,
        "settings": dict(requested),
        "versions": library_versions(),
        "began": datetime.now().astimezone().isoformat(timespec="seconds"),
    }
    return replace(structure, stated={**structure.stated, "run": run})


def _links(system: Mechanism, place: Callable[[Marker], int]) -> list[LinkRecord]:
    """Springs, bushings, rods and cables with their markers; ``place``: number of a marker."""
    springs = [(spring.name, spring.kind, (spring.a, spring.b)) for spring in system.springs.values()]
    springs += [
        (force.name, "torsion spring", (joint.a, joint.b))
        for joint in system.joints.values()
        for force in joint.forces
        if isinstance(force.law, SpringLaw) and joint.type.coordinates[force.coordinate] == "rad"
    ]
    bushings = [(bushing.name, "bushing", (bushing.a, bushing.b)) for bushing in system.bushings.values()]
    rods = [(rod.name, "rod", (rod.a, rod.b)) for rod in system.constraints.values() if isinstance(rod, Distance)]
    cables = [(cable.name, "cable", cable.markers) for cable in system.constraints.values() if isinstance(cable, Cable)]
    return [
        LinkRecord(name, kind, tuple(map(place, ends)))
        for name, kind, ends in (*springs, *bushings, *rods, *cables)
        if all(end is not None for end in ends)
    ] + [_belt(belt, place) for belt in system.belts.values()]


def _belt(belt: Belt, place: Callable[[Marker], int]) -> LinkRecord:
    """A belt over the first markers of its pulleys' joints; a closed one ends where it begins."""
    markers = [place(joint.a) for joint in belt.pulleys]
    radii = list(belt.radii)
    if belt.closed:
        markers, radii = [*markers, markers[0]], [*radii, radii[0]]
    return LinkRecord(belt.name, "belt", tuple(markers), tuple(float(radius) for radius in radii))


def _curve_points(joint: JointType) -> np.ndarray:
    """(k, 3) m, points of the curve along which a joint moves, in axes of its first marker; (0, 3) without one."""
    curve = joint.axes[0].curve if joint.axes and joint.axes[0].kind == "curve" else None
    if not isinstance(curve, Curve):
        return np.zeros((0, 3))
    return curve.position(np.linspace(0.0, curve.length, CURVE_POINTS))


def _clearance(joint: Joint, system: Mechanism) -> ClearanceRecord:
    play, units = joint.clearance, joint.type.coordinates
    assert play is not None
    shifts = tuple(name for name in joint.type.play if units[name] == "m" and name != "w")
    return ClearanceRecord(
        joint.name,
        system.contacts[joint.name].point_names,
        shifts,
        tuple(pin_ends(joint.type, play)),
        play.radial,
        play.radius or 0.0,
        play.length or 0.0,
    )


def _radii_and_normal(contact: Contact, point: ContactPoint) -> tuple[float, float, np.ndarray | None]:
    """What pictures need to draw spheres and planes themselves."""
    first, second = contact.first, contact.second
    if point.geometry is None:
        return point.radius_a, point.radius_b, None if point.normal is None else np.array(point.normal)
    radii = [shape.radius if isinstance(shape, Sphere) else 0.0 for shape in (first, second)]
    return *radii, np.array(second.normal) if isinstance(second, Plane) else None


def _outlines(system: Mechanism, place: Callable[[Marker], int]) -> list[OutlineRecord]:
    """Surfaces of all shapes of contacts but spheres and planes, each once; ``place``: number of a marker."""
    found: dict[tuple[int, bytes], OutlineRecord] = {}
    for contact in system.contacts.values():
        for shape in (contact.first, contact.second):
            outline = None if isinstance(shape, Sphere | Plane) else shape.outline()
            if outline is not None:
                points, faces = (np.asarray(part) for part in outline)
                if faces.ndim == 2:  # all with the same number of corners
                    faces = np.insert(faces, 0, faces.shape[1], axis=1).ravel()
                marker = place(shape.marker)
                found[marker, points.tobytes()] = OutlineRecord(marker, points.astype(float), faces.astype(np.int64))
    return list(found.values())


def _free(joint: JointType, kind: str) -> np.ndarray:
    """(k, 3) orthonormal basis of the directions of all axes of that kind; a ball joint rotates about any axis."""
    if kind == "rotation" and joint.ends_with_ball:
        return np.eye(3)
    directions = np.array([axis.direction for axis in joint.axes if axis.kind == kind]).reshape(-1, 3)
    if len(directions) == 0:
        return directions
    _, sizes, basis = np.linalg.svd(directions, full_matrices=False)
    return basis[sizes > 1e-9]


def _stored_index(model: Model, local: int) -> int:
    """Index of a stored coordinate: each ball joint before it adds one entry (a quaternion has four)."""
    return local + sum(start < local for start in model.balls)


def _rate_of(model: Model) -> np.ndarray:
    """``Structure.rate_of``; condensed modes have no rate and are interpolated linearly between steps."""
    columns = model.stored_columns
    rated = np.append(model.tables.coordinates["unit"][: model.coordinate_count] == 0.0, False)
    return np.where(rated[np.minimum(columns, model.coordinate_count)], columns, -1)


def _body_record(name: str, model: Model) -> BodyRecord:
    body = model.bodies.get(name)
    if isinstance(body, FlexibleBody):
        start = model.modal[name].start
        return BodyRecord(name, body, _stored_index(model, start), start)
    if body is None:
        return BodyRecord(name)
    shape = {} if body.surface is None else {"shape_points": body.surface.points, "shape_faces": body.surface.faces}
    return BodyRecord(name, center=body.center, mass=float(body.mass), inertia=body.inertia, **shape)
