"""Linear vibration about a steady state: rest, or constant spin imposed by drivers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.errors import SimulationError
from flexmbs.kernels.jit import announce_compilation
from flexmbs.kernels.tables import make_workspace
from flexmbs.model.compile import compile_system
from flexmbs.model.model import Model


@dataclass(frozen=True)
class LinearModes:
    """Eigenvalues and modes of M q'' + D q' + K q = 0 about a steady state.

    Attributes
    ----------
    frequencies : (k,) Hz, |Im(eigenvalue)| / 2 pi, ascending; a growing or non-oscillating motion has 0
    damping_ratios : (k,) -Re / |eigenvalue|
    eigenvalues : (k,) complex, 1/s, with Im >= 0
    modes : (k, free coordinates) complex, largest entry 1
    coordinate_names : names of the free coordinates
    M, D, K : (free, free) about the steady state
    steady_state : (free,) values of the free coordinates there
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


class _Residual:
    """Residual of the free coordinates as a function of their q, v, a; drivers hold the others at time t."""

    def __init__(self, model: Model, t: float):
        self.model, self.t = model, t
        announce_compilation()
        self.work = make_workspace(model.tables)
        self.active = np.zeros(len(model.contact_names), dtype=np.int64)
        self.free = model.tables.free
        self.out = np.zeros(len(model.q))

    def __call__(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        from flexmbs.kernels.residual import residual
        from flexmbs.kernels.signals import evaluate_signals, impose_drivers

        full = [self.model.q.copy(), np.zeros(len(self.out)), np.zeros(len(self.out))]
        for vector, part in zip(full, (q, v, a), strict=True):
            vector[self.free] = part
        evaluate_signals(self.model.tables, self.t, self.work.signal)
        impose_drivers(self.model.tables, self.work.signal, *full)
        residual(self.model.tables, self.active, *full, self.model.reference, self.work, self.out)
        return self.out[self.free].copy()


def linearize(system, *, time: float = 0.0) -> LinearModes:
    """Frequencies and modes about the steady state nearest to the start values.

    The free coordinates are at rest there (relative to driven joints, which may turn at constant rate).
    Contacts are open.  The matrices are central differences of the full residual (relative error about 1e-8), so
    geometric stiffness, spin softening and gyroscopic terms are all in them.

    Parameters
    ----------
    time : s, at which drivers and loads are evaluated

    Raises
    ------
    SimulationError
        No steady state was found; the worst coordinate is named.
    """
    model = compile_system(system)
    if len(model.tables.free) == 0:
        raise SimulationError("linearize: every coordinate is prescribed; there is nothing left to vibrate")
    function = _Residual(model, time)
    q = _steady_state(model, function)
    zero = np.zeros_like(q)
    M = _jacobian(lambda a: function(q, zero, a), zero, 1.0)
    D = _jacobian(lambda v: function(q, v, zero), zero, 1e-4)
    K = _jacobian(lambda x: function(x, zero, zero), q, 1e-5)
    values, vectors = _eigen(M, D, K)
    names = tuple(model.coordinate_names[k] for k in model.tables.free)
    with np.errstate(invalid="ignore"):
        damping = np.where(np.abs(values) > 0.0, -values.real / np.abs(values), 0.0)
    return LinearModes(values.imag / (2.0 * np.pi), damping, values, vectors, names, M, D, K, q)


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


def _steady_state(model: Model, function: _Residual) -> np.ndarray:
    """Newton's method on the residual at rest; the pseudo-inverse leaves neutral freedoms where they are."""
    q = model.q[model.tables.free].copy()
    zero = np.zeros_like(q)
    size = np.inf
    for _ in range(50):
        r = function(q, zero, zero)
        K = _jacobian(lambda x: function(x, zero, zero), q, 1e-5)
        change = -np.linalg.lstsq(K, r, rcond=1e-12)[0]
        size = float(np.abs(change).max())
        q = q + change * min(1.0, 0.5 / max(size, 1e-300))
        if size < 1e-12 * max(1.0, float(np.abs(q).max())):
            return q
        if not np.isfinite(size):
            break
    if size < 1e-8:
        return q
    worst = model.coordinate_names[model.tables.free[int(np.argmax(np.abs(r)))]]
    raise SimulationError(
        f"linearize: no steady state near the start values after 50 Newton steps (last change {size:.3g}); "
        f"worst coordinate '{worst}'. Start nearer to it"
    )


def _eigen(M: np.ndarray, D: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues with Im >= 0, ascending in Im, and their modes (rows)."""
    n = len(M)
    solved = np.linalg.solve(M, np.hstack([K, D]))
    state = np.block([[np.zeros((n, n)), np.eye(n)], [-solved[:, :n], -solved[:, n:]]])
    values, vectors = np.linalg.eig(state)
    upper = np.flatnonzero(values.imag >= 0.0)
    upper = upper[np.lexsort((values[upper].real, values[upper].imag))]
    modes = vectors[:n, upper].T
    largest = modes[np.arange(len(upper)), np.abs(modes).argmax(axis=1)]
    return values[upper], modes / largest[:, None]
