"""What a system and its description show of themselves in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.analysis.recording.entries import BodyEntry, Entries, entries
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.html_pieces import bullets, card, paragraph
from flexmbs.common.quantities import number, quantity
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.view.body_tables import vector
from flexmbs.view.part_tables import MAX_ROWS, joints_table, others_tables, titled_table


def system_card(system: Mechanism) -> str:
    """The parts of a system as far as it has been stated; nothing is computed."""
    try:
        found = entries(system)
    except FlexmbsError as error:
        names = ", ".join(system.bodies), ", ".join(system.joints) or "none"
        return card("System", [paragraph(f"Bodies: {names[0]}. Joints: {names[1]}."), paragraph(f"{error}.", kind="note")])
    return card("System", [paragraph(_in_words(found, system.gravity)), *tables(found)])


def description_card(found: Any, lines: Sequence[str]) -> str:
    """The parts of a description, and ``lines`` on how it can move."""
    parts = [paragraph(_in_words(found, np.array(found.gravity))), *tables(found)]
    parts += [f"<h3>Degrees of freedom</h3>{bullets(lines)}"] if lines else []
    parts += [paragraph(f"Problem: {found.problem}.", kind="note")] if found.problem else []
    return card("Description of a system", parts)


def tables(found: Entries) -> list[str]:
    """Tables of all parts."""
    rows = [_row(body) for body in found.bodies[:MAX_ROWS]]
    header = ["name", "kind", "mass", "centre of mass", "inertia xx, yy, zz [kg m2]", "modes"]
    return [
        *titled_table("Bodies", header, rows, len(found.bodies)),
        *joints_table(found.joints),
        *others_tables(found.constraints, found.forces, found.contacts),
    ]


def _row(body: BodyEntry) -> list[str]:
    inertia = ", ".join(number(body.inertia[k][k]) for k in range(3))
    center = vector(np.array(body.center), "m")
    return [body.name, body.kind, quantity(body.mass, "kg"), center, inertia, str(body.modes or "-")]


def _in_words(found: Any, gravity: np.ndarray) -> str:
    counts = [
        f"{len(found.bodies):,} {'body' if len(found.bodies) == 1 else 'bodies'}",
        f"{len(found.joints):,} {'joint' if len(found.joints) == 1 else 'joints'}",
        *(
            f"{len(group):,} {name}"
            for name, group in (("constraints", found.constraints), ("forces", found.forces), ("contacts", found.contacts))
            if group
        ),
    ]
    return f"{', '.join(counts)}; gravity {vector(np.asarray(gravity), 'm/s2')}."
