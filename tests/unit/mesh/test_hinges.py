"""Parts of solids that hang on the rest by one node or by nodes on one line."""

from dataclasses import replace

import numpy as np
import pytest
from solid_meshes import box

from flexmbs import BodyError, ClampedFree, Coupling, Mesh, check_mesh, reduce, without_unused_nodes
from flexmbs.mesh.connectivity import hinged_parts


def two_boxes(kind, shift):
    """Two boxes of 2 x 2 x 2 elements, the second moved, with their common nodes merged."""
    first = box(kind)
    moved = first.points + shift
    apart = np.linalg.norm(moved[:, None] - first.points[None], axis=2)
    number = np.where(apart.min(axis=1) < 1e-9, apart.argmin(axis=1), len(first.points) + np.arange(len(moved)))
    block = first.blocks[0]
    second = replace(block, ids=block.ids + 1000, nodes=number[block.nodes])
    points = np.vstack([first.points, moved])
    mesh = Mesh(points, np.arange(len(points)) + 1, (block, second), {"ROOT": np.flatnonzero(points[:, 0] < 1e-9)})
    return without_unused_nodes(mesh)


@pytest.mark.parametrize("kind", ["hex8", "tet10", "pyramid13", "wedge6"])
def test_solids_that_hang_on_an_edge_or_a_corner(kind):
    """Such parts turn freely: named in the warnings, and in the error of a reduction that they make impossible."""
    assert not any("rotate freely" in text for text in check_mesh(two_boxes(kind, [1.0, 0.0, 0.0])))
    for shift, joint in (([1.0, 1.0, 0.0], "which lie on one line"), ([1.0, 1.0, 1.0], "by node ")):
        mesh = two_boxes(kind, shift)
        (warning,) = (text for text in check_mesh(mesh) if "rotate freely" in text)
        assert joint in warning
        assert f"{len(mesh.blocks[1].ids)} solid elements (first: element 1001)" in warning
        with pytest.raises(BodyError, match=r"element 1001\) are connected to the rest only by .* can rotate freely"):
            reduce(mesh, interfaces={"root": "ROOT"}, modes=ClampedFree("root", count=2))
        # a rigid coupling of both keeps the second in place
        clasp = Coupling("clasp", "rigid", int(mesh.blocks[0].nodes[0, 0]), mesh.blocks[1].nodes[-1, :3])
        mesh = replace(mesh, couplings=(clasp,))
        assert not any("rotate freely" in text for text in check_mesh(mesh))


def test_bricks_beside_tetrahedra_share_no_face_but_are_joined():
    bricks, tetrahedra = box("hex8"), box("tet4")
    moved = tetrahedra.points + [1.0, 0.0, 0.0]
    apart = np.linalg.norm(moved[:, None] - bricks.points[None], axis=2)
    number = np.where(apart.min(axis=1) < 1e-9, apart.argmin(axis=1), len(bricks.points) + np.arange(len(moved)))
    block = replace(tetrahedra.blocks[0], ids=tetrahedra.blocks[0].ids + 100, nodes=number[tetrahedra.blocks[0].nodes])
    points = np.vstack([bricks.points, moved])
    assert not hinged_parts(Mesh(points, np.arange(len(points)) + 1, (bricks.blocks[0], block)))
