"""Steady motion: the rates that drivers impose, and free coordinates that move without a driver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.recording.state_results import free_moment, imposed_accelerations
from flexmbs.common.errors import MechanismWarning, SimulationError
from flexmbs.common.user_warnings import warn
from flexmbs.model.compiled_model import Model

ROUNDING = 1e-6  # of a driver's acceleration, which may be a finite difference
STEADY = 1e-6  # relative change of rate during one radian or metre of motion


def driven_motion(model: Model, t: float) -> np.ndarray:
    """(coordinates and multipliers,) rates that drivers impose at time ``t``; zero for free coordinates.

    Raises
    ------
    SimulationError
        A driver accelerates.
    """
    moving, evaluator = imposed(model, t), Evaluator(model)
    zero = np.zeros_like(model.q)
    evaluator.residual(moving.q, moving.v, zero, model.reference, t)
    a = imposed_accelerations(model, evaluator, zero)
    driven = model.tables.coordinates["signal"] >= 0
    v = np.where(driven, moving.v, 0.0)
    excess = np.where(driven, np.abs(a) - ROUNDING * np.maximum(1.0, v**2), 0.0)
    if excess.max(initial=0.0) > 0.0:
        k = int(np.argmax(excess))
        raise SimulationError(
            f"linearize: no steady state: the driver of '{model.coordinate_names[k]}' accelerates by {a[k]:.6g} "
            f"(m/s2 or rad/s2) at t = {t:g} s; choose a time at which its rate is constant (linearize(time=...))"
        )
    return v


def warn_of_free_motion(model: Model, t: float) -> None:
    """MechanismWarning if free coordinates start in steady motion, such as a rotor without a driver.

    The frequencies about rest differ from those about that motion. A mechanism that merely starts in motion (a swinging
    pendulum) is not warned of: it accelerates at once, or shortly after.
    """
    n = model.coordinate_count
    free = ~model.is_driven
    v = np.where(free, model.v[:n] - model.resting_rates[:n], 0.0)
    fastest = np.abs(v).max(initial=0.0)
    if fastest <= 1e-9:
        return
    for ahead in (0.0, 0.1 / fastest):  # a tenth of a radian, or of a metre
        q = model.q.copy()
        q[:n] += ahead * v
        there = imposed(replace(model, q=q), t)
        a = free_moment(there, t).a[:n]
        if np.abs(a[free]).max(initial=0.0) > STEADY * fastest * max(fastest, 1.0):
            return
    k = int(np.argmax(np.abs(v)))
    warn(
        f"linearize: '{model.coordinate_names[k]}' moves steadily at {v[k]:.6g} (m/s or rad/s) without a driver; the "
        "frequencies are those about rest. To obtain those about this motion, prescribe it "
        f"(joint.prescribe(lambda t: {v[k]:.6g} * t))",
        MechanismWarning,
    )
