"""``flexmbs study export``: the table as a file."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.study.study_script import open_study


@click.command("export")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A .csv, .jsonl or .parquet file.",
)
@click.option("--figure", "figures", multiple=True, metavar="NAME", help="Write this figure only; may be repeated.")
@click.option("--list", "lists", multiple=True, metavar="NAME", help="Write the values of a figure that is a list, one by one.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def export_command(study: Path, target: Path, figures: tuple[str, ...], lists: tuple[str, ...], force: bool) -> None:
    """Write the table of STUDY, with every digit."""
    found = open_study(study)
    if target.exists() and not force:
        raise click.UsageError(f"{target} exists; give another name, or --force")
    click.echo(f"wrote {found.export(target, figures=figures, lists=lists)}")
