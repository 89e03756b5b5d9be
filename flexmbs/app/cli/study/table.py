"""``flexmbs study table``, ``export`` and ``plot``: parameters and figures of all runs."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.app.cli.study.study_argument import open_study
from flexmbs.study.plots import KINDS
from flexmbs.study.table import table_text


@click.command("table")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.option("--figure", "figures", multiple=True, metavar="NAME", help="Show this figure only; may be repeated.")
@click.option("--list", "lists", multiple=True, metavar="NAME", help="Show the values of a figure that is a list, one by one.")
def table_command(study: Path, figures: tuple[str, ...], lists: tuple[str, ...]) -> None:
    """Varied parameters and figures of all runs of STUDY, with minimum, median and maximum."""
    click.echo(table_text(open_study(study).table(figures, lists=lists)))


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


@click.command("plot")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--kind", type=click.Choice((*KINDS, "histories")), default="scatter", show_default=True, help="Kind of plot.")
@click.option("--response", metavar="FIGURE", help="For effects and surface: the figure.")
@click.option("--color", metavar="NAME", help="For scatter and parallel: what colours the runs.")
@click.option("--title", help="Title of the plot.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A .png, .svg or .pdf file. Default: KIND.png in the folder of the study.",
)
def plot_command(
    study: Path, names: tuple[str, ...], kind: str, response: str | None, color: str | None, title: str | None, save: Path | None
) -> None:
    """Plot the parameters and figures NAME ... of all runs of STUDY (--kind histories: histories)."""
    found = open_study(study)
    target = found.folder / f"{kind}.png" if save is None else save
    options = {name: value for name, value in (("response", response), ("color", color), ("title", title)) if value}
    found.plot(kind, names or None, save=target, **options)
    click.echo(f"wrote {target}")
