import numpy as np
import pytest
from fem_meshes import STEEL, clamped_modes, rectangle, rigid_rotations, solve_held, straight_beam

from flexmbs import assemble

THEORIES = ("euler-bernoulli", "timoshenko")
OBLIQUE = dict(direction=(1.0, 2.0, -2.0), section=rectangle(y_axis=(0.0, 1.0, 1.0)))


def rigid_second_order(model):
    """Unit rotations, pairs and the Z (ndof, npairs) that a reduction of them would give."""
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    factor = np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)
    Z = np.zeros((len(pairs), len(model.mesh.points), 6))
    Z[:, :, :3] = second * factor[:, None, None]
    return turns, pairs, Z.reshape(len(pairs), -1).T


def exact_second(pairs, points):
    parts = []
    for a, b in pairs:
        both = np.cross(np.eye(3)[a], np.cross(np.eye(3)[b], points))
        both = both + np.cross(np.eye(3)[b], np.cross(np.eye(3)[a], points))
        parts.append(0.5 * both * (0.5 if a == b else 1.0))
    return np.array(parts)


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("rotary", (True, False))
def test_samples_integrate_the_mass_matrix(theory, rotary):
    model = assemble(straight_beam(3, **OBLIQUE), theory, rotary)
    modes = np.random.default_rng(0).normal(size=(model.ndof, 5))
    _, fields, _, W = model.inertia_samples(modes, [], np.zeros((model.ndof, 0)))
    gram = sum(fields[:, :, k] @ (W @ fields[:, :, k].T) for k in range(3))
    assert gram == pytest.approx(modes.T @ model.M @ modes, rel=1e-12)


@pytest.mark.parametrize("theory", THEORIES)
def test_samples_of_rigid_rotation_turn_every_section_point(theory):
    model = assemble(straight_beam(3, **OBLIQUE), theory)
    turns, pairs, Z = rigid_second_order(model)
    x, linear, second, _ = model.inertia_samples(turns, pairs, Z)
    assert linear == pytest.approx(np.cross(np.eye(3)[:, None], x[None]), abs=1e-13)
    assert second == pytest.approx(exact_second(pairs, x), abs=1e-13)


@pytest.mark.parametrize("theory", THEORIES)
def test_surface_of_rigid_rotation_turns_without_stress(theory):
    model = assemble(straight_beam(3, **OBLIQUE), theory)
    turns, pairs, Z = rigid_second_order(model)
    surface = model.surface(turns, pairs, Z)
    assert surface.points.shape == (16, 3)
    assert surface.modes == pytest.approx(np.cross(np.eye(3)[:, None], surface.points[None]), abs=1e-13)
    assert surface.quadratic == pytest.approx(exact_second(pairs, surface.points), abs=1e-13)
    # against the stress E of unit strain
    assert abs(surface.stress_modes).max() < 1e-12 * STEEL.youngs_modulus


def test_surface_is_closed_and_faces_outward():
    model = assemble(straight_beam(3, 0.5, section=rectangle(0.02, 0.06)))
    surface = model.surface(np.zeros((model.ndof, 0)), [], np.zeros((model.ndof, 0)))
    volume, i = 0.0, 0
    while i < len(surface.faces):
        corners = surface.points[surface.faces[i + 1 : i + 1 + surface.faces[i]]]
        for k in range(1, len(corners) - 1):
            volume += np.dot(corners[0], np.cross(corners[k], corners[k + 1])) / 6
        i += surface.faces[i] + 1
    assert volume == pytest.approx(0.5 * 0.02 * 0.06, rel=1e-12)


def test_stress_of_tip_loads_follows_from_section_forces():
    length, section = 1.0, rectangle(0.02, 0.06)
    model = assemble(straight_beam(4, length, section=section))
    loads = np.zeros((model.ndof, 4))
    for column, dof in enumerate((0, 1, 2, 3)):
        loads[-6 + dof, column] = 1.0
    states = solve_held(model, np.arange(6, model.ndof), loads)
    surface = model.surface(states, [], np.zeros((model.ndof, 0)))
    corner = np.flatnonzero(np.linalg.norm(surface.points - [0.5, 0.01, 0.03], axis=1) < 1e-9)[0]
    stress = surface.stress_modes[:, corner]
    assert stress[0, 0] == pytest.approx(1 / section.area, rel=1e-9)
    # a force F along +y at the tip compresses the +y side: sigma = -F (L - x) y / Iz
    assert stress[1, 0] == pytest.approx(-0.5 * 0.01 / section.Iz, rel=1e-8)
    assert stress[2, 0] == pytest.approx(-0.5 * 0.03 / section.Iy, rel=1e-8)
    assert stress[3, [4, 5]] == pytest.approx(np.array([0.01, -0.03]) / section.torsion_constant, rel=1e-8)


def test_corner_between_beams_keeps_two_rings():
    from dataclasses import replace

    mesh = straight_beam(2, section=rectangle(y_axis=(0.0, 0.0, 1.0)))
    bent = replace(mesh, points=np.array([[0, 0, 0], [1.0, 0, 0], [1.0, 1.0, 0]]))
    model = assemble(bent)
    _, modes, _ = clamped_modes(model, [0], 3)
    assert model.surface(modes, [], np.zeros((model.ndof, 0))).points.shape == (16, 3)
