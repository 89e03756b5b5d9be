"""What the system and settings of a saved state have otherwise than those of a run, in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.model.compiled_model import Model
from flexmbs.result import SavedState

CHOICE = ("free", "band")  # of the tables: which constraints are unknowns just now


def setting_differences(saved: SavedState, asked: Mapping[str, str]) -> list[str]:
    """What was integrated otherwise: tolerances, largest step and integrator as the user stated them, in words."""
    there = saved.note["asked"]
    return [f"{name}: {there.get(name)} there, {here} here" for name, here in asked.items() if there.get(name) != here]


def system_differences(saved: SavedState, model: Model) -> list[str]:
    """What the system of a saved state has otherwise than ``model``, in words; functions are not compared."""
    there, here = saved.note["coordinate_names"], list(model.coordinate_names)
    if there != here:
        gone, new = [n for n in there if n not in here], [n for n in here if n not in there]
        words = [f"{word} {names}" for word, names in (("not here:", gone), ("not there:", new)) if names]
        return [f"coordinates {'; '.join(words) or 'in another order'}"]
    current, found = system_arrays(model), []
    for name, other in current.items():
        array = saved.system.get(name)
        if array is None:
            found.append(f"{_words(name)}: not there")
        elif array.shape != other.shape or array.dtype != other.dtype:
            found.append(f"{_words(name)}: {array.size} numbers or records there, {other.size} here")
        elif array.dtype.names is None:
            found += _numbers(name, array, other, model, "")
        else:
            for field in array.dtype.names:
                found += _numbers(name, array[field], other[field], model, field)
    return found


def _numbers(name: str, there: np.ndarray, here: np.ndarray, model: Model, field: str) -> list[str]:
    """The first difference of a column, with whose it is."""
    apart = ~(np.abs(there - here) <= 1e-9 * np.maximum(np.abs(there), np.abs(here)) + 1e-14) & (there != here)
    if not np.any(apart):
        return []
    at = np.unravel_index(int(np.argmax(apart)), apart.shape)
    owners = {
        "bodies": model.body_names, "contacts": model.contact_names, "constraints": model.constraint_names,
        "coordinates": model.coordinate_names, "q": model.coordinate_names, "v": model.coordinate_names,
        "signals": tuple(signal.name for signal in model.signal_list),
    }  # fmt: skip
    owner = f"'{owners[name][at[0]]}'" if name in owners else _owner(model, at[0]) if name == "pool" else f"{at[0] + 1}"
    return [f"{_words(name)} {owner}{', ' + field if field else ''}: {there[at]:.9g} there, {here[at]:.9g} here"]


def _owner(model: Model, index: int) -> str:
    """Whose numbers stand at ``index`` of the pool: that of the offset nearest before it."""
    best, owner = -1, "?"
    for table in ("bodies", "markers", "bushings", "spread_loads", "axes"):
        records = getattr(model.tables, table)
        for field in records.dtype.names:
            if not field.endswith("at"):
                continue
            for number, offset in enumerate(records[field]):
                if best < offset <= index:
                    best = int(offset)
                    body = records["body"][number] if table == "markers" else number
                    named = table in ("bodies", "markers")
                    owner = f"body '{model.body_names[body]}'" if named else f"{_words(table)} {number + 1}"
    return f"of {owner}"


def _words(name: str) -> str:
    special = {"q": "start value of", "v": "start rate of", "pool": "a number", "elements": "spring or damper"}
    return special.get(name, name.replace("_", " "))


def system_arrays(model: Model) -> dict[str, np.ndarray]:
    """Tables without what changes from process to process, and start values."""
    found = {name: getattr(model.tables, name) for name in model.tables.fields if name not in CHOICE}
    for table, fields in (("signals", ("value", "rate", "acceleration")), ("functions", ("address",))):
        found[table] = found[table].copy()
        for field in fields:
            found[table][field] = found[table][field] != 0
    return {**found, "q": model.q, "v": model.v, "reference": model.reference}
