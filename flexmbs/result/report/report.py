"""The report of a run: one HTML page, complete in itself, that an engineer attaches to a design review."""

from __future__ import annotations

import re
from collections.abc import Iterable
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

REPORT_STYLE = (
    STYLE
    + """
:root { --good: #1a7f4b; --note: #b26a00; }
@media (prefers-color-scheme: dark) { :root { --good: #6fd39b; --note: #f0b45c; } }
html { scroll-behavior: smooth; scroll-padding-top: 0.5rem; }
h1 { font-size: clamp(1.35rem, 4vw, 1.9rem); } h4 { font-size: 0.95rem; margin: 1rem 0 0.2rem; }
.under-title { margin: 0.2rem 0 0.8rem; color: var(--soft); }
.chip { display: inline-block; padding: 0.05rem 0.6rem; border-radius: 1rem; border: 1px solid currentcolor;
  font-size: 0.85rem; } .chip.good { color: var(--good); } .chip.bad { color: var(--bad); }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; padding: 0.5rem 0; border-top: 1px solid var(--line);
  border-bottom: 1px solid var(--line); } nav a { margin: 0; }
a.tile { color: inherit; text-decoration: none; border: 1px solid transparent; }
a.tile:hover { border-color: var(--link); }
.tile { flex: 1 1 7rem; } .tile b { font-variant-numeric: tabular-nums; overflow-wrap: normal; }
table { margin: 0.3rem 0 0.8rem; } tbody tr:hover { background: var(--band); }
td, th { max-width: 36rem; } .scroll:not(.plain) td { overflow-wrap: anywhere; }
.plain td:first-child, .plain td:last-child { white-space: normal; }
p.plain-text { margin: 0.5rem 0; } p.good { border-left: 0.25rem solid var(--good); background: var(--band);
  padding: 0.4rem 0.8rem; margin: 0.6rem 0; } p.note { border-left-color: var(--note); }
ul { padding-left: 1.2rem; margin: 0.4rem 0 0.8rem; } li { margin: 0.25rem 0; max-width: 60rem; }
ul.warnings li::marker { content: "\\26A0\\FE0E  "; color: var(--note); } ul.warnings { padding-left: 1.6rem; }
details { margin: 0.6rem 0; } summary { cursor: pointer; font-weight: 600; font-size: 0.95rem; padding: 0.2rem 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0.8rem 1.2rem; }
.plots figure { margin: 0; } .plots figure img { min-width: 0 !important; width: 100%; }
.stills { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 0.8rem; }
.stills figure { margin: 0; } .stills img { width: 100%; border: 1px solid var(--line); }
figcaption { color: var(--soft); font-size: 0.85rem; padding: 0.2rem 0; }
.scene { margin: 1rem 0; } .scene .flexmbs-scene { height: 46rem; }
.scene .flexmbs-scene h2 { border: 0; padding: 0; } .scene .flexmbs-scene details { margin: 0; }
@media (max-width: 40rem) { body { padding: 0.6rem 0.7rem 3rem; } .tile { padding: 0.4rem 0.6rem; min-width: 6rem; }
  .tile b { font-size: 1.1rem; } td, th { max-width: 16rem; padding-right: 0.45rem; } table { font-size: 0.78rem; } }
@media print { :root { color-scheme: light; --text: #000; --soft: #444; --line: #bbb; --back: #fff; --band: #f4f4f4; }
  @page { margin: 16mm 14mm; } .scroll { overflow: visible; } table { font-size: 7.5pt; }
  details > summary { list-style: none; break-after: avoid; } details:not([open]) { display: none; }
  .beside-stills { display: none; } a.tile { break-inside: avoid; }
  .tiles { gap: 0.3rem; } .tile { min-width: 5rem; padding: 0.2rem 0.5rem; } .tile b { font-size: 1rem; }
  .plots { grid-template-columns: 1fr 1fr; } .stills { grid-template-columns: 1fr 1fr 1fr; }
  td, th { padding-right: 0.4rem; max-width: none; } h2 { margin-top: 1.2rem; } }
"""
)


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
    return page(title, [*head, *sections], style=REPORT_STYLE, **viewer)


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
