"""A start without vibration: flexible bodies deflected by the inertia forces and loads of the motion.

Modal coordinates q that follow a slow motion vary slowly: q(t) on a grid of times about the start is determined such
that its accelerations, by the equations of motion, equal the second derivatives of the polynomial through q(t). This is
iterated from q'' = 0 (static deflection under inertia forces); each round adds the next power of (w / w1)^2, the
frequency of the motion over the lowest natural frequency of the bodies. Velocities are the first derivatives. This is
the smooth motion of a stiff mechanical system (B. Simeon, Computational Flexible Multibody Dynamics, Springer 2013).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.analysis.assembly.close_loops import followed
from flexmbs.analysis.evaluation.constraint_directions import dense, null_space
from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.prepare.prepare import with_independent_constraints
from flexmbs.analysis.recording.state_results import Moment, free_moment
from flexmbs.common.errors import MechanismError, SimulationError
from flexmbs.model.compiled_model import Model

NODES = np.arange(-2, 3)  # of the grid of times, in steps
STEP = 0.25  # times the reciprocal of the lowest natural angular frequency
ROUNDS, ITERATIONS = 4, 40
SETTLED = 1e-7  # relative to the deflection: below, the iteration ends as soon as rounding stops its convergence
PROBE = 1e-6  # m, perturbation of modal coordinates for finite differences


def without_vibration(model: Model, t: float) -> Model:
    """A prepared model with modal coordinates and velocities that start on the slow motion.

    Joint coordinates change only as far as closing the loops requires.

    Raises
    ------
    MechanismError
        There is no flexible body.
    SimulationError
        No slow deflection was found: a load or the motion changes as fast as the bodies vibrate.
    """
    modal = np.concatenate([np.empty(0, dtype=int), *(np.r_[part] for part in model.modal.values())])
    if len(modal) == 0:
        raise MechanismError("quasi_static_start=True requires a flexible body with modes; omit it")
    found = _SlowMotion(model, t, modal).run()
    return with_independent_constraints(found, t)


@dataclass(frozen=True)
class _Directions:
    """Allowed motions (n, d) that deform bodies, and the changes (modes, d) of accelerations that they cause."""

    motions: np.ndarray
    answer: np.ndarray


class _SlowMotion:
    def __init__(self, model: Model, t: float, modal: np.ndarray):
        self.t, self.modal = t, modal
        self.n = model.coordinate_count
        self.driven = model.is_driven
        self.start = followed(imposed(model, t), t)
        self.directions = self._directions(self.start)
        self.step = STEP / self._lowest()

    def run(self) -> Model:
        times = NODES * self.step
        count = len(self.modal)
        models = [self.start] * len(NODES)
        rates, accelerations = np.zeros((len(NODES), count)), np.zeros((len(NODES), count))
        powers = np.vander(times / self.step, increasing=True)
        orders = np.arange(len(NODES))
        for _ in range(ROUNDS):
            middle = self._settled(models[2], self.t, rates[2], accelerations[2])
            moment = free_moment(middle, self.t)
            models = [
                self._settled(self._carried(middle, moment, dt), self.t + dt, rates[k], accelerations[k]) if dt else middle
                for k, dt in enumerate(times)
            ]
            q = np.array([model.q[self.modal] for model in models])
            terms = np.linalg.solve(powers, q)
            slope, bend = powers[:, :-1] * orders[1:], powers[:, :-2] * (orders[2:] * (orders[2:] - 1))
            rates, accelerations = slope @ terms[1:] / self.step, bend @ terms[2:] / self.step**2
        return self._settled(models[2], self.t, rates[2], accelerations[2])

    def _carried(self, model: Model, moment: Moment, dt: float) -> Model:
        """The joints a short time later, with unchanged modal coordinates."""
        q, v = model.q.copy(), model.v.copy()
        change = dt * moment.v[: self.n] + 0.5 * dt * dt * moment.a[: self.n]
        change[self.modal] = 0.0
        q[: self.n] += change
        v[: self.n] += np.where(np.isin(np.arange(self.n), self.modal), 0.0, dt * moment.a[: self.n])
        return replace(model, q=q, v=v)

    def _settled(self, model: Model, t: float, rates: np.ndarray, accelerations: np.ndarray) -> Model:
        """The deflection at which the modes have these accelerations, for given modal velocities."""
        size, before = 0.0, np.inf
        for _ in range(ITERATIONS):
            v = model.v.copy()
            v[self.modal] = rates
            model = self._closed(replace(model, v=v), t)
            missing = accelerations - free_moment(model, t).a[self.modal]
            along = np.linalg.lstsq(self.directions.answer, missing, rcond=1e-10)[0]
            change = self.directions.motions @ along
            size = max(size, float(np.abs(model.q[self.modal]).max()), PROBE)
            last = float(np.abs(change[self.modal]).max())
            if not np.isfinite(last):
                break
            model = self._moved(model, change)
            if last <= SETTLED * size and last > 0.5 * before or last <= 1e-3 * SETTLED * size:
                return self._closed(model, t)
            before = last
        raise SimulationError(
            f"quasi_static_start: no slow deflection was found at t = {t:.6g} s (the last iteration changed a modal"
            f" coordinate by {last:.3g}, the largest is {size:.3g}): a load or the motion changes as fast"
            " as the bodies vibrate; start without it, or from rest with a gentle run-up of the drivers (fm.Ramp)"
        )

    def _closed(self, model: Model, t: float) -> Model:
        return followed(imposed(model, t), t)

    def _moved(self, model: Model, change: np.ndarray) -> Model:
        q = model.q.copy()
        q[: self.n] += change
        return replace(model, q=q)

    def _directions(self, model: Model) -> _Directions:
        """The allowed motions that deform bodies, with the smallest motion of the joints."""
        free = np.flatnonzero(~self.driven)
        G = dense(Evaluator(model).constraint_matrix(model.q, model.reference, self.t))[:, free]
        motions = null_space(G) if len(G) else np.eye(len(free))
        allowed = np.zeros((self.n, motions.shape[1]))
        allowed[free] = motions
        _, sizes, turn = np.linalg.svd(allowed[self.modal], full_matrices=False)
        kept = sizes > 1e-9 * max(float(sizes.max(initial=0.0)), 1e-300)
        motions = allowed @ turn[kept].T / sizes[kept]
        base = free_moment(model, self.t).a[self.modal]
        answer = np.empty((len(self.modal), motions.shape[1]))
        for k, motion in enumerate(motions.T):
            moved = self._closed(self._moved(model, PROBE * motion), self.t)
            answer[:, k] = (free_moment(moved, self.t).a[self.modal] - base) / PROBE
        return _Directions(motions, answer)

    def _lowest(self) -> float:
        """Lowest natural angular frequency (rad/s), from the changes of accelerations with deflections."""
        bent = self.directions.motions[self.modal]
        values = np.linalg.eigvals(-np.linalg.lstsq(bent, self.directions.answer, rcond=1e-10)[0]).real
        positive = values[values > 0.0]
        if not len(positive):
            raise SimulationError("quasi_static_start: no mode of the flexible bodies has positive stiffness at the start")
        return float(np.sqrt(positive.min()))
