"""Accelerations of contacts that may stick up to a larger friction than they slide with."""

from __future__ import annotations

from flexmbs.core.contact.rigid.complementarity import solve_contacts
from flexmbs.core.layout.switch_tables import SLIDING
from flexmbs.machine_code.kernel import kernel


@kernel
def solve_modes(W, b, mu, static, sliding, direction, lam, mode, friction, slides, along, solver):
    """Forces and modes."""
    k = mu.shape[0]
    for i in range(k):
        slides[i] = sliding[i]
        friction[i] = mu[i] if sliding[i] != 0 else static[i]
        along[i, 0], along[i, 1] = direction[i, 0], direction[i, 1]
    for _ in range(k + 1):
        lam[:] = 0.0
        status = solve_contacts(W, b, friction, slides, along, lam, mode, solver)
        if status != 0:
            return status
        changed = False
        for i in range(k):
            if slides[i] == 0 and mode[i] == SLIDING and friction[i] != mu[i]:
                friction[i] = mu[i]
                changed = True
        if not changed:
            return 0
    return 0
