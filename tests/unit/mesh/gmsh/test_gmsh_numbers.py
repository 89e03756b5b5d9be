"""Node numbers of Gmsh files with gaps and in any order."""

import numpy as np
import pytest

from flexmbs.mesh.readers.gmsh.read_gmsh import read_gmsh as read_mesh

POINTS = {7: (0.0, 0.0, 0.0), 3: (1.0, 0.0, 0.0), 12: (0.0, 1.0, 0.0), 40: (0.0, 0.0, 1.0)}


def version_2():
    nodes = "\n".join(f"{tag} {x} {y} {z}" for tag, (x, y, z) in POINTS.items())
    return f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{nodes}\n$EndNodes\n$Elements\n1\n1 4 2 1 1 7 3 12 40\n$EndElements\n"


def version_41():
    tags = list(POINTS)
    blocks = ""
    for first, last in ((0, 1), (1, 4)):
        chosen = tags[first:last]
        blocks += f"3 1 0 {len(chosen)}\n" + "".join(f"{tag}\n" for tag in chosen)
        blocks += "".join("{} {} {}\n".format(*POINTS[tag]) for tag in chosen)
    return (
        f"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 4 3 40\n{blocks}$EndNodes\n"
        "$Elements\n1 1 1 1\n3 1 4 1\n1 7 3 12 40\n$EndElements\n"
    )


@pytest.mark.parametrize("text", [version_2(), version_41()], ids=["2.2", "4.1"])
def test_nodes_keep_the_numbers_of_the_file(text, tmp_path):
    path = tmp_path / "four.msh"
    path.write_text(text)
    mesh = read_mesh(path)
    assert not [warning for warning in mesh.warnings if "no physical groups" not in warning]
    for tag, point in POINTS.items():
        np.testing.assert_array_equal(mesh.points[mesh.node_ids == tag], [point])
    assert list(mesh.node_ids[mesh.blocks[0].nodes[0]]) == [7, 3, 12, 40]
