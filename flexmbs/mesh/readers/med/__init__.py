"""Reader of MED files (.med) of Salome and code_aster."""

from flexmbs.mesh.readers.med.reader import read_med

__all__ = ["read_med"]
