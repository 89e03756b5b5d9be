"""Section constants, generated meshes and operations that return new meshes."""

import numpy as np
import pytest

from flexmbs import (
    Material,
    MeshError,
    bounding_box,
    box_mesh,
    circle,
    general_section,
    line_mesh,
    pipe,
    rectangle,
    scaled,
    section_from_rigidities,
    with_material,
    with_rectangular_section,
)
from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants, shape_gradients
from flexmbs.mesh.quadrature import rule
from flexmbs.mesh.sections.beam_sections import ellipse

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


def test_an_ellipse_with_equal_axes_is_a_circle():
    round_one, same = circle(0.1, poisson_ratio=0.0), ellipse(0.1, 0.1)
    for field in ("area", "Iy", "Iz", "torsion_constant", "shear_factor_y", "shear_factor_z"):
        assert getattr(same, field) == pytest.approx(getattr(round_one, field), rel=1e-14)  # rounding only
    flat = ellipse(0.2, 0.1)
    assert flat.Iz == pytest.approx(4.0 * flat.Iy, rel=1e-14)
    assert flat.torsion_constant == pytest.approx(np.pi * 8e-3 * 1e-3 / 0.05, rel=1e-14)


def test_a_general_section_is_turned_to_its_principal_axes():
    # a rectangle of Iz = 4, Iy = 1 turned by 30 degrees against the given axes
    angle = np.radians(30.0)
    cos, sin = np.cos(angle), np.sin(angle)
    Iy, Iz, Iyz = cos**2 + 4 * sin**2, 4 * cos**2 + sin**2, cos * sin * (4 - 1)
    section = general_section(1.0, Iy, Iz, 1.0, Iyz=Iyz, shear_factor=(0.7, 0.8), centroid=(cos, sin))
    assert (section.Iy, section.Iz, section.principal_angle) == pytest.approx((1.0, 4.0, angle), rel=1e-12)
    assert section.centroid == pytest.approx((1.0, 0.0), abs=1e-12)
    assert (section.shear_factor_y, section.shear_factor_z) == (0.7, 0.8)
    # turned by 60 degrees the other axis is nearer: y and z change places, the angle is -30 degrees
    other = general_section(1.0, Iz, Iy, 1.0, Iyz=Iyz)
    assert (other.Iy, other.Iz, other.principal_angle) == pytest.approx((4.0, 1.0, -angle), rel=1e-12)
    plain = general_section(1.0, 1.0, 4.0, 1.0, centroid=(0.1, 0.2))
    assert plain.principal_angle == 0.0 and plain.centroid == (0.1, 0.2)
    with pytest.raises(MeshError, match="Iyz = 2 must be less"):
        general_section(1.0, 1.0, 4.0, 1.0, Iyz=2.0)


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


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.monomials and name[:3] != "pyr"])
def test_shape_gradients_reproduce_linear_fields(kind):
    element = KINDS[kind]
    gradients = shape_gradients(element, rule(kind)[0])
    # The field x has gradient 1 and the constant field 0; both to rounding of a 20 x 20 inverse.
    of_positions = np.einsum("mni,nj->mji", gradients, element.reference_nodes)
    assert np.allclose(of_positions, np.eye(element.dimension), atol=1e-12)
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
