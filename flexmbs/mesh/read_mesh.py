"""``read_mesh``: one reader per file format, chosen by the extension and checked against the content."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import MeshError, MeshWarning
from flexmbs.common.lazy_import import load
from flexmbs.common.names_in_messages import names_arguments
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.mesh.material_units import check_units
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import left_out_loads, omissions
from flexmbs.mesh.properties import flaw
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.unit_systems import SI, converted, unit_system

_HEAD = 65536  # bytes looked at; comments at the top of decks can be long


@dataclass(frozen=True)
class MeshFormat:
    """A format: its extensions, what its files look like at the start, and the function that reads it."""

    name: str
    extensions: tuple[str, ...]
    reader: str  # "module:function" (path, ...) -> Mesh; imported when used (``common.lazy_import``)
    signature: bytes = b""  # bytes pattern at the start of the file (binary formats, or text with a fixed first line)
    card: bytes = b""  # bytes pattern of a line that only this format has, for formats without a fixed start
    has_includes: bool = False  # the reader takes ``allow_outside``

    def claims(self, head: bytes) -> bool:
        """Whether a file that starts with ``head`` looks like this format."""
        if self.signature and re.match(self.signature, head):
            return True
        return bool(self.card) and re.search(self.card, head, re.MULTILINE | re.IGNORECASE) is not None


_OTHERS = tuple(
    ".meshb .xdmf .vol .vol.gz .f3grid .ugrid .su2 .post .dato .node .ele .xml .stl"
    " .ply .obj .off .h5m .wkt .hmf .avs .tec .cgns".split()
)
_EXCHANGE = "flexmbs.mesh.readers.exchange_formats."
_NETCDF3, _HDF5 = rb"CDF[\x01\x02\x05]", re.escape(hdf5.SIGNATURE)

# A new format is a new package or module with a function path -> Mesh, and one entry here. Where several formats share an
# extension, the first whose card or signature is found wins; the first listed is the one to blame for other content.
FORMATS: tuple[MeshFormat, ...] = (
    MeshFormat(
        "Abaqus/CalculiX",
        (".inp", ".inc"),
        "flexmbs.mesh.readers.abaqus.deck_reader:read_abaqus",
        card=rb"^\*\s*(HEADING|NODE|PART|INCLUDE|ELEMENT|MATERIAL|NSET|ELSET|PREPRINT|NGEN|PARAMETER|RESTART|INSTANCE)\b",
        has_includes=True,
    ),
    MeshFormat(
        "Nastran",
        (".bdf", ".dat", ".nas", ".blk", ".pch", ".inp", ".fem", ".inc", ".ecd"),
        "flexmbs.mesh.readers.nastran.read_nastran:read_nastran",
        card=rb"^\s{0,7}(BEGIN\s+BULK|BEGIN\s+SUPER|CEND\b|SOL\s+[A-Z0-9]|INIT\s+MASTER|APP\s+DISP|ENDDATA"
        rb"|(GRID|C(TETRA|HEXA|PENTA|QUAD4|QUAD8|TRIA3|TRIA6|BAR|BEAM|ROD))\*?[\s,]|GRDSET"
        rb"|(P(SHELL|SOLID|BAR|BARL|BEAM|ROD)|MAT1|CORD2[RCS])\*?[\s,]|INCLUDE\s+'|NASTRAN\s|ID\s+\w+\s*,)",
        has_includes=True,
    ),
    MeshFormat(
        "Ansys",
        (".cdb", ".dat", ".inp", ".mac", ".ans", ".inc"),
        "flexmbs.mesh.readers.ansys.read_ansys:read_ansys",
        card=rb"^\s*(/PREP7|/BATCH|/COM\b|/NOPR|/TITLE|/FILNAM|/UNITS\s*,|NBLOCK\s*,|EBLOCK\s*,|ET\s*,\s*\w|CMBLOCK\s*,"
        rb"|NUMOFF\s*,|MPDATA\s*,|MP\s*,\s*[A-Z]+\s*,|\*IF\s*,|\*SET\s*,|FINISH\b\s*$|N\s*,\s*\d+\s*,)",
        has_includes=True,
    ),
    MeshFormat(
        "Gmsh", (".msh",), "flexmbs.mesh.readers.gmsh.read_gmsh:read_gmsh", rb"\s*\$(MeshFormat|Comments|NOD|PhysicalNames)"
    ),
    MeshFormat("MED", (".med", ".rmed", ".mmed"), "flexmbs.mesh.readers.med:read_med", _HDF5),
    MeshFormat("UNV", (".unv", ".uff"), "flexmbs.mesh.readers.unv.build_mesh:read_unv", rb"\s{0,5}-1\s*[\r\n]+\s*\d+b?\b"),
    MeshFormat(
        "Exodus",
        (".e", ".exo", ".ex2", ".exii", ".g", ".gen"),
        _EXCHANGE + "exodus:read_exodus",
        rb"(" + _NETCDF3 + rb"|" + _HDF5 + rb")",
    ),
    MeshFormat("VTK", (".vtk",), _EXCHANGE + "read_by_library:read_vtk", rb"# vtk DataFile"),
    MeshFormat("VTU", (".vtu", ".vtp"), _EXCHANGE + "read_by_library:read_vtk", rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<VTKFile"),
    MeshFormat("Medit", (".mesh",), _EXCHANGE + "medit:read_medit", rb"(\s|#[^\n]*\n)*MeshVersionFormatted"),
    MeshFormat("another format of meshio", _OTHERS, _EXCHANGE + "read_by_library:read_with_meshio"),
)


def format_of(path: Path) -> MeshFormat | None:
    """The format of a file; None when its extension is not known.

    Raises MeshError when the content is that of a format which the extension does not stand for.
    """
    candidates = [known for known in FORMATS if path.name.lower().endswith(known.extensions)]
    if not candidates:
        return None
    head = _head(path)
    claiming = [known for known in candidates if known.claims(head)]
    if claiming:
        return claiming[0]
    _refuse_other_content(path, candidates[0], head)
    return candidates[0]  # its reader says what is missing


def _head(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise MeshError(f"{path}: cannot be read: {error.strerror}.") from error
    if not head.strip():
        raise MeshError(f"{path}:1: the file is empty.")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head[: len(head) // 2 * 2].decode("utf-16", "replace").encode()
    return head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _refuse_other_content(path: Path, expected: MeshFormat, head: bytes) -> None:
    other = next((known for known in FORMATS if known.claims(head)), None)
    if other is not None:
        raise MeshError(
            f"{path}:1: the extension says {expected.name}, but the content is that of {other.name}; rename the file to"
            f" {path.stem}{other.extensions[0]}."
        )
    if b"\x00" in head[:4096] and expected.card:
        raise MeshError(
            f"{path}:1: binary data (first bytes {head[:8]!r}), not a text file of {expected.name}; export the model as"
            " a text deck."
        )


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
    allow_outside_includes : bool, let the file include files outside its own folder
    trust_units : bool, turn suspected units from an error into a warning

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
