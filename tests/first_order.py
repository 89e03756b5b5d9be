"""The equations of a flexmbs model in the forms that other people's integrators take.

y = (q, v) of the coordinates that no driver prescribes, without constraints:

    y' = (v, a),  M(q) a + f(q, v, t) = 0                                   (right_side, for ordinary equations)
    0 = (q' - v, M(q) v' + f(q, v, t))                                      (implicit, for IDA)

with constraints y = (q, v, lam), of index 1, with the feedback of Baumgarte (Comput. Methods Appl. Mech. Eng. 1 (1972)
1), without which g would drift:

    0 = (q' - v, M(q) v' + f(q, v, t) - G^T lam, g'' + 2 alpha g' + alpha^2 g)

A solver that controls its error must leave the multipliers out of it (FirstOrder.absolute): they follow v', whose error
is that of v divided by the step.

Balls are left out: their charts belong to flexmbs' own steps. The functions are kernels: Python in tests, compiled in
benchmarks that set FLEXMBS_NUMBA_KERNELS.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.prepare.prepare import ready
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.state import make_scratch, make_state
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.method_table import METHODS
from flexmbs.machine_code.kernel import kernel

FEEDBACK = 20.0  # alpha, 1/s
NONE = 1e12  # an absolute tolerance that asks for nothing
EVALUATIONS = 0  # place in FirstOrder.counts


@kernel
def set_state(tables, work, own, rows, q, v, a, t, y):
    n = len(own)
    for i in range(n):
        q[own[i]], v[own[i]] = y[i], y[n + i]
    for i in range(len(rows)):
        a[rows[i]] = y[2 * n + i]
    evaluate_signals(tables, t, work.signal)
    impose_drivers(tables, work.signal, q, v, a)


@kernel
def implicit(tables, work, own, rows, active, history, reference, q, v, a, out, alpha, counts, t, y, rate, result):
    """Residual of the implicit form."""
    n = len(own)
    for i in range(n):
        a[own[i]] = rate[n + i]
    set_state(tables, work, own, rows, q, v, a, t, y)
    residual(tables, active, history, q, v, a, reference, work, out)
    counts[EVALUATIONS] += 1
    for i in range(n):
        result[i] = rate[i] - y[n + i]
        result[n + i] = out[own[i]]
    for i in range(len(rows)):
        opening, speed = work.constraint[rows[i], 0], work.constraint[rows[i], 1]
        result[2 * n + i] = out[rows[i]] + alpha * (2.0 * speed + alpha * opening)


@kernel
def right_side(tables, work, own, rows, active, history, reference, q, v, a, out, mass, pivots, counts, t, y, result):
    """y' of a model without constraints; the mass matrix comes column by column from residuals."""
    n = len(own)
    a[:] = 0.0
    set_state(tables, work, own, rows, q, v, a, t, y)
    residual(tables, active, history, q, v, a, reference, work, out)
    for i in range(n):
        result[i] = y[n + i]
        result[n + i] = -out[own[i]]
    for j in range(n):
        a[own[j]] = 1.0
        residual(tables, active, history, q, v, a, reference, work, out)
        a[own[j]] = 0.0
        for i in range(n):
            mass[i, j] = out[own[i]] + result[n + i]
    counts[EVALUATIONS] += n + 1
    if factorise(mass, pivots, 0.0):
        solve(mass, pivots, result[n:])
    else:
        result[n:] = np.nan


@kernel
def gap(tables, work, own, rows, reference, q, v, a, contact, t, y):
    set_state(tables, work, own, rows, q, v, a, t, y)
    return gap_at(tables, contact, q, v, a, reference, work)[0]


class FirstOrder:
    """A system of joints without balls, at its assembled start.

    Attributes
    ----------
    y, rate : (N,) consistent start values and their derivatives
    own, rows : numbers of the coordinates and multipliers in y
    active : (contacts,) 1 while touching; the caller sets it
    counts : (1,) evaluations of the residual so far
    """

    def __init__(self, system, alpha: float = FEEDBACK):
        from flexmbs.core.equations.tangent import consistent_accelerations
        from flexmbs.core.stepping.step_loop import impose_start

        self.model, self.alpha = ready(system), alpha
        tables, method = self.model.tables, METHODS["radau"]
        if self.model.balls:
            raise ValueError("balls have charts of their own: write their equations out")
        state, self.work = make_state(tables, 0, method.history_rows), make_workspace(tables)
        state.q[:], state.v[:] = self.model.q, self.model.v
        impose_start(tables, state, self.work)
        if not consistent_accelerations(tables, state, make_scratch(tables, method), self.work, 3):
            raise ValueError("the mass matrix is singular at the start")
        multiplier = tables.coordinates["multiplier"][tables.free] != 0
        self.own, self.rows = np.sort(tables.free[~multiplier]), np.sort(tables.free[multiplier])
        self.q, self.v, self.a = state.q.copy(), state.v.copy(), state.a.copy()
        self.active, self.reference = np.zeros(len(self.model.contact_names), dtype=np.int64), np.zeros((0, 4))
        self.history = np.zeros(0)  # contact laws that remember something are left out
        self.out, self.counts = np.zeros(len(self.q)), np.zeros(1, dtype=np.int64)
        n = len(self.own)
        self.mass, self.pivots = np.zeros((n, n)), np.zeros(n, dtype=np.int64)
        self.y = np.concatenate([state.q[self.own], state.v[self.own], state.a[self.rows]])
        self.rate = np.concatenate([state.v[self.own], state.a[self.own], np.zeros(len(self.rows))])

    def start(self) -> tuple:
        """Leading arguments of all compiled functions here."""
        return self.model.tables, self.work, self.own, self.rows

    def implicit(self, t: float, y, rate, result) -> None:
        implicit(
            *self.start(),
            self.active,
            self.history,
            self.reference,
            self.q,
            self.v,
            self.a,
            self.out,
            self.alpha,
            self.counts,
            t,
            y,
            rate,
            result,
        )

    def right_side(self, t: float, y) -> np.ndarray:
        result = np.empty(len(y))
        right_side(
            *self.start(),
            self.active,
            self.history,
            self.reference,
            self.q,
            self.v,
            self.a,
            self.out,
            self.mass,
            self.pivots,
            self.counts,
            t,
            y,
            result,
        )
        return result

    def gap(self, contact: int, t: float, y) -> float:
        return gap(*self.start(), self.reference, self.q, self.v, self.a, contact, t, y)

    def absolute(self, atol: float) -> np.ndarray:
        """(N,) absolute tolerances: ``atol``, and none for multipliers."""
        return np.concatenate([np.full(2 * len(self.own), atol), np.full(len(self.rows), NONE)])

    def algebraic(self) -> list[int] | None:
        """Numbers in y of what has no derivative in the equations."""
        return list(range(2 * len(self.own), len(self.y))) or None

    def split(self, y) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities."""
        n = len(self.own)
        return y[:n].copy(), y[n : 2 * n].copy()
