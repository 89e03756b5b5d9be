"""``flexmbs compare``: two or more runs beside each other, as tables and in one figure."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.common.errors import CaseError
from flexmbs.result.comparison.compare import compare
from flexmbs.view.plotting.figures import check_file


@click.command("compare")
@click.argument("items", nargs=-1, metavar="DIR1 DIR2 [DIR...] [NAME...]")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a figure (.svg, .pdf or .png): the histories of all runs, and their differences beneath.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--start", type=float, metavar="SECONDS", help="Start of the window of time.")
@click.option("--end", type=float, metavar="SECONDS", help="End of the window of time.")
@click.option("--degrees", is_flag=True, help="Angles of the figure in degrees.")
@click.option("--title", help="Title of the figure.")
def compare_command(
    items: tuple[str, ...], save: Path | None, force: bool, start: float | None, end: float | None, degrees: bool, title: str | None
) -> None:
    """Compare the runs in DIR1, DIR2, ... with the first of them: parameters, figures, histories NAME, statistics.

    Without NAME: coordinates, contact forces and energies; the figure shows the four that differ most.
    """
    runs = [item for place, item in enumerate(items) if place < 2 or Path(item).is_dir()]
    names = [item for place, item in enumerate(items) if place >= 2 and not Path(item).is_dir()]
    if len(runs) < 2:
        raise click.UsageError("give at least two result folders: flexmbs compare DIR1 DIR2")
    for run in runs:
        if not Path(run).is_dir():
            raise CaseError(f"{run}: no such folder; 'flexmbs compare' takes the result folders first, then names")
    check_file(save, force)
    found = compare(*runs, names=names, start=start, end=end)
    click.echo(str(found))
    if save is not None:
        found.plot(save=save, force=force, degrees=degrees, title=title)
        click.echo(f"\nwrote {save}")
