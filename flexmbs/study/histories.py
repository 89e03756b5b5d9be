"""Histories of the runs of a study, for bands: stored ones, or those of kept results."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.common.stored_arrays import read_npz_arrays
from flexmbs.result.result import load
from flexmbs.study.claim import HISTORIES
from flexmbs.study.evaluation.plots.history_band import HistoryBand, history_band
from flexmbs.study.run_key import RunSpec
from flexmbs.study.run_record import FINISHED, RunRecord
from flexmbs.study.store import Store

Series = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def band(store: Store, spec: RunSpec, records: Iterable[RunRecord | None], name: str) -> HistoryBand:
    """Quantiles over the finished runs of one history.

    StudyError if no run has finished, or the runs have not kept this history.
    """
    keys = [record.key for record in records if record is not None and record.status == FINISHED]
    if not keys:
        raise StudyError(f"history {name!r}: no run has finished yet")
    if name in spec.histories:
        return history_band(name, _stored(store, keys, name), str(_arrays(store, keys[0]).get(f"{name} unit", "")))
    if spec.keep != "results":
        raise StudyError(
            f"history {name!r} was not kept; the study kept {', '.join(spec.histories) or 'none'}. State it with "
            f"histories=[{name!r}], or keep='results', in another folder"
        )
    first = load(store.files_of(keys[0]))
    if name not in first.names:
        raise StudyError(f"the runs have no history {name!r}. {near_names(name, first.names)}")
    return history_band(name, _of_results(store, keys, name), first.unit(name))


def _stored(store: Store, keys: Sequence[str], name: str) -> Iterator[Series]:
    for key in keys:
        arrays = _arrays(store, key, ("t", name))
        if arrays:
            yield arrays["t"], arrays[name]


def _arrays(store: Store, key: str, names: tuple[str, ...] | None = None) -> dict[str, np.ndarray]:
    """Stored arrays of a run (all, or those in ``names``), none if it has no histories; StudyError if they are damaged."""
    content = store.content_of(key, HISTORIES)
    try:
        return {} if content is None else read_npz_arrays(io.BytesIO(content), names=names)
    except ValueError as error:
        raise StudyError(f"run {key}: {HISTORIES} is damaged ({error}); delete this run, and compute it again") from None


def _of_results(store: Store, keys: Sequence[str], name: str) -> Iterator[Series]:
    for key in keys:
        result = load(store.files_of(key))
        yield np.asarray(result.t), np.asarray(result[name])
