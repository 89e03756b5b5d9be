"""``flexmbs study status``: how far a study has got."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.study.study_script import open_study


@click.command("status")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
def status_command(study: Path) -> None:
    """How many runs of STUDY are finished, failed, going on, missing; time and disk space used."""
    click.echo(str(open_study(study).status()))
