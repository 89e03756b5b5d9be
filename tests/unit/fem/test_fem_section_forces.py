"""Section forces of beams and bars, and the stress that follows from them."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, rectangle, solve_held, straight_beam

from flexmbs import ElementBlock, Mesh, ShellSection, SpringSection, TrussSection, assemble

DIRECTION = np.array([1.0, 2.0, -0.5]) / np.linalg.norm([1.0, 2.0, -0.5])
Y_AXIS = np.array([0.3, 0.1, 1.0])
SECTION = rectangle(0.02, 0.06, y_axis=Y_AXIS)
LENGTH = 1.5


def cantilever(load, elements=4, theory="timoshenko", section=SECTION):
    """An oblique cantilever under force and moment at its tip, given in the section's axes."""
    model = assemble(straight_beam(elements, LENGTH, DIRECTION, section), beam_theory=theory)
    axes = model.section_forces(np.zeros(model.ndof)).axes[0]
    loads = np.zeros((model.ndof, 1))
    loads[-6:, 0] = np.concatenate([axes.T @ load[:3], axes.T @ load[3:]])
    return model, solve_held(model, np.arange(6, model.ndof), loads)[:, 0]


@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
def test_section_forces_of_a_cantilever_are_exact(theory):
    load = np.array([3.0, 5.0, -7.0, 11.0, 13.0, -17.0])
    model, u = cantilever(load, theory=theory)
    found = model.section_forces(u)
    assert np.array_equal(found.element_ids, model.mesh.blocks[0].ids)
    along = found.positions @ DIRECTION
    assert along == pytest.approx(np.array([[0, 1], [1, 2], [2, 3], [3, 4]]) * LENGTH / 4, abs=1e-12)
    assert found.axes[:, 0] == pytest.approx(np.tile(DIRECTION, (4, 1)))
    # what the rest carries to the tip: force and torque as they are, moments grow by force times arm
    arm = LENGTH - along
    tolerance = 1e-8 * abs(load).max() * LENGTH
    assert found.N == pytest.approx(np.full((4, 2), load[0]), abs=tolerance)
    assert found.V == pytest.approx(np.tile(load[1:3], (4, 2, 1)), abs=tolerance)
    assert found.T == pytest.approx(np.full((4, 2), load[3]), abs=tolerance)
    assert found.M[..., 0] == pytest.approx(load[4] - load[2] * arm, abs=tolerance)
    assert found.M[..., 1] == pytest.approx(load[5] + load[1] * arm, abs=tolerance)
    assert len(found.of_elements([2, 3])) == 2


def test_shear_rigid_sections_have_shear_forces_too():
    model, u = cantilever(np.array([0.0, 5.0, -7.0, 0, 0, 0]), section=replace(SECTION, shear_factor_y=np.inf))
    found = model.section_forces(u)
    assert found.V == pytest.approx(np.tile([5.0, -7.0], (4, 2, 1)), abs=1e-7)


def test_torque_is_that_about_the_shear_centre():
    y, z = 0.01, -0.02
    model, u = cantilever(np.array([0.0, 5.0, -7.0, 0, 0, 0]), section=replace(SECTION, shear_center=(y, z)))
    found = model.section_forces(u)
    assert found.V == pytest.approx(np.tile([5.0, -7.0], (4, 2, 1)), abs=1e-7)
    # the centroid, where the force acts, seen from the shear centre: (-y, -z) x (5, -7)
    assert found.T == pytest.approx(y * 7.0 + z * 5.0, abs=1e-7)


def test_stress_at_the_corners_follows_from_the_section_forces():
    load = np.array([3.0, 5.0, -7.0, 0.0, 13.0, -17.0])
    model, u = cantilever(load)
    forces, field = model.section_forces(u), model.stress(u)
    points = field.points
    for row, element in enumerate(forces.element_ids):
        for end, node in enumerate(model.mesh.blocks[0].nodes[row]):
            one = field.where((points.element_ids == element) & (points.node_ids == model.mesh.node_ids[node]))
            y, z = ((one.points.positions - forces.positions[row, end]) @ forces.axes[row].T)[:, 1:].T
            N, _, _, _, My, Mz = forces.forces[row, end]
            expected = N / SECTION.area - y * Mz / SECTION.Iz + z * My / SECTION.Iy
            assert len(one) == 4
            assert one.stress_in_own_axes[:, 0] == pytest.approx(expected, rel=1e-7, abs=1e-7 * abs(expected).max())
            assert one.stress_in_own_axes[:, 1:] == pytest.approx(0.0, abs=1e-7 * abs(expected).max())
            assert one.strain_in_own_axes[:, :3] == pytest.approx(
                np.outer(expected, [1.0, -0.3, -0.3]) / STEEL.youngs_modulus, abs=1e-7 * abs(expected).max() / 2e11
            )
            assert one.von_mises == pytest.approx(abs(expected), rel=1e-6, abs=1e-7 * abs(expected).max())


