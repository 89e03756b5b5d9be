"""``flexmbs study plot``: figures of all runs against parameters, or histories as bands."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.study.study_script import open_study

KINDS = ("scatter", "parallel", "effects", "histogram", "surface", "histories")


@click.command("plot")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--kind", type=click.Choice(KINDS), default="scatter", show_default=True, help="Kind of plot.")
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
