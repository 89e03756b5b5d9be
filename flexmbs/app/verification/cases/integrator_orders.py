"""The order of every kind of integrator, observed on the simple pendulum."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fm
from flexmbs.app.verification.cases.simple_pendulum import exact_angle, pendulum
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.core.methods.integrator import Integrator

T_END = 3.0  # s
# integrator, its order, and the two tolerances between which the slope is taken: neither coarse nor rounding
_METHODS = {
    "Radau IIA of order 5": (fm.Radau(max_order=5), 5, (1e-5, 1e-8)),
    "generalised-alpha": (fm.GeneralisedAlpha(), 2, (1e-3, 1e-5)),
    "BDF of order 2": (fm.BDF(max_order=2), 2, (1e-4, 1e-6)),
    "BDF of order 3": (fm.BDF(max_order=3), 3, (1e-5, 1e-7)),
    "Bogacki-Shampine 5(4)": (fm.Explicit(), 5, (1e-4, 1e-6)),
    "Dormand-Prince 8(5,3)": (fm.Explicit(), 8, (1e-8, 1e-10)),  # the pair for tight tolerances
}


def observed_order(integrator: Integrator, tolerances: tuple[float, float]) -> float:
    """How the largest error of the angle falls with the number of steps: error ~ steps^-order."""
    steps, errors = [], []
    for rtol in tolerances:
        result = pendulum().simulate(T_END, rtol=rtol, integrator=integrator)
        steps.append(result.stats["steps_accepted"])
        errors.append(np.abs(result["hinge.angle"] - exact_angle(result.t)).max())
    return float(np.log(errors[0] / errors[1]) / np.log(steps[1] / steps[0]))


def _compute() -> dict[str, Any]:
    return {name: observed_order(integrator, tolerances) for name, (integrator, _, tolerances) in _METHODS.items()}


INTEGRATOR_ORDERS = VerificationCase(
    name="integrator_orders",
    title="observed orders of the integrators on the simple pendulum, 3 s",
    source="the orders of the methods (Hairer, Nørsett and Wanner); closed form with Jacobi elliptic functions",
    accuracy="seen between two tolerances, with steps that vary: a fifth below is within that; more is no defect",
    quantities=tuple(Quantity(name, order, 0.2, at_least=True) for name, (_, order, _) in _METHODS.items()),
    compute=_compute,
)
