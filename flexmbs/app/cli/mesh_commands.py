"""The command line's words for mesh files: what all commands that read one share, ``flexmbs info``, the picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from flexmbs.common.errors import BodyError, MeshError
from flexmbs.common.user_warnings import reported, shown

UNITS_HELP = (
    "Units of the file: m-kg-s, mm-t-s, mm-kg-ms, mm-kg-s, in-lbf-s, or its units of length, mass and time in m, kg "
    "and s as three factors (0.001,1000,1). Default: what the file states (UNV), else taken as SI."
)


def _known_units(_context, _option, value: str | None) -> str | None:
    """UsageError for units that are none, before the file is read."""
    from flexmbs.mesh.unit_systems import unit_system

    if value is not None:
        try:
            unit_system(value)
        except MeshError as error:
            raise click.UsageError(f"--units: {error}") from None
    return value


units_option = click.option("--units", metavar="U", callback=_known_units, help=UNITS_HELP)
includes_option = click.option(
    "--allow-outside-includes", is_flag=True, help="Let the file include files from outside its own folder."
)
_GIVEN = (
    click.option(
        "--material", metavar="E,NU,RHO", help="Material for all elements, in SI whatever --units is: Pa, -, kg/m3."
    ),
    click.option("--thickness", type=float, metavar="T", help="Thickness of all shells, in m whatever --units is."),
    click.option(
        "--section", metavar="SHAPE:SIZES",
        help="Section of all beams, in m whatever --units is: rect:WIDTH_Y,WIDTH_Z, circle:RADIUS, pipe:RADIUS,WALL; "
        "area:A for trusses (m2).",
    ),
)  # fmt: skip


def properties_options(command):
    """--material, --thickness and --section: what files of many formats do not have."""
    for option in reversed(_GIVEN):
        command = option(command)
    return command


@click.command("info")
@click.argument("file", type=click.Path(path_type=Path))
@units_option
@includes_option
@properties_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a text.")
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
    """Show what is in a mesh FILE: elements, sets, materials, sections, couplings, mass, what was skipped."""
    from flexmbs.mesh import read_mesh
    from flexmbs.mesh.quality.summary import summarize
    from flexmbs.mesh.quality.summary_text import describe
    from flexmbs.mesh.skipped_content import left_out_loads, omissions

    mesh = read_mesh(file, units, allow_outside_includes=allow_outside_includes, trust_units=True)
    summary = summarize(with_properties(mesh, material, thickness, section))
    shown((*summary["warnings"], *omissions(mesh), *left_out_loads(mesh)))  # among the warnings and what is skipped
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False) if as_json else describe(summary))


def view_mesh(
    file: Path, units: str | None, save: Path | None, allow_outside_includes: bool, sets: tuple[str, ...] = ()
) -> None:
    """Show a mesh file with its sets (those named, or the first ones) in a window, or render it to a .png."""
    from flexmbs.mesh import read_mesh
    from flexmbs.view.mesh_picture import save_mesh, show_mesh

    mesh = read_mesh(file, units, allow_outside_includes=allow_outside_includes, trust_units=True)
    if save is None:
        show_mesh(mesh, sets)
        return
    click.echo(f"wrote {save_mesh(mesh, save, sets)}")


def read_for_analysis(
    file: Path,
    units: str | None,
    allow_outside_includes: bool,
    material: str | None,
    thickness: float | None = None,
    section: str | None = None,
):
    """The mesh in a file, with what --material, --thickness and --section say in place of its own."""
    from flexmbs.mesh import read_mesh

    mesh = read_mesh(file, units, allow_outside_includes=allow_outside_includes)
    return with_properties(mesh, material, thickness, section)


def with_properties(mesh, material: str | None, thickness: float | None, section: str | None):
    """The mesh with what --material, --thickness and --section say; BodyError for what they cannot mean."""
    from flexmbs.mesh import with_material, with_section, with_thickness

    try:
        if thickness is not None:
            mesh = with_thickness(mesh, thickness)
        if section is not None:
            mesh = with_section(mesh, section)
        return mesh if material is None else with_material(mesh, **_given_material(material))
    except MeshError as error:  # the option is wrong, not the file: another exit code
        raise BodyError(str(error)) from None


def _given_material(material: str) -> dict[str, float]:
    """Arguments of ``with_material``; BodyError for a material that is not in SI."""
    from flexmbs.mesh.quality.unit_check import doubt_about_si

    given = _material(material)
    doubt = doubt_about_si(given["youngs_modulus"], given["density"])
    if doubt:
        raise BodyError(
            f"--material {material}: E and the density {doubt}, but they are taken as Pa and kg/m3 whatever --units is;"
            " give them so (with_material in Python takes any material)."
        )
    return given


def _material(text: str) -> dict[str, float]:
    try:
        modulus, ratio, density = (float(part) for part in text.split(","))
    except ValueError:
        raise BodyError(f"--material {text}: give E,NU,RHO in Pa, -, kg/m3, such as 210e9,0.3,7850.") from None
    return {"youngs_modulus": modulus, "poisson_ratio": ratio, "density": density}


def peak_memory_mb() -> float | None:
    """Most memory that the process has had, where the system tells."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
