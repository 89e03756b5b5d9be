"""Builds the description of a mechanism."""

from __future__ import annotations

from flexmbs.analysis.assembly.locking_axes import loop_joints
from flexmbs.analysis.description.description import BodyEntry, Description, JointEntry, OtherEntry
from flexmbs.analysis.evaluation.massless_motions import mass_properties
from flexmbs.analysis.mobility.mobility import mobility
from flexmbs.common.errors import FlexmbsError
from flexmbs.mechanism.forces import Element
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.loop_closure_report import LoopClosure
from flexmbs.model.spanning_tree import spanning_tree


def describe(system: Mechanism) -> Description:
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
        contacts=tuple(_other(item) for item in (*system.contacts.values(), *system.contact_groups.values())),
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


def fixed_groups(system: Mechanism) -> tuple[tuple[str, ...], ...]:
    """Groups of two or more bodies (ground included) that fixed joints connect into one."""
    group = {name: {name} for name in system.bodies}
    for joint in system.joints.values():
        if joint.type.name == "fixed" and group[joint.a.body] is not group[joint.b.body]:
            joined = group[joint.a.body] | group[joint.b.body]
            for name in joined:
                group[name] = joined
    found = {id(members): members for members in group.values() if len(members) > 1}
    return tuple(tuple(name for name in system.bodies if name in members) for members in found.values())
