"""The report of a study: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import StudyError
from flexmbs.common.html_pieces import STYLE, lines_table, page, paragraph, picture, text, written
from flexmbs.study.history_band import HistoryBand, plot_bands
from flexmbs.study.plot_axes import scale_of, varying_figures
from flexmbs.study.plots import plot
from flexmbs.study.reliability import Reliability
from flexmbs.study.sensitivity import MEANINGS, Sensitivities, plot_sensitivities
from flexmbs.study.table import finished, is_text, label, named, statistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

MOST_FIGURES, MOST_BANDS, MOST_ROWS, MOST_REASONS, SLOWEST = 4, 6, 500, 12, 5
DPI = 130
TABLES = "table.dataframe td { text-align: right; } table.texts td { text-align: left; } pre { white-space: pre-wrap; }"
#: Marks failed runs, and sorts the table of runs by the column that is clicked; numbers by value, empty cells last.
SCRIPT = """
const runs = document.querySelector("#all-runs"), heads = [...runs.tHead.rows[0].cells];
const status = heads.findIndex(head => head.textContent === "run.status");
for (const row of runs.tBodies[0].rows) row.classList.toggle("failed", row.cells[status].textContent === "failed");
for (const head of heads) head.classList.add("sort"), head.addEventListener("click", () => {
  const place = head.cellIndex, sign = head.dataset.up === "1" ? -1 : 1, value = row => row.cells[place].textContent;
  const compare = (a, b) => { const x = value(a).replace("inf", "Infinity"), y = value(b).replace("inf", "Infinity");
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y); };
  head.dataset.up = sign;
  runs.tBodies[0].append(...[...runs.tBodies[0].rows].sort(compare));
});
"""


def write_report(
    path: Path,
    table: DataFrame,
    *,
    title: str,
    facts: Sequence[tuple[str, str]] = (),
    space: Sequence[tuple[str, str]] = (),
    figures: Sequence[str] = (),
    histories: Sequence[str] = (),
    band: Callable[[str], HistoryBand] | None = None,
    sensitivity: Callable[[str], Sensitivities] | None = None,
    reliabilities: Sequence[Reliability] = (),
    csv: str = "",
) -> None:
    """Write the report; without a finished run it has no plots.  FlexmbsError if it cannot be written.

    Parameters
    ----------
    table : with failed runs as rows (``on_error="nan"``)
    facts, space : lines (what, value) and (parameter, what it varies over), such as ("length [m]", "0.8 to 1.2")
    figures : shown in plots and with sensitivities; none: the first four that vary
    band, sensitivity : of a history and of a figure; the page says why where they raise StudyError
    csv : the table's file, in the folder of the report
    """
    lists, ended = ", ".join(table.attrs["left_out"]), finished(table).any()
    numeric = [name for name in figures if name in table and not is_text(table[name])] or varying_figures(table)[:MOST_FIGURES]
    sections = {
        "study": [lines_table(facts), "<h3>What varies</h3>", lines_table(space)] if facts else [],
        "status": _status(table),
        "statistics": [_html(statistics(table)), *([paragraph(f"Lists are not shown: {lists}.", soft=True)] if lists else [])],
        "plots": [*_plots(table, numeric)] if ended else [],
        "histories": [
            _drawn(f"Histories as bands: {name}", partial(_bands, band, name)) for name in histories[:MOST_BANDS] if band
        ],
        "sensitivity": [part for name in numeric if ended and sensitivity for part in _indices(sensitivity, name)],
        "reliability": [f"<pre>{text(found)}</pre>" for found in reliabilities],
        "runs": _runs(table, csv),
    }
    links = "".join(f'<a href="#{name}">{name.capitalize()}</a>' for name, parts in sections.items() if parts)
    body = [f"<h1>{text(title)}</h1>", f"<nav>{links}</nav>"]
    for name, parts in sections.items():
        body += [f'<h2 id="{name}">{name.capitalize()}</h2>', *parts] if parts else []
    with replacing_in_folder(path) as temporary:
        temporary.write_bytes(written(page(title, body, style=STYLE + TABLES, script=SCRIPT)))


def _html(frame: DataFrame, kind: str = "plain", **options: Any) -> str:
    from pandas import option_context

    with option_context("display.max_colwidth", None):
        table = frame.to_html(border=0, na_rep="", float_format="{:.6g}".format, classes=kind, **options)
    return f'<div class="scroll {kind}">{table}</div>'


def _status(table: DataFrame) -> list[str]:
    """How many runs finished, failed, are not finite; why; times."""
    from pandas import DataFrame

    ended, seconds = finished(table), table["run.seconds"]
    values = table[[name for name in named(table, "figures") if not is_text(table[name])]]
    not_finite = int((~np.isfinite(values.astype(float)).all(axis=1) & ended).sum())
    failed, not_run = table.attrs["failed"], table.attrs["not_run"]
    tiles = [(int(ended.sum()), "finished", ""), (failed, "failed", "bad" if failed else "")]
    tiles += [part for part in ((not_run, "not run", ""), (not_finite, "with values not finite", "bad")) if part[0]]
    tiles += [(f"{seconds.sum():.3g} s", "computing time", "")]
    shown = "".join(f'<div class="tile {kind}"><b>{text(value)}</b><span>{name}</span></div>' for value, name, kind in tiles)
    runs = table.index.to_series().groupby(table["run.reason"], observed=True).agg(["count", "min"])
    failures = runs.sort_values("count", ascending=False).reset_index().to_numpy().tolist()
    parts = [f'<div class="tiles">{shown}</div>']
    for heading, reasons in (("Why runs failed", failures), ("Warnings of runs", table.attrs["warnings"])):
        frame = DataFrame(reasons[:MOST_REASONS], columns=["message of the first", "runs", "first run"])
        parts += [f"<h3>{heading}</h3>", _html(frame, "texts", index=False)] if reasons else []
        parts += [paragraph(f"{len(reasons) - MOST_REASONS} other messages", soft=True)] if len(reasons) > MOST_REASONS else []
    slow = table[seconds > 3.0 * seconds.median()].nlargest(SLOWEST, "run.seconds")[["run.seconds", *named(table, "parameters")]]
    slow = slow.rename(columns=lambda name: label(table, name)).rename_axis(None)
    return [*parts, "<h3>Slowest runs (more than three times the median)</h3>", _html(slow)] if len(slow) else parts


def _plots(table: DataFrame, figures: Sequence[str]) -> Iterator[str]:
    if figures:
        yield _drawn("Histogram", partial(plot, table, "histogram", figures))
    for figure in figures[:MOST_FIGURES]:
        yield _drawn(f"Main effects on {figure}", partial(plot, table, "effects", response=figure))
        if not scale_of(table, figure).whole:
            yield _drawn(f"Response surface of {figure}", partial(plot, table, "surface", response=figure))
    for kind, description in {"scatter": "Scatter matrix", "parallel": "Parallel coordinates"}.items():
        yield _drawn(description, partial(plot, table, kind, color=next(iter(figures), None)))


def _bands(band: Callable[[str], HistoryBand], name: str) -> Figure | None:
    return plot_bands([band(name)])


def _drawn(description: str, draw: Callable[[], Figure | None]) -> str:
    """A picture, or the sentence that says why there is none."""
    try:
        figure = draw()
    except StudyError as error:
        return paragraph(f"{description}: {error}", soft=True)
    assert figure is not None  # since it is not saved
    return picture(figure, description, DPI)


def _indices(sensitivity: Callable[[str], Sensitivities], figure: str) -> list[str]:
    """Table of the indices of one figure, what they mean, what limits them, and their bars; or why there are none."""
    try:
        found = sensitivity(figure)
    except StudyError as error:
        return [paragraph(str(error), soft=True)]
    said = [f"{name}: {MEANINGS[name]}." for name in found.indices if name in MEANINGS]
    return [
        f"<h3>{text(found.figure)}: {text(found.method)}, {found.runs} runs</h3>",
        _html(found.as_text()),
        *(paragraph(note, soft=True) for note in (" ".join(said), *found.notes)),
        _drawn(f"Sensitivity of {found.figure}", partial(plot_sensitivities, found)),
    ]


def _runs(table: DataFrame, csv: str) -> list[str]:
    """The first runs; a click on a heading sorts them."""
    shown = table.head(MOST_ROWS).rename(columns=lambda name: label(table, name)).reset_index(allow_duplicates=True)
    first = f"The first {len(shown)} of {len(table)} runs." if len(shown) < len(table) else f"{len(shown)} runs."
    link = f' All of them: <a href="{quote(csv)}">{text(csv)}</a>.' if csv else ""
    said = f'<p class="soft">{first}{link} A click on a heading sorts.</p>'
    return [said, _html(shown, "runs", index=False, table_id="all-runs")]
