"""The mesh file that a command reads: options, ``flexmbs info``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from flexmbs.app.cli.command_options import ANY_PATH, json_option, numbers, option, parsed
from flexmbs.common.errors import BodyError, MeshError
from flexmbs.common.user_warnings import reported, shown
from flexmbs.mesh.material_units import doubt_about_si
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import left_out_loads, omissions
from flexmbs.mesh.operations import with_material, with_section, with_thickness
from flexmbs.mesh.read_mesh import read_mesh
from flexmbs.mesh.summary import describe, summarize
from flexmbs.mesh.unit_systems import unit_system

units_option = option(
    "--units U",
    "Unit system of the file: m-kg-s, mm-t-s, mm-kg-ms, mm-kg-s, in-lbf-s, or three factors: its units of length, mass and time "
    "in m, kg and s (0.001,1000,1). Default: as the file states (UNV), otherwise SI.",
    **parsed(lambda text: unit_system(text) and text),
)
includes_option = option("--allow-outside-includes", "Allow the file to include files from outside its own folder.")


_material = option("--material E,NU,RHO", "Material of all elements, always in SI (Pa, -, kg/m3) regardless of --units.")
_thickness = option("--thickness T", "Thickness of all shells, always in m regardless of --units.", float)
_section = option(
    "--section SHAPE:SIZES",
    "Section of all beams, always in m regardless of --units: rect:WIDTH_Y,WIDTH_Z, circle:RADIUS or pipe:RADIUS,WALL; area:A for "
    "trusses (m2).",
)


def properties_options(command):
    """Add --material, --thickness and --section, which files of many formats do not contain."""
    return _material(_thickness(_section(command)))


def read_for_analysis(file: Path, *, material: str | None, thickness: float | None, section: str | None, **how: Any) -> Mesh:
    """The mesh in a file, read as ``how`` says, with --material, --thickness and --section replacing its own properties."""
    mesh = read_mesh(file, **how)
    try:
        if thickness is not None:
            mesh = with_thickness(mesh, thickness)
        if section is not None:
            mesh = with_section(mesh, section)
        return mesh if material is None else with_material(mesh, **_given_material(material))
    except MeshError as error:  # the option is wrong, not the file: another exit code
        raise BodyError(str(error)) from None


def _given_material(text: str) -> dict[str, float]:
    """Arguments of ``with_material``; BodyError for a text that states no material, or one that is not in SI."""
    try:
        modulus, ratio, density = numbers(text, 3)
    except ValueError:
        raise BodyError(f"--material {text}: must be E,NU,RHO in Pa, -, kg/m3, such as 210e9,0.3,7850.") from None
    doubt = doubt_about_si(modulus, density)
    if doubt is None and 0.0 < density < 0.1:  # aerogels, the lightest materials, weigh 1 kg/m3
        doubt = "look like other units"
    if doubt:
        raise BodyError(
            f"--material {text}: E and the density {doubt}, but they are taken as Pa and kg/m3 regardless of --units;"
            " convert them to SI (with_material in Python accepts any material)."
        )
    return {"youngs_modulus": modulus, "poisson_ratio": ratio, "density": density}


def peak_memory_mb() -> float | None:
    """Peak memory of the process, MB; None where the system does not report it."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


@click.command("info")
@click.argument("file", type=ANY_PATH)
@units_option
@includes_option
@properties_options
@json_option
@reported()
def info_command(file: Path, as_json: bool, **of_mesh) -> None:
    """Show the contents of a mesh FILE: elements, sets, materials, sections, couplings, mass, skipped cards."""
    mesh = read_for_analysis(file, **of_mesh, trust_units=True)
    summary = summarize(mesh)
    shown((*summary["warnings"], *omissions(mesh), *left_out_loads(mesh)))  # among the warnings and what is skipped
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False) if as_json else describe(summary))
