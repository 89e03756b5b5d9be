"""The report of a study: everything that can be said of it, in one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.plots.history_band import HistoryBand
from flexmbs.study.evaluation.reliability import Reliability
from flexmbs.study.evaluation.report.report_content import ReportContent
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from flexmbs.study.study import Study

#: Figures whose sensitivities are computed if the study names none.
_FIGURES = 4
_BANDS = 4


def report_content(
    study: Study, limits: Mapping[str, tuple[float | None, float | None]], histories: Sequence[str], csv: str
) -> ReportContent:
    """What the report shows.

    ``limits``: figure -> (lowest, highest) allowed value; ``histories``: names of those shown as bands; ``csv``: link
    to the table.
    """
    table = study.table()
    notes: list[str] = []
    responses = [name for name in study.figures or table.figures if name in table and not table.column(name).is_text]
    return ReportContent(
        title=study.case.title, table=table, statement=_statement(study), space=_space(study), responses=study.figures,
        bands=_bands(study, histories, notes), sensitivities=_sensitivities(study, table, responses[:_FIGURES], notes),
        reliabilities=_reliabilities(study, table, limits), csv=csv, notes=notes,
    )  # fmt: skip


def _statement(study: Study) -> list[tuple[str, str]]:
    stated = study.store.open()
    now = stated.versions[0] if stated.versions else {}
    lines = [
        ("case", f"{study.case.name} ({stated.spec.case})"),
        ("sampler", f"{study.sampler}, seed {study.seed}"),
        ("points", str(len(study))),
        ("fixed", ", ".join(f"{name} = {value}" for name, value in study.space.fixed.items())),
        ("folder", str(study.folder)),
        ("versions", ", ".join(f"{name} {version}" for name, version in now.items() if name != "sources")),
        ("hash of the case", stated.spec.case_digest),
    ]
    return [(name, value) for name, value in lines if value]


def _space(study: Study) -> list[tuple[str, str]]:
    lines = [tuple(line.split(": ", 1)) for line in str(study.space).splitlines()]
    return [(parts[0], parts[1]) for parts in lines if len(parts) == 2]


def _bands(study: Study, names: Sequence[str], notes: list[str]) -> list[HistoryBand]:
    wanted = names or study.store.open().spec.histories[:_BANDS]
    found = []
    for name in wanted:
        try:
            found.append(study.band(name))
        except StudyError as error:
            notes.append(str(error))
    return found


def _sensitivities(study: Study, table: StudyTable, responses: Sequence[str], notes: list[str]) -> list[Sensitivities]:
    found = []
    for name in responses:
        try:
            found.append(study.sensitivity(name, table=table))
        except StudyError as error:
            notes.append(f"no sensitivities of {name}: {error}")
    return found


def _reliabilities(
    study: Study, table: StudyTable, limits: Mapping[str, tuple[float | None, float | None]]
) -> list[Reliability]:
    found = []
    for name, (lowest, highest) in limits.items():
        if lowest is not None:
            found.append(study.reliability(name, below=lowest, table=table))
        if highest is not None:
            found.append(study.reliability(name, above=highest, table=table))
    return found
