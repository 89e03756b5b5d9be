"""Histories as functions of time in a universal file: data set 58."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.interop.universal_file import checked_uff_path, header, line, units, write_sets
from flexmbs.result.export.checks import check_size, chosen_times
from flexmbs.result.export.tables import description

# Kinds of data in data set 58 by their units; 1: general.
_KINDS = {"m": 8, "m/s": 11, "m/s2": 12, "N": 13, "rad": 8, "rad/s": 11, "rad/s2": 12, "N m": 13, "Pa": 2}
_AXES = {".x": 1, ".y": 2, ".z": 3}
_DIGITS = 20.0  # bytes of a number


def histories_to_uff(
    result: Any,
    path: str | Path,
    names: Sequence[str],
    *,
    samples: int,
    start: float | None,
    end: float | None,
    force: bool,
    size_limit: float | None,
) -> Path:
    """``Result.to_uff``."""
    path = checked_uff_path(path, force, names or result.names)
    if not len(result.t) or samples is None or np.ndim(samples) or int(samples) < 2:
        raise FlexmbsError(f"samples is {samples!r}; it must be a whole number of at least 2, spread evenly over time")
    t = chosen_times(result.t, int(samples), start, end)
    names = names or result.names
    check_size(path, _DIGITS * len(t) * len(names), size_limit, f"name fewer histories, or take fewer than {len(t)} samples")
    here = result.resampled(t)
    sets = [header("histories"), units()]
    sets += [_function(name, here[name], result.unit(name), t, number) for number, name in enumerate(names, start=1)]
    write_sets(path, sets)
    return path


def _function(name: str, values: np.ndarray, unit: str, t: np.ndarray, number: int) -> dict[str, Any]:
    """Data set 58 of a time response; its full name is in the first line."""
    none = {
        f"{axis}_{kind}_unit_exp": 0 for axis in ("abscissa", "ordinate", "orddenom", "z_axis") for kind in ("len", "force", "temp")
    }
    return {
        "type": 58,
        **none,
        "func_type": 1,
        "func_id": number,
        "id1": line(name),
        "id2": line(description(name)),
        "id3": "made by flexmbs",
        "rsp_ent_name": "NONE",
        "rsp_node": number,
        "rsp_dir": _AXES.get(name[-2:], 0),
        "ref_ent_name": "NONE",
        "ref_node": 0,
        "ref_dir": 0,
        "ord_data_type": 4,
        "num_pts": len(t),
        "abscissa_spacing": 1,
        "abscissa_min": t[0],
        "abscissa_inc": t[1] - t[0],
        "abscissa_spec_data_type": 17,
        "abscissa_axis_lab": "Time",
        "abscissa_axis_units_lab": "s",
        "ordinate_spec_data_type": _KINDS.get(unit, 1),
        "ordinate_axis_lab": line(name)[:20],
        "ordinate_axis_units_lab": unit,
        "orddenom_spec_data_type": 0,
        "z_axis_spec_data_type": 0,
        "data": np.asarray(values, dtype=float),
        "x": t,
    }
