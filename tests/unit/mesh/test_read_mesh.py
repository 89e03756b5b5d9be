"""``read_mesh`` on the meshes that come with flexmbs."""

import numpy as np
import pytest

from flexmbs import bounding_box, check_mesh, read_mesh, with_material

STEEL = {"youngs_modulus": 210e9, "poisson_ratio": 0.3, "density": 7850.0}


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
    # the pendulum's solids are one element thick, which is said
    assert [warning for warning in check_mesh(mesh) if "are the only ones through the thickness" not in warning] == []
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
