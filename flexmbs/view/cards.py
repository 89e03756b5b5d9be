"""What bodies and meshes show of themselves in a notebook."""

from __future__ import annotations

import numpy as np

from flexmbs.common.html_pieces import bullets, card, folded, lines_table, paragraph, plain_table
from flexmbs.common.names_in_messages import listed
from flexmbs.common.quantities import number
from flexmbs.mesh.mesh import Mesh
from flexmbs.reduction.body_tables import body_facts, extent, modes_table, verdict
from flexmbs.reduction.flexible_body import FlexibleBody

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
