"""Springs, dashpots and bushings, between nodes and to ground."""

import numpy as np
import pytest
from fem_meshes import rigid_rotations
from scipy.spatial.transform import Rotation

from flexmbs import ElementBlock, Mesh, MeshError, SpringSection, mass_properties
from flexmbs.fem.fe_model import single_model
from flexmbs.fem.springs import springs as springs_family

AXES = Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix()
POINTS = np.array([[0.1, 0.2, -0.1], [0.9, -0.3, 0.4], [0.1, 0.2, -0.1]])
SIX = np.array([1e5, 2e5, 3e5, 1e3, 2e3, 3e3])


def model_of_springs(mesh):
    return single_model(springs_family(mesh))


def springs(section, nodes=(0, 1), points=POINTS):
    kind = f"spring{len(nodes)}"
    block = ElementBlock(kind, np.array([7]), np.array([nodes]), section=section, type_name="CBUSH", where="a.bdf:12")
    return Mesh(np.array(points, float), np.arange(len(points)) + 1, (block,), source="springs")


def first(value):
    return np.array([value, 0, 0, 0, 0, 0.0])


RIGID_FREE = {
    "axial": springs(SpringSection(first(1e5), axial=True)),
    "bushing": springs(SpringSection(SIX, axes=AXES)),
    "bushing at one place": springs(SpringSection(SIX, axes=AXES), (0, 2)),
    "scalar at one place": springs(SpringSection(first(1e5), axes=AXES, first_dof=2, second_dof=2), (0, 2)),
    "scalar of rotations": springs(SpringSection(first(1e5), axes=AXES, first_dof=5, second_dof=5)),
    "scalar along the line": springs(SpringSection(first(1e5), first_dof=2, second_dof=2), points=[[0, 0, 0], [0, 0.7, 0]]),
}


@pytest.mark.parametrize("mesh", RIGID_FREE.values(), ids=RIGID_FREE)
def test_rigid_motion_strains_nothing_to_second_order(mesh):
    model = model_of_springs(mesh)
    turns, pairs, second = rigid_rotations(mesh.points, with_turn=True)
    shifts = np.tile(np.eye(6)[:, :3], (len(mesh.points), 1))
    tolerance = 1e-13 * abs(model.K).max()  # rounding against the largest stiffness
    assert abs(model.K @ np.hstack([turns, shifts])).max() < tolerance
    H = np.concatenate([-second, np.zeros_like(second)], axis=2).reshape(len(pairs), -1).T
    assert model.second_order_loads(turns, pairs) == pytest.approx(model.K @ H, abs=tolerance)
    assert model.families[0].restraining == ()


@pytest.mark.parametrize("mesh", RIGID_FREE.values(), ids=RIGID_FREE)
def test_geometric_stiffness_is_the_second_order_load_seen_from_the_other_side(mesh):
    model = model_of_springs(mesh)
    a, b, w = np.random.default_rng(3).standard_normal((3, model.ndof))
    K = model.geometric_stiffness(w)
    (load,) = model.second_order_loads(np.column_stack([a, b]), [(0, 1)]).T
    assert a @ (K @ b) == pytest.approx(w @ load, rel=1e-10)
    assert abs(K - K.T).max() <= 1e-12 * abs(K).max()


def test_axial_spring_follows_its_length_to_second_order():
    model = model_of_springs(RIGID_FREE["axial"])
    elements = model.families[0].elements
    u = 1e-3 * np.random.default_rng(1).standard_normal((12, 1))
    stretch = (elements.strain[0] @ u)[0, 0] + 0.5 * elements.second_order_strain(u[None], u[None])[0, 0, 0]
    ends = POINTS[:2] + np.array([u[:3, 0], u[6:9, 0]])
    exact = np.linalg.norm(ends[1] - ends[0]) - np.linalg.norm(POINTS[1] - POINTS[0])
    assert stretch == pytest.approx(exact, abs=1e-8)  # third order: (1e-3)^3 / length^2
    assert abs((elements.strain[0] @ u)[0, 0] - exact) > 1e-7


def test_bushing_follows_finite_motion_of_its_arms_to_second_order():
    """Ends of the arms apart, seen in the mean rotation; relative rotation of both nodes."""
    model = model_of_springs(RIGID_FREE["bushing"])
    u = 1e-3 * np.random.default_rng(2).standard_normal((12, 1))
    found = (model.families[0].elements.strain[0] @ u)[:, 0]
    found = found + 0.5 * model.families[0].elements.second_order_strain(u[None], u[None])[0, :, 0]
    turns = [Rotation.from_rotvec(u[k : k + 3, 0]) for k in (3, 9)]
    middle = POINTS[:2].mean(axis=0)
    ends = [POINTS[i] + u[6 * i : 6 * i + 3, 0] + turns[i].apply(middle - POINTS[i]) for i in (0, 1)]
    half = turns[0] * Rotation.from_rotvec(0.5 * (turns[0].inv() * turns[1]).as_rotvec())
    exact = np.concatenate([AXES.T @ half.inv().apply(ends[1] - ends[0]), AXES.T @ (turns[0].inv() * turns[1]).as_rotvec()])
    assert found == pytest.approx(exact, abs=1e-8)  # third order of amplitudes of 1e-3
    assert abs((model.families[0].elements.strain[0] @ u)[:, 0] - exact).max() > 1e-7


