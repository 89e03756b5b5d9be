"""What the report of a study is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexmbs.study.evaluation.plots.history_band import HistoryBand
from flexmbs.study.evaluation.reliability import Reliability
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities
from flexmbs.study.evaluation.table import StudyTable


@dataclass(frozen=True)
class ReportContent:
    """Everything that a report needs from a study.

    Attributes
    ----------
    title : of the case
    statement : (what, value) lines: case, sampler, seed, versions, folder, date; in the order shown
    space : (parameter, what it varies over) lines, such as ("length [m]", "0.8 to 1.2")
    table : with failed runs as rows (``on_error="nan"``)
    responses : figures that are shown in plots; none: the first four that vary
    bands : histories of the runs
    sensitivities, reliabilities : as computed; none: the section is left out
    csv : link to the table as CSV, relative to the report; "" for none
    notes : sentences to show at the top, such as that sensitivities could not be computed, and why
    wall_seconds : time from the start of the study to its end, as far as known
    """

    title: str
    table: StudyTable
    statement: Sequence[tuple[str, str]] = ()
    space: Sequence[tuple[str, str]] = ()
    responses: Sequence[str] = ()
    bands: Sequence[HistoryBand] = ()
    sensitivities: Sequence[Sensitivities] = ()
    reliabilities: Sequence[Reliability] = ()
    csv: str = ""
    notes: Sequence[str] = ()
    wall_seconds: float | None = None
