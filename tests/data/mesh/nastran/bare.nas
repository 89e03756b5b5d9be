$ No sections of the file, no properties: as mesh generators write it.
GRID           1              0.      0.      0.
GRID           2              1.      0.      0.
GRID           3              0.      1.      0.
GRID           4              0.      0.      1.
CTETRA         1      10       1       2       3       4
CTRIA3         2      20       1       2       3
CBAR           3      30       1       2      0.      0.      1.
