"""Options shared by all commands that read a mesh file, and the mesh read with them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from flexmbs.common.errors import BodyError, MeshError
from flexmbs.mesh.material_units import doubt_about_si
from flexmbs.mesh.operations import with_material
from flexmbs.mesh.read_mesh import read_mesh
from flexmbs.mesh.sections.assign_sections import with_section, with_thickness
from flexmbs.mesh.unit_systems import unit_system

UNITS_HELP = (
    "Unit system of the file: m-kg-s, mm-t-s, mm-kg-ms, mm-kg-s, in-lbf-s, or three factors: its units of length, mass "
    "and time in m, kg and s (0.001,1000,1). Default: as the file states (UNV), otherwise SI."
)


def _known_units(_context, _option, value: str | None) -> str | None:
    """UsageError for an unknown unit system, before the file is read."""
    if value is not None:
        try:
            unit_system(value)
        except MeshError as error:
            raise click.UsageError(f"--units: {error}") from None
    return value


units_option = click.option("--units", metavar="U", callback=_known_units, help=UNITS_HELP)
includes_option = click.option(
    "--allow-outside-includes", is_flag=True, help="Allow the file to include files from outside its own folder."
)
_GIVEN = (
    click.option(
        "--material", metavar="E,NU,RHO", help="Material of all elements, always in SI (Pa, -, kg/m3) regardless of --units."
    ),
    click.option("--thickness", type=float, metavar="T", help="Thickness of all shells, always in m regardless of --units."),
    click.option(
        "--section",
        metavar="SHAPE:SIZES",
        help="Section of all beams, always in m regardless of --units: rect:WIDTH_Y,WIDTH_Z, circle:RADIUS or "
        "pipe:RADIUS,WALL; area:A for trusses (m2).",
    ),
)


def properties_options(command):
    """Add --material, --thickness and --section, which files of many formats do not contain."""
    for option in reversed(_GIVEN):
        command = option(command)
    return command


def read_for_analysis(
    file: Path,
    units: str | None,
    allow_outside_includes: bool,
    material: str | None,
    thickness: float | None = None,
    section: str | None = None,
):
    """The mesh in a file, with --material, --thickness and --section replacing its own properties."""
    mesh = read_mesh(file, units, allow_outside_includes=allow_outside_includes)
    return with_properties(mesh, material, thickness, section)


def with_properties(mesh, material: str | None, thickness: float | None, section: str | None):
    """The mesh with --material, --thickness and --section applied; BodyError for invalid values."""
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
        modulus, ratio, density = (float(part) for part in text.split(","))
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
