"""SciPy's solve_ivp on y' = f(t, y), through impacts too."""

from __future__ import annotations

import time

import numpy as np
from first_order import EVALUATIONS, FirstOrder
from scipy.integrate import solve_ivp


def solve_ordinary(right_side, y, t_end: float, method: str, rtol: float, atol: float):
    """(y, seconds, evaluations) of a function f(t, y) without events."""
    begin = time.perf_counter()
    found = solve_ivp(right_side, (0.0, t_end), y, method=method, rtol=rtol, atol=atol)
    seconds = time.perf_counter() - begin
    if not found.success:
        raise ArithmeticError(found.message)
    return found.y[:, -1], seconds, found.nfev


def solve_model(equations: FirstOrder, t_end: float, method: str, rtol: float, atol: float):
    """(y, seconds, residual evaluations) of a model without constraints and with at most one contact.

    At the roots of the gap the contact is switched and the integration starts anew.
    """
    equations.counts[:] = 0
    equations.active[:] = 0
    y, t, begin = equations.y, 0.0, time.perf_counter()
    while t < t_end:
        found = solve_ivp(equations.right_side, (t, t_end), y, method=method, rtol=rtol, atol=atol, events=gap_event(equations))
        if not found.success:
            raise ArithmeticError(found.message)
        y, t = found.y[:, -1], float(found.t[-1])
        if found.status == 1:
            equations.active[0] = 1 - equations.active[0]
    return y, time.perf_counter() - begin, int(equations.counts[EVALUATIONS])


def gap_event(equations: FirstOrder):
    """The gap with the sign of the switch that is next; None without a contact."""
    if len(equations.active) == 0:
        return None

    def gap(t, y):
        return equations.gap(0, t, y)

    gap.terminal, gap.direction = True, np.where(equations.active[0], 1.0, -1.0)
    return gap
