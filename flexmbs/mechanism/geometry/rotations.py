"""Rotations as users give them, and one rotation in all its forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.mechanism.geometry.euler_angles import EulerAngles, euler_angles, quaternions, rotation_vectors

#: What :func:`rotation` takes.
RotationLike: TypeAlias = "ArrayLike | EulerAngles | Rotation"

_FORMS = "rotation must be a 3x3 matrix, a rotation vector (3), a quaternion w, x, y, z, or EulerAngles"


@dataclass(frozen=True, eq=False)
class Rotation:
    """One rotation: from the axes of a body (or marker) to those it is seen from; made by :func:`rotation`.

    ``a @ b`` turns by b first, then by a; ``a @ vectors`` turns vectors (..., 3).
    """

    matrix: np.ndarray  # (3, 3) direction cosines: its columns are the turned axes

    @property
    def quaternion(self) -> np.ndarray:
        """(4,) unit quaternion w, x, y, z with w >= 0."""
        return quaternions(self.matrix)

    @property
    def vector(self) -> np.ndarray:
        """(3,) rotation vector: axis times angle, rad, at most pi."""
        return rotation_vectors(self.matrix)

    def euler(self, sequence: str, *, extrinsic: bool = False, degrees: bool = False) -> np.ndarray:
        """(3,) Euler angles of any of the 12 sequences, rad or degrees.

        First and third in [-pi, pi], the second in [-pi/2, pi/2] ("xyz": Tait-Bryan) or [0, pi] ("zxz": proper). At
        gimbal lock the third angle is zero: see :func:`flexmbs.mechanism.geometry.euler_angles.euler_angles`.
        """
        return euler_angles(self.matrix, sequence, extrinsic=extrinsic, degrees=degrees)

    @property
    def inverse(self) -> Rotation:
        """The rotation back."""
        return Rotation(self.matrix.T)

    @overload
    def __matmul__(self, other: Rotation) -> Rotation: ...

    @overload
    def __matmul__(self, other: ArrayLike) -> np.ndarray: ...

    def __matmul__(self, other: Rotation | ArrayLike) -> Rotation | np.ndarray:
        if isinstance(other, Rotation):
            return Rotation(self.matrix @ other.matrix)
        return np.asarray(other, dtype=float) @ self.matrix.T


def rotation(value: ArrayLike | EulerAngles | Rotation | None = None) -> Rotation:
    """A rotation from any form that a case script may give; read it as matrix, quaternion, vector or Euler angles.

    Parameters
    ----------
    value : None (no rotation), matrix of direction cosines (3, 3), rotation vector (3,) in rad, unit quaternion (4,)
        w, x, y, z, :class:`EulerAngles`, a :class:`Rotation`, or a ``scipy.spatial.transform.Rotation``

    MechanismError when it is none of these, not finite or not orthogonal to 1e-8.
    """
    return Rotation(as_matrix(value, "rotation"))


def as_matrix(rotation: RotationLike | None, where: str) -> np.ndarray:
    """Rotation matrix (3, 3) of what :func:`rotation` takes; ``where`` begins the message of the MechanismError."""
    from scipy.spatial.transform import Rotation as ScipyRotation

    if rotation is None:
        return np.eye(3)
    if isinstance(rotation, EulerAngles | Rotation):
        return rotation.matrix
    if hasattr(rotation, "as_matrix"):  # of scipy
        rotation = rotation.as_matrix()
    try:
        value = np.asarray(rotation, dtype=float)
    except (TypeError, ValueError):
        raise MechanismError(f"{where}: {_FORMS}, not {rotation!r}") from None
    if not np.all(np.isfinite(value)):
        raise MechanismError(f"{where}: rotation {rotation!r} has entries that are not finite")
    if value.shape == (3, 3):
        if np.abs(value @ value.T - np.eye(3)).max() > 1e-8 or np.linalg.det(value) < 0.0:
            raise MechanismError(f"{where}: the rotation matrix is not orthogonal with determinant +1")
        return value
    if value.shape == (3,):
        warn_if_implausible("rotation vector", value, where)
        return ScipyRotation.from_rotvec(value).as_matrix()
    if value.shape == (4,):
        if abs(np.linalg.norm(value) - 1.0) > 1e-6:
            raise MechanismError(f"{where}: quaternion {rotation!r} (w, x, y, z) is not of length 1")
        return ScipyRotation.from_quat(value[[1, 2, 3, 0]]).as_matrix()
    raise MechanismError(f"{where}: {_FORMS}")


def as_quaternion(rotation: RotationLike | None, where: str) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of ``rotation`` (see :func:`as_matrix`)."""
    from scipy.spatial.transform import Rotation as ScipyRotation

    if rotation is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return ScipyRotation.from_matrix(as_matrix(rotation, where)).as_quat()[[3, 0, 1, 2]]


def as_vector(value: ArrayLike, where: str, size: int = 3) -> np.ndarray:
    """Finite vector of ``size`` numbers, or MechanismError."""
    try:
        vector = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (size,) or not np.all(np.isfinite(vector)):
        raise MechanismError(f"{where}: expected {size} finite numbers, got {value!r}")
    return vector


def as_number(value: float, where: str, minimum: float | None = None) -> float:
    """Finite number, at least ``minimum`` when that is given, or MechanismError."""
    try:
        number = float(value) if not isinstance(value, str) else None
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise MechanismError(f"{where}: expected a number, got {value!r}")
    if not np.isfinite(number):
        raise MechanismError(f"{where}: {value!r} is not a finite number")
    if minimum is not None and number < minimum:
        raise MechanismError(f"{where}: {value!r} must be at least {minimum:g}")
    return number


def as_positive(value: float, where: str) -> float:
    """Finite number above zero, or MechanismError."""
    number = as_number(value, where)
    if number <= 0.0:
        raise MechanismError(f"{where}: {value!r} must be positive")
    return number


def as_nonzero(value: float, where: str) -> float:
    """Finite number, factor of a coupling; MechanismError for zero."""
    number = as_number(value, where)
    if number == 0.0:
        raise MechanismError(f"{where} is zero, so nothing would be coupled; give a non-zero number")
    return number
