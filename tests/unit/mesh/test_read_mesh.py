"""``read_mesh``: the choice of the reader, missing files, Gmsh files, the meshes that come with flexmbs."""

import os
from pathlib import Path

import numpy as np
import pytest

from flexmbs.errors import MeshError
from flexmbs.mesh import bounding_box, check_mesh, read_mesh, with_material

STEEL = {"youngs_modulus": 210e9, "poisson_ratio": 0.3, "density": 7850.0}


def test_missing_file(tmp_path):
    with pytest.raises(MeshError, match=r"absent\.inp: no such mesh file \(looked for"):
        read_mesh(tmp_path / "absent.inp")
    (tmp_path / "folder.inp").mkdir()
    with pytest.raises(MeshError, match="it is a folder"):
        read_mesh(tmp_path / "folder.inp")


def test_unknown_format_lists_the_known_ones(tmp_path):
    with pytest.raises(
        MeshError, match=r"unknown mesh format '\.stp'; known are \.inp \(Abaqus/CalculiX\), \.msh \(Gmsh\)"
    ):
        read_mesh(tmp_path / "part.stp")


@pytest.mark.parametrize("content", ["", "hello\n", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\nx\n"])
def test_broken_gmsh_file(tmp_path, content):
    path = tmp_path / "broken.msh"
    path.write_text(content)
    with pytest.raises(MeshError, match=r"broken\.msh.*(starts with \$MeshFormat|save it as version 4\.1)"):
        read_mesh(path)


def test_gmsh_surface_mesh_is_no_body(test_data):
    with pytest.raises(MeshError, match="no solid elements and not a mesh of lines alone"):
        read_mesh(test_data / "mesh" / "triangle.msh")


def test_gmsh_lines_are_beams(test_data):
    mesh = read_mesh(test_data / "mesh" / "lines.msh")
    assert [(block.kind, block.nodes.tolist()) for block in mesh.blocks] == [("beam2", [[0, 1], [1, 2]])]
    assert mesh.node_sets["ROOT"].tolist() == [0]
    assert mesh.node_sets["physical_1d_9"].tolist() == [0, 1, 2]
    assert mesh.element_sets["physical_1d_9"].tolist() == [b for b in mesh.blocks[0].ids]


@pytest.mark.parametrize(
    ("name", "kind", "nodes", "elements"),
    [
        ("pendulum_beam.inp", "beam2", 101, 100),
        ("pendulum_hex20.inp", "hex20", 728, 60),
        ("pendulum_tet10.msh", "tet10", 6937, 3098),
        ("conrod.inp", "tet10", 13204, 7131),
    ],
)
def test_meshes_that_come_along_can_be_assembled(meshes, name, kind, nodes, elements):
    mesh = read_mesh(meshes / name)
    if name.endswith(".msh"):
        mesh = with_material(mesh, **STEEL)
    (block,) = mesh.blocks
    assert (block.kind, len(mesh.points), len(block.ids)) == (kind, nodes, elements)
    assert check_mesh(mesh) == ()
    material = block.material
    assert {"youngs_modulus": material.youngs_modulus, "poisson_ratio": material.poisson_ratio} == {
        name: value for name, value in STEEL.items() if name != "density"
    }


@pytest.mark.parametrize("name", ["pendulum_hex20.inp", "pendulum_tet10.msh"])
def test_ends_of_the_solid_pendulum_are_centred(meshes, name):
    mesh = read_mesh(meshes / name)
    low, high = bounding_box(mesh)
    # Coordinates are written with 12 digits of at most 1 m.
    assert np.allclose([low, high], [[0, -0.002, -0.01], [1, 0.002, 0.01]], atol=1e-12)
    for set_name, x in (("ROOT", 0.0), ("TIP", 1.0)):
        assert np.allclose(mesh.points[mesh.node_sets[set_name]].mean(axis=0), [x, 0, 0], atol=1e-12)


CORPUS = os.environ.get("FLEXMBS_MESH_CORPUS", "")


@pytest.mark.skipif(not CORPUS, reason="FLEXMBS_MESH_CORPUS names no folder of other people's meshes")
def test_other_peoples_files_are_read_or_refused_clearly():
    files = [path for path in Path(CORPUS).rglob("*") if path.suffix in (".inp", ".msh")]
    assert files
    for path in files:
        try:
            assert len(read_mesh(path).points) > 0
        except MeshError as error:
            assert str(path) in str(error)
