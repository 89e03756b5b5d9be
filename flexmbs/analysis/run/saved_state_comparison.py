"""Saved states beside the run that goes on from them: differences of system and settings, indices that compiled code uses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import state as s
from flexmbs.machine_code.blocks import Block
from flexmbs.model.compiled_model import Model
from flexmbs.result.saved_state import SavedState

CHOICE = ("free", "band")  # tables that hold the current choice of unknowns
# what follows from it
OF_CHOICE = ("pattern_start", "pattern_rows", "shift_start", "shift_columns", "shift_split")


def setting_differences(saved: SavedState, requested: Mapping[str, str]) -> list[str]:
    """Differing tolerances, largest step and integrator, as stated by the user."""
    there = saved.note["asked"]
    return [f"{name}: saved {there.get(name)}, now {value}" for name, value in requested.items() if there.get(name) != value]


def system_differences(saved: SavedState, model: Model) -> list[str]:
    """Differences between the system of a saved state and ``model``; functions are not compared."""
    there, here = saved.note["coordinate_names"], list(model.coordinate_names)
    if there != here:
        gone, new = [n for n in there if n not in here], [n for n in here if n not in there]
        parts = [f"{title} {names}" for title, names in (("only saved:", gone), ("only now:", new)) if names]
        return [f"coordinates {'; '.join(parts) or 'in a different order'}"]
    current, found = system_arrays(model), []
    for name, other in current.items():
        array = saved.system[name]
        if array.shape != other.shape:
            found.append(f"{_title(name)}: saved {array.size} values or records, now {other.size}")
        elif array.dtype.names is None:
            found += _numbers(name, array, other, model, "")
        else:
            for field in other.dtype.names:
                found += _numbers(name, array[field], other[field], model, field)
    return found


def unknown_tables(saved: SavedState, model: Model) -> list[str]:
    """Tables of this version of flexmbs that a saved state does not have, or has with other columns."""
    current = system_arrays(model)
    return [name for name, other in current.items() if name not in saved.system or saved.system[name].dtype != other.dtype]


def _numbers(name: str, there: np.ndarray, here: np.ndarray, model: Model, field: str) -> list[str]:
    """The first difference in a column, with its owner."""
    apart = ~(np.abs(there - here) <= 1e-9 * np.maximum(np.abs(there), np.abs(here)) + 1e-14) & (there != here)
    if not np.any(apart):
        return []
    at = np.unravel_index(int(np.argmax(apart)), apart.shape)
    owners = {
        "bodies": model.body_names,
        "contacts": model.contact_names,
        "constraints": model.constraint_names,
        "coordinates": model.coordinate_names,
        "q": model.coordinate_names,
        "v": model.coordinate_names,
        "switches": model.switch_names,
        "events": model.event_names,
        "signals": tuple(signal.name for signal in model.signal_list),
    }
    owner = f"'{owners[name][at[0]]}'" if name in owners else _owner(model, at[0]) if name == "pool" else f"{at[0] + 1}"
    return [f"{_title(name)} {owner}{', ' + field if field else ''}: saved {there[at]:.9g}, now {here[at]:.9g}"]


def _owner(model: Model, index: int) -> str:
    """Owner of the value at ``index`` of the pool: the record with the nearest offset before it."""
    best, owner = -1, "?"
    for table in ("bodies", "markers", "bushings", "spread_loads", "axes"):
        records = getattr(model.tables, table)
        for field in records.dtype.names:
            if not field.endswith("at"):
                continue
            for number, offset in enumerate(records[field]):
                if table == "bodies" and number == 0:  # ground has nothing in the pool
                    continue
                if best < offset <= index:
                    best = int(offset)
                    body = records["body"][number] if table == "markers" else number
                    named = table in ("bodies", "markers")
                    owner = f"body '{model.body_names[body]}'" if named else f"{_title(table)} {number + 1}"
    return f"of {owner}"


def _title(name: str) -> str:
    special = {"q": "start value of", "v": "start rate of", "pool": "a value", "elements": "spring or damper"}
    return special.get(name, name.replace("_", " "))


def system_arrays(model: Model) -> dict[str, np.ndarray]:
    """Tables and start values, with addresses (which differ between processes) reduced to whether they are set."""
    found = {name: getattr(model.tables, name) for name in model.tables.fields if name not in CHOICE + OF_CHOICE}
    addresses = {
        "signals": ("value", "rate", "acceleration"),
        "functions": ("address",),
        "contacts": ("force", "energy", "begin", "update", "geometry", "friction"),
        "elements": ("force", "energy"),
        "sensors": ("value",),
    }
    for table, fields in addresses.items():
        found[table] = found[table].copy()
        for field in fields:
            found[table][field] = found[table][field] != 0
    return {**found, "q": model.q, "v": model.v, "reference": model.reference}


#: Values determined by the method and the mechanism; a saved state with other values is damaged.
_OF_METHOD = (
    ("settings", "formulation"),
    ("settings", "max_order"),
    ("settings", "explicit"),
    ("settings", "projection_levels"),
    ("scratch", "algebraic"),
)


# The same of arrays, which kernels use as indices.
_OF_MECHANISM = ("by_motion", "scale_body", "point_start", "point_Phi_at", "pairs")


def saved_choice(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The choice of unknowns in the ``arrays`` of a saved state; MechanismError unless it is one."""
    if lacking := {"tables.free", "tables.band"} - set(arrays):
        raise MechanismError(f"start: the saved state is damaged: it lacks {', '.join(sorted(lacking))}")
    free, band = arrays["tables.free"], arrays["tables.band"]
    if free.ndim != 1 or band.shape != () or free.dtype.kind != "i" or band.dtype.kind != "i":
        raise MechanismError("start: the saved state is damaged: its choice of unknowns has another shape or type")
    if len(np.unique(free)) < len(free):
        raise MechanismError("start: the saved state is damaged: an unknown is listed twice")
    return {"free": free, "band": band}


