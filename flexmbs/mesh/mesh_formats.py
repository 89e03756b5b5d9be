"""The format of a mesh file, from its extension and its first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools import hdf5

_HEAD = 65536  # bytes looked at; comments at the top of decks can be long


@dataclass(frozen=True)
class MeshFormat:
    """A format: its extensions, what its files look like at the start, and the function that reads it.

    Attributes
    ----------
    reader : "module:function" (path, ...) -> Mesh; imported when used (``common.lazy_import``)
    signature : bytes pattern at the start of the file (binary formats, or text with a fixed first line)
    card : bytes pattern of a line that only this format has, for formats without a fixed start
    has_includes : the reader takes ``allow_outside``
    """

    name: str
    extensions: tuple[str, ...]
    reader: str
    signature: bytes = b""
    card: bytes = b""
    has_includes: bool = False

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

# A new format is a new package with a function path -> Mesh, and one entry here. Where several formats share an
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
    MeshFormat("MED", (".med", ".rmed", ".mmed"), "flexmbs.mesh.readers.med.read_med:read_med", _HDF5),
    MeshFormat("UNV", (".unv", ".uff"), "flexmbs.mesh.readers.unv.build_mesh:read_unv", rb"\s{0,5}-1\s*[\r\n]+\s*\d+b?\b"),
    MeshFormat(
        "Exodus",
        (".e", ".exo", ".ex2", ".exii", ".g", ".gen"),
        _EXCHANGE + "read_exodus:read_exodus",
        rb"(" + _NETCDF3 + rb"|" + _HDF5 + rb")",
    ),
    MeshFormat("VTK", (".vtk",), _EXCHANGE + "read_by_library:read_vtk", rb"# vtk DataFile"),
    MeshFormat("VTU", (".vtu", ".vtp"), _EXCHANGE + "read_by_library:read_vtk", rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<VTKFile"),
    MeshFormat("Medit", (".mesh",), _EXCHANGE + "read_medit:read_medit", rb"(\s|#[^\n]*\n)*MeshVersionFormatted"),
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
