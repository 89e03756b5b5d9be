"""``flexmbs study pack``: many folders of finished runs become a few files."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.study.study_script import open_study


@click.command("pack")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
def pack_command(study: Path) -> None:
    """Put the folders of finished runs of STUDY into a few large files; every other command reads them as before.

    For file systems on which many small files are slow, or against a limit on their number.
    """
    count = open_study(study).pack()
    click.echo(f"packed {count} runs")
