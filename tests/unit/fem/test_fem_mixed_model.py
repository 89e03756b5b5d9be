"""Models of several families and joints: rigid motion, mass, second order, what is refused."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from fem_meshes import box, rigid_rotations
from mixed_meshes import bar_and_beam, everything_joined, ribbed_plate, tied_blocks, with_node

from flexmbs import BodyError, Coupling, PointMass, assemble, mass_properties
from flexmbs.fem.rigid_motion import rigid_motions

MESHES = {
    "solids and beams, rigid": lambda: bar_and_beam("rigid", (3, 1, 1), 3),
    "solids and beams, averaged": lambda: bar_and_beam("average", (3, 1, 1), 3),
    "shells and beams": lambda: ribbed_plate((4, 2)),
    "tied": lambda: tied_blocks(gap=0.0006),
    "everything": everything_joined,
}
each_mesh = pytest.mark.parametrize("name", MESHES)


@cache
def model_of(name):
    return assemble(MESHES[name]())


@each_mesh
def test_rigid_motion_follows_and_strains_nothing(name):
    model = model_of(name)
    D, independent = model.dependence.D, model.dependence.independent
    R = rigid_motions(model.mesh.points, 6, model.center)
    there = np.diff(D.indptr) > 0
    # rounding, times the lever of a fit: 0.7 m on nodes 0.01 m apart
    assert D @ R[independent] == pytest.approx(there[:, None] * R, abs=1e-10)
    # rounding of the sums of stiffness entries
    assert np.abs(model.K @ (there[:, None] * R)).max() <= 1e-11 * np.abs(model.K).max()


@each_mesh
def test_finite_rotation_is_met_to_second_order(name):
    """x + theta x x + 1/2 theta x (theta x x) strains nothing, and followers, averages and ties say the same."""
    check_finite_rotation(model_of(name))


def check_finite_rotation(model):
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    moving = np.diff(model.dependence.D.indptr) > 0
    exact = np.zeros((len(model.mesh.points), 6, len(pairs)))
    exact[:, :3] = second.transpose(1, 2, 0) * np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)
    exact = exact.reshape(model.ndof, -1) * moving[:, None]
    found = model.dependence.D @ exact[model.dependence.independent] + model.dependence.second_order(turns, pairs)
    assert found == pytest.approx(exact, abs=1e-10)  # as above
    H = -exact / np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)
    loads = model.second_order_loads(turns, pairs) - model.K @ H
    # rounding against the largest stiffness
    assert np.abs(model.dependence.D.T @ loads).max() <= 1e-10 * np.abs(model.K).max()


@pytest.mark.parametrize("name", ["solids and beams, rigid", "shells and beams"])
def test_finite_rotation_with_euler_bernoulli_beams(name):
    check_finite_rotation(assemble(MESHES[name](), beam_theory="euler-bernoulli"))


@each_mesh
def test_geometric_stiffness_of_joints_is_the_work_on_their_second_order_motion(name):
    """u^T S u of a residual r is 2 r . Z_uu, for any displacement and any forces."""
    model, random = model_of(name), np.random.default_rng(3)
    dependence = model.dependence
    fields = dependence.D @ random.standard_normal((dependence.D.shape[1], 2))
    residual = random.standard_normal(model.ndof)
    pairs = np.array([(0, 0), (0, 1), (1, 1)])
    Z = dependence.second_order(fields, pairs)
    work = fields.T @ (dependence.stiffness(residual) @ fields)
    expected = residual @ Z
    assert [0.5 * work[0, 0], work[0, 1], 0.5 * work[1, 1]] == pytest.approx(expected, rel=1e-9)


@each_mesh
def test_mass_is_that_of_the_mesh(name):
    model, expected = model_of(name), mass_properties(MESHES[name]())
    assert model.mass == pytest.approx(expected.mass, rel=1e-12)
    assert model.center == pytest.approx(expected.center, abs=1e-12)
    assert model.inertia == pytest.approx(expected.inertia, abs=1e-12 * np.abs(expected.inertia).max())
    R = rigid_motions(model.mesh.points, 6, model.center)
    M = R.T @ (model.M @ R)
    assert M[:3, :3] == pytest.approx(model.mass * np.eye(3), abs=1e-12 * model.mass)
    assert M[3:, 3:] == pytest.approx(model.inertia, abs=1e-11 * np.abs(model.inertia).max())


@each_mesh
def test_geometric_stiffness_is_that_of_the_second_order_loads(name):
    model, random = model_of(name), np.random.default_rng(4)
    fields = random.standard_normal((model.ndof, 3))
    loads = model.second_order_loads(fields[:, :2], np.array([(0, 1)]))[:, 0]
    found = fields[:, 0] @ (model.geometric_stiffness(fields[:, 2]) @ fields[:, 1])
    assert found == pytest.approx(fields[:, 2] @ loads, rel=1e-9)


def test_parts_of_one_family_without_joints_stay_what_they_are():
    solids = box("hex8")
    assert assemble(solids).dependence is None
    bare, node = with_node(solids, (0.5, 0.5, 2.0))
    averaged = replace(bare, couplings=(Coupling("eye", "average", node, np.arange(4)),))
    assert assemble(averaged).dependence is None  # nothing hangs on the reference node
    loaded = replace(averaged, point_masses=(PointMass("m", node, 1.0, np.zeros((3, 3)), np.zeros(3)),))
    assert assemble(loaded).dependence is not None
    stiffened = replace(bare, couplings=(Coupling("eye", "rigid", node, np.arange(4)),))
    model = assemble(stiffened)
    assert model.dependence is not None and model.mesh.couplings[0].reference == node
    # three freedoms a node, and six of the reference node for the three of its four followers
    assert model.dependence.D.shape[1] == 3 * len(solids.points) - 12 + 6


def test_embedded_stiffness_is_the_solids_own():
    solids = box("tet10")
    bare, node = with_node(solids, (0.5, 0.5, 2.0))
    model = assemble(replace(bare, couplings=(Coupling("eye", "rigid", node, np.arange(4)),)))
    own = (6 * np.arange(len(solids.points))[:, None] + np.arange(3)).ravel()
    for matrix, plain in ((model.K, assemble(solids).K), (model.M, assemble(solids).M)):
        assert abs(matrix[own][:, own] - plain).max() == 0.0 and matrix.nnz == plain.nnz


def test_points_and_surfaces_of_all_parts():
    model = model_of("solids and beams, rigid")
    R = rigid_motions(model.mesh.points, 6, np.zeros(3))
    for x in ((0.1, 0.01, 0.004), (0.4, 0.01, 0.01)):  # in a solid, on a beam
        at = rigid_motions(np.array([x]), 6, np.zeros(3))
        assert model.point_operator(x) @ R == pytest.approx(at, abs=1e-12)
    with pytest.raises(BodyError, match="outside the body.*axis of the beams"):
        model.point_operator((0.4, 0.1, 0.01))
    surface = model.surface(R, np.zeros((0, 2), int), np.zeros((model.ndof, 0)))
    expected = rigid_motions(surface.points, 3, np.zeros(3)).reshape(-1, 3, 6)
    assert surface.modes == pytest.approx(expected.transpose(2, 0, 1), abs=1e-12)
    faces, at = surface.faces, 0
    while at < len(faces):
        at += faces[at] + 1
    assert at == len(faces) and faces.max() < len(surface.points)
