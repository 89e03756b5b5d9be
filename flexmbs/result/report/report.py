"""The report of a run: one HTML page, complete in itself, that an engineer attaches to a design review."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from itertools import chain
from pathlib import Path

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder, require_writable
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.html_pieces import STYLE, page, text, written
from flexmbs.common.progress import duration_text, on_progress, stage
from flexmbs.common.quantities import quantity
from flexmbs.common.versions import library_versions
from flexmbs.result.report.model_sections import ReportableResult, StatedModel, model_section, quality_section, stated_model
from flexmbs.result.report.picture_sections import pictures_section, plots_section, scene_html, stills
from flexmbs.result.report.run_sections import (
    all_warnings,
    contacts_section,
    energy_section,
    figures_section,
    largest_section,
    parameters_section,
    statistics_section,
    versions_section,
    warnings_section,
)
from flexmbs.result.run_summary import RunSummary
from flexmbs.view.page.pages import page_assets, page_scripts

_HEADING = re.compile(r'<h2 id="([a-z]+)">([^<]+)</h2>')


@on_progress()
def write_report(
    result: ReportableResult, path: str | Path, *, title: str = "", summary: RunSummary | None = None, force: bool = False
) -> Path:
    """Write the report of a result to one .html file.

    Parameters
    ----------
    title : heading of the page; "": that of the case, or the bodies
    summary : what ``flexmbs run`` has written beside the result: case, parameters, figures
    force : replace an existing file

    Raises FlexmbsError, before any work is done, for another extension, an existing file (without ``force``), and a
    place that cannot be written. Without OpenGL the report has no pictures, and says why.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise FlexmbsError(f"{path}: the file name of a report must end in .html")
    refuse_existing(path, force)
    if path.parent.is_dir():
        require_writable(path)
    document = report_page(result, title, summary or RunSummary())
    with replacing_in_folder(path) as temporary:
        temporary.write_bytes(written(document))
    return path


def report_page(result: ReportableResult, title: str, summary: RunSummary) -> str:
    """The whole page."""
    model = stated_model(result.structure)
    title = title or summary.title or f"Run of {', '.join(body.name for body in model.bodies[:4])}"
    warnings = all_warnings(result, summary)
    pictures, why_not = stills(result, summary.view)
    stage("interactive scene", long=True)
    scene, no_scene = scene_html(result, summary.view | summary.page_options(result.names))
    stage("tables and plots", long=True)
    sections = [
        *chain(
            pictures_section(pictures, (why_not, no_scene), scene),
            figures_section(summary),
            largest_section(result),
            plots_section(result, summary.plots, summary.view),
            parameters_section(summary),
            model_section(result, model),
            quality_section(result),
            contacts_section(result),
            energy_section(result),
            statistics_section(result, summary, model),
            warnings_section(warnings),
            versions_section(result, summary, model, library_versions()),
        )
    ]
    head = [*_heading(result, summary, title), *_tiles(result, summary, model, warnings), _contents(sections)]
    viewer = {"head": page_assets(), "scripts": page_scripts()} if scene else {}
    style = files("flexmbs.result.report").joinpath("report.css").read_text(encoding="utf-8")
    return page(title, [*head, *sections], style=f"{STYLE}\n{style}", **viewer)


def _heading(result: ReportableResult, summary: RunSummary, title: str) -> Iterable[str]:
    finished = result.status.startswith("finished")
    yield f"<h1>{text(title)}</h1>"
    chip = f'<span class="chip {"good" if finished else "bad"}">{text(result.status)}</span>'
    yield f'<p class="under-title">{chip} {text(f"case {summary.case}" if summary.case else "")}</p>'


def _tiles(result: ReportableResult, summary: RunSummary, model: StatedModel, warnings: list[str]) -> Iterable[str]:
    """The numbers that are asked for first."""
    stats = {**result.stats, **summary.stats}
    span = float(result.t[-1] - result.t[0]) if len(result.t) else 0.0
    count = len(model.bodies)
    tiles = [("simulated", quantity(span, "s"), "run"), ("bodies" if count != 1 else "body", f"{count:,}", "model")]
    tiles.append(("degrees of freedom", f"{model.mobility.freedoms:,}", "model"))
    if "steps_accepted" in stats:
        tiles.append(("steps", f"{int(stats['steps_accepted']):,}", "run"))
    if "solve_seconds" in stats:
        tiles.append(("to solve", duration_text(float(stats["solve_seconds"])), "run"))
    if result.trajectory.has("ledger"):
        ledger = result.energy_ledger()
        if ledger.scale > 0.0:
            tiles.append(("of energy not balanced", f"{ledger.largest_balance / ledger.scale:.1e}", "energy"))
    tiles.append(("warnings" if len(warnings) != 1 else "warning", str(len(warnings)), "warnings"))
    shown = "".join(
        f'<a class="tile" href="#{place}"><b>{text(value)}</b><span>{text(name)}</span></a>' for name, value, place in tiles
    )
    yield f'<div class="tiles">{shown}</div>'


def _contents(sections: list[str]) -> str:
    links = [f'<a href="#{place}">{name}</a>' for place, name in _HEADING.findall("".join(sections))]
    return f"<nav>{''.join(links)}</nav>"
