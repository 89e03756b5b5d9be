"""Records of contact points."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import make_record
from flexmbs.mechanism.contact.contact import Contact
from flexmbs.mechanism.contact.contact_point import ContactPoint
from flexmbs.mechanism.time_signals import CompiledSignals
from flexmbs.model.compile_contact_laws import law_fields, law_parameters
from flexmbs.model.compile_friction import compiled_friction
from flexmbs.model.pool import Pool


def contact_record(
    contact: Contact, point: ContactPoint, links: dict[str, int], history_at: int, pool: Pool, signals: CompiledSignals
) -> np.void:
    """Record of one contact point; ``links``: its markers a and b, and the fields of its friction."""
    where = f"contact '{contact.name}'"
    return make_record(
        t.CONTACT, **links, **_geometry_fields(point, pool), at=pool.add(law_parameters(contact.law, where)),
        history_at=history_at, **law_fields(contact.law, where, signals),
    )  # fmt: skip


def friction_fields(compiler, contact: Contact, name: str, point: ContactPoint) -> dict[str, int]:
    """Fields of the record of contact point ``name`` that belong to its friction; its bristles become coordinates."""
    if contact.friction is None:
        return {}
    where = f"contact '{contact.name}'"
    made = compiled_friction(contact.friction, where, compiler.signals, line=False)
    fields = {
        "friction": made.address, "friction_law": made.law, "friction_at": compiler.pool.add(made.parameters),
        "friction_parameters": len(made.parameters),
    }  # fmt: skip
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
            "kind": t.SPHERE_PLANE if plane else t.SPHERE_SPHERE, "radius_a": point.radius_a,
            "radius_b": point.radius_b, "normal": point.normal if plane else 0.0,
        }  # fmt: skip
    kind = t.SURFACES if point.many_points else t.POINT_ON_SURFACE if point.follows_surface else t.SHAPE_PAIR
    numbers = np.concatenate([point.numbers, [pool.add_once(values) for values in point.shared]])
    return {
        "kind": kind, "scratch": point.scratch, "radius_a": point.radius_a, "radius_b": point.radius_b,
        "geometry": point.geometry.address, "pair": zlib.crc32(point.geometry.__name__.encode()),
        "numbers_at": pool.add(numbers), "numbers": len(numbers),
    }  # fmt: skip
