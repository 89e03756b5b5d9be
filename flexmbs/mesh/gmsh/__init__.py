"""Reader of Gmsh files (.msh)."""

from flexmbs.mesh.gmsh.reader import read_gmsh

__all__ = ["read_gmsh"]
