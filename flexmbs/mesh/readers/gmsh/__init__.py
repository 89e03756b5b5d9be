"""Reader of Gmsh files (.msh)."""
