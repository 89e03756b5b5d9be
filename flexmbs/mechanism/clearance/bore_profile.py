"""The bore of a worn bearing: how much deeper it is than the new one, over the angle."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError

FEWEST = 8  # angles
BEYOND = 3  # angles of the next turn on which slopes depend


@dataclass(frozen=True)
class BoreProfile:
    """Depth (m) by which the surface of a bore lies outside that of the new one, between angles by a periodic cubic.

    Two profiles with the same number of angles can be added, and one can be multiplied by a number: wear of several
    runs, or of many cycles.

    Attributes
    ----------
    depth : (n,) m, at ``angles``, n >= 8 angles at equal distances over the turn
    """

    depth: np.ndarray = field(compare=False)

    def __post_init__(self) -> None:
        depth = np.array(self.depth, dtype=float)
        if depth.ndim != 1 or len(depth) < FEWEST or not np.all(np.isfinite(depth)):
            raise MechanismError(
                f"profile of a bore: depth must be {FEWEST} or more finite numbers (m) at equal distances over the turn"
            )
        depth.flags.writeable = False
        object.__setattr__(self, "depth", depth)

    @property
    def angles(self) -> np.ndarray:
        """(n,) rad from -pi, around the axis of the joint, from the direction in which its coordinate u counts."""
        return -np.pi + 2.0 * np.pi * np.arange(len(self.depth)) / len(self.depth)

    @cached_property
    def spline(self) -> Any:
        """Depth over angles from -pi to pi: a cubic without overshoot (scipy's PchipInterpolator), C1 all around."""
        from scipy.interpolate import PchipInterpolator

        beyond = 2.0 * np.pi / len(self.depth) * np.arange(1, BEYOND + 1)
        angles = np.concatenate([-np.pi - beyond[::-1], self.angles, np.pi + np.append(0.0, beyond)])
        return PchipInterpolator(angles, np.concatenate([self.depth[-BEYOND:], self.depth, self.depth[: BEYOND + 1]]))

    def __add__(self, other: BoreProfile) -> BoreProfile:
        if not isinstance(other, BoreProfile):
            return NotImplemented
        if len(other.depth) != len(self.depth):
            raise MechanismError(
                f"profiles of {len(self.depth)} and {len(other.depth)} angles cannot be added; use the same number of bins"
            )
        return BoreProfile(self.depth + other.depth)

    def __mul__(self, factor: float) -> BoreProfile:
        return BoreProfile(self.depth * float(factor))

    def __rmul__(self, factor: float) -> BoreProfile:
        return self * factor

    def pool_values(self) -> np.ndarray:
        """(1 + 2 n,) how many angles, then depth (m) and slope (m/rad) at each: see core/contact/pairs/worn_bore.py."""
        rows = np.column_stack([self.depth, self.spline.derivative()(self.angles)])
        return np.concatenate([[float(len(rows))], rows.ravel()])
