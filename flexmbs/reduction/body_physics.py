"""Check that the data of a flexible body are physically possible, and that redundant data agree."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.reduction.flexible_body import FlexibleBody

ASYMMETRY = 1e-8  # of the largest entry
NEGATIVE = 1e-6  # eigenvalues after scaling to a diagonal of ones
CONTRADICTION = 1e-6  # of the modal masses to the inertia fields
REACH = 2.0  # times the largest distance of a point from the centre of mass


def check_physics(body: FlexibleBody, where: str) -> None:
    """BodyError unless mass and stiffness are physically possible; shapes and finiteness must be checked before."""

    def fail(what: str) -> None:
        raise BodyError(f"{where}: {what}")

    if not body.mass > 0.0:
        fail(f"the mass is {body.mass:g} kg; it must be positive")
    if np.any(body.frequencies < 0.0):
        fail(f"frequencies contains {body.frequencies.min():g} Hz; frequencies must not be negative")
    with np.errstate(over="ignore", invalid="ignore"):
        for name, matrix in (("Me", body.Me), ("Ke", body.Ke)):
            problem = _not_positive(matrix)
            if problem:
                fail(f"{name} {problem}")
        gram = np.einsum("aks,bks->ab", body.inertia.P, body.inertia.P)
        norms = np.sqrt(np.diag(gram))
        apart = np.abs(body.Me - gram) > (CONTRADICTION + body.inertia.compression_error) * np.outer(norms, norms)
        if not np.all(np.isfinite(gram)) or np.any(apart):
            fail("Me and inertia.P contradict each other: Me is the integral of the products of the modes")
        _check_size(body, fail)


def _not_positive(matrix: np.ndarray) -> str:
    """Why a matrix is not symmetric or has a negative eigenvalue; empty if it is valid."""
    size = np.abs(matrix).max(initial=0.0)
    if np.any(np.abs(matrix - matrix.T) > ASYMMETRY * size):
        return "is not symmetric"
    diagonal = np.diag(matrix)
    if size == 0.0:
        return ""
    scale = np.sqrt(np.maximum(diagonal, 1e-12 * size))
    scaled = matrix / scale / scale[:, None]
    if not np.all(np.isfinite(scaled)) or np.linalg.eigvalsh(scaled)[0] < -NEGATIVE:
        return "has a negative eigenvalue: the body would gain energy by deforming or moving"
    return ""


def _check_size(body: FlexibleBody, fail) -> None:
    """The centre of mass and the radius of gyration lie within the points that the body consists of."""
    points = np.concatenate([body.points, body.surface.points])
    if not body.has_stress or not len(points):  # without elements a few points may stand for the body
        return
    low, high = points.min(axis=0), points.max(axis=0)
    slack, centre = np.linalg.norm(high - low), body.center
    if np.any(centre < low - slack) or np.any(centre > high + slack) or not np.all(np.isfinite(centre)):
        fail(f"the centre of mass {centre} m (inertia.X, mass) is outside the points of the body")
    radius = np.sqrt(np.sum(body.inertia.X[:, 1:] ** 2) / body.mass)
    reach = np.linalg.norm(points - centre, axis=1).max()
    if not radius <= REACH * reach:
        fail(f"the radius of gyration is {radius:.3g} m (inertia.X, mass), the farthest point {reach:.3g} m away")
