"""``flexmbs study report``: one HTML page with everything."""

from __future__ import annotations

import re
from pathlib import Path

import click

from flexmbs.app.cli.study.study_argument import open_study
from flexmbs.common.errors import StudyError

_LIMIT = re.compile(r"\s*([^<>=]+?)\s*([<>])\s*([^<>=]+)")


def _limits(texts: tuple[str, ...]) -> dict[str, tuple[float | None, float | None]]:
    """Limits of figures from "peak_stress<250e6" and "clearance>0.001"."""
    found: dict[str, tuple[float | None, float | None]] = {}
    for text in texts:
        parts = _LIMIT.fullmatch(text)
        try:
            value = float(parts[3]) if parts else None
        except ValueError:
            value = None
        if parts is None or value is None:
            raise StudyError(f"--limit {text!r}: write what is required, such as 'peak_stress<250e6' or 'clearance>0.001'")
        low, high = found.get(parts[1], (None, None))
        found[parts[1]] = (low, value) if parts[2] == "<" else (value, high)
    return found


@click.command("report")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    help="Default: report.html in the folder of the study.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="'FIGURE<VALUE'",
    help="What is required of a figure ('<' or '>'): the probability to miss it is stated. May be repeated.",
)
@click.option("--history", "histories", multiple=True, metavar="NAME", help="Show this history as a band.")
@click.option("--force", is_flag=True, help="Replace FILE.html and the .csv beside it if they exist.")
def report_command(study: Path, save: Path | None, limits: tuple[str, ...], histories: tuple[str, ...], force: bool) -> None:
    """Write one HTML page about STUDY: what varied, what failed, statistics, plots, sensitivities, reliability."""
    found, required = open_study(study), _limits(limits)
    target = found.folder / "report.html" if save is None else save
    before = {path for path in (target, target.with_suffix(".csv")) if path.exists()}
    found.report(save, limits=required, histories=histories, force=force)
    for path in (target, target.with_suffix(".csv")):
        click.echo(f"{'replaced' if path in before else 'wrote'} {path}")
