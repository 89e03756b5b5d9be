"""Reader of MED files (.med) of Salome and code_aster."""
