"""What an integrator is to users: a method with its options, such as ``simulate(integrator=fm.BDF(max_order=3))``.

A tolerance bounds the local error of a step. If the local error decreases with a different power of the step size than
the error of the motion, halving the tolerance does not halve the error; ``internal`` converts the requested tolerance
to that of the steps, so that the error of the motion is proportional to it (as RADAU5: Hairer and Wanner 1996, IV.8).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.methods.method_interface import Method


def check_number(what: str, value: float, low: float, high: float) -> None:
    """MechanismError unless an option is a number from ``low`` to ``high``."""
    if not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise MechanismError(f"{what} = {value!r} must be a number from {low:g} to {high:g}")


def check_formulation(value: str, *choices: str) -> None:
    """MechanismError unless a formulation of constraints is one of ``choices``."""
    if value not in choices:
        raise MechanismError(f"formulation {value!r} is unknown; choose one of {', '.join(map(repr, choices))}")


class Integrator(ABC):
    """A method with its parameters.

    Attributes
    ----------
    method : the method as the step loop uses it
    """

    method: Method
    formulation: str = "index 2"
    trees_only: bool = False  # it does not support constraints
    max_growth: float = 8.0  # largest ratio of a step to the previous one (Hairer and Wanner 1996, IV.8)
    max_order: int = 1  # largest order, for methods with variable order

    @property
    def name(self) -> str:
        """Name of the method, as in ``simulate(integrator=...)``."""
        return self.method.name

    @property
    def projection_levels(self) -> int:
        """Projection of accepted steps to the constraints: 1 positions, 2 positions and velocities."""
        return 2

    def parameters(self, rtol: float) -> np.ndarray:
        """Parameters of the method for a relative tolerance, in the order in which its kernels read them."""
        return np.zeros(1)

    def min_tolerance(self, constrained: bool) -> float:
        """Relative tolerance of steps below which rounding dominates, with or without constraints."""
        return 1e-13

    def newton_part(self, rtol: float) -> float:
        """Tolerance of Newton's iteration relative to that of the step.

        It increases for very tight tolerances, where 2 % would be below rounding.
        """
        return max(0.02, min(0.5, 1000.0 * np.finfo(float).eps / rtol))

    def reuse_rate(self, unknowns: int) -> float:
        """Convergence rate of simplified Newton above which the tangent is updated.

        An update of the mass matrix costs one residual per unknown, an iteration one residual per stage.
        """
        return 0.25

    @abstractmethod
    def internal(self, rtol: float) -> float:
        """Relative tolerance of each step for a motion accurate to ``rtol``."""
