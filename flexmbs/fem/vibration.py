"""Natural frequencies and shapes of a finite-element model, held or free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from flexmbs.errors import BodyError
from flexmbs.fem.factor import symmetric_factor
from flexmbs.fem.model import FEModel
from flexmbs.fem.rigid_motion import rigid_motions

_DENSE_LIMIT = 500  # dofs; below it LAPACK finds every mode in no time
# The shift makes K + shift M definite where rigid-body motion is left. In parts of trace(K) / trace(M), about the
# square of the highest frequency: far below the elastic ones, far above rounding.
_SHIFT = 1e-9
_RIGID = 1e-4  # modes below this part of the first elastic frequency are rigid-body motion


@dataclass(frozen=True)
class NaturalModes:
    """Modes in rising order of frequency; rigid-body motion that the supports leave comes first, with frequency 0.

    Attributes
    ----------
    frequencies : (n,) float, Hz
    shapes : (ndof, n) float
        Scaled to modal mass 1 kg (or kg m2).
    effective_mass : (n, 6) float, kg and kg m2
        (phi^T M r)^2 for r the unit translations along x, y, z and rotations about them through the centre of mass:
        what of the body each mode moves. Over all modes they sum to the mass and inertia of what can move.
    """

    frequencies: np.ndarray
    shapes: np.ndarray
    effective_mass: np.ndarray


def natural_modes(
    model: FEModel, held: np.ndarray, count: int = 10, max_hz: float | None = None, stiffness=None
) -> NaturalModes:
    """Lowest modes of a model.

    Parameters
    ----------
    held : (ndof,) bool
        Components that do not move.
    count : int
        Number of elastic modes; rigid-body motion comes in addition.
    max_hz : float or None
        All modes up to this frequency instead of a number of them.
    stiffness : (ndof, ndof) sparse or None
        In place of ``model.K`` (with geometric stiffness, spin softening).

    Raises
    ------
    BodyError
        Everything is held, or the matrix is singular with its mass (parts without stiffness and mass).
    """
    free = np.flatnonzero(~np.asarray(held, bool))
    if not len(free):
        raise BodyError("every node is held: nothing is left to vibrate; hold fewer sets.")
    if count < 1 or (max_hz is not None and not max_hz > 0.0):
        raise BodyError(f"count = {count} and max_hz = {max_hz}: give at least 1 mode, or a frequency above 0.")
    K = (model.K if stiffness is None else stiffness).tocsr()[free][:, free]
    M = model.M.tocsr()[free][:, free]
    shift = _SHIFT * K.diagonal().sum() / M.diagonal().sum()
    wanted = count + 6 if max_hz is None else 16
    while True:
        values, vectors = _lowest(K, M, shift, min(wanted, len(free)))
        frequencies = _in_hertz(values, shift)
        if max_hz is None or len(frequencies) < wanted or frequencies[-1] > max_hz:
            break
        wanted *= 2
    rigid = int(np.count_nonzero(frequencies == 0.0))
    kept = rigid + count if max_hz is None else int(np.searchsorted(frequencies, max_hz, side="right"))
    frequencies, vectors = frequencies[:kept], vectors[:, :kept]
    shapes = np.zeros((model.ndof, len(frequencies)))
    shapes[free] = vectors
    motions = rigid_motions(model.mesh.points, model.dofs_per_node, model.center)
    return NaturalModes(frequencies, shapes, (shapes.T @ (model.M @ motions)) ** 2)


def _lowest(K: sparse.csr_matrix, M: sparse.csr_matrix, shift: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """omega^2 (k,) rising and shapes (n, k) with unit modal mass, by (K + shift M) x = (omega^2 + shift) M x."""
    shifted = K + shift * M
    if K.shape[0] <= _DENSE_LIMIT or count >= K.shape[0] - 1:
        # With the mass on the left, since it may be singular (beams without rotary inertia) and the other is not.
        inverse, vectors = linalg.eigh(M.toarray(), shifted.toarray())
        inverse, vectors = inverse[::-1][:count], vectors[:, ::-1][:, :count]
        kept = inverse > 1e-14 * inverse[0]
        values, vectors = 1.0 / inverse[kept] - shift, vectors[:, kept] / np.sqrt(inverse[kept])
        return values, vectors
    factor = symmetric_factor(shifted, "the stiffness matrix is singular: nodes without stiffness and mass")
    n = K.shape[0]
    inverse = LinearOperator((n, n), matvec=factor.solve, dtype=float)
    start = factor.solve(M @ np.random.default_rng(0).standard_normal(n))  # fixed, so that runs repeat
    values, vectors = eigsh(K, k=count, M=M, sigma=-shift, OPinv=inverse, v0=start, which="LM")
    order = np.argsort(values)
    return values[order], vectors[:, order]


def _in_hertz(values: np.ndarray, shift: float) -> np.ndarray:
    """Frequencies of omega^2; those of rigid-body motion, which rounding leaves near zero, are set to zero."""
    hertz = np.sqrt(np.maximum(values, 0.0)) / (2.0 * np.pi)
    elastic = hertz[values > shift]
    first = elastic[0] if len(elastic) else np.sqrt(shift)
    return np.where(hertz < _RIGID * first, 0.0, hertz)
