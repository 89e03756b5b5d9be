"""Reader of universal files (.unv, .uff) of I-DEAS, Simcenter, Salome, Gmsh and measurement programs.

Datasets read: 15, 781, 2411 (nodes); 71, 780, 2412 (elements); 18, 2420 (coordinate systems); 752, 2417, 2429, 2430,
2432, 2435, 2452, 2467, 2477 (groups); 164 (units, reported). All others are listed as skipped.
"""

from __future__ import annotations

from pathlib import Path

from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.readers.unv.build_mesh import build_mesh
from flexmbs.mesh.readers.unv.dataset_content import read_content


def read_unv(path: str | Path) -> Mesh:
    """Read a universal file, in the units and numbers of the file.

    Universal files as programs write them today hold no materials and sections: blocks have none.

    Raises
    ------
    MeshError
        The file is damaged, or holds no elements (measurement geometry of nodes and trace lines is no mesh).
    """
    path = Path(path)
    return build_mesh(read_content(path), path)
