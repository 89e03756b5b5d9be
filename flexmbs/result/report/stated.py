"""The model of a result as it was stated, read from what runs store (``Structure.stated``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from flexmbs.result.structure import Structure


@dataclass(frozen=True)
class StatedModel:
    """Entries of the parts, with the attributes of :class:`flexmbs.Description` that the picture of a topology needs.

    ``known``: False for results of older versions, of which only names of bodies, joints and contacts are known.
    """

    bodies: tuple[Any, ...]
    joints: tuple[Any, ...]
    constraints: tuple[Any, ...]
    forces: tuple[Any, ...]
    contacts: tuple[Any, ...]
    mobility: Any
    redundant: int
    coordinates: str
    known: bool
    run: Mapping[str, Any]


def stated_model(structure: Structure) -> StatedModel:
    """The model of a result; names and kinds alone if the result holds no more, or what it holds is damaged."""
    try:
        return _from_plain(structure.stated)
    except (KeyError, TypeError, ValueError, AttributeError):
        return _from_records(structure)


def _from_plain(stated: Mapping[str, Any]) -> StatedModel:
    return StatedModel(
        bodies=tuple(_entry(body, name=str, kind=str, mass=float, modes=int) for body in stated["bodies"]),
        joints=tuple(_entry(joint, name=str, kind=str, closes_loop=bool, a=_end, b=_end) for joint in stated["joints"]),
        **{
            kind: tuple(_entry(one, name=str, kind=str, acts_on=tuple, bodies=tuple) for one in stated[kind])
            for kind in ("constraints", "forces", "contacts")
        },
        mobility=SimpleNamespace(freedoms=int(stated["freedoms"])),
        redundant=int(stated["redundant"]),
        coordinates=str(stated["coordinates"]),
        known=True,
        run=dict(stated.get("run", {})),
    )


def _end(value: Any) -> tuple[str, str]:
    body, marker = value
    return str(body), str(marker)


def _entry(plain: Mapping[str, Any], **kinds: Any) -> SimpleNamespace:
    """An entry with all of its fields, those named here of the type that they must have."""
    return SimpleNamespace(**{**plain, **{name: kind(plain[name]) for name, kind in kinds.items()}})


def _from_records(structure: Structure) -> StatedModel:
    def end(marker: int) -> tuple[str, str]:
        record = structure.markers[marker]
        return record.body, record.name

    def pair(a: int, b: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys((structure.markers[a].body, structure.markers[b].body)))

    bodies = [
        SimpleNamespace(
            name=body.name,
            kind="rigid" if body.flexible is None else "flexible",
            mass=None if body.flexible is None else body.flexible.mass,
            modes=0 if body.flexible is None else body.flexible.mode_count,
            center=(),
            inertia=(),
            markers=(),
        )
        for body in structure.bodies[1:]
    ]
    joints = [
        SimpleNamespace(
            name=joint.name,
            kind=joint.kind,
            a=end(joint.marker_a),
            b=end(joint.marker_b),
            coordinates=(),
            prescribed=(),
            forces=(),
            closes_loop=False,
        )
        for joint in structure.joints
    ]
    contacts = [
        SimpleNamespace(name=contact.name, kind="contact", acts_on=(), bodies=pair(contact.marker_a, contact.marker_b))
        for contact in structure.contacts
    ]
    return StatedModel(tuple(bodies), tuple(joints), (), (), tuple(contacts), None, 0, "", False, {})
