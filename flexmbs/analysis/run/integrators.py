"""Integrators as users state them: by name, or with parameters, such as ``simulate(integrator=fm.BDF(max_order=3))``.

A tolerance bounds the local error of a step. If the local error decreases with a different power of the step size than
the error of the motion, halving the tolerance does not halve the error; ``internal`` converts the requested tolerance
to that of the steps, so that the error of the motion is proportional to it (as RADAU5: Hairer and Wanner 1996, IV.8).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.methods.explicit_coefficients import TIGHT
from flexmbs.core.methods.method_interface import Method
from flexmbs.core.methods.method_table import METHODS
from flexmbs.core.methods.one_stage import INDEX_1, INDEX_2, INDEX_3

FORMULATIONS = {"index 3": INDEX_3, "index 2": INDEX_2, "I3": INDEX_3, "SI2": INDEX_2, "SI1": INDEX_1}


def _check(what: str, value: float, low: float, high: float) -> None:
    if not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise MechanismError(f"{what} = {value!r} must be a number from {low:g} to {high:g}")


def _check_formulation(value: str, *choices: str) -> None:
    if value not in choices:
        raise MechanismError(f"formulation {value!r} is unknown; choose one of {', '.join(map(repr, choices))}")


class Integrator(ABC):
    """A method with its parameters."""

    name: str
    formulation: str = "index 2"
    trees_only: bool = False  # it does not support constraints
    max_growth: float = 8.0  # largest ratio of a step to the previous one (Hairer and Wanner 1996, IV.8)
    max_order: int = 1  # largest order, for methods with variable order

    @property
    def method(self) -> Method:
        """The method as the step loop uses it."""
        return METHODS[self.name]

    @property
    def projection_levels(self) -> int:
        """Projection of accepted steps to the constraints: 1 positions, 2 positions and velocities."""
        return 2

    @property
    def parameters(self) -> np.ndarray:
        """Parameters of the method, in the order in which its kernels read them."""
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


@dataclass(frozen=True)
class Radau(Integrator):
    """Radau IIA of order 5, implicit: for stiff mechanisms, contacts, closed loops."""

    name = "radau"

    def internal(self, rtol: float) -> float:
        # The estimate decreases as h^4, the error as h^5 or faster: loose tolerances would be missed, tight ones are
        # met with a margin.
        return rtol * max(1.0, rtol / 1e-6) ** -0.3

    def newton_part(self, rtol: float) -> float:
        return min(0.03, rtol**0.5)  # Hairer and Wanner 1996, IV.8

    def reuse_rate(self, unknowns: int) -> float:
        return 0.05 if unknowns < 6 else 0.12


class _SecondOrder(Integrator):
    name = "generalised_alpha"
    # a change of the step size changes the algorithmic acceleration by the same factor, including its stiff part
    max_growth = 2.0

    def internal(self, rtol: float) -> float:
        # the error of a step decreases as h^3, that of the motion as h^2
        return 0.3 * rtol**1.5

    def min_tolerance(self, constrained: bool) -> float:
        # steps of order 2 become so short that rounding of the constraints, divided by h^2, disturbs the accelerations
        return 2e-12 if constrained else super().min_tolerance(constrained)


@dataclass(frozen=True)
class GeneralisedAlpha(_SecondOrder):
    """Generalised-alpha, order 2, on the Lie group for rotations, with adjustable damping of high frequencies.

    Attributes
    ----------
    rho_inf : spectral radius at infinite frequency, from 0 (annihilation in one step) to 1 (no numerical damping)
    formulation : of constraints: "index 2" (stabilised: positions and velocities satisfy them) or "index 3" (positions)

    Chung and Hulbert, J. Appl. Mech. 60 (1993) 371.
    """

    rho_inf: float = 0.8
    formulation: str = "index 2"

    def __post_init__(self) -> None:
        _check("rho_inf", self.rho_inf, 0.0, 1.0)
        _check_formulation(self.formulation, "index 2", "index 3")

    @property
    def parameters(self) -> np.ndarray:
        """alpha_m, alpha_f, beta, gamma."""
        rho = self.rho_inf
        return _without_loss_of_order((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))


@dataclass(frozen=True)
class HHT(_SecondOrder):
    """Hilber-Hughes-Taylor: ``alpha`` from -1/3 (most damping) to 0 (none).  Earthq. Eng. Struct. Dyn. 5 (1977) 283."""

    alpha: float = -0.1
    formulation: str = "index 2"

    def __post_init__(self) -> None:
        _check("alpha", self.alpha, -1.0 / 3.0, 0.0)
        _check_formulation(self.formulation, "index 2", "index 3")

    @property
    def parameters(self) -> np.ndarray:
        """alpha_m, alpha_f, beta, gamma."""
        return _without_loss_of_order(0.0, -self.alpha)


@dataclass(frozen=True)
class Newmark(_SecondOrder):
    """Newmark's method; the default is the trapezoidal rule (order 2); gamma > 1/2 reduces the order to 1.

    J. Eng. Mech. Div. ASCE 85 (1959) 67.
    """

    beta: float = 0.25
    gamma: float = 0.5
    formulation: str = "index 2"

    def __post_init__(self) -> None:
        _check("gamma", self.gamma, 0.5, 1.0)
        _check("beta", self.beta, 0.5 * self.gamma, 1.0)  # smaller values are not unconditionally stable
        _check_formulation(self.formulation, "index 2", "index 3")

    @property
    def parameters(self) -> np.ndarray:
        """alpha_m, alpha_f, beta, gamma."""
        return np.array([0.0, 0.0, self.beta, self.gamma])


def _without_loss_of_order(alpha_m: float, alpha_f: float) -> np.ndarray:
    """The parameters for order 2 with the largest damping of high frequencies."""
    gamma = 0.5 + alpha_f - alpha_m
    return np.array([alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma])


@dataclass(frozen=True)
class BDF(Integrator):
    """Backward differentiation formulas with variable order and step size.

    Attributes
    ----------
    formulation : of constraints: "SI2" (stabilised index 2), "SI1" (the same with the integrals of the multipliers
        under error control) or "I3" (index 3: positions only)
    max_order : from 1 to 6; orders above 2 are not stable for undamped oscillations with some step sizes
    """

    formulation: str = "SI2"
    max_order: int = 5
    name = "bdf"

    def __post_init__(self) -> None:
        _check_formulation(self.formulation, "SI2", "SI1", "I3")
        if self.max_order not in range(1, 7):
            raise MechanismError(f"max_order = {self.max_order!r} must be a whole number from 1 to 6")

    @property
    def projection_levels(self) -> int:
        return 1 if self.formulation == "I3" else 2

    def internal(self, rtol: float) -> float:
        # at order k the error of a step decreases as h^(k+1), that of the motion as h^k
        return 0.1 * rtol**1.2

    def min_tolerance(self, constrained: bool) -> float:
        return 2e-12  # below, rounding dominates the first steps, which have order 1


@dataclass(frozen=True)
class Explicit(Integrator):
    """Explicit Runge-Kutta pairs of order 5 and, for tight tolerances, 8: for non-stiff trees without closed loops.

    Bogacki and Shampine 1996; Dormand and Prince in Hairer, Norsett and Wanner I (1993).
    """

    name = "explicit"
    trees_only = True

    def internal(self, rtol: float) -> float:
        # The error estimate and the error of the motion decrease with the same power of the step. The dense output of
        # order 8 has order 7, which the estimate does not cover.
        return 0.3 * rtol if 0.3 * rtol >= TIGHT else 0.03 * rtol


BY_NAME = {"radau": Radau, "generalised_alpha": GeneralisedAlpha, "bdf": BDF, "explicit": Explicit}


def named(integrator: str | Integrator) -> Integrator:
    """An integrator by name, with default parameters; MechanismError for an unknown name."""
    if isinstance(integrator, Integrator):
        return integrator
    if integrator not in BY_NAME:
        known = ", ".join(map(repr, ("auto", *BY_NAME)))
        raise MechanismError(
            f"integrator = {integrator!r} is unknown; choose one of {known}, or an object such as fm.BDF(max_order=3)"
        )
    return BY_NAME[integrator]()
