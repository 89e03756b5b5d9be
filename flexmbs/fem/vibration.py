"""Natural frequencies and shapes of a finite-element model, held or free, at rest or in steady spin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import linalg, sparse

from flexmbs.common.blas_threads import one_blas_thread
from flexmbs.common.errors import BodyError, BodyWarning
from flexmbs.common.progress import on_progress
from flexmbs.common.user_warnings import warn
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.fem.solvers.factor import SingularMatrix, symmetric_factor
from flexmbs.fem.solvers.lanczos import BlockLanczos
from flexmbs.fem.solvers.memory import memory_errors_named
from flexmbs.fem.supports import free_space, mechanism, restricted
from flexmbs.mesh.connectivity import part_labels

_MOST_PARTS = 1000  # of which the motions that supports leave are counted one by one
_DENSE_LIMIT = 500  # dofs; below it LAPACK finds every mode in no time
# The shift makes K + shift M definite where rigid-body motion is left. In parts of trace(K) / trace(M), about the
# square of the highest frequency: far below the elastic ones, far above rounding.
_SHIFT = 1e-9
# Parts of the rounding of x^T K x up to which omega^2 counts as zero: rigid-body motion has 0.3 of it at most, the first
# elastic mode 6e4 at least in most bodies (cubes to bars 500 times as long as thick), but 75 in a chain of 5000 beams. So
# the first is for as many modes as the parts have rigid motions, the other for those above, which mechanisms may be.
_RIGID, _MECHANISM = 100.0, 3.0
_ROUNDED, _BLURRED = 0.3, 0.01  # of that rounding, what omega^2 is off; a part of a frequency that is worth a word
_BUCKLED = "the stiffness matrix is not positive definite: the body buckles, or some nodes have neither stiffness nor mass"
_DIVERGENCE = (
    "the angular velocity is too high: spin softening exceeds the stiffness (divergence); reduce it, or fix more of the body."
)


@dataclass(frozen=True)
class NaturalModes:
    """Modes by ascending frequency; rigid-body modes that the supports leave free come first, with frequency 0.

    Attributes
    ----------
    frequencies : (n,) float, Hz
    shapes : (ndof, n) float
        Scaled to modal mass 1 kg (or kg m2).
    effective_mass : (n, 6) float, kg and kg m2
        (phi^T M r)^2 for r the unit translations along x, y, z and rotations about them through the centre of mass:
        what of the body each mode moves. Over all modes they sum to the mass and inertia of what can move.
    warnings : tuple of str
        Parts that can move without any resistance; fewer modes than were asked for; frequencies that rounding blurs.
    """

    frequencies: np.ndarray
    shapes: np.ndarray
    effective_mass: np.ndarray
    warnings: tuple[str, ...] = ()


@on_progress()
@one_blas_thread()
@memory_errors_named("computing the modes")
def natural_modes(
    model: FEModel,
    held: np.ndarray | sparse.spmatrix,
    count: int | None = None,
    max_hz: float | None = None,
    stiffness: sparse.spmatrix | None = None,
    spin: float = 0.0,
) -> NaturalModes:
    """Lowest modes of a model.

    Parameters
    ----------
    held : (ndof,) bool, components that do not move; or (k, ndof) sparse H of supports H u = 0
    count : int or None
        Number of elastic modes; rigid-body motion comes in addition. None: 10, or all where there are fewer.
    max_hz : float or None
        All modes up to this frequency instead of a number of them.
    stiffness : (ndof, ndof) sparse or None
        In place of ``model.K`` (with geometric stiffness, spin softening).
    spin : float, rad/s
        The speed whose softening ``stiffness`` has: omega^2 is sought from -spin^2 on.

    Raises
    ------
    BodyError
        Everything is held, more modes are asked for than there are freedoms, the matrix is singular with its mass
        (parts without stiffness and mass), or the spin softens the body to less than no stiffness.

    Warns
    -----
    BodyWarning : each of ``NaturalModes.warnings``.
    """
    T = free_space(model, held)
    if not T.shape[1]:
        raise BodyError("every node is fixed, so nothing can vibrate; fix fewer sets.")
    asked = count if max_hz is None else None
    count = 10 if count is None else count
    if count < 1 or (max_hz is not None and not max_hz > 0.0):
        raise BodyError(f"count = {count} and max_hz = {max_hz}: give at least 1 mode, or a frequency above 0.")
    if asked is not None and asked > T.shape[1]:
        raise BodyError(f"{asked:,} modes were requested, but there are only {T.shape[1]:,} degrees of freedom; request fewer.")
    K = restricted(model.K if stiffness is None else stiffness, T)
    M = restricted(model.M, T)
    shift = _SHIFT * K.diagonal().sum() / M.diagonal().sum() + spin**2
    whole = _rigid_motions_left(model, held, T)
    wanted = count + max(6, whole) if max_hz is None else 16
    lowest = None
    while True:
        try:
            lowest = _lowest_modes(K, M, shift) if lowest is None else lowest
            values, vectors = lowest(min(wanted, T.shape[1]))
        except BodyError as error:
            raise BodyError(_not_definite(error, model, spin)) from error
        # what rounding leaves of omega^2 in rigid-body motion; vectors have unit modal mass, the shift is taken off
        size = np.abs(vectors)
        rounding, of_shift = np.finfo(float).eps * np.einsum("ia,ia->a", size, abs(K) @ size), np.finfo(float).eps * shift
        if stiffness is not None and np.any(values < -_RIGID * (rounding + of_shift)):
            raise BodyError(_DIVERGENCE if spin else _BUCKLED)
        zero = values <= np.where(np.arange(len(values)) < whole, _RIGID, _MECHANISM) * rounding + _RIGID * of_shift
        frequencies = np.where(zero, 0.0, np.sqrt(np.maximum(values, 0.0)) / (2.0 * np.pi))
        enough = np.count_nonzero(frequencies) >= count if max_hz is None else frequencies[-1] > max_hz
        if enough or len(frequencies) < wanted:
            break
        wanted *= 2
    rigid = int(np.count_nonzero(frequencies == 0.0))
    kept = rigid + count if max_hz is None else int(np.searchsorted(frequencies, max_hz, side="right"))
    frequencies, vectors = frequencies[:kept], vectors[:, :kept]
    shapes = T @ vectors
    motions = rigid_motions(model.mesh.points, model.dofs_per_node, model.center)
    doubts = _doubts(model, rigid, whole, len(frequencies) - rigid, asked)
    blurred = 0.5 * _ROUNDED * rounding[rigid:kept] / np.maximum(values[rigid:kept], 1e-300)
    if blurred.max(initial=0.0) > _BLURRED:
        worst = int(np.argmax(blurred))
        doubts += (
            f"{model.mesh.source}: the frequency {frequencies[rigid + worst]:.3g} Hz is uncertain by about"
            f" {100.0 * blurred[worst]:.1g} %, from rounding: the elements are very short beside the body; mesh it with fewer.",
        )
    warn(doubts, BodyWarning, where=model.mesh.source)
    return NaturalModes(frequencies, shapes, (shapes.T @ (model.M @ motions)) ** 2, doubts)


def _rigid_motions_left(model: FEModel, held: np.ndarray | sparse.spmatrix, T: sparse.spmatrix) -> int:
    """How many rigid motions of the parts of a body its supports leave."""
    count, label = model.dofs_per_node, part_labels(model.mesh)
    moving = np.diff(T.tocsr().indptr) > 0  # components that have a mass or stiffness, and are not held
    used = np.unique(label[moving.reshape(-1, count).any(axis=1)])
    left = 0
    for part in used[:_MOST_PARTS]:
        nodes = np.flatnonzero(label == part)
        dofs = (nodes[:, None] * count + np.arange(count)).ravel()
        R = rigid_motions(model.mesh.points[nodes], count, model.mesh.points[nodes].mean(axis=0))
        R[:, 3:] /= max(float(np.abs(R[:, 3:]).max()), 1e-300)
        free = _null_space((held[:, dofs] @ R) if sparse.issparse(held) else R[held[dofs]])
        left += int(np.linalg.matrix_rank(R[moving[dofs]] @ free, tol=1e-9)) if free.size else 0
    return left + 6 * max(len(used) - _MOST_PARTS, 0)


def _null_space(A: np.ndarray) -> np.ndarray:
    """(6, k) motions that A leaves."""
    _, sizes, turned = np.linalg.svd(np.vstack([A, np.zeros((6, 6))]), full_matrices=False)
    return turned[sizes <= 1e-9].T


def _doubts(model: FEModel, rigid: int, expected: int, elastic: int, asked: int | None) -> tuple[str, ...]:
    """What is wrong with the modes: more motion without resistance than ``expected``, fewer modes than ``asked``."""
    loose = mechanism(model) if rigid > expected else ""
    found = [f"{loose}."] if loose else []
    if rigid > expected and not loose:
        found.append(
            f"{model.mesh.source}: {rigid - expected} more modes are at 0 Hz, to rounding, than rigid motions are left: parts"
            " that move without resistance, or elements that are very short beside the body (then mesh it with fewer)."
        )
    if asked is not None and elastic < asked:
        found.append(f"{asked} elastic modes were requested; the mesh has {elastic}.")
    return tuple(found)


def _not_definite(error: BodyError, model: FEModel, spin: float) -> str:
    """What a matrix means that cannot be factorised."""
    if spin and isinstance(error.__cause__, linalg.LinAlgError):
        return _DIVERGENCE
    loose = mechanism(model)
    return f"{error}; {loose}." if loose else str(error)


def _lowest_modes(K: sparse.csr_matrix, M: sparse.csr_matrix, shift: float) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """From a number of modes k to omega^2 (k,) rising and shapes (n, k) with unit modal mass.

    By (K + shift M) x = (omega^2 + shift) M x.
    """
    shifted = K + shift * M
    if K.shape[0] <= _DENSE_LIMIT:
        return partial(_dense_modes, shifted.toarray(), M.toarray(), shift)
    factor = symmetric_factor(shifted, "the stiffness matrix is singular: some nodes have neither stiffness nor mass")
    iteration = BlockLanczos(factor.solve, M)

    def lowest(count: int) -> tuple[np.ndarray, np.ndarray]:
        values, vectors = iteration.lowest(count)
        order = np.argsort(values)
        return values[order] - shift, vectors[:, order]

    return lowest


def _dense_modes(shifted: np.ndarray, M: np.ndarray, shift: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    # With the mass on the left, since it may be singular (beams without rotary inertia) and the other is not.
    try:
        inverse, vectors = linalg.eigh(M, shifted)
    except linalg.LinAlgError as error:
        raise BodyError(_BUCKLED) from error
    inverse, vectors = inverse[::-1][:count], vectors[:, ::-1][:, :count]
    kept = inverse > 1e-14 * inverse[0]
    return 1.0 / inverse[kept] - shift, vectors[:, kept] / np.sqrt(inverse[kept])


def spin_stiffness(model: FEModel, held: np.ndarray | sparse.spmatrix, speed: float, axis: np.ndarray) -> sparse.csr_matrix:
    """K + K_geo(u0) - speed^2 M_perp, for small vibration in the turning frame without gyroscopic terms.

    u0 is the linear displacement under the centrifugal load of a spin about an axis through the origin of the mesh.

    Parameters
    ----------
    held : (ndof,) bool or (k, ndof) sparse, as for ``natural_modes``
    speed : float, rad/s
    axis : (3,) direction of the axis

    Returns
    -------
    (ndof, ndof) csr

    Raises
    ------
    BodyError
        The axis has no direction, or the supports do not hold the body against the load.
    """
    axis = np.asarray(axis, float)
    length = np.linalg.norm(axis)
    if axis.shape != (3,) or not (np.isfinite(length) and length > 0.0):
        raise BodyError(f"the spin axis is {axis.tolist()}; it must have three numbers that are not all zero.")
    across = np.eye(3) - np.outer(axis, axis) / length**2
    load, softening = (speed**2 * found for found in model.centrifugal(across))
    displacement = _static(model, held, load)
    stiffness = model.K + model.geometric_stiffness(displacement) - softening
    if model.dependence is not None:
        stiffness = stiffness + model.dependence.stiffness(model.K @ displacement - load)
    return stiffness.tocsr()


def _static(model: FEModel, held: np.ndarray | sparse.spmatrix, load: np.ndarray) -> np.ndarray:
    T = free_space(model, held)
    supported = held.nnz if sparse.issparse(held) else np.any(held)
    loose = "the supports do not hold the body" if supported else "nothing holds the body"
    loose = f"{loose} against the centrifugal load; hold {'more' if supported else 'it'} (--fix SET)."
    try:
        factor = symmetric_factor(restricted(model.K, T), loose)
    except SingularMatrix as error:
        raise BodyError(loose) from error
    displacement = T @ factor.solve(T.T @ load)
    if not np.abs(displacement).max() < 10.0 * np.ptp(model.mesh.points, axis=0).max():  # NaN too
        raise BodyError(loose)
    return displacement
