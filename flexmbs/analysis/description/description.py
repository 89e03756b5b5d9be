"""Summary of a mechanism before it runs (parts, loops, degrees of freedom): as text, as JSON, as a picture."""

from __future__ import annotations

import importlib
from dataclasses import asdict, dataclass
from pathlib import Path

from flexmbs.analysis.evaluation.massless_motions import mass_properties
from flexmbs.analysis.loops.locking_axes import loop_joints
from flexmbs.analysis.mobility.mobility import Mobility, mobility
from flexmbs.common.errors import FlexmbsError
from flexmbs.mechanism.forces import Element
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.mechanism import System
from flexmbs.model.loop_closure import LoopClosure
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
class Description:
    """See :func:`describe`; ``print(description)`` shows it.

    Attributes
    ----------
    bodies, joints, constraints, forces, contacts : entries in the order stated
    loops : names of the joints of every closed loop
    groups : bodies that move as one because fixed joints connect them
    mobility : degrees of freedom; redundant constraints, isolated and massless freedoms; None if there is a ``problem``
    closing : misaligned joints, bodies bent to close loops, axes that lock a loop
    problem : why the mechanism cannot be assembled; empty if it can
    """

    gravity: tuple[float, ...]
    coordinates: str
    bodies: tuple[BodyEntry, ...]
    joints: tuple[JointEntry, ...]
    constraints: tuple[OtherEntry, ...]
    forces: tuple[OtherEntry, ...]
    contacts: tuple[OtherEntry, ...]
    loops: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    mobility: Mobility | None
    problem: str
    closing: LoopClosure = LoopClosure()

    def __str__(self) -> str:
        from flexmbs.analysis.description.description_text import description_text

        return description_text(self)

    __repr__ = __str__

    def as_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        found = asdict(self)
        found["closing"] = self.closing.as_dict()
        if self.mobility is not None:
            del found["mobility"]["closing"]
            found["mobility"] |= {
                "analysis": self.mobility.analysis,
                "redundant": [{**asdict(item), "sentence": item.sentence} for item in self.mobility.redundant],
            }
        return found

    def save(self, path: str | Path) -> Path:
        """Write a picture of the topology: bodies, ground, joints (dashed where they close a loop)."""
        return importlib.import_module("flexmbs.view.topology").save_topology(self, path)


def describe(system: System) -> Description:
    """Bodies, joints, constraints, forces, loops, degrees of freedom, and the analysis that applies.

    A mechanism that cannot be assembled is described too; ``problem`` then gives the reason.
    """
    closing = None
    try:
        found, problem = (mobility(system), "") if len(system.bodies) > 1 else (None, "the system has no bodies")
        closing = None if found is None else found.closing
    except FlexmbsError as error:
        found, problem, closing = None, str(error), vars(error).get("closing")
    tree = spanning_tree(system)
    cut = {joint.name for joint in tree.cut}
    return Description(
        gravity=tuple(float(x) for x in system.gravity),
        coordinates=system.coordinates,
        bodies=tuple(_body(part) for name, part in system.bodies.items() if name != "ground"),
        joints=tuple(_joint(joint, joint.name in cut) for joint in system.joints.values()),
        constraints=tuple(_other(item) for item in system.constraints.values()),
        forces=tuple(_other(item) for group in _force_groups(system) for item in group.values()),
        contacts=tuple(_other(item) for item in system.contacts.values()),
        loops=tuple(tuple(one.name for one in loop_joints(tree, joint)) for joint in tree.cut),
        groups=fixed_groups(system),
        mobility=found,
        problem=problem,
        closing=closing or LoopClosure(),
    )


def _body(part) -> BodyEntry:
    mass, center, inertia = mass_properties(part.body)
    return BodyEntry(
        part.name, "flexible" if part.is_flexible else "rigid", mass, tuple(float(x) for x in center),
        tuple(tuple(float(x) for x in row) for row in inertia), part.mode_count, tuple(part.markers),
    )  # fmt: skip


def _joint(joint, cut: bool) -> JointEntry:
    return JointEntry(
        joint.name, joint.type.name, (joint.a.body, joint.a.name), (joint.b.body, joint.b.name), joint.coordinates,
        tuple(joint.drivers), tuple((e.coordinate, e.kind) for e in joint.forces), cut,
    )  # fmt: skip


def _force_groups(system: System) -> list[dict]:
    """All named groups of a system other than bodies, joints, constraints and contacts."""
    known = {"bodies", "joints", "constraints", "contacts"}
    return [group for word, group in vars(system).items() if isinstance(group, dict) and word not in known]


def _other(item) -> OtherEntry:
    if isinstance(item, Element):
        kind = item.kind
    else:
        kind = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in type(item).__name__).strip()
    if getattr(item, "is_torque", None) is not None:
        kind = "torque" if item.is_torque else "force"
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


def fixed_groups(system: System) -> tuple[tuple[str, ...], ...]:
    """Groups of two or more bodies (ground included) that fixed joints connect into one."""
    group = {name: {name} for name in system.bodies}
    for joint in system.joints.values():
        if joint.type.name == "fixed" and group[joint.a.body] is not group[joint.b.body]:
            joined = group[joint.a.body] | group[joint.b.body]
            for name in joined:
                group[name] = joined
    found = {id(members): members for members in group.values() if len(members) > 1}
    return tuple(tuple(name for name in system.bodies if name in members) for members in found.values())
