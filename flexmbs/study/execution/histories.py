"""Histories of a finished run, at evenly spaced times, beside its record."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import write_arrays
from flexmbs.common.errors import ResultFolderError, StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.result.result import Result
from flexmbs.study.store.layout import HISTORIES
from flexmbs.study.store.run_spec import RunSpec


def write_histories(result: Result | None, spec: RunSpec, folder: Path) -> None:
    """Write folder/histories.npz: "t" in s, each history that the study asks for, of shape (history_times,), and units.

    StudyError for a name that the result does not have: it is wrong for all runs (None: it has no motion).
    """
    if result is None:
        raise StudyError("histories: this case has no motion, so there are none")
    for name in spec.histories:
        if name not in result.names:
            raise StudyError(f"histories: the case has no history {name!r}. {near_names(name, result.names)}")
    times = np.linspace(result.t[0], result.t[-1], spec.history_times)
    part = result.resampled(times)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {"t": times, **{name: np.asarray(part[name]) for name in spec.histories}}
    arrays |= {f"{name} unit": np.array(result.unit(name)) for name in spec.histories}
    write_arrays(folder / HISTORIES, arrays, ResultFolderError, compressed=True)
