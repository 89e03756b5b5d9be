"""The command line's words for mesh files: ``flexmbs info`` and the picture of a mesh."""

from __future__ import annotations

import json
from pathlib import Path

import click

UNITS_HELP = (
    "Units of the file: m-kg-s, mm-t-s, mm-kg-ms, mm-kg-s, in-lbf-s, or its units of length, mass and time in m, kg "
    "and s as three factors (0.001,1000,1). Default: taken as SI."
)
units_option = click.option("--units", metavar="U", help=UNITS_HELP)
includes_option = click.option(
    "--allow-outside-includes", is_flag=True, help="Let the file include files from outside its own folder."
)


@click.command("info")
@click.argument("file", type=click.Path(path_type=Path))
@units_option
@includes_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a text.")
def info_command(file: Path, units: str | None, allow_outside_includes: bool, as_json: bool) -> None:
    """Show what is in a mesh FILE: elements, sets, materials, sections, couplings, mass, what was skipped."""
    from flexmbs.mesh import read_mesh
    from flexmbs.mesh.summary import summarize
    from flexmbs.mesh.summary_text import describe

    summary = summarize(read_mesh(file, units, allow_outside_includes=allow_outside_includes))
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False) if as_json else describe(summary))


def view_mesh(
    file: Path, units: str | None, save: Path | None, allow_outside_includes: bool, sets: tuple[str, ...] = ()
) -> None:
    """Show a mesh file with its sets (those named, or the first ones) in a window, or render it to a .png."""
    from flexmbs.mesh import read_mesh
    from flexmbs.view.mesh_picture import save_mesh, show_mesh

    mesh = read_mesh(file, units, allow_outside_includes=allow_outside_includes)
    for warning in mesh.warnings:
        click.echo(warning, err=True)
    if save is None:
        show_mesh(mesh, sets)
        return
    click.echo(f"wrote {save_mesh(mesh, save, sets)}")
