"""The stiffness of a body in steady spin: geometric stiffness of the centrifugal load, and spin softening."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.errors import BodyError
from flexmbs.fem.factor import symmetric_factor
from flexmbs.fem.model import FEModel


def spin_stiffness(model: FEModel, held: np.ndarray, speed: float, axis: np.ndarray) -> sparse.csr_matrix:
    """K + K_geo(u0) - speed^2 M_perp, for small vibration in the turning frame without gyroscopic terms.

    u0 is the linear displacement under the centrifugal load of a spin about an axis through the origin of the mesh.

    Parameters
    ----------
    held : (ndof,) bool
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
        raise BodyError(f"the spin axis is {axis.tolist()}; give three numbers that are not all zero.")
    across = np.eye(3) - np.outer(axis, axis) / length**2
    in_plane = np.zeros((model.dofs_per_node, model.dofs_per_node))
    in_plane[:3, :3] = across
    projection = sparse.kron(sparse.eye(len(model.mesh.points)), in_plane, format="csr")
    position = np.zeros((len(model.mesh.points), model.dofs_per_node))
    position[:, :3] = model.mesh.points
    softening = speed**2 * (projection @ model.M @ projection)
    displacement = _static(model, held, speed**2 * (projection @ (model.M @ (projection @ position.ravel()))))
    return (model.K + model.geometric_stiffness(displacement) - softening).tocsr()


def _static(model: FEModel, held: np.ndarray, load: np.ndarray) -> np.ndarray:
    free = np.flatnonzero(~np.asarray(held, bool))
    loose = "the supports do not hold the body against the centrifugal load; hold more (--fix SET)"
    factor = symmetric_factor(model.K.tocsr()[free][:, free], loose)
    displacement = np.zeros(model.ndof)
    displacement[free] = factor.solve(load[free])
    if not np.abs(displacement).max() < 10.0 * np.ptp(model.mesh.points, axis=0).max():  # NaN too
        raise BodyError(f"{loose}.")
    return displacement
