"""Orthotropic and anisotropic solids against closed forms and against isotropic ones."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box

from flexmbs import AnisotropicMaterial, MeshError, OrthotropicMaterial, assemble
from flexmbs.fem.solids.kinds import SOLID_KINDS

G = STEEL.shear_modulus
AS_ORTHOTROPIC = OrthotropicMaterial("steel", 210e9, 210e9, 210e9, 0.3, 0.3, 0.3, G, G, G, 7850.0)
CARBON = OrthotropicMaterial("carbon", 140e9, 10e9, 9e9, 0.3, 0.25, 0.45, 5e9, 4e9, 3e9, 1600.0)
LAM = 2 * G * 0.3 / 0.4
AS_MATRIX = AnisotropicMaterial(
    "steel", np.diag([2 * G] * 3 + [G] * 3) + LAM * np.outer([1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0]), 7850.0
)


def turned(axis, angle):
    """Rotation about ``axis`` (3,), by Rodrigues."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


TURN = turned((1.0, 2.0, -0.5), 0.7)


def made_of(mesh, material, axes=None):
    block = mesh.blocks[0]
    if axes is not None and np.ndim(axes) == 2:
        axes = np.tile(axes, (len(block.nodes), 1, 1))
    return replace(mesh, blocks=(replace(block, material=material, material_axes=axes),))


def everything(mesh, fields):
    """Stiffness, second-order loads and stress, each with the size to which rounding compares."""
    model = assemble(mesh)
    pairs = np.array([(0, 0), (0, 1)])
    surface = model.surface(fields, pairs, np.zeros((model.ndof, 2)))
    return model.K.toarray(), model.second_order_loads(fields, pairs), surface.stress_modes


@pytest.mark.parametrize("kind", SOLID_KINDS)
@pytest.mark.parametrize("material", (AS_ORTHOTROPIC, AS_MATRIX), ids=("orthotropic", "matrix"))
@pytest.mark.parametrize("axes", (None, TURN), ids=("mesh", "turned"))
def test_isotropic_constants_give_the_isotropic_body(kind, material, axes):
    mesh = box(kind, (2, 1, 1), distort=0.2)
    fields = np.random.default_rng(0).normal(size=(3 * len(mesh.points), 2))
    for found, expected in zip(everything(made_of(mesh, material, axes), fields), everything(mesh, fields), strict=True):
        assert found == pytest.approx(expected, abs=1e-12 * abs(expected).max())


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_turned_with_its_material_a_body_stays_the_same(kind):
    mesh = made_of(box(kind, (2, 1, 1), distort=0.2), CARBON)
    fields = np.random.default_rng(0).normal(size=(len(mesh.points), 3, 2))
    other = made_of(replace(mesh, points=mesh.points @ TURN.T), CARBON, TURN)
    K, loads, stress = everything(mesh, fields.reshape(-1, 2))
    K_turned, loads_turned, stress_turned = everything(other, np.einsum("ij,njk->nik", TURN, fields).reshape(-1, 2))
    whole = np.kron(np.eye(len(mesh.points)), TURN)
    assert K_turned == pytest.approx(whole @ K @ whole.T, abs=1e-11 * abs(K).max())
    assert loads_turned == pytest.approx(whole @ loads, abs=1e-11 * abs(loads).max())
    expected = TURN @ tensors(stress) @ TURN.T
    assert tensors(stress_turned) == pytest.approx(expected, abs=1e-11 * abs(stress).max())


