"""``flexmbs info``: show the contents of a mesh file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from flexmbs.app.cli.mesh_options import includes_option, properties_options, units_option, with_properties
from flexmbs.common.user_warnings import reported, shown
from flexmbs.mesh.quality.summary import summarize
from flexmbs.mesh.quality.summary_text import describe
from flexmbs.mesh.read_mesh import read_mesh
from flexmbs.mesh.skipped_content import left_out_loads, omissions


@click.command("info")
@click.argument("file", type=click.Path(path_type=Path))
@units_option
@includes_option
@properties_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@reported()
def info_command(
    file: Path,
    units: str | None,
    allow_outside_includes: bool,
    material: str | None,
    thickness: float | None,
    section: str | None,
    as_json: bool,
) -> None:
    """Show the contents of a mesh FILE: elements, sets, materials, sections, couplings, mass, skipped cards."""
    mesh = read_mesh(file, units, allow_outside_includes=allow_outside_includes, trust_units=True)
    summary = summarize(with_properties(mesh, material, thickness, section))
    shown((*summary["warnings"], *omissions(mesh), *left_out_loads(mesh)))  # among the warnings and what is skipped
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False) if as_json else describe(summary))
