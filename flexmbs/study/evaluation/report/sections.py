"""Sections of the report that are text and tables."""

from __future__ import annotations

import numpy as np

from flexmbs.common.html_pieces import lines_table, plain_table, text
from flexmbs.study.evaluation.export import all_columns
from flexmbs.study.evaluation.reasons import Reason
from flexmbs.study.evaluation.report.report_content import ReportContent
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities
from flexmbs.study.evaluation.statistics import ColumnStatistics, statistics_of
from flexmbs.study.evaluation.table import StudyTable
from flexmbs.study.evaluation.table_text import STATISTICS, shown

MOST_ROWS, MOST_REASONS, SLOWEST = 500, 12, 5


def statement(content: ReportContent) -> list[str]:
    """Title, what was run, what varies."""
    parts = [f"<h1>{text(content.title)}</h1>"]
    parts += [f'<p class="note">{text(note)}</p>' for note in content.notes]
    if content.statement:
        parts += ['<h2 id="study">Study</h2>', lines_table(content.statement)]
    if content.space:
        parts += ["<h3>What varies</h3>", lines_table(content.space)]
    return parts


def status(content: ReportContent) -> list[str]:
    """How many runs finished, failed, are not finite; why; times."""
    table = content.table
    finished = int(table.finished.sum())
    not_finite = _not_finite(table)
    seconds = table.seconds
    tiles = [("finished", f"{finished}", ""), ("failed", f"{table.failed}", "bad" if table.failed else "")]
    tiles += [("not run", f"{table.not_run}", "")] if table.not_run else []
    tiles += [("with values not finite", f"{not_finite}", "bad")] if not_finite else []
    if len(seconds):
        tiles += [("computing time", duration(float(seconds.sum())), "")]
        tiles += [("a run, median", duration(float(np.median(seconds))), "")]
    if content.wall_seconds is not None:
        tiles += [("from start to end", duration(content.wall_seconds), "")]
    shown_tiles = "".join(
        f'<div class="tile {kind}"><b>{text(value)}</b><span>{text(name)}</span></div>' for name, value, kind in tiles
    )
    parts = ['<h2 id="status">Status</h2>', f'<div class="tiles">{shown_tiles}</div>']
    parts += _reasons("Why runs failed", table.failures)
    parts += _reasons("Warnings of runs", table.warnings)
    return parts + _slow_runs(table)


def statistics(table: StudyTable) -> list[str]:
    """Quantiles, mean and deviation of each column."""

    def numbers(line: ColumnStatistics) -> tuple[float, ...]:
        return *line.quantiles, line.mean, line.deviation

    columns = list(table.columns.values())
    labels = {column.name: column.label for column in columns}
    rows = [
        [labels[line.name], str(line.count), str(line.missing), *(shown(value, 5) for value in numbers(line))]
        for line in statistics_of(columns)
    ]
    parts = ['<h2 id="statistics">Statistics</h2>', plain_table(["", *STATISTICS], rows)]
    if table.left_out:
        parts.append(f'<p class="soft">Lists are not shown: {text(", ".join(table.left_out))}.</p>')
    return parts


def reliabilities(content: ReportContent) -> list[str]:
    """Probabilities of passing limits."""
    if not content.reliabilities:
        return []
    rows, notes = [], []
    for found in content.reliabilities:
        share = f"{100.0 * found.confidence:g} %"
        rows.append(
            [
                found.statement,
                f"{found.probability:.4g}",
                share,
                _range(found.exact),
                _range(found.wilson),
                f"{found.hits} of {found.runs}",
                str(found.unknown),
                _range(found.bounds),
            ]
        )
        notes += [f"{found.statement}: {note}" for note in found.notes]
    header = [
        "",
        "estimate",
        "confidence",
        "Clopper-Pearson",
        "Wilson",
        "runs beyond",
        "without value",
        "if none of those / all are beyond",
    ]
    said = "".join(f"<p class=soft>{text(note)}</p>" for note in notes)
    return ['<h2 id="reliability">Reliability</h2>', plain_table(header, rows), said]


