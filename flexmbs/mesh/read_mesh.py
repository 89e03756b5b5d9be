"""``read_mesh``: one reader per file format, chosen by the extension and checked against the content."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import MeshError, MeshWarning
from flexmbs.common.lazy_import import load
from flexmbs.common.names_in_messages import names_arguments
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.mesh.material_units import check_units
from flexmbs.mesh.materials import flaw
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.mesh_formats import FORMATS, MeshFormat, format_of
from flexmbs.mesh.skipped_content import left_out_loads, omissions
from flexmbs.mesh.unit_systems import SI, converted, unit_system

_LONG = 20_000_000  # bytes; such a file may take more than a second to read


@names_arguments(MeshError)
@on_progress()
def read_mesh(
    path: str | Path, units: str | Sequence[float] | None = None, *, allow_outside_includes: bool = False, trust_units: bool = False
) -> Mesh:
    """Read the file of an FE tool: nodes, elements, sets, materials, sections, couplings, masses, supports.

    Parameters
    ----------
    path : str or Path
        Abaqus or CalculiX (.inp), Nastran (.bdf, .dat, .nas, ...), Ansys (.cdb, .dat), Gmsh (.msh), MED (.med), UNV
        (.unv, .uff), VTK (.vtk, .vtu), Exodus (.e, .exo, ...), and what meshio reads.
    units : str, or three floats
        The file's system of units: "m-kg-s", "mm-t-s", "mm-kg-ms", "mm-kg-s", "in-lbf-s", or its units of length,
        mass and time in m, kg and s (also as "0.001,1000,1"). Everything is converted to SI. None: the units that the
        file states (UNV, dataset 164), else SI, with a warning that names the likely system when the numbers do not
        look like it.
    allow_outside_includes : bool
        Let the file include files outside its own folder.
    trust_units : bool
        Turn suspected units from an error into a warning.

    Returns
    -------
    Mesh
        What was left out is in ``Mesh.skipped``, what is doubtful in ``Mesh.warnings``, both with line numbers.

    Warns
    -----
    MeshWarning
        For each of ``Mesh.warnings``, what was left out although it may change the body, and left out loads.

    Raises
    ------
    MeshError
        The file is missing, of an unknown format, or its content is wrong (the message names file and line); materials
        that cannot come from one system of units, when ``units`` is None and ``trust_units`` is not given.
    """
    path = Path(path)
    system = None if units is None else unit_system(units)
    mesh_format = _format(path)
    stage(f"reading {path.name}", long=path.stat().st_size > _LONG)
    reader = load(mesh_format.reader)
    options = {"allow_outside": allow_outside_includes} if mesh_format.has_includes else {}
    try:
        mesh = reader(path, **options)
    except OSError as error:
        raise MeshError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if system is None and mesh.stated_units is not None and mesh.stated_units.units != SI.name:
        system = unit_system(mesh.stated_units.units)
    if system is not None:
        mesh = converted(mesh, system)
    mesh = replace(mesh, file_format=mesh_format.name)
    mesh = replace(mesh, warnings=(*mesh.warnings, *_wrong_materials(mesh), *check_units(mesh, trust_units)))
    warn((*mesh.warnings, *omissions(mesh), *left_out_loads(mesh)), MeshWarning, where=path.name)
    return mesh


def _wrong_materials(mesh: Mesh) -> list[str]:
    """What is wrong with materials by their constants; computing with them is an error."""
    found = ((material, flaw(material)) for material in mesh.materials.values())
    return [f"{material.where or mesh.source}: material {material.name} {wrong}." for material, wrong in found if wrong]


def _format(path: Path) -> MeshFormat:
    wrong = path_problem(path)
    if wrong == "does not exist":
        hint = f"looked for {os.path.abspath(path)}"
        raise MeshError(f"{path}: no such mesh file ({hint}).") from FileNotFoundError(str(path))
    if wrong == "is a folder":
        raise MeshError(f"{path}: this is a folder, not a mesh file.") from IsADirectoryError(str(path))
    if wrong:
        raise MeshError(f"{path}: {wrong}; expected a mesh file.")
    found = format_of(path)
    if found is None:
        known = "; ".join(f"{f.name} ({', '.join(f.extensions)})" for f in FORMATS)
        raise MeshError(f"{path}: unknown mesh format '{path.suffix}'; known are {known}.")
    return found
