"""A small good file of each text format, for tests that damage it."""

ABAQUS = """*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 0., 1., 0.
4, 0., 0., 1.
*ELEMENT, TYPE=C3D4, ELSET=BODY
1, 1, 2, 3, 4
*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL
*MATERIAL, NAME=STEEL
*ELASTIC
210e9, 0.3
*DENSITY
7850.
"""
NASTRAN = """CEND
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,0.,1.,0.
GRID,4,,0.,0.,1.
CTETRA,1,1,1,2,3,4
PSOLID,1,1
MAT1,1,2.1+11,,.3,7850.
ENDDATA
"""
SHELL = NASTRAN.replace("CTETRA,1,1,1,2,3,4", "CTRIA3,1,1,1,2,3")
ANSYS = """/PREP7
ET,1,185
NBLOCK,6,SOLID,4,4
(3i9,6e21.13e3)
        1        0        0 0.0000000000000E+000 0.0000000000000E+000 0.0000000000000E+000
        2        0        0 1.0000000000000E+000
        3        0        0 0.0000000000000E+000 1.0000000000000E+000
        4        0        0 0.0000000000000E+000 0.0000000000000E+000 1.0000000000000E+000
N,R5.3,LOC,       -1,
EBLOCK,19,SOLID,1,1
(19i9)
        1        1        1        1        0        0        0        0        8        0        1        1        2        3        3        4        4        4        4
       -1
MP,EX,1,2.1E11
MP,PRXY,1,0.3
MP,DENS,1,7850.
FINISH
"""  # noqa: E501
GMSH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 4
$EndElements
"""
GMSH4 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 0 1
1 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
1 4 1 4
3 1 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
1 1 1 1
3 1 4 1
1 1 2 3 4
$EndElements
"""
UNV_NODES = """    -1
  2411
         1         1         1        11
   0.0D+00   0.0D+00   0.0D+00
         2         1         1        11
   1.0D+00   0.0D+00   0.0D+00
         3         1         1        11
   0.0D+00   1.0D+00   0.0D+00
         4         1         1        11
   0.0D+00   0.0D+00   1.0D+00
    -1
"""
UNV_ELEMENT = """         1       111         1         1         7         4
         1         2         3         4
"""
UNV = f"{UNV_NODES}    -1\n  2412\n{UNV_ELEMENT}    -1\n"
VTK = """# vtk DataFile Version 3.0
a tetrahedron
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0 1 0 0 0 1 0 0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
"""
VTU = """<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>
<Cells>
<DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">4</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10</DataArray>
</Cells></Piece></UnstructuredGrid></VTKFile>
"""
MEDIT = """MeshVersionFormatted 2
Dimension 3
Vertices
4
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
Tetrahedra
1
1 2 3 4 1
End
"""
WHOLE = {
    "bad.inp": ABAQUS,
    "bad.bdf": NASTRAN,
    "bad.cdb": ANSYS,
    "bad.msh": GMSH,
    "four.msh": GMSH4,
    "bad.unv": UNV,
    "bad.vtk": VTK,
    "bad.vtu": VTU,
    "bad.mesh": MEDIT,
}
