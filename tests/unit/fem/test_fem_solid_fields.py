import numpy as np
import pytest
from fem_meshes import STEEL, box

from flexmbs import BodyError, assemble
from flexmbs.fem.solids.kinds import SOLID_KINDS

GRADIENT = np.array([[0.2, 0.5, -0.2], [0.1, -0.7, 0.3], [0.4, 0.2, 0.6]])


def linear_field(model):
    """(ndof, 1) of u = GRADIENT x."""
    return (model.mesh.points @ GRADIENT.T).reshape(-1, 1)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_samples_integrate_the_mass_matrix(kind):
    model = assemble(box(kind, (2, 1, 1)))
    modes = np.random.default_rng(0).normal(size=(model.ndof, 4))
    _, fields, quadratic, W = model.inertia_samples(modes, [[0, 1]], modes[:, :1])
    gram = sum(fields[:, :, k] @ (W @ fields[:, :, k].T) for k in range(3))
    assert gram == pytest.approx(modes.T @ model.M @ modes, rel=1e-12)
    assert quadratic[0] == pytest.approx(fields[0], abs=0)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_surface_is_closed_and_faces_outward(kind):
    model = assemble(box(kind, (2, 2, 2), (1.0, 2.0, 3.0), distort=0.2))
    surface = model.surface(linear_field(model), [], np.zeros((model.ndof, 0)))
    volume, i = 0.0, 0
    while i < len(surface.faces):
        corners = surface.points[surface.faces[i + 1 : i + 1 + surface.faces[i]]]
        for k in range(1, len(corners) - 1):
            volume += np.dot(corners[0], np.cross(corners[k], corners[k + 1])) / 6
        i += surface.faces[i] + 1
    assert volume == pytest.approx(6.0, rel=1e-12)
    inner = np.all((surface.points > 1e-9) & (surface.points < np.array([1, 2, 3]) - 1e-9), axis=1)
    assert not inner.any()
    assert surface.modes[0] == pytest.approx(surface.points @ GRADIENT.T, abs=1e-13)
    assert surface.quadratic.shape == (0, len(surface.points), 3)


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_stress_of_a_linear_field_is_constant(kind):
    model = assemble(box(kind, (2, 2, 2), distort=0.2))
    surface = model.surface(linear_field(model), [], np.zeros((model.ndof, 0)))
    strain = 0.5 * (GRADIENT + GRADIENT.T)
    lam = STEEL.youngs_modulus * 0.3 / (1.3 * 0.4)
    stress = lam * np.trace(strain) * np.eye(3) + 2 * STEEL.shear_modulus * strain
    expected = stress[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    assert surface.stress_modes[0] == pytest.approx(np.tile(expected, (len(surface.points), 1)), rel=1e-10)


@pytest.mark.parametrize("kind", ("tet10", "hex8", "hex20", "wedge15", "pyramid13"))
def test_stress_of_pure_bending_varies_linearly(kind):
    model = assemble(box(kind, (2, 2, 2)))
    x, y, z = model.mesh.points.T
    # u = x y, v = -x^2 / 2 - nu y^2 / 2 + nu z^2 / 2, w = -nu y z: sigma_xx = E y and nothing else
    field = np.column_stack([x * y, -(x**2) / 2 - 0.15 * y**2 + 0.15 * z**2, -0.3 * y * z]).reshape(-1, 1)
    surface = model.surface(field, [], np.zeros((model.ndof, 0)))
    expected = np.zeros((len(surface.points), 6))
    expected[:, 0] = STEEL.youngs_modulus * surface.points[:, 1]
    # the field is in the element space, (in hex8 with its internal modes), so only rounding is left
    assert surface.stress_modes[0] == pytest.approx(expected, abs=1e-10 * STEEL.youngs_modulus)


@pytest.mark.parametrize("kind", SOLID_KINDS)
@pytest.mark.parametrize("point", [(0.31, 0.42, 0.77), (1.0, 1.0, 1.0), (0.0, 0.5, 0.25)])
def test_point_operator_is_exact_for_linear_fields(kind, point):
    model = assemble(box(kind, (2, 2, 2), distort=0.2))
    values = (model.point_operator(point) @ linear_field(model))[:, 0]
    skew = 0.5 * (GRADIENT - GRADIENT.T)
    assert values[:3] == pytest.approx(GRADIENT @ point, abs=1e-12)
    assert values[3:] == pytest.approx([skew[2, 1], skew[0, 2], skew[1, 0]], abs=1e-11)


@pytest.mark.parametrize("kind", ("pyramid5", "pyramid13"))
def test_point_operator_is_exact_at_the_top_of_a_pyramid(kind):
    model = assemble(box(kind, (1, 1, 1)))
    values = (model.point_operator((0.5, 0.5, 0.5)) @ linear_field(model))[:, 0]
    skew = 0.5 * (GRADIENT - GRADIENT.T)
    assert values[:3] == pytest.approx(GRADIENT.sum(axis=1) / 2, abs=1e-12)
    assert values[3:] == pytest.approx([skew[2, 1], skew[0, 2], skew[1, 0]], abs=1e-11)


def test_point_outside_is_refused_with_its_distance():
    model = assemble(box("tet10", (1, 1, 1)))
    with pytest.raises(BodyError, match=r"0\.02 m outside"):
        model.point_operator((0.5, 0.5, 1.02))
    # 1e-6 of the size is still taken as on the surface
    assert model.point_operator((0.5, 0.5, 1.0 + 5e-7)).shape == (6, model.ndof)
