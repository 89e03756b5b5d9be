"""``read_mesh``: one reader per file format, chosen by the extension."""

from __future__ import annotations

from pathlib import Path

from flexmbs.errors import MeshError
from flexmbs.mesh.abaqus import read_abaqus
from flexmbs.mesh.gmsh import read_gmsh
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.operations import without_unused_nodes

# A new format is a new module with a function path -> Mesh, and one line here.
READERS = {
    ".inp": ("Abaqus/CalculiX", read_abaqus),
    ".msh": ("Gmsh", read_gmsh),
}


def read_mesh(path: str | Path) -> Mesh:
    """Read a mesh file; the extension says which format it is.

    Lengths, materials and densities are taken as SI (m, Pa, kg/m3). Nodes that no element uses are left out and
    counted in ``Mesh.warnings``.

    Raises
    ------
    MeshError
        The file is missing, of an unknown format, or its content is wrong (the message names file and line).
    """
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    known = ", ".join(f"{extension} ({name})" for extension, (name, _) in READERS.items())
    if reader is None:
        raise MeshError(f"{path}: unknown mesh format '{path.suffix}'; known are {known}.")
    if not path.is_file():
        hint = "it is a folder" if path.is_dir() else f"looked for {path.resolve()}"
        raise MeshError(f"{path}: no such mesh file ({hint}).")
    try:
        return without_unused_nodes(reader[1](path))
    except OSError as error:
        raise MeshError(f"{path}: cannot be read: {error.strerror}.") from error
