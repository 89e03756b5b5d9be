"""Section constants, generated meshes and operations that return new meshes."""

import numpy as np
import pytest

from flexmbs.errors import MeshError
from flexmbs.mesh import (
    Material,
    bounding_box,
    box_mesh,
    circle,
    line_mesh,
    pipe,
    rectangle,
    scaled,
    section_from_rigidities,
    with_material,
    with_rectangular_section,
)
from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants, shape_gradients

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.mark.parametrize(("ratio", "factor"), [(1.0, 0.1406), (2.0, 0.229), (10.0, 0.312)])
def test_torsion_constant_of_rectangles(ratio, factor):
    # Timoshenko and Goodier, Theory of Elasticity, art. 109, table of k1: three or four digits are printed.
    for section in (rectangle(0.01, 0.01 * ratio), rectangle(0.01 * ratio, 0.01)):
        assert section.torsion_constant / (0.01**4 * ratio) == pytest.approx(factor, abs=5e-4)


def test_thin_pipe_has_half_the_shear_area():
    # Cowper (1966): thin round tube 2 (1 + nu) / (4 + 3 nu); a wall of r/1000 leaves its square
    assert pipe(1.0, 1e-3).shear_factor_y == pytest.approx(2.6 / 4.9, rel=1e-5)
    assert circle(1.0).shear_factor_z == pytest.approx(7.8 / 8.8, rel=1e-14)  # 6 (1 + nu) / (7 + 6 nu), rounding only


def test_sections_refuse_what_is_not_positive():
    with pytest.raises(MeshError, match="width_y = 0 must be a positive"):
        rectangle(0.0, 1.0)
    with pytest.raises(MeshError, match="radius = nan"):
        circle(float("nan"))
    with pytest.raises(MeshError, match="exceeds the outer radius"):
        pipe(1.0, 2.0)
    with pytest.raises(MeshError, match="y_axis must be three finite numbers, not all zero"):
        rectangle(1.0, 1.0, (0.0, 0.0, 0.0))


def test_section_from_rigidities_gives_them_back():
    section, material = section_from_rigidities(2.8e7, 1.4e4, 2.8e4, 1e4, 1.2)
    found = [
        material.youngs_modulus * section.area,
        material.youngs_modulus * section.Iy,
        material.youngs_modulus * section.Iz,
        material.shear_modulus * section.torsion_constant,
        material.density * section.area,
    ]
    assert found == pytest.approx([2.8e7, 1.4e4, 2.8e4, 1e4, 1.2], rel=1e-13)  # rounding only


def test_line_mesh_runs_where_it_is_told():
    mesh = line_mesh(2.0, 4, rectangle(0.1, 0.1), STEEL, start=(1.0, 0.0, 0.0), direction=(0.0, 0.0, -3.0))
    assert mesh.points[mesh.node_sets["TIP"]].tolist() == [[1.0, 0.0, -2.0]]
    assert mesh.points[mesh.node_sets["ROOT"]].tolist() == [[1.0, 0.0, 0.0]]
    with pytest.raises(MeshError, match="elements >= 1"):
        line_mesh(1.0, 0, rectangle(0.1, 0.1), STEEL)


@pytest.mark.parametrize(("kind", "nodes"), [("hex8", 3 * 2 * 2), ("hex20", 12 + 20)])
def test_box_mesh_shares_nodes_and_fills_the_box(kind, nodes):
    mesh = box_mesh((2.0, 0.5, 0.25), (2, 1, 1), STEEL, kind)
    assert len(mesh.points) == nodes
    determinants = jacobian_determinants(KINDS[kind], mesh.points[mesh.blocks[0].nodes])
    assert determinants.sum() == pytest.approx(0.25, rel=1e-13)  # 8 points of weight 1 each; rounding only


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.is_beam])
def test_shape_gradients_reproduce_linear_fields(kind):
    element = KINDS[kind]
    gradients = shape_gradients(element, element.sample_points)
    # The field x has gradient 1 and the constant field 0; both to rounding of a 20 x 20 inverse.
    assert np.allclose(np.einsum("mni,nj->mji", gradients, element.reference_nodes), np.eye(3), atol=1e-12)
    assert np.allclose(gradients.sum(axis=1), 0.0, atol=1e-12)


def test_operations_return_new_meshes():
    mesh = line_mesh(1.0, 2, rectangle(0.004, 0.02), STEEL)
    longer = scaled(mesh, (2.0, 1.0, 1.0))
    assert bounding_box(longer)[1].tolist() == [2.0, 0.0, 0.0] and bounding_box(mesh)[1].tolist() == [1.0, 0.0, 0.0]
    softer = with_material(mesh, youngs_modulus=70e9)
    assert softer.blocks[0].material == Material("STEEL", 70e9, 0.3, 7850.0)
    assert softer.materials["STEEL"].youngs_modulus == 70e9 and mesh.blocks[0].material == STEEL
    thicker = with_rectangular_section(mesh, width_y=0.008).blocks[0].section
    assert thicker.area == pytest.approx(0.008 * 0.02, rel=1e-14)  # the other width is kept; rounding only


def test_operations_refuse_what_makes_no_sense():
    solid = box_mesh((1.0, 1.0, 1.0), (1, 1, 1))
    with pytest.raises(MeshError, match="no beam elements"):
        with_rectangular_section(solid, width_y=0.1)
    with pytest.raises(MeshError, match="give youngs_modulus"):
        with_material(solid, density=7850)
    with pytest.raises(MeshError, match="-1 < nu < 0.5"):
        with_material(solid, youngs_modulus=1e9, poisson_ratio=0.5)
    with pytest.raises(MeshError, match="positive finite numbers"):
        scaled(solid, (1.0, -1.0, 1.0))
