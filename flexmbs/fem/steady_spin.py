"""The stiffness of a body in steady spin: geometric stiffness of the centrifugal load, and spin softening."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.solvers.factor import SingularMatrix, symmetric_factor
from flexmbs.fem.supports import free_space, restricted


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