def test_drawn_stress_is_in_the_axes_of_the_mesh():
    model, u = cantilever(np.array([3.0, 5.0, -7.0, 0.0, 13.0, -17.0]))
    surface = model.surface(u[:, None], np.zeros((0, 2), int), np.zeros((model.ndof, 0)))
    field = model.stress(u)
    for point, stress in zip(field.points.positions, field.stress, strict=True):
        nearest = np.argmin(np.linalg.norm(surface.points - point, axis=1))
        assert surface.stress_modes[0][nearest] == pytest.approx(stress, abs=1e-6 * abs(field.stress).max())


def truss(kind, nodes):
    points = np.array([[0.0, 0, 0], [1.0, 0, 0], [0.5, 0, 1.0], [0.5, 0, 0]])
    block = ElementBlock(kind, np.arange(len(nodes)) + 7, np.array(nodes), STEEL, TrussSection(1e-4))
    return Mesh(points, np.arange(len(points)) + 1, (block,), source="truss")


def test_forces_of_a_three_bar_truss_follow_from_equilibrium():
    """Two legs and a tie; a force F down at the top: legs -F / (2 sin a), the tie F / (2 tan a)."""
    mesh = truss("truss2", [[0, 2], [1, 2], [0, 1]])
    model = assemble(replace(mesh, points=mesh.points[:3], node_ids=mesh.node_ids[:3]))
    # plane truss: both feet on the ground, one free to slide
    free = np.array([6, 12, 14])
    load = np.zeros(model.ndof)
    load[14] = -100.0
    u = np.zeros(model.ndof)
    u[free] = np.linalg.solve(model.K[free][:, free].toarray(), load[free])
    found, sine = model.section_forces(u), 1.0 / np.sqrt(1.25)
    leg, tie = -50.0 / sine, 50.0 * 0.5
    assert found.N == pytest.approx(np.array([[leg, leg], [leg, leg], [tie, tie]]), rel=1e-9)
    assert not found.V.any() and not found.M.any()
    inside = model.stress(u, at="integration points")
    assert np.array_equal(inside.points.element_ids, [7, 8, 9])
    assert inside.stress_in_own_axes[:, 0] == pytest.approx(np.array([leg, leg, tie]) / 1e-4, rel=1e-9)
    assert inside.von_mises == pytest.approx(abs(np.array([leg, leg, tie])) / 1e-4, rel=1e-9)
    assert len(model.stress(u)) == 6


def test_spring_between_two_beams_carries_what_passes_through_it():
    """Two bars in line, joined by a spring; pulled at one end, held at the other."""
    points = np.array([[0.0, 0, 0], [1.0, 0, 0], [1.2, 0, 0], [2.2, 0, 0]])
    bars = ElementBlock("beam2", np.array([1, 2]), np.array([[0, 1], [2, 3]]), STEEL, rectangle())
    constants = SpringSection(np.array([1e6, 2e6, 3e6, 1e3, 2e3, 3e3]))
    spring = ElementBlock("spring2", np.array([9]), np.array([[1, 2]]), section=constants, type_name="CBUSH")
    model = assemble(Mesh(points, np.arange(4) + 1, (bars, spring), source="joined bars"))
    loads = np.zeros((model.ndof, 1))
    loads[-6:, 0] = 100.0, 20.0, 0.0, 5.0, 0.0, 0.0
    u = solve_held(model, np.arange(6, model.ndof), loads)[:, 0]
    found = model.spring_forces(u)
    # it acts half way, at x = 1.1: the transverse force has an arm of 1.1 there
    assert found.forces == pytest.approx(np.array([[100.0, 20.0, 0.0, 5.0, 0.0, 22.0]]), abs=1e-6)
    assert found.element_ids == [9] and found.names == ("joined bars: CBUSH element 9",)
    assert model.section_forces(u).N == pytest.approx(np.full((2, 2), 100.0), rel=1e-6)
    one = found.of_elements(found.element_ids[:1])
    assert one.names == found.names[:1] and np.array_equal(one.forces, found.forces[:1])
    assert not len(assemble(straight_beam(2)).spring_forces(np.zeros(18)))


def test_parts_of_a_mixed_model_keep_their_elements_and_blocks():
    plate = ElementBlock("quad4", np.array([1]), np.array([[0, 1, 2, 3]]), STEEL, ShellSection(0.01))
    beam = ElementBlock("beam2", np.array([5]), np.array([[1, 4]]), STEEL, rectangle())
    points = np.array([[0.0, 0, 0], [1.0, 0, 0], [1.0, 1.0, 0], [0.0, 1.0, 0], [2.0, 0, 0]])
    model = assemble(Mesh(points, np.arange(5) + 1, (beam, plate), source="plate and beam"))
    u = np.zeros((5, 6))
    u[:, 0] = 1e-4 * points[:, 0]
    u = u.ravel()
    assert model.section_forces(u).N == pytest.approx(STEEL.youngs_modulus * beam.section.area * 1e-4, rel=1e-9)
    assert model.shell_forces(u).membrane[:, 0] == pytest.approx(STEEL.youngs_modulus / 0.91 * 0.01 * 1e-4, rel=1e-9)
    field = model.stress(u)
    assert np.array_equal(field.points.region[field.points.layer > 0], np.ones(12))
    assert not field.points.region[field.points.layer == 0].any()
    assert field.where(field.points.region == 0).stress[:, 0] == pytest.approx(STEEL.youngs_modulus * 1e-4, rel=1e-9)
