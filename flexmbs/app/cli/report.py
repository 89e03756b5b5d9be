"""``flexmbs report``: one HTML page about a run, for design reviews."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import CaseError
from flexmbs.result.report.report import write_report
from flexmbs.result.result import load
from flexmbs.result.run_summary import read_summary

DEFAULT = "report.html"


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.html", help="Default: report.html in DIR.")
@click.option("--title", default="", help="Heading of the page. Default: the title of the case.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def report_command(folder: Path, out: Path | None, title: str, force: bool) -> None:
    """Write one HTML page about the run in DIR: model, parameters, figures, plots, pictures, energy, warnings."""
    if not folder.is_dir():
        raise CaseError(f"{folder}: no such folder; give the result folder of a run")
    target = folder / DEFAULT if out is None else out
    refuse_existing(target, force)
    result, summary = load(folder), read_summary(folder)
    click.echo(f"wrote {write_report(result, target, title=title, summary=summary, force=force)}")
