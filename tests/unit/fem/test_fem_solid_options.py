"""Bending of hex8 with and without internal modes, and reduced integration of hex20."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box, clamped_modes, rectangle, straight_beam
from scipy.sparse.linalg import eigsh

from flexmbs import Material, assemble

CORK = Material("cork", 30e6, 0.0, 200.0)  # its bars bend like beams, a clamped end included


def first_frequency(kind, divisions, size, material=STEEL, **options):
    """rad/s, of the bar clamped at x = 0."""
    model = assemble(box(kind, divisions, size, material), **options)
    free = np.repeat(model.mesh.points[:, 0] > 1e-9, 3)
    K, M = (matrix[free][:, free].tocsc() for matrix in (model.K, model.M))
    return np.sqrt(eigsh(K, 1, M, sigma=0, return_eigenvectors=False)[0])


def beam_frequency(length, width, material):
    model = assemble(straight_beam(40, length, section=rectangle(width, width), material=material))
    return clamped_modes(model, [0], 1)[0][0]


@pytest.mark.parametrize("across", (1, 2))
def test_slender_bar_of_hex8_bends_like_a_beam(across):
    size = (1.0, 0.02, 0.02)
    # without Poisson's ratio only the length of the elements is left: (k h)^2 / 24 of the mass and as much elsewhere
    found = first_frequency("hex8", (50, across, across), size, CORK)
    assert found == pytest.approx(beam_frequency(1.0, 0.02, CORK), rel=5e-4)
    # steel: the clamped end holds its cross section in shape, which a beam does not
    found = first_frequency("hex8", (50, across, across), size)
    assert found == pytest.approx(beam_frequency(1.0, 0.02, STEEL), rel=5e-3)


def test_slender_bar_of_plain_hex8_locks_in_shear():
    """Plain hex8 of length h is too stiff by 1 + (1 - nu) / 2 (h / t)^2 in bending, at nu = 0 and one across."""
    found = first_frequency("hex8", (50, 1, 1), (1.0, 0.02, 0.02), CORK, hex8="plain")
    expected = beam_frequency(1.0, 0.02, CORK) * np.sqrt(1.5)
    assert found == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("divisions", [(1, 1, 1), (3, 1, 1)])
def test_energy_of_pure_bending_of_rectangular_hex8_is_exact(divisions):
    length, height, width = 0.9, 0.2, 0.1
    model = assemble(box("hex8", divisions, (length, height, width)))
    x, y, z = model.mesh.points.T
    y, z = y - height / 2, z - width / 2
    field = np.column_stack([x * y, -(x**2) / 2 - 0.15 * y**2 + 0.15 * z**2, -0.3 * y * z]).ravel()
    assert field @ model.K @ field == pytest.approx(STEEL.youngs_modulus * width * height**3 / 12 * length, rel=1e-10)


def test_reduced_hex20_has_the_six_motions_of_its_missing_points():
    """8 points know 48 strains, the element has 54 deformations; with two elements across none is left."""
    for divisions, motions in (((1, 1, 1), 12), ((2, 2, 1), 6), ((2, 2, 2), 6)):
        K = assemble(box("hex20", divisions), hex20="reduced").K.toarray()
        assert len(K) - np.linalg.matrix_rank(K, tol=1e-10 * abs(K).max()) == motions


def test_reduced_hex20_keeps_the_patch_test_and_the_exact_mass():
    mesh = box("hex20", (2, 2, 2), distort=0.2)
    reduced, full = assemble(mesh, hex20="reduced"), assemble(mesh)
    assert abs(reduced.M - full.M).max() == 0.0
    points = mesh.points
    field = points @ np.array([[1.0, 0.5, -0.2], [0.1, -0.7, 0.3], [0.4, 0.2, 0.6]]).T
    forces = (reduced.K @ field.ravel()).reshape(-1, 3)
    inner = np.all((points > 1e-9) & (points < 1 - 1e-9), axis=1)
    assert forces[inner] == pytest.approx(0.0, abs=1e-10 * abs(forces).max())
    assert np.vdot(forces, field) == pytest.approx(field.ravel() @ full.K @ field.ravel(), rel=1e-11)


@pytest.mark.parametrize("option", [dict(hex8="wilson"), dict(hex20="2x2x2")])
def test_unknown_formulations_are_named(option):
    with pytest.raises(ValueError, match="it must be one of"):
        assemble(box("hex8", (1, 1, 1)), **option)


def test_other_kinds_do_not_care():
    mesh = replace(box("tet10", (1, 1, 1)))
    assert abs(assemble(mesh).K - assemble(mesh, hex8="plain", hex20="reduced").K).max() == 0.0


@pytest.mark.parametrize(("divisions", "like"), [((2, 2, 2), "reduced"), ((2, 2, 1), "reduced"), ((3, 1, 1), "full")])
def test_hex20_is_integrated_as_the_file_says_where_that_leaves_it_stiff(divisions, like):
    mesh = box("hex20", divisions)
    named = replace(mesh, blocks=(replace(mesh.blocks[0], type_name="C3D20R"),))
    assert abs(assemble(named).K - assemble(mesh, hex20=like).K).max() == 0.0
    assert abs(assemble(named, hex20="full").K - assemble(mesh).K).max() == 0.0
