"""Impulses of an impact."""

from __future__ import annotations

from flexmbs.core.contact.rigid.complementarity import solve_contacts
from flexmbs.machine_code.kernel import kernel


@kernel
def solve_impact(W, u, mu, restitution, tangential, poisson, lam, mode, b, direction, sliding, solver):
    """Newton's law of restitution."""
    for i in range(mu.shape[0]):
        b[3 * i] = u[3 * i] + restitution[i] * min(u[3 * i], 0.0)
        for k in range(1, 3):
            b[3 * i + k] = u[3 * i + k] * (1.0 + tangential[i])
        sliding[i] = 0
    lam[:] = 0.0
    return solve_contacts(W, b, mu, sliding, direction, lam, mode, solver)
