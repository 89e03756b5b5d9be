"""Linear vibration about a steady state: rest, or constant spin imposed by drivers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.blocked import dense, null_space
from flexmbs.analysis.equilibrium import Balance, Forces, equilibrium
from flexmbs.analysis.prepare import prepared
from flexmbs.analysis.variants import imposed
from flexmbs.errors import MechanismError, SimulationError
from flexmbs.model.model import Model


@dataclass(frozen=True)
class LinearModes:
    """Eigenvalues and modes of M q'' + D q' + K q = 0 about a steady state, within what constraints allow.

    Attributes
    ----------
    frequencies : (k,) Hz, |Im(eigenvalue)| / 2 pi, ascending; a growing or non-oscillating motion has 0
    damping_ratios : (k,) -Re / |eigenvalue|
    eigenvalues : (k,) complex, 1/s, with Im >= 0
    modes : (k, free coordinates) complex, largest entry 1
    coordinate_names : names of the free coordinates
    M, D, K : (free, free) about the steady state, without constraints
    steady_state : (free,) values of the free coordinates there (a ball's are zero: its quaternion has the rotation)
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

    def participation(self, *words: str) -> np.ndarray:
        """Part of each mode's squared amplitude in the coordinates whose name contains one of ``words``, (k,)."""
        chosen = [any(word in name for word in words) for name in self.coordinate_names]
        square = np.abs(self.modes) ** 2
        return square[:, chosen].sum(axis=1) / square.sum(axis=1)


def linearize(system, *, time: float = 0.0) -> LinearModes:
    """Frequencies and modes about the steady state nearest to the start values.

    The free coordinates are at rest there (relative to driven joints, which may turn at constant rate).
    Contacts are open.  The matrices are central differences of the full residual (relative error about 1e-8), so
    geometric stiffness, spin softening and gyroscopic terms are all in them; with closed loops the forces of their
    multipliers too.  Modes move within the null space of the constraints.

    A mechanism that drivers turn has no steady state in absolute coordinates: it is linearised in reduced ones.

    Parameters
    ----------
    time : s, at which drivers and loads are evaluated

    Raises
    ------
    SimulationError
        No steady state was found (the worst coordinate is named), or nothing is left to vibrate.
    """
    model = prepared(system, time)
    if np.any(model.state_coordinates):
        raise MechanismError(
            "linearize: user states, lags and controllers are not covered; take them out of the system for it"
        )
    if system.coordinates == "absolute" and np.any(_driven_rates(model, time)):
        model = prepared(system, time, "reduced")
    if np.all(model.tables.coordinates["signal"][: model.coordinate_count] >= 0):
        raise SimulationError("linearize: every coordinate is prescribed; there is nothing left to vibrate")
    balance = equilibrium(model, time, "linearize: no steady state near the start values", stable=False, moving=True)
    return _modes(balance, Forces(balance.model, time, moving=True, contacts=False))


def _driven_rates(model: Model, t: float) -> np.ndarray:
    driven = model.tables.coordinates["signal"] >= 0
    return imposed(model, t).v[driven]


def _modes(balance: Balance, forces: Forces) -> LinearModes:
    model, free = balance.model, forces.free
    q, zero = model.q, np.zeros(len(free))
    G = _steady_constraints(model, forces)
    motions = null_space(G)
    if motions.shape[1] == 0:
        raise SimulationError("linearize: the constraints leave no freedom; there is nothing left to vibrate")

    def residual(dq, dv, da):
        full = [q.copy(), np.zeros_like(q), np.zeros_like(q)]
        for vector, part in zip(full, (dq, dv, da), strict=True):
            vector[free] += part
        full[2][forces.rows] = balance.multipliers
        return forces.residual(*full, model.reference)[free]

    M = _jacobian(lambda a: residual(zero, zero, a), zero, 1.0)
    D = _jacobian(lambda v: residual(zero, v, zero), zero, 1e-4)
    K = _jacobian(lambda x: residual(x, zero, zero), zero, 1e-5)
    values, vectors = _eigen(*(motions.T @ matrix @ motions for matrix in (M, D, K)))
    modes = vectors @ motions.T
    modes = modes / modes[np.arange(len(modes)), np.abs(modes).argmax(axis=1)][:, None]
    names = tuple(model.coordinate_names[k] for k in free)
    with np.errstate(invalid="ignore"):
        damping = np.where(np.abs(values) > 0.0, -values.real / np.abs(values), 0.0)
    return LinearModes(values.imag / (2.0 * np.pi), damping, values, modes, names, M, D, K, q[free])


def _steady_constraints(model: Model, forces: Forces) -> np.ndarray:
    """Constraint matrix of the free coordinates; SimulationError when drivers move a loop."""
    evaluator = forces.evaluator
    G = dense(evaluator.constraint_matrix(model.q, model.reference, forces.t))[:, forces.free]
    if len(G):
        forces.at_rest(model.q, model.reference, np.zeros(len(forces.rows)))
        rates = np.abs(evaluator.work.constraint[forces.rows, 1])
        if rates.max() > 1e-9:
            name = model.coordinate_names[forces.rows[int(np.argmax(rates))]]
            raise SimulationError(f"linearize: no steady state: drivers move the loop that constraint '{name}' closes")
    return G


def _jacobian(function, x: np.ndarray, step: float) -> np.ndarray:
    """Central differences, fourth order."""
    columns = []
    for i in range(len(x)):
        move = np.zeros_like(x)
        move[i] = step
        near = function(x + move) - function(x - move)
        far = function(x + 2.0 * move) - function(x - 2.0 * move)
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.array(columns).T


def _eigen(M: np.ndarray, D: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues with Im >= 0, ascending in Im, and their modes (rows)."""
    n = len(M)
    solved = np.linalg.solve(M, np.hstack([K, D]))
    state = np.block([[np.zeros((n, n)), np.eye(n)], [-solved[:, :n], -solved[:, n:]]])
    values, vectors = np.linalg.eig(state)
    upper = np.flatnonzero(values.imag >= 0.0)
    upper = upper[np.lexsort((values[upper].real, values[upper].imag))]
    return values[upper], vectors[:n, upper].T
