"""Reader of Abaqus and CalculiX input files (.inp)."""

from __future__ import annotations

from pathlib import Path

from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.readers.abaqus.build_mesh import build
from flexmbs.mesh.readers.abaqus.deck_reader import read_deck


def read_abaqus(path: Path, *, allow_outside: bool = False) -> Mesh:
    """Mesh of an Abaqus/CalculiX file, in the units and numbers of the file.

    Names are upper case, as in the format (quoted ones as they are). A set SET of a part keeps its name when there is
    one instance only; with several it is "INSTANCE.SET". Sets of elements that are faces of others become surfaces and
    node sets. Supports are read from the model and from the first step; everything else of steps, and other cards that
    are not read, are listed in ``Mesh.skipped`` with their lines.

    Parameters
    ----------
    allow_outside : bool
        Let ``*INCLUDE`` and ``INPUT=`` leave the folder of the deck.

    Raises
    ------
    MeshError
        The content is wrong, cut off, or has no structural element; the message names file, line and card.
    """
    return build(read_deck(Path(path), allow_outside))
