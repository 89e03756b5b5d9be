"""Blocks and log rows of a run whose model has been given more slots for closed rigid contacts (model.more_slots).

New multipliers and switches stand behind all others, so that what there was keeps its numbers.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout import state as s
from flexmbs.model.compiled_model import Model


def wider_settings(settings: s.Settings, pairs: np.ndarray, old: Model, new: Model) -> s.Settings:
    """``settings`` with those of the last multiplier also for those behind it; ``pairs``: largest flags."""
    n, added = len(old.coordinate_names), len(new.coordinate_names) - len(old.coordinate_names)
    arrays = dict(settings.arrays)
    by_coordinate = ("atol_q", "atol_v", "reach_q", "reach_v", "vibration_time", "scale_body", "floor_q", "largest_q", "motion")
    for name in by_coordinate:
        if arrays[name].shape == (n,):
            arrays[name] = np.concatenate([arrays[name], np.repeat(arrays[name][-1:], added)])
    return s.Settings(**{**arrays, "pairs": pairs})


def copy_into(wider: s.State, state: s.State) -> None:
    """Copy what does not depend on the choice of unknowns to the state of a wider model."""
    for name in s.KEPT_BETWEEN_CHOICES:
        array, into = getattr(state, name), getattr(wider, name)
        if into.size:  # shares of very many contacts are not kept (core.layout.tables.sharing_size)
            into[tuple(slice(0, size) for size in array.shape)] = array


def wider_rows(rows: np.ndarray, old: Model, new: Model) -> np.ndarray:
    """(k, width of the new log) rows of the log (k, width of the old one); numbers behind them stay behind."""
    was, now = old.log_row, new.log_row
    found = np.zeros((len(rows), now.width + rows.shape[1] - was.width))
    found[:, 0] = rows[:, 0]
    for name in ("q", "reference", "v", "a", "flags", "contact_history"):
        there, here = getattr(was, name), getattr(now, name)
        found[:, here.start : here.start + there.stop - there.start] = rows[:, there]
    found[:, now.width :] = rows[:, was.width :]
    return found
