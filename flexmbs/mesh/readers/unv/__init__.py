"""Reader of universal files (.unv, .uff) of I-DEAS, Simcenter, Salome, Gmsh and measurement programs."""
