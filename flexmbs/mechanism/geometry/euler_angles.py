"""Euler angles of any of the 12 sequences, quaternions and rotation vectors of rotation matrices.

The matrix R of a rotation turns body axes into those of the frame it is seen from: its columns are the body axes, its
entries the direction cosines. Intrinsic sequences turn about the axes as they have turned already, R = R_1 R_2 R_3;
extrinsic ones about fixed axes, R = R_3 R_2 R_1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.common.plausible_values import warn_if_implausible

_DIGITS = str.maketrans("123", "xyz")


def axes_of_sequence(sequence: str) -> str:
    """Three letters of x, y, z for a sequence written "zxz", "ZXZ" or "313".

    MechanismError when it is none of the 12: six Tait-Bryan ("xyz", ...) and six proper Euler ("zxz", ...) sequences.
    """
    axes = str(sequence).lower().translate(_DIGITS)
    if len(axes) != 3 or set(axes) - set("xyz") or axes[0] == axes[1] or axes[1] == axes[2]:
        raise MechanismError(
            f"Euler angles: {sequence!r} is not a valid sequence; give three of x, y, z (or 1, 2, 3), with neighbours "
            "different, such as 'zxz' (or '313') or 'xyz'"
        )
    return axes


@dataclass(frozen=True, eq=False)
class EulerAngles:
    """A rotation given by three angles about axes in turn: accepted wherever a rotation is.

    Attributes
    ----------
    sequence : one of the 12 sequences, "zxz" or "313" (capitals mean the same)
    angles : (3,) rad, in the order of the sequence
    extrinsic : about the fixed axes; otherwise (intrinsic) about the axes as they have turned
    degrees : the angles are given in degrees

    Raises
    ------
    MechanismError
        A sequence that is none of the 12, or angles that are not three finite numbers.
    """

    sequence: str
    angles: ArrayLike
    extrinsic: bool = False
    degrees: bool = False

    def __post_init__(self) -> None:
        axes_of_sequence(self.sequence)
        try:
            angles = np.asarray(self.angles, dtype=float)
        except (TypeError, ValueError):
            angles = np.full(1, np.nan)
        if angles.shape != (3,) or not np.all(np.isfinite(angles)):
            raise MechanismError(f"Euler angles {self.sequence!r}: expected three finite angles, got {self.angles!r}")
        object.__setattr__(self, "angles", tuple(angles.tolist()))
        warn_if_implausible("angles in degrees" if self.degrees else "angles in rad", angles, f"Euler angles {self.sequence!r}")

    @property
    def matrix(self) -> np.ndarray:
        """(3, 3) rotation matrix."""
        from scipy.spatial.transform import Rotation

        name = _scipy_name(self.sequence, self.extrinsic)
        return Rotation.from_euler(name, self.angles, degrees=self.degrees).as_matrix()


def euler_angles(matrices: np.ndarray, sequence: str, *, extrinsic: bool = False, degrees: bool = False) -> np.ndarray:
    """Euler angles (..., 3) of rotation matrices (..., 3, 3), in the order of the sequence; rad or degrees.

    The first and third angle lie in [-pi, pi]; the second in [-pi/2, pi/2] for Tait-Bryan sequences (three different
    axes) and in [0, pi] for proper ones. At gimbal lock (second angle +-pi/2, or 0 or pi), where only the sum or
    difference of the other two is determined, the third angle is zero; so it is within 2e-7 rad of lock, and the
    angles then give the rotation back to 1e-7 only.
    """
    from scipy.spatial.transform import Rotation

    name = _scipy_name(sequence, extrinsic)
    matrices = np.asarray(matrices, dtype=float)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Gimbal lock")  # defined above: no surprise
        angles = Rotation.from_matrix(matrices.reshape(-1, 3, 3)).as_euler(name, degrees=degrees)
    return angles.reshape(*matrices.shape[:-2], 3)


def quaternions(matrices: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4), w, x, y, z with w >= 0, of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    matrices = np.asarray(matrices, dtype=float)
    found = Rotation.from_matrix(matrices.reshape(-1, 3, 3)).as_quat()[:, [3, 0, 1, 2]]
    found = np.where(found[:, :1] < 0.0, -found, found)
    return found.reshape(*matrices.shape[:-2], 4)


def rotation_vectors(matrices: np.ndarray) -> np.ndarray:
    """Rotation vectors (..., 3) rad, of length at most pi, of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation

    matrices = np.asarray(matrices, dtype=float)
    return Rotation.from_matrix(matrices.reshape(-1, 3, 3)).as_rotvec().reshape(*matrices.shape[:-2], 3)


def matrices_of_vectors(vectors: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3) in rad."""
    from scipy.spatial.transform import Rotation

    vectors = np.asarray(vectors, dtype=float)
    return Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*vectors.shape[:-1], 3, 3)


def _scipy_name(sequence: str, extrinsic: bool) -> str:
    """scipy writes intrinsic sequences in capitals."""
    axes = axes_of_sequence(sequence)
    return axes if extrinsic else axes.upper()
