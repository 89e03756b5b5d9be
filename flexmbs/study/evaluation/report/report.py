"""The report of a study: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import StudyError
from flexmbs.common.html_pieces import page, picture, text
from flexmbs.study.evaluation.plots.chosen_columns import varies
from flexmbs.study.evaluation.plots.histogram import histogram
from flexmbs.study.evaluation.plots.history_band import plot_histories_as_band
from flexmbs.study.evaluation.plots.main_effects import main_effects
from flexmbs.study.evaluation.plots.parallel_coordinates import parallel_coordinates
from flexmbs.study.evaluation.plots.response_surface import response_surface
from flexmbs.study.evaluation.plots.scatter_matrix import scatter_matrix
from flexmbs.study.evaluation.plots.sensitivity_bars import plot_sensitivities
from flexmbs.study.evaluation.report.report_content import ReportContent
from flexmbs.study.evaluation.report.sections import indices, reliabilities, runs, statement, statistics, status
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_RESPONSES, MOST_BANDS, MOST_SENSITIVITIES = 4, 6, 8
DPI = 130
SECTIONS = ("study", "status", "statistics", "plots", "histories", "sensitivity", "reliability", "runs")

#: Sorts the table of runs by the column that is clicked; numbers by value, empty cells last.
SORTING = """
for (const head of document.querySelectorAll("th.sort")) head.addEventListener("click", () => {
  const body = head.closest("table").tBodies[0], place = head.cellIndex;
  const down = head.dataset.down = head.dataset.down === "1" ? "0" : "1", sign = down === "1" ? 1 : -1;
  const value = row => row.cells[place].dataset.v ?? row.cells[place].textContent;
  const compare = (a, b) => { const x = value(a), y = value(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y); };
  body.append(...[...body.rows].sort(compare));
});
"""


def write_report(content: ReportContent, path: str | Path) -> None:
    """Write the report; without a finished run it has no plots.  FlexmbsError if it cannot be written."""
    parts = [*statement(content)]
    sections = [*status(content), *statistics(content.table), *_plots(content), *_histories(content)]
    sections += [*_sensitivities(content), *reliabilities(content), *runs(content)]
    there = [name for name in SECTIONS if any(f'id="{name}"' in part for part in (*parts, *sections))]
    links = "".join(f'<a href="#{name}">{name.capitalize()}</a>' for name in there)
    body = [parts[0], f"<nav>{links}</nav>", *parts[1:], *sections]
    document = page(content.title, body, script=SORTING)
    with replacing_in_folder(path) as temporary:
        temporary.write_text(document, encoding="utf-8")


def _plots(content: ReportContent) -> Iterator[str]:
    table = content.table
    if not table.finished.any():
        return
    responses = _responses(content)
    yield '<h2 id="plots">Plots</h2>'
    drawings: list[tuple[str, Callable[[], Figure | None]]] = []
    if responses:
        drawings.append(("Histogram", partial(histogram, table, responses)))
    for response in responses[:MOST_RESPONSES]:
        drawings.append((f"Main effects on {response}", partial(main_effects, table, response)))
        if not table.columns[response].whole:
            surface = f"Response surface of {response}"
            drawings.append((surface, partial(response_surface, table, response)))
    names = [*[name for name in table.parameters if varies(table.columns[name])], *responses]
    chosen = names if 2 <= len(names) <= 8 else None
    color = responses[0] if responses else None
    drawings.append(("Scatter matrix", partial(scatter_matrix, table, chosen, color=color)))
    drawings.append(("Parallel coordinates", partial(parallel_coordinates, table, chosen, color=color)))
    for description, draw in drawings:
        yield _drawn(description, draw)


def _drawn(description: str, draw: Callable[[], Figure | None]) -> str:
    """A picture, or the sentence that says why there is none."""
    try:
        figure = draw()
    except StudyError as error:
        return f'<p class="soft">{text(description)}: {text(error)}</p>'
    assert figure is not None
    return picture(figure, description, DPI)


def _responses(content: ReportContent) -> list[str]:
    """Figures that are shown: those named, or the first numbers that vary."""
    table: StudyTable = content.table
    if content.responses:
        return [name for name in content.responses if table.column(name)]
    numbers: Sequence[str] = [name for name in table.figures if not table.columns[name].is_text]
    return [name for name in numbers if varies(table.columns[name])][:MOST_RESPONSES]


def _histories(content: ReportContent) -> Iterator[str]:
    if content.bands:
        yield '<h2 id="histories">Histories</h2>'
        yield picture(_figure(plot_histories_as_band(content.bands[:MOST_BANDS])), "Histories as bands", DPI)


def _sensitivities(content: ReportContent) -> Iterator[str]:
    if content.sensitivities:
        yield '<h2 id="sensitivity">Sensitivity</h2>'
    for found in content.sensitivities[:MOST_SENSITIVITIES]:
        yield from indices(found)
        yield picture(_figure(plot_sensitivities(found)), f"Sensitivity of {found.response}", DPI)


def _figure(figure: Figure | None) -> Figure:
    assert figure is not None  # since it is not saved
    return figure
