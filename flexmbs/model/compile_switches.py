"""Constraints that are switched as entries of the flat tables; their multipliers stand behind all others."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout import switch_tables as w
from flexmbs.core.layout.records import make_record

MOST_SLOTS = 48  # rigid contacts that can be closed at once before a run finds room for more
_CONTACT_ROWS = ("normal force", "friction along u", "friction along v")


def add_switches(compiler, system) -> None:
    """Slots for the rigid contacts of a mechanism."""
    rigid = int(np.count_nonzero([record["rigid"] for record in compiler.records["contacts"]]))
    for slot in range(min(rigid, MOST_SLOTS)):
        add_switch(compiler, f"slot {slot + 1}", w.SLOT, _CONTACT_ROWS)


def add_switch(compiler, name: str, kind: int, labels: tuple[str, ...], **fields) -> int:
    """One record; ``labels`` name its multipliers. Row numbers are relative until all coordinates are known."""
    row = len(compiler.names.multipliers)
    compiler.names.multipliers += [f"{name}.{label}" for label in labels]
    compiler.switched_rows += len(labels)
    compiler.switch_names.append(name)
    compiler.records["switches"].append(make_record(w.SWITCH, kind=kind, row=row, rows=len(labels), **fields))
    return len(compiler.records["switches"]) - 1