def tensors(components):
    """(..., 6) xx, yy, zz, yz, xz, xy to (..., 3, 3)."""
    return components[..., [[0, 5, 4], [5, 1, 3], [4, 3, 2]]]


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_off_axis_tension_follows_the_closed_form(kind):
    angle, size = 0.4, np.array([1.0, 0.8, 0.6])
    mesh = made_of(box(kind, (2, 2, 2), size, distort=0.2), CARBON, turned((0, 0, 1), angle))
    model = assemble(mesh)
    # the strain of stress 1 along x (Jones, Mechanics of Composite Materials, 2.6; thickness by S13 and S23)
    c, s = np.cos(angle), np.sin(angle)
    E1, E2, shear = CARBON.E1, CARBON.E2, 1 / CARBON.G12 - 2 * CARBON.nu12 / CARBON.E1
    xx = c**4 / E1 + s**4 / E2 + shear * s**2 * c**2
    yy = (1 / E1 + 1 / E2 - 1 / CARBON.G12) * s**2 * c**2 - CARBON.nu12 / E1 * (s**4 + c**4)
    xy = (2 / E1 + 2 * CARBON.nu12 / E1 - 1 / CARBON.G12) * s * c**3
    xy -= (2 / E2 + 2 * CARBON.nu12 / E1 - 1 / CARBON.G12) * s**3 * c
    zz = -CARBON.nu13 / E1 * c**2 - CARBON.nu23 / E2 * s**2
    field = mesh.points @ np.array([[xx, xy / 2, 0], [xy / 2, yy, 0], [0, 0, zz]])
    forces = (model.K @ field.ravel()).reshape(-1, 3)
    ends = np.isclose(mesh.points[:, 0], 0.0) | np.isclose(mesh.points[:, 0], 1.0)
    # only the ends are pulled, and along x only
    assert forces[~ends] == pytest.approx(0.0, abs=1e-11)
    assert forces[mesh.points[:, 0] > 1 - 1e-9].sum(axis=0) == pytest.approx([0.8 * 0.6, 0, 0], abs=1e-11)
    stress = model.surface(field.reshape(-1, 1), [], np.zeros((model.ndof, 0))).stress_modes[0]
    assert stress == pytest.approx(np.tile([1.0, 0, 0, 0, 0, 0], (len(stress), 1)), abs=1e-10)


def test_every_element_has_its_own_directions():
    mesh = box("hex20", (2, 1, 1))
    bowed = replace(mesh, points=mesh.points.copy())
    bowed.points[mesh.blocks[0].nodes[1, 16]] += 0.05  # so straight and curved elements part
    block = mesh.blocks[0]
    axes = np.array([TURN, np.full((3, 3), np.nan)])  # NaN: the axes of the mesh
    alone = tuple(
        replace(block, ids=block.ids[i : i + 1], nodes=block.nodes[i : i + 1], material=CARBON, material_axes=own)
        for i, own in enumerate((TURN[None], None))
    )
    for shape in (mesh, bowed):
        fields = np.random.default_rng(0).normal(size=(3 * len(mesh.points), 2))
        together, apart = made_of(shape, CARBON, axes), replace(shape, blocks=alone)
        for found, expected in zip(everything(together, fields), everything(apart, fields), strict=True):
            assert found == pytest.approx(expected, abs=1e-12 * abs(expected).max())


def test_stiffness_matrix_of_a_file_is_taken_in_its_order():
    """A unit shear strain 12, 23 or 13 meets its own entry of the matrix only."""
    matrix = np.diag([3e9, 4e9, 5e9, 1e9, 2e9, 0.5e9])
    model = assemble(made_of(box("hex8", (1, 1, 1)), AnisotropicMaterial("m", matrix, 1.0)))
    for (i, j), modulus in {(0, 1): 1e9, (1, 2): 2e9, (0, 2): 0.5e9, (2, 2): 5e9}.items():
        field = np.zeros_like(model.mesh.points)
        field[:, i] = model.mesh.points[:, j]
        assert field.ravel() @ model.K @ field.ravel() == pytest.approx(modulus, rel=1e-12)


SKEWED = np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
LOPSIDED = AS_MATRIX.stiffness + np.diag([1e9] * 5, k=1)


@pytest.mark.parametrize(
    ("material", "axes", "words"),
    [
        (replace(CARBON, E3=None), None, "carbon.*lacks E3, nu13 or nu23"),
        (replace(CARBON, G13=None), None, "'carbon' has no G13"),
        (replace(CARBON, G13=0.0), None, "'carbon' has G13 = 0.0; moduli must be positive"),
        (replace(CARBON, nu12=4.0), None, "'carbon' has an elasticity matrix that is not positive definite.*nu12 belongs to E1"),
        (AnisotropicMaterial("m", np.zeros((6, 6)), 1.0), None, "'m' has an elasticity matrix that is not positive definite"),
        (
            AnisotropicMaterial("m", np.diag([1e9] * 5 + [0.0]), 1.0),
            None,
            "'m' has an elasticity matrix that is not positive definite",
        ),
        (AnisotropicMaterial("m", np.full((6, 6), np.nan), 1.0), None, "no stiffness matrix of 6 x 6 finite numbers"),
        (AnisotropicMaterial("m", LOPSIDED, 1.0), None, "not symmetric"),
        (CARBON, SKEWED, "directions that are not orthonormal"),
    ],
)
def test_impossible_materials_are_named(material, axes, words):
    mesh = made_of(box("tet4", (1, 1, 1)), material, axes)
    mesh = replace(mesh, blocks=(replace(mesh.blocks[0], where="part.inp:12"),))
    with pytest.raises(MeshError, match=f"part.inp:12: tet4 elements.*{words}"):
        assemble(mesh)
