"""Reader of Ansys Mechanical APDL decks: .cdb files of CDWRITE and the .dat files that Workbench writes.

The formats are those of the Mechanical APDL Command Reference and of the chapter on coded database files in the
Programmer's Reference. Commands are read one by one (``commands``, ``control``); what they say is collected in a
``Deck`` and made into a Mesh at the end (``build``).
"""

from __future__ import annotations

from pathlib import Path

from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.readers.ansys.build_mesh import build_mesh
from flexmbs.mesh.readers.ansys.interpreter import read_deck


def read_ansys(path: str | Path, *, allow_outside: bool = False) -> Mesh:
    """Read an Ansys deck, in the units and numbers of the file.

    Parameters
    ----------
    allow_outside : bool
        Whether the deck may include files (/INPUT, CDREAD) that lie outside its own folder.

    Raises
    ------
    MeshError
        The file is damaged or holds no body, or its mesh depends on commands that only Ansys itself carries out; the
        message names file, line and command.
    """
    path = Path(path)
    return build_mesh(read_deck(path, allow_outside), path)
