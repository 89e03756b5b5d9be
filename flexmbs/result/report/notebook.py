"""What a result shows of itself in a notebook: numbers, plots, the interactive scene."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.html_pieces import bullets, card, folded, framed_page, lines_table, paragraph
from flexmbs.common.names_in_messages import listed
from flexmbs.common.progress import duration_text
from flexmbs.common.quantities import number, quantity
from flexmbs.result.report.model_sections import ReportableResult, StatedModel, stated_model
from flexmbs.result.report.picture_sections import plots_of, scene_html
from flexmbs.result.report.run_sections import all_warnings, balance_sentence
from flexmbs.result.run_summary import RunSummary
from flexmbs.view.key_histories import key_histories
from flexmbs.view.page.pages import scene_page

PLOTS, MAX_BODIES = 2, 8
MAX_ROWS_PLOTTED = 300_000  # rows of a run of which plots are made at once
#: Of the scene: so many MB and frames at most, and so many bodies and points, which say how long it takes to make.
LARGEST, FRAMES, MAX_PARTS, MAX_POINTS = 3.0, 200, 60, 30_000
HEIGHT = 600  # pixels of the scene


def result_card(result: ReportableResult) -> str:
    """A table of the run, its first plots, its scene if that is small, and its warnings."""
    model = stated_model(result.structure)
    parts = [lines_table(_facts(result, model))]
    warnings = all_warnings(result, RunSummary())
    count = f"{len(warnings)} warning{'s' if len(warnings) != 1 else ''}"
    parts += [folded(count, bullets(warnings, kind="warnings"))] if warnings else []
    return card("Result", [*parts, *_plots(result), *_scene(result)])


def _facts(result: ReportableResult, model: StatedModel) -> list[tuple[str, str]]:
    t, stats = result.t, result.stats
    facts = [("status", result.status)]
    if len(t):
        facts.append(("time", f"{number(t[0])} to {number(t[-1], 6)} s in {len(t):,} stored rows"))
    if "steps_accepted" in stats:
        seconds = stats.get("solve_seconds")
        spent = f", {duration_text(float(seconds))}" if seconds is not None else ""
        facts.append(("steps", f"{int(stats['steps_accepted']):,} by {stats.get('integrator', 'unknown')}{spent}"))
    names = [f"{body.name} ({body.modes} modes)" if body.modes else body.name for body in model.bodies]
    facts.append(("bodies", listed(names, MAX_BODIES) or "none"))
    facts.append(("degrees of freedom", f"{model.mobility.freedoms:,}"))
    if result.contacts:
        hardest = max(result.contacts, key=lambda one: one.peak_force)
        largest = f"largest force {quantity(hardest.peak_force, 'N')} in {hardest.name} at {number(hardest.peak_time, 6)} s"
        facts.append(("contacts", f"{len(result.contacts):,}, {largest}"))
    if result.trajectory.has("ledger") and len(t):
        facts.append(("energy", balance_sentence(result.energy_ledger())))
    return [*facts, ("histories", f"{len(result.names):,}; result.names lists them")]


def _plots(result: ReportableResult) -> Iterator[str]:
    if not 2 <= len(result.t) <= MAX_ROWS_PLOTTED:
        return
    yield f'<div class="plots">{"".join(islice(plots_of(result, key_histories(result)), PLOTS))}</div>'


def _scene(result: ReportableResult) -> Iterator[str]:
    """The scene in a frame of its own, which isolates its style and script from those of the notebook."""
    bodies = result.structure.bodies
    points = sum(0 if body.flexible is None else len(body.flexible.surface.points) for body in bodies)
    if len(bodies) > MAX_PARTS or points > MAX_POINTS:
        yield paragraph("result.to_html(...) writes a page with the interactive scene, result.show() opens it.", soft=True)
        return
    try:
        scene, why_not = scene_html(result, {}, LARGEST, frames=FRAMES)
    except (FlexmbsError, ValueError, np.linalg.LinAlgError) as error:  # a card is shown in any case
        scene, why_not = "", str(error)
    yield framed_page(scene_page("flexmbs", scene), HEIGHT) if scene else paragraph(f"No interactive scene: {why_not}.", soft=True)
