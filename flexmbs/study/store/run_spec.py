"""What all runs of a study have in common, as plain data that any process can be sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flexmbs.common.errors import StudyError

#: What is kept of a finished run: its whole result folder, or its record (and histories) only.
KEEP = ("results", "figures")


@dataclass(frozen=True)
class RunSpec:
    """How each point of a study is run.

    Attributes
    ----------
    case : path of the case file
    case_digest : hash of the case file and the modules beside it that it imports
    fixed : name -> value of parameters that differ from their defaults in all runs
    storage : ``store_every``, ``output_step``, ``storage_limit`` of ``System.simulate``
    keep : "results" (the whole result folder) or "figures" (the record and the histories only)
    histories : names of histories that are stored with the record, at ``history_times`` evenly spaced times
    history_times : number of times from 0 to the end of the run
    directory : folder that relative paths in parameters start from; empty for the current one
    sources : hash of the flexmbs sources that the keys of runs contain: those that the study was begun with; empty for
        those of this process
    """

    case: str
    case_digest: str
    fixed: Mapping[str, object] = field(default_factory=dict)
    storage: Mapping[str, object] = field(default_factory=dict)
    keep: str = "results"
    histories: tuple[str, ...] = ()
    history_times: int = 201
    directory: str = ""
    sources: str = ""

    def __post_init__(self) -> None:
        if self.keep not in KEEP:
            raise StudyError(f"keep={self.keep!r}: it is 'results' (whole result folders) or 'figures'")
        if isinstance(self.history_times, bool) or not isinstance(self.history_times, int) or self.history_times < 2:
            raise StudyError(f"history_times={self.history_times!r}: it is a whole number, at least 2")