def test_bushing_between_nodes_apart_acts_in_their_middle():
    mesh = springs(SpringSection(np.array([0, 1000.0, 0, 0, 0, 0])), points=[[0, 0, 0], [2.0, 0, 0]])
    K = model_of_springs(mesh).K.toarray()
    # a rotation of the first node moves the middle by 1 m per rad
    assert K[5, 5] == pytest.approx(1000.0)
    assert K[5, 1] == pytest.approx(1000.0)
    assert K[5, 11] == pytest.approx(1000.0)


def test_spring_mass_chain_has_its_exact_frequencies():
    """Two equal masses and springs in a row to ground: omega^2 = (3 -+ sqrt 5) / 2 k / m."""
    k, m = 2.5e4, 1.6
    block = springs(SpringSection(first(k), axial=True, mass=0.0), points=[[0, 0, 0], [1, 0, 0]]).blocks[0]
    ground = ElementBlock("spring1", np.array([8]), np.array([[0]]), section=SpringSection(first(k), first_dof=1))
    heavy = ElementBlock("spring1", np.array([9, 10]), np.array([[0], [1]]), section=SpringSection(mass=m))
    model = model_of_springs(Mesh(np.array([[0, 0, 0], [1.0, 0, 0]]), np.array([1, 2]), (block, ground, heavy)))
    x = [0, 6]
    values = np.linalg.eigvals(np.linalg.solve(model.M[x][:, x].toarray(), model.K[x][:, x].toarray()))
    assert np.sort(values) == pytest.approx((3 + np.array([-1, 1]) * np.sqrt(5)) / 2 * k / m, rel=1e-13)
    assert model.families[0].restraining == ("mesh: spring1 element 8",)  # the masses hold nothing


def test_scalar_springs_join_the_components_that_the_file_names():
    """Between component 1 of one node and 3 of the other: k (u1 - w2); to ground: one component alone."""
    model = model_of_springs(springs(SpringSection(first(500.0), first_dof=1, second_dof=3)))
    expected = np.zeros((18, 18))
    expected[np.ix_([0, 8], [0, 8])] = [[500.0, -500.0], [-500.0, 500.0]]
    assert model.K.toarray() == pytest.approx(expected)
    assert model.families[0].restraining == ("a.bdf:12: CBUSH element 7",)
    turned = model_of_springs(springs(SpringSection(first(500.0), axes=AXES, first_dof=5), (1,)))
    assert turned.K.toarray()[9:12, 9:12] == pytest.approx(500.0 * np.outer(AXES[:, 1], AXES[:, 1]))
    whole = model_of_springs(springs(SpringSection(SIX, axes=AXES), (1,)))
    assert whole.K.toarray()[6:9, 6:9] == pytest.approx(AXES @ np.diag(SIX[:3]) @ AXES.T)
    assert whole.families[0].restraining == ("a.bdf:12: CBUSH element 7",)


def test_scalar_spring_across_the_line_between_its_nodes_resists_rotation():
    model = model_of_springs(springs(SpringSection(first(1e5), axes=AXES, first_dof=2, second_dof=2)))
    assert model.families[0].restraining == ("a.bdf:12: CBUSH element 7",)


def test_force_of_a_stretched_spring():
    model = model_of_springs(springs(SpringSection(first(1e5), axial=True), points=[[0, 0, 0], [0, 0.5, 0]]))
    apart = np.zeros((12, 1))
    apart[7] = 1e-3
    assert model.spring_forces(apart).forces[0] == pytest.approx([100.0, 0, 0, 0, 0, 0])


def test_dashpots_give_damping_where_springs_give_stiffness():
    model = model_of_springs(springs(SpringSection(damping=SIX, axes=AXES)))
    expected = model_of_springs(springs(SpringSection(SIX, axes=AXES))).K.toarray()
    assert model.damping.toarray() == pytest.approx(expected)
    assert model.K.nnz == 0
    assert model_of_springs(springs(SpringSection(SIX))).damping is None


def test_mass_is_shared_by_both_nodes_and_the_mesh_agrees():
    model = model_of_springs(springs(SpringSection(SIX, mass=3.0)))
    whole = mass_properties(model.mesh)
    assert model.mass == pytest.approx(whole.mass, rel=1e-14)
    assert model.center == pytest.approx(whole.center, rel=1e-14)
    assert model.inertia == pytest.approx(whole.inertia, rel=1e-13)
    modes = np.random.default_rng(0).normal(size=(model.ndof, 3))
    _, fields, _, W = model.inertia_samples(modes, [], np.zeros((model.ndof, 0)))
    gram = sum(fields[:, :, k] @ (W @ fields[:, :, k].T) for k in range(3))
    assert gram == pytest.approx(modes.T @ model.M @ modes, rel=1e-13)


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (springs(None), "a.bdf:12: CBUSH element 7 has no stiffness"),
        (springs(SpringSection(first(1.0), axial=True), (0,)), "has one node only; give it a direction"),
        (springs(SpringSection(first(1.0), axial=True), (0, 2)), "connects coincident nodes"),
        (springs(SpringSection(first(-1.0))), "stiffness .*must not be negative"),
    ],
)
def test_impossible_springs_are_refused_by_name(mesh, words):
    with pytest.raises(MeshError, match=words):
        model_of_springs(mesh)
