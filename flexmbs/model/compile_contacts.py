"""Records of contact points, and of groups of shapes."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import make_record, make_records
from flexmbs.core.layout.switch_tables import RIGID_HISTORY
from flexmbs.mechanism.contact.contact import Contact, ContactPoint
from flexmbs.mechanism.contact.contact_group import ContactGroup
from flexmbs.mechanism.time_signals import CompiledSignals
from flexmbs.model.compile_contact_laws import law_fields, law_parameters
from flexmbs.model.compile_friction import compiled_friction
from flexmbs.model.pool import Pool


def contact_record(
    contact: Contact, point: ContactPoint, links: dict[str, int], history_at: int, pool: Pool, signals: CompiledSignals
) -> np.void:
    """Record of one contact point; ``links``: its markers a and b, and the fields of its friction."""
    where = f"contact '{contact.name}'"
    law = law_fields(contact.law, where, signals)
    if contact.law.is_rigid:
        if point.many_points or point.follows_surface:
            raise MechanismError(
                f"{where}: rigid contact is for shapes on markers, not for surfaces that deform; use an elastic "
                "law, or spheres on markers of the body"
            )
        law |= {"rigid": 1, "history": RIGID_HISTORY}
    return make_record(
        t.CONTACT,
        **links,
        **_geometry_fields(point, pool),
        at=pool.add(law_parameters(contact.law, where)),
        history_at=history_at,
        **law,
    )


def friction_fields(compiler, contact: Contact, name: str, point: ContactPoint) -> dict[str, int]:
    """Fields of the record of contact point ``name`` that belong to its friction; its bristles become coordinates."""
    if contact.friction is None:
        return {}
    where = f"contact '{contact.name}'"
    made = compiled_friction(contact.friction, where, compiler.signals, line=False)
    fields = {
        "friction": made.address,
        "friction_law": made.law,
        "friction_at": compiler.pool.add(made.parameters),
        "friction_parameters": len(made.parameters),
    }
    if not point.many_points:
        return fields | compiler.add_bristles(name, made) | {"friction_record": compiler.forces.add_friction(name)}
    if made.bristles:
        raise MechanismError(
            f"{where}: friction with bristles is not for surfaces that touch at many points; use fm.Coulomb, "
            "fm.Stribeck or fm.Threlfall"
        )
    return fields


def _geometry_fields(point: ContactPoint, pool: Pool) -> dict[str, Any]:
    if point.geometry is None:
        plane = point.normal is not None
        return {
            "kind": t.SPHERE_PLANE if plane else t.SPHERE_SPHERE,
            "radius_a": point.radius_a,
            "radius_b": point.radius_b,
            "normal": point.normal if plane else 0.0,
        }
    kind = t.SURFACES if point.many_points else t.POINT_ON_SURFACE if point.follows_surface else t.SHAPE_PAIR
    numbers = np.concatenate([point.numbers, [pool.add_once(values) for values in point.shared]])
    return {
        "kind": kind,
        "always": int(point.always),
        "scratch": point.scratch,
        "radius_a": point.radius_a,
        "radius_b": point.radius_b,
        "geometry": point.geometry.address,
        "pair": zlib.crc32(point.geometry.__name__.encode()),
        "numbers_at": pool.add(numbers),
        "numbers": len(numbers),
    }


def group_records(compiler, group: ContactGroup, number: int, history_at: int) -> dict[str, np.ndarray]:
    """Records of ``contacts``, ``features`` and ``groups`` and the ``excluded`` pairs of a group.

    ``history_at``: where the numbers begin that its contacts remember.
    """
    where = f"contact_all '{group.name}'"
    law = law_fields(group.law, where, compiler.signals)
    if group.law.is_rigid:
        law |= {"rigid": 1, "history": RIGID_HISTORY}
    markers = [compiler.marker(shape.marker) for shape in group.shapes]
    contacts = make_records(
        t.CONTACT,
        group.max_contacts,
        kind=t.SPHERE_SPHERE,
        a=markers[0],
        b=markers[-1],
        group=number,
        at=compiler.pool.add(law_parameters(group.law, where)),
        **law,
        history_at=history_at + law["history"] * np.arange(group.max_contacts),
    )
    features = make_records(
        t.FEATURE,
        len(markers),
        marker=markers,
        body=[compiler.body_index[shape.marker.body] for shape in group.shapes],
        radius=[sphere.radius for sphere in group.spheres] + [0.0] * len(group.planes),
        is_plane=[0] * len(group.spheres) + [1] * len(group.planes),
    )
    for feature, plane in zip(features[len(group.spheres) :], group.planes, strict=True):
        feature["normal"] = plane.normal
    excluded = group.excluded_numbers()
    start, slot_start, excluded_start = (len(compiler.records[key]) for key in ("features", "contacts", "excluded"))
    record = make_record(
        t.GROUP,
        start=start,
        plane_start=start + len(group.spheres),
        end=start + len(markers),
        slot_start=slot_start,
        slot_end=slot_start + group.max_contacts,
        excluded_start=excluded_start,
        excluded_end=excluded_start + len(excluded),
    )
    return {"contacts": contacts, "features": features, "groups": record, "excluded": excluded}
