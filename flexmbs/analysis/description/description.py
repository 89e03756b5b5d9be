"""Summary of a mechanism before it runs (parts, loops, degrees of freedom): as text, as JSON, as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from flexmbs.analysis.assembly.locking_axes import loop_joints
from flexmbs.analysis.description.cards import description_card
from flexmbs.analysis.mobility.mobility import Mobility, mobility
from flexmbs.analysis.recording.entries import BodyEntry, JointEntry, OtherEntry, entries
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import counted
from flexmbs.common.quantities import aligned
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.loop_closure_report import LoopClosure, direction_text
from flexmbs.model.spanning_tree import spanning_tree
from flexmbs.view.topology import save_topology


@dataclass(frozen=True)
class Description:
    """Made by ``System.describe``; ``print(description)`` shows it.

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
        return _text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks: tables of the parts, and how the mechanism can move."""
        return description_card(self, [] if self.mobility is None else _mobility_lines(self.mobility))

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
        return save_topology(self, path)


def _text(found: Description) -> str:
    """The description as lines of text; a problem comes last, where it is noticed."""
    counts = [counted(len(found.bodies), "body", "bodies"), counted(len(found.joints), "joint"), counted(len(found.loops), "loop")]
    gravity = ", ".join(f"{x:g}" for x in found.gravity)
    lines = [f"{', '.join(counts)}; gravity ({gravity}) m/s2; {found.coordinates} coordinates"]
    lines += _section(
        "Bodies",
        ("name", "kind", "mass [kg]", "center [m]", "inertia xx, yy, zz [kg m2]", "modes"),
        [
            (one.name, one.kind, f"{one.mass:.6g}", _numbers(one.center), _numbers(np.diag(one.inertia)), str(one.modes or "-"))
            for one in found.bodies
        ],
    )
    lines += _section(
        "Joints",
        ("name", "kind", "from", "to", "coordinates", ""),
        [
            (
                joint.name,
                joint.kind,
                ".".join(joint.a),
                ".".join(joint.b),
                ", ".join(_coordinate(joint, name) for name in joint.coordinates) or "-",
                "closes a loop" if joint.closes_loop else "",
            )
            for joint in found.joints
        ],
    )
    for title, parts in (("Constraints", found.constraints), ("Forces", found.forces), ("Contacts", found.contacts)):
        rows = [(entry.name, entry.kind, ", ".join(entry.acts_on) or "-") for entry in parts]
        lines += _section(title, ("name", "kind", "acts on"), rows)
    rigid = {frozenset(one.bodies) - {"ground"} for one in found.contacts if one.kind == "rigid contact"}
    if any(count > 1 for count in Counter(body for pair in rigid for body in pair).values()):
        lines.append("  Those closed at a hit take it at once, not one after another (docs/rigid_contact.md#hits-at-once)")
    if found.loops:
        lines += ["", "Loops (joints)", *(f"  {', '.join(loop)}" for loop in found.loops)]
    if found.groups:
        lines += ["", "Move as one (fixed joints)", *(f"  {', '.join(group)}" for group in found.groups)]
    lines += _section(
        "Misaligned joints",
        ("joint", "from", "to", "gap [mm]", "along", "angle [deg]", "about"),
        [
            (one.joint, one.a, one.b, *_size_and_direction(one.gap, 1e3), *_size_and_direction(one.turn, 180.0 / np.pi))
            for one in found.closing.joints
        ],
    )
    lines += _section(
        "Bent to close loops",
        ("body", "elastic energy [J]", "strain [%]", "von Mises stress [MPa]"),
        [(body.body, f"{body.energy:.4g}", _known(body.strain, 100.0), _known(body.stress, 1e-6)) for body in found.closing.bodies],
    )
    if found.closing.axes:
        lines += ["", "Nearly parallel axes", *(f"  {axis.sentence}" for axis in found.closing.axes)]
    if found.mobility is not None:
        lines += ["", "Degrees of freedom", *(f"  {line}" for line in _mobility_lines(found.mobility))]
    if found.problem:
        lines += ["", f"Problem: {found.problem}"]
    return "\n".join(lines)


def _mobility_lines(found: Mobility) -> list[str]:
    """Degrees of freedom, one statement a line."""
    modal = f" ({found.modes} of them modes)" if found.modes else ""
    lines = [
        f"Grübler count: {found.body_freedoms} of the bodies{modal} - {found.constraints} constrained - "
        f"{found.drivers} prescribed = {found.gruebler}",
        f"actual: {found.freedoms}" + (f" ({found.freedoms_without_drivers} without drivers)" if found.drivers else ""),
    ]
    if found.momentary:
        lines.append(f"the start position is singular: {counted(found.momentary, 'instantaneous freedom')} more")
    if found.redundant:
        lines.append(f"redundant: {found.redundant_count}")
        lines += [f"  {item.sentence}" for item in found.redundant]
    lines += [f"isolated: {sentence}" for sentence in found.isolated]
    lines += [f"no inertia: {sentence}" for sentence in found.massless]
    lines.append(f"analysis: {found.analysis}")
    return lines


def _coordinate(joint: JointEntry, name: str) -> str:
    notes = ["prescribed"] if name in joint.prescribed else []
    notes += [kind for coordinate, kind in joint.forces if coordinate == name]
    return f"{name} ({', '.join(notes)})" if notes else name


def _section(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return ["", title, *aligned([header, *rows])] if rows else []


def _known(value: float | None, factor: float) -> str:
    return "-" if value is None else f"{factor * value:.4g}"


def _size_and_direction(vector: Sequence[float], factor: float) -> tuple[str, str]:
    size = float(np.linalg.norm(vector))
    return (f"{factor * size:.4g}", direction_text(vector)) if size > 1e-9 else ("-", "")


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{0.0 if abs(x) < 1e-12 else x:.4g}" for x in values)


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
    parts = entries(system)
    return Description(
        gravity=tuple(float(x) for x in system.gravity),
        coordinates=system.coordinates,
        bodies=parts.bodies,
        joints=parts.joints,
        constraints=parts.constraints,
        forces=parts.forces,
        contacts=parts.contacts,
        loops=tuple(tuple(one.name for one in loop_joints(tree, joint)) for joint in tree.cut),
        groups=fixed_groups(system),
        mobility=found,
        problem=problem,
        closing=closing or LoopClosure(),
    )


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
