"""``flexmbs study table``: parameters and figures of all runs."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.study.study_script import open_study


@click.command("table")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.option("--figure", "figures", multiple=True, metavar="NAME", help="Show this figure only; may be repeated.")
@click.option("--list", "lists", multiple=True, metavar="NAME", help="Show the values of a figure that is a list, one by one.")
def table_command(study: Path, figures: tuple[str, ...], lists: tuple[str, ...]) -> None:
    """Varied parameters and figures of all runs of STUDY, with minimum, median and maximum."""
    click.echo(str(open_study(study).table(figures, lists=lists)))
