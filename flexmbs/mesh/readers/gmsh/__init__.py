"""Reader of Gmsh files (.msh)."""

from flexmbs.mesh.readers.gmsh.read_gmsh import read_gmsh

__all__ = ["read_gmsh"]
