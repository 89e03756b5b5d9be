"""Recovered stress and strain: derived numbers, solids, shells through their layers."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box, straight_beam
from shell_meshes import KINDS as SHELLS
from shell_meshes import flat, sheet

from flexmbs import Layer, Material, OrthotropicMaterial, ShellSection, StressField, assemble
from flexmbs.fem.solids.kinds import SOLID_KINDS
from flexmbs.fem.stress_field import WHERE, as_six, stress_points

GRADIENT = 1e-3 * np.array([[1.0, 0.5, -0.2], [0.1, -0.7, 0.3], [0.4, 0.2, 0.6]])
STRAIN = 0.5 * (GRADIENT + GRADIENT.T)
PLY = OrthotropicMaterial("ply", 140e9, 10e9, 10e9, 0.3, 0.3, 0.4, 5e9, 5e9, 3e9, 1600.0)


def isotropic_stress(strain):
    lam = STEEL.youngs_modulus * 0.3 / (1.3 * 0.4)
    return as_six(lam * np.trace(strain) * np.eye(3) + 2 * STEEL.shear_modulus * strain)


def bent_plate(kind, curvature, section, shear=0.0, **block):
    """A flat plate with w'' = -curvature along x, and rotations that leave transverse shear strain 13 ``shear``."""
    mesh, grid = sheet(kind, (4, 4), flat(), section=section, **block)
    u = np.zeros((len(mesh.points), 6))
    u[:, 2] = -0.5 * curvature * mesh.points[:, 0] ** 2
    u[:, 4] = curvature * mesh.points[:, 0] + shear
    return assemble(mesh), u.ravel()


def test_derived_numbers_of_known_states():
    states = np.array([[100.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 50.0], [10.0, 10, 10, 0, 0, 0], [3.0, 1, 2, 0, 0, 0]])
    field = StressField(stress_points(np.zeros((4, 3))), states)
    assert field.von_mises == pytest.approx([100.0, 50 * np.sqrt(3), 0.0, np.sqrt(3)])
    assert field.max_shear == pytest.approx([50.0, 50.0, 0.0, 1.0])
    assert field.principal == pytest.approx(np.array([[100.0, 0, 0], [50.0, 0, -50.0], [10.0, 10, 10], [3.0, 2, 1]]), abs=1e-12)


def test_derived_numbers_do_not_depend_on_the_axes():
    """``stress_in_own_axes`` turns the tensor; its invariants stay and turning back gives the original."""
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    stress = np.random.default_rng(1).standard_normal((5, 6))
    field = StressField(stress_points(np.zeros((5, 3)), axes=np.broadcast_to(turn, (5, 3, 3))), stress)
    turned = StressField(stress_points(np.zeros((5, 3)), axes=np.broadcast_to(turn.T, (5, 3, 3))), field.stress_in_own_axes)
    assert turned.von_mises == pytest.approx(field.von_mises)
    assert turned.principal == pytest.approx(field.principal)
    assert turned.stress_in_own_axes == pytest.approx(stress)
    with pytest.raises(ValueError, match="store stress but not strain"):
        _ = field.principal_strain


@pytest.mark.parametrize("at", WHERE)
@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_linear_displacement_of_solids_gives_one_stress_everywhere(kind, at):
    model = assemble(box(kind, (2, 2, 2), distort=0.2))
    field = model.stress((model.mesh.points @ GRADIENT.T).ravel(), at=at)
    expected = isotropic_stress(STRAIN)
    assert field.stress == pytest.approx(np.tile(expected, (len(field), 1)), abs=1e-9 * abs(expected).max())
    assert field.strain == pytest.approx(np.tile(as_six(STRAIN), (len(field), 1)), abs=1e-12)
    block = model.mesh.blocks[0]
    if at == "nodes":
        assert sorted(field.points.node_ids) == sorted(model.mesh.node_ids)
    elif at == "element nodes":
        assert len(field) == block.nodes.size
        assert field.points.positions == pytest.approx(model.mesh.points[block.nodes].reshape(-1, 3))
        assert np.array_equal(field.points.node_ids, model.mesh.node_ids[block.nodes].ravel())
    else:
        inside = field.points.positions
        assert np.all((inside > 0) & (inside < 1)) and not field.points.node_ids.any()
        assert np.array_equal(np.unique(field.points.element_ids), np.sort(block.ids))


def test_stress_is_not_averaged_over_a_change_of_material():
    """Two bars in series under one stress strain differently; across, where they stay together, their stress jumps."""
    mesh = box("hex8", (2, 1, 1))
    left = mesh.points[mesh.blocks[0].nodes].mean(axis=1)[:, 0] < 0.5
    block, soft = mesh.blocks[0], Material("soft", 70e9, 0.3, 2700.0)
    parts = [
        replace(block, ids=block.ids[rows], nodes=block.nodes[rows], material=material)
        for rows, material in ((left, STEEL), (~left, soft))
    ]
    model = assemble(replace(mesh, blocks=tuple(parts)))
    u = np.zeros((len(mesh.points), 3))
    u[:, 1] = 1e-3 * mesh.points[:, 1]
    field = model.stress(u.ravel())
    between = np.flatnonzero(np.isclose(mesh.points[:, 0], 0.5))
    at_joint = field.of_nodes(mesh.node_ids[between])
    assert len(at_joint) == 2 * len(between)
    steel, aluminium = (at_joint.where(at_joint.points.region == region) for region in (0, 1))
    assert steel.stress == pytest.approx(3.0 * aluminium.stress, abs=1e-9 * steel.stress.max())
    # what is drawn has one value a point, the mean
    surface = model.surface(u.reshape(-1, 1), np.zeros((0, 2), int), np.zeros((model.ndof, 0)))
    drawn = surface.stress_modes[0][np.isclose(surface.points[:, 0], 0.5)]
    assert drawn[:, 1] == pytest.approx(2.0 * aluminium.stress[0, 1], rel=1e-9)


@pytest.mark.parametrize("kind", ["tet10", "hex20"])
def test_axes_of_fibres_are_the_own_axes_of_a_solid(kind):
    angle = 0.4
    axes = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    mesh = box(kind, (1, 1, 1))
    block = mesh.blocks[0]
    turned = replace(block, material=PLY, material_axes=np.tile(axes, (len(block.ids), 1, 1)))
    model = assemble(replace(mesh, blocks=(turned,)))
    strain = axes @ np.diag([1e-3, 0.0, 0.0]) @ axes.T  # stretched along the fibres, held across
    own = model.stress((mesh.points @ strain).ravel(), at="integration points")
    assert own.strain_in_own_axes == pytest.approx(np.tile([1e-3, 0, 0, 0, 0, 0], (len(own), 1)), abs=1e-14)
    compliance = np.array(
        [[1 / 140e9, -0.3 / 140e9, -0.3 / 140e9], [-0.3 / 140e9, 1 / 10e9, -0.4 / 10e9], [-0.3 / 140e9, -0.4 / 10e9, 1 / 10e9]]
    )
    assert own.stress_in_own_axes[:, :3] == pytest.approx(np.tile(np.linalg.inv(compliance)[:, 0] * 1e-3, (len(own), 1)), rel=1e-9)


@pytest.mark.parametrize("at", WHERE)
@pytest.mark.parametrize("kind", SHELLS)
def test_bent_shells_have_opposite_stress_on_their_faces(kind, at):
    curvature, t = 1e-2, 0.02
    model, u = bent_plate(kind, curvature, ShellSection(t))
    field = model.stress(u, at=at)
    face = 0.5 * t * curvature * STEEL.youngs_modulus / (1 - 0.3**2) * np.array([1, 0.3, 0, 0, 0, 0])
    for side, sign in ((field.bottom, -1.0), (field.middle, 0.0), (field.top, 1.0)):
        assert len(side) == len(field) // 3
        # 1e-5: the sides of tri6 and quad8 sample a field that their functions hold exactly; 1e-9 of it is rounding
        assert side.stress == pytest.approx(np.tile(sign * face, (len(side), 1)), abs=1e-8 * face[0])
        assert side.strain[:, 2] == pytest.approx(-sign * 0.3 / 0.7 * 0.5 * t * curvature, abs=1e-12)
        assert side.points.positions[:, 2] == pytest.approx(0.5 * sign * t, abs=1e-15)


@pytest.mark.parametrize("kind", SHELLS)
def test_wall_forces_are_the_integrals_of_stress(kind):
    curvature, t = 1e-2, 0.02
    model, u = bent_plate(kind, curvature, ShellSection(t))
    u[0::6] = 1e-4 * model.mesh.points[:, 0]
    bending, wall = STEEL.youngs_modulus * t**3 / 12 / 0.91, STEEL.youngs_modulus * t / 0.91
    forces = model.shell_forces(u)
    count = len(forces)
    assert forces.moments == pytest.approx(
        np.tile(bending * curvature * np.array([1, 0.3, 0]), (count, 1)), rel=1e-8, abs=1e-6 * bending * curvature
    )
    assert forces.membrane == pytest.approx(
        np.tile(wall * 1e-4 * np.array([1, 0.3, 0]), (count, 1)), rel=1e-8, abs=1e-8 * wall * 1e-4
    )
    at_nodes = model.shell_forces(u, at="element nodes")
    assert len(at_nodes) == model.mesh.blocks[0].nodes.size and at_nodes.node_ids.all()
    assert at_nodes.moments[:, 0] == pytest.approx(bending * curvature, rel=1e-8)
    with pytest.raises(ValueError, match="not averaged"):
        model.shell_forces(u, at="nodes")


def test_transverse_shear_stress_is_a_parabola():
    shear, t = 1e-4, 0.02
    model, u = bent_plate("quad4", 0.0, ShellSection(t), shear)
    field, forces = model.stress(u, at="integration points"), model.shell_forces(u)
    Q = 5 / 6 * STEEL.shear_modulus * t * shear
    assert forces.shear[:, 0] == pytest.approx(Q, rel=1e-9)
    assert field.middle.stress[:, 4] == pytest.approx(1.5 * Q / t, rel=1e-9)
    for face in (field.bottom, field.top):
        assert face.stress[:, 4] == pytest.approx(0.0, abs=1e-9 * Q / t)
    # tensor component: half of tau / G
    assert field.middle.strain[:, 4] == pytest.approx(0.75 * Q / t / STEEL.shear_modulus, rel=1e-9)


@pytest.mark.parametrize("kind", SHELLS)
def test_stress_of_every_layer_in_its_own_axes(kind):
    """A cross-ply 0/90/0 bent along x: each layer carries its modulus along x times z times the curvature."""
    curvature, t = 1e-2, 0.001
    section = ShellSection(None, tuple(Layer(PLY, t, angle) for angle in (0.0, np.pi / 2, 0.0)))
    model, u = bent_plate(kind, curvature, section)
    field = model.stress(u, at="integration points")
    left = 1 - 0.3**2 * 10 / 140
    along, across, mixed = 140e9 / left, 10e9 / left, 0.3 * 10e9 / left
    for layer, z, component, modulus in ((3, 1.5 * t, 0, along), (2, 0.5 * t, 1, across), (1, -0.5 * t, 0, along)):
        one = field.of_layer(layer)
        top = one.where(np.isclose(one.points.height, z / (1.5 * t)))
        own = top.stress_in_own_axes
        assert own[:, component] == pytest.approx(modulus * z * curvature, rel=1e-8)
        assert own[:, 1 - component] == pytest.approx(mixed * z * curvature, rel=1e-8)
        assert top.stress[:, 0] == pytest.approx(own[:, component], rel=1e-8)
    assert len(field.of_layer(2)) == len(field) // 3
    assert len(field.top) == len(field) // 9


def test_shear_stress_of_a_sandwich():
    """tau = Q S / D with the first moment of stiffness S beyond the height (all layers have one Poisson's ratio)."""
    core, face, soft = 0.02, 0.0004, Material("soft", 1e9, 0.3, 100.0)
    section = ShellSection(None, (Layer(STEEL, face), Layer(soft, core), Layer(STEEL, face)))
    model, u = bent_plate("quad4", 0.0, section, 1e-4)
    field, Q = model.stress(u, at="integration points").of_layer(2), model.shell_forces(u).shear[0, 0]
    outer = STEEL.youngs_modulus * face * (core + face) / 2
    thick = core + 2 * face
    bending = (STEEL.youngs_modulus * (thick**3 - core**3) + soft.youngs_modulus * core**3) / 12
    edge = Q * outer / bending
    middle = edge + Q * soft.youngs_modulus * core**2 / 8 / bending
    assert field.middle.stress[:, 4] == pytest.approx(middle, rel=1e-9)
    assert field.where(field.points.height != 0.0).stress[:, 4] == pytest.approx(edge, rel=1e-9)


def test_strain_across_a_wall_that_the_material_does_not_state_is_zero():
    plane = replace(PLY, nu13=None, nu23=None, E3=None)
    model, u = bent_plate("quad4", 1e-2, ShellSection(0.01), material=plane)
    top = model.stress(u, at="integration points").top
    assert top.strain[:, 0] == pytest.approx(5e-5, rel=1e-9)
    assert not top.strain[:, 2].any()


def test_folds_keep_the_stress_of_each_side():
    """An L of two plates, one stretched across the fold: a node of the fold has a value for each plate."""
    mesh, grid = sheet("quad4", (2, 2), lambda s, t: (np.maximum(2 * s - 1, 0), t, np.maximum(1 - 2 * s, 0)))
    model = assemble(mesh)
    u = np.zeros((len(mesh.points), 6))
    u[:, 0] = 1e-4 * mesh.points[:, 0]
    fold = model.stress(u.ravel()).of_nodes(int(mesh.node_ids[grid[1, 1]])).middle
    loaded = STEEL.youngs_modulus / 0.91 * 1e-4
    assert sorted(fold.stress[:, 0]) == pytest.approx([0.0, loaded], abs=1e-9 * loaded)


def test_impossible_requests_are_named():
    model = assemble(box("hex8", (1, 1, 1)))
    with pytest.raises(ValueError, match="at is 'corners'; it must be one of 'nodes', 'element nodes', 'integration"):
        model.stress(np.zeros(model.ndof), at="corners")
    with pytest.raises(ValueError, match="has 3 numbers; the model has 24: 3 for each of the 8 nodes"):
        model.stress(np.zeros(3))


@pytest.mark.parametrize("family", ["solids", "shells", "beams"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_any_number_of_fields_at_once(family, count):
    meshes = {"solids": box("tet10", (1, 1, 1)), "shells": sheet("tri6", (2, 2), flat())[0], "beams": straight_beam(3)}
    model = assemble(meshes[family])
    fields = 1e-6 * np.random.default_rng(4).standard_normal((model.ndof, count))
    for at in WHERE:
        found = model.stress_modes(fields, at, with_strain=True)
        assert found.stress.shape == found.strain.shape == (count, len(found.points), 6)
        for column, stress in zip(fields.T, found.stress, strict=True):
            assert stress == pytest.approx(model.stress(column, at=at).stress, abs=1e-9 * abs(stress).max())
    assert len(model.section_force_modes(fields).forces) == count
