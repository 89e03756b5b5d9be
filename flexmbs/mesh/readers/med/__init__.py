"""Reader of MED files (.med) of Salome and code_aster."""

from flexmbs.mesh.readers.med.read_med import read_med

__all__ = ["read_med"]
