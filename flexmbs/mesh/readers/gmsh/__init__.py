"""Reader of Gmsh files (.msh)."""

from flexmbs.mesh.readers.gmsh.reader import read_gmsh

__all__ = ["read_gmsh"]
