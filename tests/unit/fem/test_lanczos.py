"""Block Lanczos iteration against dense eigenvalues."""

import numpy as np
import pytest
from fem_meshes import STEEL, rectangle, straight_beam
from scipy import linalg

from flexmbs import BodyError, assemble, box_mesh
from flexmbs.fem.solvers.factor import symmetric_factor
from flexmbs.fem.solvers.lanczos import BlockLanczos


def held(model):
    free = np.flatnonzero(np.repeat(model.mesh.points[:, 0] > 1e-9, model.dofs_per_node))
    return model.K[free][:, free].tocsr(), model.M[free][:, free].tocsr()


def counted(K):
    """The inverse of K, and the list of how many columns it was asked for."""
    factor, asked = symmetric_factor(K, "singular"), []

    def solve(loads):
        asked.append(loads.shape[1])
        return factor.solve(loads)

    return solve, asked


@pytest.fixture(scope="module")
def square_bar():
    """Bends alike in two directions: every frequency of bending comes twice."""
    return held(assemble(box_mesh((1.0, 0.1, 0.1), (12, 2, 2), STEEL)))


def test_modes_are_those_of_lapack(square_bar):
    K, M = square_bar
    expected = linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True, subset_by_index=(0, 19))
    assert np.any(np.diff(expected) < 1e-9 * expected[1:])  # equal ones are among them
    values, vectors = BlockLanczos(counted(K)[0], M).lowest(20)
    # rounding of K as a whole (1e-16 of its largest eigenvalue, 1e6 times the first) reaches the lowest modes
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    np.testing.assert_allclose(vectors.T @ (M @ vectors), np.eye(20), atol=1e-12)
    residual = K @ vectors - (M @ vectors) * values
    assert np.abs(residual).max() < 1e-9 * np.abs(K @ vectors).max()


def test_asking_for_more_goes_on(square_bar):
    K, M = square_bar
    solve, asked = counted(K)
    iteration = BlockLanczos(solve, M)
    few = iteration.lowest(5)[0]
    after_few = len(asked)
    more = iteration.lowest(15)[0]
    np.testing.assert_allclose(more[:5], few, rtol=1e-11)
    once, asked_once = counted(K)
    np.testing.assert_allclose(more, BlockLanczos(once, M).lowest(15)[0], rtol=1e-11)
    assert after_few > 2 and len(asked) == len(asked_once)  # nothing was computed twice
    assert iteration.lowest(3)[0].shape == (3,) and len(asked) == len(asked_once)


def test_runs_repeat(square_bar):
    K, M = square_bar
    first, second = (BlockLanczos(counted(K)[0], M).lowest(6) for _ in range(2))
    np.testing.assert_array_equal(first[1], second[1])


def test_directions_without_mass_have_no_modes():
    """Beams without rotary inertia: the mass matrix is singular."""
    K, M = held(assemble(straight_beam(8, section=rectangle(0.01, 0.02)), rotary_inertia=False))
    mu = linalg.eigh(M.toarray(), K.toarray(), eigvals_only=True)[::-1]
    exist = int(np.count_nonzero(mu > 1e-13 * mu[0]))
    assert exist < K.shape[0]
    values, _ = BlockLanczos(counted(K)[0], M).lowest(K.shape[0])
    assert len(values) == exist
    # the highest of them are 1e-8 of the first in 1 / omega^2, so rounding leaves them eight digits
    np.testing.assert_allclose(values, 1.0 / mu[:exist], rtol=1e-6)


def test_unstable_modes_are_found(square_bar):
    """K - s M with s among the eigenvalues: those below s come out negative."""
    K, M = square_bar
    expected = linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True, subset_by_index=(0, 5))
    shift = 0.5 * (expected[2] + expected[1])
    values, _ = BlockLanczos(counted((K - shift * M).tocsr())[0], M).lowest(4)
    nearest = sorted(expected - shift, key=abs)[:4]
    np.testing.assert_allclose(np.sort(values), np.sort(nearest), rtol=1e-9)


def test_a_basis_that_does_not_fit_is_refused(square_bar, monkeypatch):
    K, M = square_bar
    iteration = BlockLanczos(counted(K)[0], M)
    monkeypatch.setenv("FLEXMBS_MEMORY_GB", "0.0001")
    with pytest.raises(BodyError, match=r"^8 modes of 1,080 unknowns: about .* is needed.*Ask for fewer modes"):
        iteration.lowest(8)


@pytest.mark.parametrize("shape", [(1.0, 0.1, 0.1), (1.0, 1.0, 1.0)], ids=["bar", "block"])
def test_free_bodies_take_no_longer_than_held_ones(shape):
    """Under a small shift 1 / lambda of rigid-body motion is 1e6 times that of the elastic modes and more."""
    model = assemble(box_mesh(shape, (6, 4, 4), STEEL))
    shift = 1e-9 * model.K.diagonal().sum() / model.M.diagonal().sum()
    solve, asked = counted((model.K + shift * model.M).tocsr())
    iteration = BlockLanczos(solve, model.M)
    values, vectors = iteration.lowest(18)
    expected = linalg.eigh(model.K.toarray(), model.M.toarray(), eigvals_only=True, subset_by_index=(6, 17))
    assert np.abs(values[:6] / shift - 1.0).max() < 1e-3 and expected[0] > 1e4 * shift
    np.testing.assert_allclose(values[6:] - shift, expected, rtol=1e-9)
    np.testing.assert_allclose(vectors.T @ (model.M @ vectors), np.eye(18), atol=1e-12)
    assert sum(asked) < 150  # of 1,125 unknowns
    np.testing.assert_array_equal(iteration.lowest(4)[0], values[:4])
    np.testing.assert_allclose(iteration.lowest(24)[0][:18], values, rtol=1e-9)
