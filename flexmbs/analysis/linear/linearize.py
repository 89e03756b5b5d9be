"""Linear vibration about a steady state: rest, or constant rotation imposed by drivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.derivatives import derivatives
from flexmbs.analysis.evaluation.massless_coordinates import massless_coordinates
from flexmbs.analysis.evaluation.massless_motions import motions_without_inertia
from flexmbs.analysis.linear.steady_motion import driven_motion, warn_of_free_motion
from flexmbs.analysis.prepare.prepare import prepared
from flexmbs.analysis.statics.equilibrium import Balance, Forces, equilibrium, turning_coordinates
from flexmbs.common.errors import MechanismError, MechanismWarning, SimulationError
from flexmbs.common.user_warnings import warn
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model

FORCELESS = 1e-8  # of the largest stiffness or damping


@dataclass(frozen=True)
class LinearModes:
    """Eigenvalues and modes of M q'' + D q' + K q = 0 about a steady state, within the constraints.

    Coordinates are joint coordinates. If a driver rotates a body, whatever it carries is therefore described in a
    rotating frame (``turning``), and the frequencies are those in the rotating frame: a whirl at frequency f in the
    stationary frame appears as f - W / 2 pi or f + W / 2 pi, W being the speed of rotation.

    Attributes
    ----------
    frequencies : (k,) Hz, |Im(eigenvalue)| / 2 pi, ascending; 0 for non-oscillating motion
    damping_ratios : (k,) -Re / |eigenvalue|
    eigenvalues : (k,) complex, 1/s, with Im >= 0
    modes : (k, free coordinates) complex, largest entry 1
    coordinate_names : names of the free coordinates
    M, D, K : (free, free) about the steady state, without constraints
    steady_state : (free,) values of the free coordinates (zero for ball joints, whose rotation is in their quaternion)
    turning : coordinate -> rad/s of each driven rotation at constant speed; empty: stationary frame
    touching : names of the contacts that are closed
    """

    frequencies: np.ndarray
    damping_ratios: np.ndarray
    eigenvalues: np.ndarray
    modes: np.ndarray
    coordinate_names: tuple[str, ...]
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    steady_state: np.ndarray
    turning: Mapping[str, float]
    touching: tuple[str, ...]

    @property
    def frame(self) -> str:
        """The frame in which the frequencies are given, as text."""
        if not self.turning:
            return "the stationary frame"
        rates = ", ".join(f"'{name}' at {rate:.6g} rad/s" for name, rate in self.turning.items())
        return f"frames rotating with {rates}; for bodies carried by them, frequencies in the stationary frame differ"

    def participation(self, *names: str) -> np.ndarray:
        """(k,) fraction of each mode's squared amplitude in coordinates whose name contains one of ``names``."""
        chosen = [any(part in name for part in names) for name in self.coordinate_names]
        square = np.abs(self.modes) ** 2
        return square[:, chosen].sum(axis=1) / square.sum(axis=1)


def linearize(system: Mechanism, *, time: float = 0.0) -> LinearModes:
    """Frequencies and modes about the steady state nearest to the start values.

    Free coordinates are at rest in the steady state (relative to driven joints, which may rotate at constant speed);
    their start rates are ignored. Frequencies of bodies that drivers rotate are those in the rotating frame
    (``LinearModes.frame``). Closed contacts act with their tangent stiffness, rigid ones as constraints; all others are
    open. If no steady state is near (a ball above its plane), the equilibrium that ``statics`` finds is used. The matrices
    are central differences of the full residual (relative error about 1e-8, with contacts 1e-6), so they include geometric
    stiffness, spin softening, gyroscopic terms and, in closed loops, the constraint forces. Modes lie in the
    null space of the constraints.

    A mechanism rotated by drivers has no steady state in absolute coordinates; it is linearised in reduced ones.

    Parameters
    ----------
    time : s, at which drivers and loads are evaluated

    Raises
    ------
    SimulationError
        No steady state was found (the accelerating coordinate and its acceleration are named), a driver accelerates,
        or no degree of freedom is left.
    MechanismError
        A freedom has no inertia, but a force acts in it.

    Warns
    -----
    MechanismWarning
        A free coordinate moves steadily without a driver, such as a rotor: the frequencies are those about rest, not
        about that motion. A freedom without inertia and without force (a thin rod about its axis) is left out.
    """
    model = prepared(system, time)
    if np.any(model.state_coordinates):
        name = model.coordinate_names[int(np.argmax(model.state_coordinates))]
        raise MechanismError(
            f"linearize: user states, lags, controllers, compliant latches and bristles of friction, as '{name}', are not "
            "supported; remove them from the system (fm.Coulomb has no bristles)"
        )
    if system.coordinates == "absolute" and np.any(driven_motion(model, time)):
        model = prepared(system, time, "reduced")
    warn_of_free_motion(model, time)
    if np.all(model.is_driven):
        raise SimulationError("linearize: every coordinate is prescribed; no degree of freedom is left to vibrate")
    balance = _steady_state(model, time)
    forces = Forces(balance.model, time, moving=True, contacts=False)
    # contacts stay closed, and slide or stick, while the coordinates are moved
    forces.evaluator.active[:], forces.evaluator.contact_history[:] = balance.active, balance.contact_history
    forces.rows = balance.rows
    rates = driven_motion(model, time)
    spinning = np.flatnonzero(turning_coordinates(model) & (rates[: model.coordinate_count] != 0.0))
    return _modes(balance, forces, {model.coordinate_names[k]: float(rates[k]) for k in spinning})


