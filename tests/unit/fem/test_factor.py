"""Sparse factorisation: all solvers alike, singular matrices found, too large ones refused."""

from importlib.util import find_spec

import numpy as np
import pytest
from fem_meshes import STEEL, box, rectangle, straight_beam
from scipy import sparse

from flexmbs import BodyError, SingularMatrix, assemble, box_mesh
from flexmbs.fem.solvers import factor, factorisations
from flexmbs.fem.solvers.factor import SOLVERS, chosen_solver, symmetric_factor

INSTALLED = [
    pytest.param(name, marks=pytest.mark.skipif(name != "scipy" and find_spec(name) is None, reason="not installed"))
    for name in SOLVERS
]
rng = np.random.default_rng(1)


def held(model):
    """Stiffness and mass with the nodes at x = 0 held."""
    free = np.flatnonzero(np.repeat(model.mesh.points[:, 0] > 1e-9, model.dofs_per_node))
    return model.K[free][:, free], model.M[free][:, free]


@pytest.fixture(scope="module")
def block():
    return assemble(box_mesh((1.0, 0.2, 0.2), (10, 3, 3), STEEL))


@pytest.mark.parametrize("solver", INSTALLED)
@pytest.mark.parametrize("definite", [True, False])
def test_solvers_solve(block, solver, definite):
    K, M = held(block)
    A = K if definite else K - 3e7 * M  # among the frequencies: 5477 rad/s
    assert definite == (np.linalg.eigvalsh(A.toarray())[0] > 0.0)
    expected = rng.standard_normal((A.shape[0], 5))
    for x in (expected[:, 0], expected, expected[:, ::2], expected[:, :0]):
        found = symmetric_factor(A, "singular", solver).solve(A @ x)
        # condition of K: 4e6, so rounding of the loads alone may come back as 1e-10
        np.testing.assert_allclose(found, x, atol=1e-9 * np.abs(x).max(initial=0.0))


@pytest.mark.parametrize("solver", INSTALLED)
def test_loads_are_left_as_they_are(block, solver):
    K, _ = held(block)
    loads = np.asfortranarray(rng.standard_normal((K.shape[0], 2)))
    before = loads.copy()
    symmetric_factor(K, "singular", solver).solve(loads)
    np.testing.assert_array_equal(loads, before)


@pytest.mark.parametrize("solver", INSTALLED)
def test_every_run_gives_the_same_digits(block, solver):
    K, _ = held(block)
    loads = rng.standard_normal((K.shape[0], 3))
    first, second = (symmetric_factor(K, "singular", solver).solve(loads) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("solver", INSTALLED)
def test_a_free_body_is_singular(block, solver):
    with pytest.raises(SingularMatrix, match="^nothing holds it") as caught:
        symmetric_factor(block.K, "nothing holds it", solver)
    motion = caught.value.motion
    assert np.abs(motion).max() == pytest.approx(1.0)
    # what it leaves without resistance is the motion of a rigid body
    assert np.abs(block.K @ motion).max() < 1e-6 * block.K.diagonal().max()


@pytest.mark.parametrize("solver", INSTALLED)
def test_the_loose_part_is_shown(block, solver):
    K, _ = held(block)
    with pytest.raises(SingularMatrix) as caught:
        symmetric_factor(sparse.block_diag([K, block.K]), "two parts", solver)
    held_part, loose = np.split(np.abs(caught.value.motion), [K.shape[0]])
    assert held_part.max() < 1e-6 and loose.max() == 1.0


@pytest.mark.parametrize("solver", INSTALLED)
def test_a_row_without_stiffness_is_singular(block, solver):
    K, _ = held(block)
    with pytest.raises(SingularMatrix, match=rf"^loose \(row {K.shape[0]} of {K.shape[0] + 1} is empty"):
        symmetric_factor(sparse.block_diag([K, sparse.csr_matrix((1, 1))]), "loose", solver)


@pytest.mark.parametrize("solver", INSTALLED)
def test_a_slender_beam_is_not_singular(solver):
    """3000 elements: a condition of 1e13 in units of the diagonal, yet regular."""
    K, _ = held(assemble(straight_beam(3000, section=rectangle(0.01, 0.01))))
    load = np.zeros(K.shape[0])
    load[-5] = 1.0  # at the tip along y
    deflection = symmetric_factor(K, "singular", solver).solve(load)[-5]
    inertia, area, shear = 0.01**4 / 12.0, 1e-4, STEEL.shear_modulus
    exact = 1.0 / (3.0 * STEEL.youngs_modulus * inertia) + 1.0 / (5.0 / 6.0 * shear * area)
    assert deflection == pytest.approx(exact, rel=1e-4)


def test_the_environment_chooses(monkeypatch):
    monkeypatch.setenv(factor.VARIABLE, "SciPy")
    assert chosen_solver() == "scipy"
    monkeypatch.setenv(factor.VARIABLE, "spooles")
    with pytest.raises(BodyError, match="FLEXMBS_SOLVER=spooles: the solver must be one of pypardiso, mumps, scipy"):
        chosen_solver()


def test_a_solver_that_does_not_load_is_not_chosen(monkeypatch):
    monkeypatch.delenv(factor.VARIABLE, raising=False)
    monkeypatch.setattr(factor, "find_spec", lambda name: object())  # all are found ...

    class Broken:
        @staticmethod
        def load():
            raise OSError("mkl_rt: cannot open shared object file")  # ... but their libraries are not

    superlu = factorisations.SuperLUFactor
    broken = {name: superlu if name == "scipy" else Broken for name in factor.SOLVERS}
    monkeypatch.setattr(factor, "SOLVERS", broken)
    factor._is_usable.cache_clear()
    try:
        assert chosen_solver() == "scipy"
        with pytest.raises(BodyError, match="pypardiso is not installed"):
            chosen_solver("pypardiso")
    finally:
        factor._is_usable.cache_clear()


@pytest.mark.parametrize("solver", INSTALLED)
def test_what_does_not_fit_is_refused_before_it_is_tried(block, solver, monkeypatch):
    K, _ = held(block)
    monkeypatch.setenv("FLEXMBS_MEMORY_GB", "0.0001")
    monkeypatch.setattr(factorisations, "splu", lambda *_a, **_k: pytest.fail("tried"))
    with pytest.raises(BodyError, match=r"factorising 1,680 unknowns.* is needed, but only 0\.1 MB is available\. A coarser"):
        symmetric_factor(K, "singular", solver)


@pytest.mark.parametrize(
    "mesh",
    [box("hex20", (6, 6, 6)), box_mesh((20.0, 1.0, 1.0), (100, 2, 2), STEEL), box_mesh((9.0, 9.0, 1.0), (18, 18, 1), STEEL)],
    ids=["cube", "bar", "plate"],
)
def test_size_of_the_factor_is_foreseen_within_a_factor_of_two(mesh):
    K, _ = held(assemble(mesh))
    found = factorisations.SuperLUFactor(K)
    foreseen = factorisations.estimated_size(K) / factorisations._BYTES_PER_ENTRY
    assert 0.5 < foreseen / found.entries < 2.1