def indices(found: Sensitivities) -> list[str]:
    """Table of the indices of one figure, what they mean, what limits them."""
    header, *rows = found.rows()
    r2 = [f"R² of {name}: {value:.3f}." for name, value in found.r2.items()]
    meanings = [f"{name}: {meaning}." for name, meaning in found.meanings.items()]
    notes = "".join(f"<p class=soft>{text(note)}</p>" for note in found.notes)
    return [
        f"<h3>{text(found.response)}: {text(found.method)}, {found.runs} runs</h3>",
        plain_table(header, rows),
        f'<p class="soft">{text(" ".join([*r2, *meanings]))}</p>{notes}',
    ]


def runs(content: ReportContent) -> list[str]:
    """The first runs; a click on a heading sorts them."""
    table = content.table
    parts = ['<h2 id="runs">Runs</h2>']
    count = min(len(table), MOST_ROWS)
    link = f' All of them: <a href="{text(content.csv)}">{text(content.csv)}</a>.' if content.csv else ""
    first = f"The first {count} of {len(table)} runs." if count < len(table) else f"{count} runs."
    parts.append(f'<p class="soft">{first}{link} A click on a heading sorts.</p>')
    columns = all_columns(table.select(rows=np.arange(count)))
    columns.append(columns.pop([column.name for column in columns].index("run.key")))  # long, and seldom needed
    heads = "".join(f'<th class="sort{"" if c.is_text else " n"}">{text(c.label)}</th>' for c in columns)
    body = []
    for row, finished in zip(zip(*(c.plain_values() for c in columns), strict=True), table.finished, strict=False):
        cells = "".join(_cell(value, column.is_text) for value, column in zip(row, columns, strict=True))
        body.append(f"<tr{'' if finished else ' class=failed'}>{cells}</tr>")
    parts.append(f'<div class="scroll runs"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(body)}</tbody></table></div>')
    return parts


def duration(seconds: float) -> str:
    """A time for people: "0.12 s", "3.4 min", "5.1 h"."""
    if seconds < 120.0:
        return f"{seconds:.3g} s"
    return f"{seconds / 60.0:.3g} min" if seconds < 7200.0 else f"{seconds / 3600.0:.3g} h"


def _cell(value: object, is_text: bool) -> str:
    if is_text:
        return f"<td>{text('' if value is None else value)}</td>"
    if value is None:
        return '<td class="n" data-v=""></td>'
    sorted_as = str(value).replace("inf", "Infinity")  # as JavaScript writes it
    return f'<td class="n" data-v="{text(sorted_as)}">{text(shown(value))}</td>'


def _range(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.3g} to {ends[1]:.3g}"


def _not_finite(table: StudyTable) -> int:
    """Finished runs at least one of whose figures is nan or infinite."""
    bad = np.zeros(len(table), dtype=bool)
    for name in table.figures:
        column = table.columns[name]
        if not column.is_text:
            bad |= ~np.isfinite(column.values.astype(float, copy=False))
    return int((bad & table.finished).sum())


def _reasons(heading: str, reasons: tuple[Reason, ...]) -> list[str]:
    if not reasons:
        return []
    rows = [[str(reason.count), reason.kind, reason.message[:600], f"run {reason.first_run}"] for reason in reasons[:MOST_REASONS]]
    more = sum(reason.count for reason in reasons[MOST_REASONS:])
    rows += [[str(more), "", f"{len(reasons) - MOST_REASONS} other messages", ""]] if more else []
    return [f"<h3>{text(heading)}</h3>", plain_table(["runs", "", "message of the first", "first"], rows, 99)]


def _slow_runs(table: StudyTable) -> list[str]:
    """The slowest runs, if they stand out: more than three times the median."""
    if len(table) < 2:
        return []
    order = np.argsort(-table.seconds)[:SLOWEST]
    slow = [int(row) for row in order if table.seconds[row] > 3.0 * np.median(table.seconds)]
    if not slow:
        return []
    columns = [table.columns[name].taken(np.array(slow)) for name in table.parameters]
    values = list(zip(*(column.plain_values() for column in columns), strict=True)) if columns else [()] * len(slow)
    rows = [
        [f"{table.index[row]}", duration(float(table.seconds[row])), *map(shown, line)]
        for row, line in zip(slow, values, strict=True)
    ]
    header = ["run", "time", *(column.label for column in columns)]
    return ["<h3>Slowest runs (more than three times the median)</h3>", plain_table(header, rows)]
