"""Point masses with inertia, at and beside their nodes."""

import numpy as np
import pytest
from fem_meshes import rigid_rotations

from flexmbs import BodyError, Mesh, MeshError, PointMass, mass_properties
from flexmbs.fem.fe_model import single_model
from flexmbs.fem.point_masses import point_masses

POINTS = np.array([[0.3, -0.2, 0.5], [1.0, 0.4, -0.6]])
ARM = np.array([0.05, 0.1, -0.2])


def model_of_masses(mesh):
    return single_model(point_masses(mesh))


def body_inertia(seed=0, size=0.1):
    """About the centre, of random points: an inertia that a body can have."""
    r = size * np.random.default_rng(seed).normal(size=(10, 3))
    r -= r.mean(axis=0)
    return np.sum(r * r) * np.eye(3) - r.T @ r


def masses(*found):
    points = tuple(PointMass(f"CONM2 {i}", *mass, where=f"a.bdf:{i}") for i, mass in enumerate(found))
    return Mesh(POINTS, np.array([1, 2]), (), source="masses", point_masses=points)


MESHES = {
    "offset": masses((0, 2.0, body_inertia(), ARM), (1, 0.7, body_inertia(1), -2 * ARM)),
    "no inertia": masses((0, 2.0, np.zeros((3, 3)), ARM)),
    "inertia only": masses((1, 0.0, body_inertia(), np.zeros(3))),
    "rod": masses((1, 2.0, np.diag([0.0, 1.0, 1.0]), ARM)),
    "disc": masses((1, 2.0, np.diag([0.5, 0.5, 1.0]), ARM)),
}


def test_mass_matrix_is_that_of_a_rigid_body():
    """Kinetic energy of a rigid body that moves with v and turns with w at a node beside its centre: to rounding."""
    J, mass = body_inertia(), 2.0
    model = model_of_masses(masses((1, mass, J, ARM)))
    v, w = np.random.default_rng(5).normal(size=(2, 3))
    nodal = np.r_[np.zeros(6), v, w]
    at_center = v + np.cross(w, ARM)
    assert nodal @ model.M @ nodal == pytest.approx(mass * at_center @ at_center + w @ J @ w, rel=1e-14)


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_samples_integrate_the_mass_matrix(mesh):
    model = model_of_masses(mesh)
    modes = np.random.default_rng(0).normal(size=(model.ndof, 5))
    _, fields, _, W = model.inertia_samples(modes, [], np.zeros((model.ndof, 0)))
    gram = sum(fields[:, :, k] @ (W @ fields[:, :, k].T) for k in range(3))
    assert gram == pytest.approx(modes.T @ model.M @ modes, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_samples_of_rigid_rotation_turn_to_second_order(mesh):
    model = model_of_masses(mesh)
    turns, pairs, second = rigid_rotations(POINTS, with_turn=True)
    factor = np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)[:, None, None]
    Z = np.concatenate([second * factor, np.zeros_like(second)], axis=2).reshape(len(pairs), -1).T
    x, linear, quadratic, _ = model.inertia_samples(turns, pairs, Z)
    assert linear == pytest.approx(np.cross(np.eye(3)[:, None], x[None]), abs=1e-14)
    _, _, exact = rigid_rotations(x, with_turn=True)
    assert quadratic == pytest.approx(exact * factor, abs=1e-14)


def test_second_order_products_are_those_of_the_body():
    """int z . z dm of  z = 1/2 theta x (theta x r)  over ten points of a body, and over its samples."""
    r = 0.1 * np.random.default_rng(0).normal(size=(10, 3))
    r -= r.mean(axis=0)
    model = model_of_masses(masses((0, 10.0, body_inertia(), ARM)))  # ten points of 1 kg
    theta = np.random.default_rng(8).normal(size=3)
    mode = np.zeros((model.ndof, 1))
    mode[3:6, 0] = theta
    _, _, quadratic, W = model.inertia_samples(mode, [(0, 0)], np.zeros((model.ndof, 1)))
    found = sum(quadratic[0, :, k] @ (W @ quadratic[0, :, k]) for k in range(3))
    exact = 0.5 * np.cross(theta, np.cross(theta, r + ARM))
    assert found == pytest.approx(np.sum(exact**2), rel=1e-13)


def test_mass_properties_agree_with_the_mesh():
    model, whole = model_of_masses(MESHES["offset"]), mass_properties(MESHES["offset"])
    assert model.mass == pytest.approx(whole.mass, rel=1e-12)
    assert model.center == pytest.approx(whole.center, rel=1e-12)
    assert model.inertia == pytest.approx(whole.inertia, rel=1e-12)


def test_masses_have_no_stiffness_of_their_own():
    model = model_of_masses(MESHES["offset"])
    fields = np.random.default_rng(0).normal(size=(model.ndof, 2))
    assert model.K.nnz == 0 and model.geometric_stiffness(fields[:, 0]).nnz == 0
    assert not model.second_order_loads(fields, [(0, 1)]).any()
    assert len(model.surface(fields, [(0, 1)], fields[:, :1]).points) == 0
    with pytest.raises(BodyError, match="a point mass cannot carry a marker"):
        model.point_operator(POINTS[0])


def test_inertia_that_no_body_has_vibrates_but_is_not_reduced():
    """The moment about one axis alone: as a file may give it for a motion in one plane."""
    model = model_of_masses(masses((0, 1.0, np.diag([0.0, 0.0, 2.0]), np.zeros(3))))
    assert model.M[5, 5] == 2.0 and model.inertia == pytest.approx(np.diag([0.0, 0.0, 2.0]))
    with pytest.raises(BodyError, match=r"a.bdf:0: the mass CONM2 0 has the principal moments .* 0, 0, 2 kg m2"):
        model.inertia_samples(np.zeros((model.ndof, 1)), [], np.zeros((model.ndof, 0)))


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (masses((0, -1.0, np.zeros((3, 3)), ARM)), "a.bdf:0: the mass CONM2 0 has -1.0 kg"),
        (masses((0, 1.0, np.diag([1.0, 1.0, -0.1]), ARM)), "without negative moments"),
        (masses((0, 1.0, np.eye(3) + np.eye(3, k=1), ARM)), "must be symmetric"),
    ],
)
def test_impossible_masses_are_refused_by_name(mesh, words):
    with pytest.raises(MeshError, match=words):
        model_of_masses(mesh)