def check_indices(arrays: Mapping[str, np.ndarray], blocks: Mapping[str, Block]) -> None:
    """MechanismError if the saved ``arrays`` (of the same shapes as the ``blocks``) hold invalid indices."""
    state = blocks["state"]
    unknowns, slots, rows = len(state.replaced), len(state.replaced_rows), len(state.history_t)

    def check(name: str, values, end: int) -> None:
        values = np.asarray(values)
        bad = (values < 0) | (values >= end)
        if bad.any():
            raise MechanismError(f"start: the saved state is damaged: {name} is {values[bad].ravel()[0]}; expected 0 to {end - 1}")

    for block, name in _OF_METHOD:
        own, there = getattr(blocks[block], name), arrays[f"{block}.{name}"]
        if int(there) != int(own):
            raise MechanismError(f"start: the saved state is damaged: {name} is {there}; expected {own}")
    for name in _OF_MECHANISM:
        if not np.array_equal(arrays[f"settings.{name}"], getattr(blocks["settings"], name)):
            raise MechanismError(f"start: the saved state is damaged: settings.{name} is not that of this mechanism")
    for block, content in blocks.items():
        for name in content.fields:
            if name.endswith("pivots") and name not in s.NOT_SAVED:
                check(f"{block}.{name}", arrays[f"{block}.{name}"], slots if name.startswith("schur") else unknowns)
    replaced = int(s.named(arrays, "replaced_count"))
    check("the number of replaced constraints", replaced, slots + 1)
    check("state.replaced_rows", arrays["state.replaced_rows"][:replaced], unknowns)
    check("state.replaced", arrays["state.replaced"], 2)
    for c, pairs in enumerate(blocks["settings"].pairs):
        check("state.active", arrays["state.active"][c], int(pairs) + 1)
    check("the order", s.named(arrays, "order"), max(rows, int(blocks["settings"].max_order) + 1))
    check("the length of the history", s.named(arrays, "history_length"), rows + 1)
    check("the worst coordinate", s.named(arrays, "worst_coordinate"), len(state.q))
    check("state.count", arrays["state.count"], np.iinfo(np.int64).max)
    check("state.samples", arrays["state.samples"], np.iinfo(np.int64).max)
