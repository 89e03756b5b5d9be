"""The report of a study: everything that can be said of it, in one HTML page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.plots.history_band import HistoryBand
from flexmbs.study.evaluation.reliability import Reliability
from flexmbs.study.evaluation.report.report_content import ReportContent
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities
from flexmbs.study.evaluation.table import StudyTable
from flexmbs.study.samplers import Sampler
from flexmbs.study.space import Space
from flexmbs.study.statement import CaseDescription, Statement

#: Figures whose sensitivities are computed if the study names none, and histories that are shown.
_FIGURES, _BANDS = 4, 4

T = TypeVar("T")


@dataclass(frozen=True)
class ReportSource:
    """What a report is made of.

    Attributes
    ----------
    folder : of the study
    case, sampler, space, statement, table : of the study
    figures : those of interest; none: the first four
    band, sensitivity : the study's evaluations of a history and of a figure; they raise StudyError where they cannot
    """

    folder: str
    case: CaseDescription
    sampler: Sampler
    space: Space
    statement: Statement
    table: StudyTable
    figures: Sequence[str]
    band: Callable[[str], HistoryBand]
    sensitivity: Callable[[str], Sensitivities]


def report_content(source: ReportSource, reliabilities: Sequence[Reliability], histories: Sequence[str], csv: str) -> ReportContent:
    """The content of the report; ``histories``: names of those shown as bands; ``csv``: link to the table."""
    table, notes = source.table, list[str]()
    numbers = [name for name in source.figures or table.figures if name in table and not table.column(name).is_text]
    bands = _each(source.band, histories or source.statement.spec.histories[:_BANDS], "", notes)
    indices = _each(source.sensitivity, numbers if source.figures else numbers[:_FIGURES], "no sensitivities: ", notes)
    return ReportContent(
        title=source.case.title,
        table=table,
        statement=_statement(source),
        space=_space(source.space),
        responses=source.figures,
        bands=bands,
        sensitivities=indices,
        reliabilities=reliabilities,
        csv=csv,
        notes=notes,
    )


def _each(function: Callable[[str], T], names: Sequence[str], label: str, notes: list[str]) -> list[T]:
    """What can be computed; why the rest cannot goes to ``notes``."""
    found = []
    for name in names:
        try:
            found.append(function(name))
        except StudyError as error:
            notes.append(f"{label}{error}")
    return found


def _statement(source: ReportSource) -> list[tuple[str, str]]:
    stated = source.statement
    versions = stated.versions[0] if stated.versions else {}
    lines = [
        ("case", f"{source.case.name} ({stated.spec.case})"),
        ("sampler", f"{source.sampler}, seed {stated.seed}"),
        ("fixed", ", ".join(f"{name} = {value}" for name, value in stated.spec.fixed.items())),
        ("folder", source.folder),
        ("versions", ", ".join(f"{name} {version}" for name, version in versions.items() if name != "sources")),
        ("hash of the case", stated.spec.case_digest),
    ]
    return [(name, value) for name, value in lines if value]


def _space(space: Space) -> list[tuple[str, str]]:
    parts = [line.partition(": ") for line in str(space).splitlines()]
    return [(name, values) for name, _, values in parts]
