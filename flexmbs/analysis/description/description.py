"""What a system consists of and how it can move, before it runs: for people, for programs, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from flexmbs.analysis.mobility.mobility import Mobility
from flexmbs.model.loop_closure_report import Closing, direction_in_words
from flexmbs.view.topology import save_topology


@dataclass(frozen=True)
class BodyEntry:
    """mass (kg), center (3,) m and inertia (3, 3) kg m2 about it in the body's frame; ``modes``: number of modes."""

    name: str
    kind: str
    mass: float
    center: tuple[float, ...]
    inertia: tuple[tuple[float, ...], ...]
    modes: int
    markers: tuple[str, ...]


@dataclass(frozen=True)
class JointEntry:
    """A joint: its markers as (body, marker), what acts on its coordinates, and whether it closes a loop."""

    name: str
    kind: str
    a: tuple[str, str]
    b: tuple[str, str]
    coordinates: tuple[str, ...]
    prescribed: tuple[str, ...]
    forces: tuple[tuple[str, str], ...]  # (coordinate, what acts on it)
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
    groups : bodies that move as one, because fixed joints join them
    mobility : degrees of freedom, what is redundant, idle or massless; None when there is a ``problem``
    closing : joints out of line, bodies that are bent to close loops, axes that lock them
    problem : why the mechanism cannot be assembled, or empty
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
    closing: Closing = Closing()

    def __str__(self) -> str:
        return _text(self)

    __repr__ = __str__

    def as_dict(self) -> dict[str, object]:
        """Plain values, as JSON can hold them."""
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
        """Write a picture of the topology: bodies, joints (those that close loops dashed), ground."""
        return save_topology(self, path)


def _text(found: Description) -> str:
    """Several lines; what is wrong comes last, where it is seen."""
    counts = [
        _count(len(found.bodies), "body", "bodies"),
        _count(len(found.joints), "joint"),
        _count(len(found.loops), "loop"),
    ]
    gravity = ", ".join(f"{x:g}" for x in found.gravity)
    lines = [f"{', '.join(counts)}; gravity ({gravity}) m/s2; {found.coordinates} coordinates"]
    lines += _section("Bodies", ("name", "kind", "mass [kg]", "center [m]", "inertia xx, yy, zz [kg m2]", "modes"), [
        (
            body.name, body.kind, f"{body.mass:.6g}", _numbers(body.center),
            _numbers([body.inertia[k][k] for k in range(3)]), str(body.modes or "-"),
        )
        for body in found.bodies
    ])  # fmt: skip
    lines += _section("Joints", ("name", "kind", "from", "to", "coordinates", ""), [
        (
            joint.name, joint.kind, ".".join(joint.a), ".".join(joint.b),
            ", ".join(_coordinate(joint, name) for name in joint.coordinates) or "-",
            "closes a loop" if joint.closes_loop else "",
        )
        for joint in found.joints
    ])  # fmt: skip
    for title, entries in (("Constraints", found.constraints), ("Forces", found.forces), ("Contacts", found.contacts)):
        lines += _section(title, ("name", "kind", "acts on"), [_other(entry) for entry in entries])
    if found.loops:
        lines += ["", "Loops (joints)", *(f"  {', '.join(loop)}" for loop in found.loops)]
    if found.groups:
        lines += ["", "Move as one (fixed joints)", *(f"  {', '.join(group)}" for group in found.groups)]
    lines += _section("Misaligned joints", ("joint", "from", "to", "gap [mm]", "along", "angle [deg]", "about"), [
        (
            one.joint, one.a, one.b, *_size_and_direction(one.gap, 1e3), *_size_and_direction(one.turn, 180.0 / np.pi),
        )
        for one in found.closing.joints
    ])  # fmt: skip
    lines += _section("Bent to close loops", ("body", "elastic energy [J]", "strain [%]", "von Mises stress [MPa]"), [
        (body.body, f"{body.energy:.4g}", _known(body.strain, 100.0), _known(body.stress, 1e-6))
        for body in found.closing.bodies
    ])  # fmt: skip
    if found.closing.axes:
        lines += ["", "Axes nearly parallel", *(f"  {axis.sentence}" for axis in found.closing.axes)]
    if found.mobility is not None:
        lines += ["", "Degrees of freedom", *(f"  {line}" for line in _mobility_lines(found.mobility))]
    if found.problem:
        lines += ["", f"Problem: {found.problem}"]
    return "\n".join(lines)


def _mobility_lines(found: Mobility) -> list[str]:
    """Degrees of freedom in sentences."""
    modal = f" ({found.modes} of them modes)" if found.modes else ""
    lines = [
        f"counted (Grübler): {found.body_freedoms} of the bodies{modal} - {found.blocked} blocked - "
        f"{found.drivers} prescribed = {found.gruebler}",
        f"true: {found.freedoms}" + (f" ({found.freedoms_without_drivers} without drivers)" if found.drivers else ""),
    ]
    if found.momentary:
        lines.append(f"the start position is singular: {_count(found.momentary, 'more freedom')} there, for a moment")
    if found.redundant:
        lines.append(f"redundant: {found.redundant_count}")
        lines += [f"  {item.sentence}" for item in found.redundant]
    lines += [f"idle: {sentence}" for sentence in found.idle]
    lines += [f"no inertia: {sentence}" for sentence in found.massless]
    lines.append(f"analysis that fits: {found.analysis}")
    return lines


def _coordinate(joint: JointEntry, name: str) -> str:
    notes = ["prescribed"] if name in joint.prescribed else []
    notes += [word for coordinate, word in joint.forces if coordinate == name]
    return f"{name} ({', '.join(notes)})" if notes else name


def _other(entry: OtherEntry) -> tuple[str, ...]:
    return entry.name, entry.kind, ", ".join(entry.acts_on) or "-"


def _section(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
    table = [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in (header, *rows)
    ]
    return ["", title, *table]


def _known(value: float | None, factor: float) -> str:
    return "-" if value is None else f"{factor * value:.4g}"


def _size_and_direction(vector: Sequence[float], factor: float) -> tuple[str, str]:
    size = float(np.linalg.norm(vector))
    return (f"{factor * size:.4g}", direction_in_words(vector)) if size > 1e-9 else ("-", "")


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{0.0 if abs(x) < 1e-12 else x:.4g}" for x in values)


def _count(number: int, one: str, more: str | None = None) -> str:
    return f"{number} {one if number == 1 else more or one + 's'}"