def _steady_state(model: Model, time: float) -> Balance:
    """The nearest steady state, stable or not; if there is none, the stable one that the forces lead to."""
    what = "linearize: no steady state near the start values"
    try:
        return equilibrium(model, time, what, stable=False, moving=True)
    except SimulationError as error:
        nearest = error
    try:
        return equilibrium(model, time, what, stable=True, moving=True)
    except SimulationError:
        raise nearest from None


def _modes(balance: Balance, forces: Forces, turning: Mapping[str, float]) -> LinearModes:
    model, free = balance.model, forces.free
    q, zero = model.q, np.zeros(len(free))
    G = _steady_constraints(model, forces)

    def residual(dq, dv, da):
        full = [q.copy(), np.zeros_like(q), np.zeros_like(q)]
        for vector, part in zip(full, (dq, dv, da), strict=True):
            vector[free] += part
        full[2][forces.rows] = balance.multipliers
        return forces.residual(*full, model.reference)[free]

    M = derivatives(lambda a: residual(zero, zero, a), len(free), 1.0)
    D = derivatives(lambda v: residual(zero, v, zero), len(free), 1e-4)
    K = derivatives(lambda x: residual(x, zero, zero), len(free), 1e-5)
    following = _patches_follow(K, np.isin(free, massless_coordinates(model)))
    motions = _with_inertia(model, forces, following @ null_space(G @ following), (D, K))
    if motions.shape[1] == 0:
        held = "; closed rigid contacts, held stops and what sticks are constraints" * (
            len(forces.rows) > len(forces.evaluator.rows)
        )
        raise SimulationError(f"linearize: the constraints leave no degree of freedom to vibrate{held}")
    values, vectors = _eigen(*(motions.T @ matrix @ motions for matrix in (M, D, K)))
    modes = vectors @ motions.T
    modes = modes / modes[np.arange(len(modes)), np.abs(modes).argmax(axis=1)][:, None]
    names = tuple(model.coordinate_names[k] for k in free)
    with np.errstate(invalid="ignore"):
        damping = np.where(np.abs(values) > 0.0, -values.real / np.abs(values), 0.0)
    touching = tuple(np.array(model.contact_names, dtype=object)[balance.active[: len(model.contact_names)] != 0])
    return LinearModes(values.imag / (2.0 * np.pi), damping, values, modes, names, M, D, K, q[free], turning, touching)


def _patches_follow(K: np.ndarray, massless: np.ndarray) -> np.ndarray:
    """(free, others) motions of all coordinates with those of the others: massless ones balance their load."""
    others = np.eye(len(K))[:, ~massless]
    if np.any(massless):
        others[massless] = -np.linalg.solve(K[np.ix_(massless, massless)], K[np.ix_(massless, ~massless)])
    return others


def _with_inertia(model: Model, forces: Forces, motions: np.ndarray, forced: tuple[np.ndarray, ...]) -> np.ndarray:
    """``motions`` (free, k) without those that move no mass; MechanismError if a force acts in one (D, K ``forced``)."""
    found = motions_without_inertia(model, forces.t, forces.free, motions)
    if not found:
        return motions
    still = np.array([z / np.linalg.norm(z) for z, _sentence in found]).T
    for matrix in forced:
        push = np.maximum(*(np.abs(motions.T @ m @ motions @ still).max(axis=0) for m in (matrix, matrix.T)))
        if push.max() > FORCELESS * np.abs(matrix).max():
            raise MechanismError(f"linearize: the mass matrix is singular: {found[int(np.argmax(push))][1]}")
    for _z, sentence in found:
        warn(f"linearize: left out, since no inertia and no force acts in this freedom: {sentence}", MechanismWarning)
    return motions @ null_space(still.T)


def _steady_constraints(model: Model, forces: Forces) -> np.ndarray:
    """Constraint matrix of the free coordinates; SimulationError if drivers move a loop."""
    evaluator = forces.evaluator
    G = forces.constraint_matrix(model.q, model.reference)
    if len(G):
        forces.at_rest(model.q, model.reference, np.zeros(len(forces.rows)))
        rates = np.abs(evaluator.work.constraint[forces.rows, 1])
        if rates.max() > 1e-9:
            name = model.coordinate_names[forces.rows[int(np.argmax(rates))]]
            raise SimulationError(f"linearize: no steady state: drivers move the loop closed by constraint '{name}'")
    return G


def _eigen(M: np.ndarray, D: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues with Im >= 0, ascending in Im, and their modes (rows)."""
    n = len(M)
    solved = np.linalg.solve(M, np.hstack([K, D]))
    state = np.block([[np.zeros((n, n)), np.eye(n)], [-solved[:, :n], -solved[:, n:]]])
    values, vectors = np.linalg.eig(state)
    upper = np.flatnonzero(values.imag >= 0.0)
    upper = upper[np.lexsort((values[upper].real, values[upper].imag))]
    return values[upper], vectors[:n, upper].T
