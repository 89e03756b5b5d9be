"""Steady motion: the rates that drivers impose, and free coordinates that move without a driver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.recording.state_results import free_moment
from flexmbs.analysis.statics.equilibrium import RESTING, Forces, turning_coordinates
from flexmbs.common.errors import MechanismWarning, SimulationError
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.tables import VELOCITY_LEVEL, make_workspace
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model

ROUNDING = 1e-6  # of a driver's acceleration, which may be a finite difference
STANDING = 1e-8  # of the fastest motion: slower ones do not count
STEADY = 1e-2  # relative change of rate during one radian or metre of motion
CARRIER = "drive a revolute joint on a body of small inertia that does not turn with it (no driver moves free rotations)"


def driven_motion(model: Model, t: float) -> np.ndarray:
    """(coordinates and multipliers,) rates that drivers impose at time ``t``; zero for free coordinates.

    Raises
    ------
    SimulationError
        A driver accelerates.
    """
    signals, a = make_workspace(model.tables).signal, np.zeros_like(model.q)
    v = np.where(model.tables.coordinates["signal"] >= 0, model.v, 0.0)  # if accelerations are prescribed
    evaluate_signals(model.tables, float(t), signals)
    impose_drivers(model.tables, signals, model.q.copy(), v, a)
    excess = np.abs(a) - ROUNDING * np.maximum(1.0, v**2)
    if excess.max(initial=0.0) > 0.0:
        k = int(np.argmax(excess))
        raise SimulationError(
            f"linearize: no steady state: the driver of '{model.coordinate_names[k]}' accelerates by {a[k]:.6g} "
            f"(m/s2 or rad/s2) at t = {t:g} s; choose a time at which its rate is constant (linearize(time=...))"
        )
    return v


def moving(model: Model, rates: np.ndarray, turns: bool) -> dict[str, float]:
    """Coordinate -> rad/s of what turns, or m/s of all others; much slower motions than the fastest do not count."""
    found = np.where(turning_coordinates(model) == turns, rates[: model.coordinate_count], 0.0)
    least = max(RESTING, STANDING * float(np.abs(found).max(initial=0.0)))
    return {model.coordinate_names[k]: float(found[k]) for k in np.flatnonzero(np.abs(found) > least)}


def check_steady(forces: Forces, q: np.ndarray) -> None:
    """SimulationError if the constraints do not let what moves at ``forces.steady`` move on at these rates from ``q``."""
    model, steady = forces.model, forces.steady
    for ball in model.balls:
        if np.abs(steady[ball : ball + 3]).max() > RESTING:
            raise SimulationError(
                f"linearize: the free rotation '{model.coordinate_names[ball].removesuffix('.x')}' turns at "
                f"{np.linalg.norm(steady[ball : ball + 3]):.6g} rad/s; {CARRIER}"
            )
    a = forces.at_rest(q, model.reference, np.zeros(len(forces.rows)))[forces.rows]
    change = np.maximum(np.abs(a), np.abs(forces.evaluator.work.constraint[forces.rows, VELOCITY_LEVEL]))
    if change.max(initial=0.0) > ROUNDING * max(1.0, float(np.abs(steady).max()) ** 2):
        name = model.coordinate_names[forces.rows[int(np.argmax(change))]]
        raise SimulationError(
            f"linearize: no steady state: drivers move the loop closed by constraint '{name}', and rates in it change. If "
            "several motions follow the drivers, prescribe the rates of further coordinates"
        )


def warn_of_free_motion(system: Mechanism, model: Model, t: float) -> None:
    """MechanismWarning if free coordinates start in steady motion, such as a rotor without a driver.

    The frequencies about rest differ from those about that motion. A mechanism that merely starts in motion (a swinging
    pendulum) is not warned of: it accelerates at once, or shortly after.
    """
    n, forces = model.coordinate_count, Forces(model, t, moving=True, contacts=False)
    forces.follow_drivers(model.q, model.reference)
    v = np.where(model.is_driven, 0.0, model.v[:n] - forces.steady[:n])
    fastest = np.abs(v).max(initial=0.0)
    # rates that follow drivers, but differ from the least ones, may have been chosen by the assembly
    follows, given = np.any(forces.steady[forces.free]), np.any(model.given_rates[:n] & (np.abs(v) > RESTING))
    if fastest <= RESTING or follows and not given:
        return
    for ahead in (0.0, 0.1 / fastest):  # a tenth of a radian, or of a metre
        q = model.q.copy()
        q[:n] += ahead * v
        a = free_moment(imposed(replace(model, q=q), t), t).a[:n]
        if np.abs(a[~model.is_driven]).max() > STEADY * fastest * max(fastest, 1.0):
            return
    k = int(np.argmax(np.abs(v) * np.where(turning_coordinates(model), 1.0, 1e-6)))  # the wheel before its path
    name = model.coordinate_names[k]
    joint, coordinate = name.rsplit(".", 1)
    remedy = f"state '{name}' by a joint whose '{coordinate}' can be prescribed"
    if any(start <= k < start + 3 for start in model.balls):
        remedy = CARRIER
    elif joint in system.joints and coordinate not in system.joints[joint].type.play:
        remedy = f"prescribe it (joint '{joint}': prescribe(rate={v[k]:.6g}, coordinate='{coordinate}'))"
    warn(
        f"linearize: '{name}' moves steadily at {v[k]:.6g} (m/s or rad/s) without a driver; the frequencies are those "
        f"about rest. To obtain those about this motion, {remedy}",
        MechanismWarning,
    )
