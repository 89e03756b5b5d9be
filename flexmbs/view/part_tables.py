"""Tables of the parts of a mechanism as HTML, for reports and notebooks, and what bodies and meshes show of themselves there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from flexmbs.common.html_pieces import bullets, card, folded, lines_table, paragraph, plain_table, text
from flexmbs.common.names_in_messages import listed
from flexmbs.common.quantities import number
from flexmbs.mesh.mesh import Mesh
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.body_tables import body_facts, extent, modes_table, verdict

MAX_ROWS = 40  # of a table


def titled_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], count: int | None = None, note: str = ""
) -> Iterator[str]:
    """A table of at most ``MAX_ROWS`` rows of ``count`` (None: all are given); nothing without rows."""
    count = len(rows) if count is None else count
    if not count:
        return
    yield f"<h3>{text(title)}</h3>"
    yield plain_table(header, rows[:MAX_ROWS], len(header))
    more = f"{count - MAX_ROWS:,} more are not listed. " if count > MAX_ROWS else ""
    if more or note:
        yield paragraph(f"{more}{note}", soft=True)


def joints_table(joints: Sequence[Any]) -> Iterator[str]:
    """Joints: entries with name, kind, both ends, coordinates, what is prescribed, forces, and if they close a loop."""
    rows = []
    for joint in joints[:MAX_ROWS]:
        loop = "closes a loop" if joint.closes_loop else ""
        rows.append([joint.name, joint.kind or "-", ".".join(joint.a), ".".join(joint.b), _coordinates(joint), loop])
    yield from titled_table("Joints", ["name", "kind", "from", "to", "coordinates", ""], rows, len(joints))


def others_tables(constraints: Sequence[Any], forces: Sequence[Any], contacts: Sequence[Any]) -> Iterator[str]:
    """Entries with a name, a kind, and what they act on."""
    for title, entries in (("Constraints", constraints), ("Forces", forces), ("Contacts", contacts)):
        rows = [[one.name, one.kind, ", ".join(map(str, one.acts_on or one.bodies)) or "-"] for one in entries[:MAX_ROWS]]
        yield from titled_table(title, ["name", "kind", "acts on"], rows, len(entries))


def _coordinates(joint: Any) -> str:
    acting = {coordinate: kind for coordinate, kind in joint.forces}
    parts = []
    for name in joint.coordinates:
        notes = ["prescribed"] if name in joint.prescribed else []
        notes += [acting[name]] if name in acting else []
        parts.append(f"{name} ({', '.join(notes)})" if notes else name)
    return ", ".join(parts) or "-"


MAX_NAMES = 12  # sets, materials that are named


def body_card(body: FlexibleBody) -> str:
    """Mass, size, modes, what the advice says, warnings."""
    sentence, remarks = verdict(body)
    header, rows = modes_table(body)
    parts = [lines_table(body_facts(body)), paragraph(sentence, kind="note" if remarks else "good")]
    parts += [bullets(remarks)] if remarks else []
    parts += [folded(f"{len(body.warnings)} warnings", bullets(body.warnings, kind="warnings"))] if body.warnings else []
    return card(f"Flexible body {body.name}", [*parts, folded("Modes", plain_table(header, rows))])


def mesh_card(mesh: Mesh) -> str:
    """Nodes, elements by kind, materials, sets, size, warnings."""
    kinds: dict[str, int] = {}
    for block in mesh.blocks:
        kinds[block.kind] = kinds.get(block.kind, 0) + len(block.ids)
    materials = dict.fromkeys(block.material.name for block in mesh.blocks if block.material is not None)
    sets = [f"{name} ({len(np.unique(nodes)):,})" for name, nodes in mesh.node_sets.items()]
    facts = [
        ("nodes", f"{len(mesh.points):,}"),
        ("elements", ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()) or "none"),
        ("size", f"{extent(mesh.points)} m" if len(mesh.points) else "-"),
        ("materials", listed(materials, MAX_NAMES) or "none"),
        ("node sets", listed(sets, MAX_NAMES) or "none"),
        ("couplings and ties", number(len(mesh.couplings) + len(mesh.equations) + len(mesh.ties))),
        ("left out", listed([skipped.card for skipped in mesh.skipped], MAX_NAMES) or "none"),
    ]
    facts += [("units", mesh.units)] if mesh.units else []
    warned = folded(f"{len(mesh.warnings)} warnings", bullets(mesh.warnings, kind="warnings"), shown=True)
    return card(f"Mesh {mesh.source}", [lines_table(facts), *([warned] if mesh.warnings else [])])
