"""The parts of a mechanism as plain entries: for its description before a run, and for the report of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from flexmbs.analysis.evaluation.massless_motions import mass_properties
from flexmbs.core.layout.tables import PERMANENT
from flexmbs.mechanism.forces import Element
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.model.spanning_tree import spanning_tree


@dataclass(frozen=True)
class BodyEntry:
    """Mass (kg), centre of mass (3,) m, inertia (3, 3) kg m2 about it (body axes), and number of ``modes``."""

    name: str
    kind: str
    mass: float
    center: tuple[float, ...]
    inertia: tuple[tuple[float, ...], ...]
    modes: int
    markers: tuple[str, ...]


@dataclass(frozen=True)
class JointEntry:
    """A joint: its markers as (body, marker), its drivers and forces, and whether it closes a loop."""

    name: str
    kind: str
    a: tuple[str, str]
    b: tuple[str, str]
    coordinates: tuple[str, ...]
    prescribed: tuple[str, ...]
    forces: tuple[tuple[str, str], ...]  # (coordinate, kind of force)
    closes_loop: bool


@dataclass(frozen=True)
class OtherEntry:
    """A constraint, force, contact ...: its name, kind, and the markers or joint coordinates that it acts on."""

    name: str
    kind: str
    acts_on: tuple[str, ...]
    bodies: tuple[str, ...]


@dataclass(frozen=True)
class Entries:
    """All parts in the order stated."""

    bodies: tuple[BodyEntry, ...]
    joints: tuple[JointEntry, ...]
    constraints: tuple[OtherEntry, ...]
    forces: tuple[OtherEntry, ...]
    contacts: tuple[OtherEntry, ...]


def entries(system: Mechanism) -> Entries:
    """Bodies, joints, constraints, forces and contacts of a system."""
    cut = {joint.name for joint in spanning_tree(system).cut}
    return Entries(
        bodies=tuple(_body(part) for name, part in system.bodies.items() if name != "ground"),
        joints=tuple(_joint(joint, joint.name in cut) for joint in system.joints.values()),
        constraints=tuple(_other(item) for item in system.constraints.values()),
        forces=tuple(_other(item) for group in _force_groups(system) for item in group.values()),
        contacts=tuple(_other(item) for item in (*system.contacts.values(), *system.contact_groups.values())),
    )


def stated_model(system: Mechanism, model: Model) -> dict[str, object]:
    """The entries of a prepared model as plain values, its coordinates, gravity and degrees of freedom.

    ``redundant``: number of scalar constraints that others imply.
    """
    permanent = model.tables.coordinates["multiplier"] == PERMANENT
    independent = int(np.count_nonzero(permanent[model.tables.free]))
    own = model.free_coordinates
    moving = int(np.count_nonzero(~model.state_coordinates[own]))
    return {
        **asdict(entries(system)),
        "coordinates": system.coordinates,
        "gravity": [float(x) for x in system.gravity],
        "freedoms": moving - independent,
        "redundant": int(np.count_nonzero(permanent)) - independent,
    }


def _body(part) -> BodyEntry:
    mass, center, inertia = mass_properties(part.body)
    return BodyEntry(
        part.name,
        "flexible" if part.is_flexible else "rigid",
        mass,
        tuple(float(x) for x in center),
        tuple(tuple(float(x) for x in row) for row in inertia),
        part.mode_count,
        tuple(part.markers),
    )


def _joint(joint, cut: bool) -> JointEntry:
    return JointEntry(
        joint.name,
        joint.type.name,
        (joint.a.body, joint.a.name),
        (joint.b.body, joint.b.name),
        joint.coordinates,
        tuple(joint.drivers),
        tuple((e.coordinate, e.kind) for e in joint.forces),
        cut,
    )


def _force_groups(system: Mechanism) -> list[dict]:
    """All named groups of a system other than bodies, joints, constraints and contacts."""
    known = {"bodies", "joints", "constraints", "contacts", "contact_groups"}
    return [group for word, group in vars(system).items() if isinstance(group, dict) and word not in known]


def _other(item) -> OtherEntry:
    if isinstance(item, Element):
        kind = item.kind
    else:
        kind = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in type(item).__name__).strip()
    if getattr(item, "is_torque", None) is not None:
        kind = "torque" if item.is_torque else "force"
    kind = f"rigid {kind}" if getattr(getattr(item, "law", None), "is_rigid", False) else kind
    labels, bodies = [], []
    for label, touched in _acted_on(item):
        labels.append(label)
        bodies += touched
    return OtherEntry(getattr(item, "name", str(item)), kind, tuple(labels), tuple(dict.fromkeys(bodies)))


def _acted_on(item) -> list[tuple[str, list[str]]]:
    """Markers and joint coordinates that an element refers to, with their bodies."""
    found = []
    for value in vars(item).values() if hasattr(item, "__dict__") else ():
        if isinstance(value, Marker):
            found.append((value.label, [value.body]))
        elif isinstance(getattr(value, "marker", None), Marker):
            found.append((value.marker.label, [value.marker.body]))
        elif type(value).__name__ == "Joint":
            found.append((value.name, [value.a.body, value.b.body]))
        elif isinstance(value, tuple | list):
            for part in value:
                if isinstance(part, Marker):
                    found.append((part.label, [part.body]))
                elif isinstance(part, tuple) and part and type(part[0]).__name__ == "Joint":
                    found.append((f"{part[0].name}.{part[1]}", [part[0].a.body, part[0].b.body]))
    return found
