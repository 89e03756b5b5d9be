"""Reader of Ansys Mechanical APDL decks: .cdb files of CDWRITE and the .dat files that Workbench writes.

The formats are those of the Mechanical APDL Command Reference and of the chapter on coded database files in the
Programmer's Reference. Commands are read one by one (``commands``, ``control``); what they say is collected in a
``Deck`` and made into a Mesh at the end (``build``).
"""

from __future__ import annotations

import re
from pathlib import Path

from flexmbs.mesh.ansys.build import build_mesh
from flexmbs.mesh.ansys.control import read_deck
from flexmbs.mesh.mesh import Mesh

_SIGNS = re.compile(
    r"^\s*(/PREP7|/BATCH|/NOPR|/TITLE\s*,|/COM\s*,|/UNITS\s*,|NBLOCK\s*,|EBLOCK\s*,|ET\s*,\s*\w+\s*,\s*\w+|CMBLOCK\s*,|NUMOFF\s*,|"
    r"MPDATA\s*,|MP\s*,\s*[A-Z]+\s*,|\*IF\s*,|\*SET\s*,)",
    re.IGNORECASE | re.MULTILINE,
)


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


def looks_like_ansys(head: str) -> bool:
    """Whether the first lines of a file are commands of Ansys (.dat and .inp files can be of several programs)."""
    return _SIGNS.search(head) is not None
