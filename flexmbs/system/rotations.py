"""Rotations as users give them: a 3x3 matrix, a rotation vector, or a quaternion (w, x, y, z)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.errors import MechanismError


def as_matrix(rotation: ArrayLike | None, where: str) -> np.ndarray:
    """Rotation matrix (3, 3) of ``rotation``: None (identity), matrix, rotation vector (3) in rad, quaternion (4).

    MechanismError when it is none of these or not orthogonal to 1e-8.
    """
    if rotation is None:
        return np.eye(3)
    value = np.asarray(rotation, dtype=float)
    if not np.all(np.isfinite(value)):
        raise MechanismError(f"{where}: rotation {rotation!r} has entries that are not finite")
    if value.shape == (3, 3):
        if np.abs(value @ value.T - np.eye(3)).max() > 1e-8 or np.linalg.det(value) < 0.0:
            raise MechanismError(f"{where}: the rotation matrix is not orthogonal with determinant +1")
        return value
    from scipy.spatial.transform import Rotation

    if value.shape == (3,):
        return Rotation.from_rotvec(value).as_matrix()
    if value.shape == (4,):
        if abs(np.linalg.norm(value) - 1.0) > 1e-6:
            raise MechanismError(f"{where}: quaternion {rotation!r} (w, x, y, z) is not of length 1")
        return Rotation.from_quat(value[[1, 2, 3, 0]]).as_matrix()
    raise MechanismError(f"{where}: rotation must be a 3x3 matrix, a rotation vector (3) or a quaternion w, x, y, z")


def as_quaternion(rotation: ArrayLike | None, where: str) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of ``rotation`` (see :func:`as_matrix`)."""
    if rotation is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(as_matrix(rotation, where)).as_quat()[[3, 0, 1, 2]]


def as_vector(value: ArrayLike, where: str, size: int = 3) -> np.ndarray:
    """Finite vector of ``size`` numbers, or MechanismError."""
    vector = np.asarray(value, dtype=float)
    if vector.shape != (size,) or not np.all(np.isfinite(vector)):
        raise MechanismError(f"{where}: expected {size} finite numbers, got {value!r}")
    return vector


def as_number(value: float, where: str, minimum: float | None = None) -> float:
    """Finite number, at least ``minimum`` when that is given, or MechanismError."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise MechanismError(f"{where}: expected a number, got {value!r}") from None
    if not np.isfinite(number):
        raise MechanismError(f"{where}: {value!r} is not a finite number")
    if minimum is not None and number < minimum:
        raise MechanismError(f"{where}: {value!r} must not be below {minimum:g}")
    return number
