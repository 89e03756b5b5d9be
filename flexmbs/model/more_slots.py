"""More room for closed rigid contacts in a compiled mechanism: further slots behind all other coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.core.layout import switch_tables as w
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import make_record, table_of
from flexmbs.model.compile_switches import SLOT_ROWS, slot_name
from flexmbs.model.compiled_model import Model


def slots_of(names: tuple[str, ...] | list[str]) -> int:
    """How many slots there are among the names of switches."""
    known = {slot_name(number) for number in range(len(names))}
    return sum(name in known for name in names)


def with_slots(model: Model, slots: int) -> Model:
    """``model`` with that many slots, those that it has among them; its unknowns are to be chosen anew.

    Numbers of all other coordinates and switches stay.
    """
    first = slots_of(model.switch_names)
    names = [slot_name(number) for number in range(first, slots)]
    if not names:
        return model
    n, rows = len(model.coordinate_names), len(SLOT_ROWS)
    added = rows * len(names)
    records = [make_record(w.SWITCH, kind=w.SLOT, row=n + rows * i, rows=rows) for i in range(len(names))]
    multipliers = [make_record(t.COORDINATE, multiplier=t.SWITCHED)] * added
    fields = {name: getattr(model.tables, name) for name in t.Tables.fields}
    fields["coordinates"] = np.concatenate([fields["coordinates"], table_of(t.COORDINATE, multipliers)])
    fields["switches"] = np.concatenate([fields["switches"], table_of(w.SWITCH, records)])
    ends = ("q", "v", "given", "given_rates", "held", "condensed_units")
    return replace(
        model,
        tables=t.Tables(**fields),
        coordinate_names=(*model.coordinate_names, *(f"{name}.{row}" for name in names for row in SLOT_ROWS)),
        switch_names=(*model.switch_names, *names),
        **{name: np.concatenate([array := getattr(model, name), np.zeros(added, array.dtype)]) for name in ends},
    )
