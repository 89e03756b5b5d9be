"""Accelerations of contacts whose static friction exceeds the kinetic one.

Contacts that stick so far may carry mu_s lam_n. Those that begin to slip fall to the kinetic coefficient, all at
once, and the problem is solved again, until none begins to slip. A contact that has let go may stick again, where it
does so within the kinetic cone; it does not return to the static one. So there are at most k + 1 problems, and the last
state is consistent: each contact sticks within mu_s, or slips with mu_k against the direction of its slip.
"""

from __future__ import annotations

from flexmbs.core.contact.rigid.complementarity import solve_conditions
from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, SLIDING, SOLVED, ContactWork
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.signature import Floats, Floats2, Integers


@entry
def solve_accelerations(
    W: Floats2,
    b: Floats,
    mu: Floats,
    static_mu: Floats,
    sliding: Integers,
    direction: Floats2,
    lam: Floats,
    mode: Integers,
    work: ContactWork,
) -> int:
    """As :func:`~flexmbs.core.contact.rigid.complementarity.solve_contacts`, with ``static_mu`` of what may stick.

    The slip begins along ``work.y`` of a contact with ``mode`` SLIDING whose ``sliding`` is 0.
    """
    k = mu.shape[0]
    work.least_size = 0.0
    for i in range(k):
        work.sliding[i], work.least[i] = sliding[i], 0.0
        work.mu[i] = mu[i] if sliding[i] == 1 else max(mu[i], static_mu[i])
        work.direction[i, 0], work.direction[i, 1] = direction[i, 0], direction[i, 1]
    status = SOLVED
    for _round in range(k + 1):
        status = solve_conditions(W, b, work, k, lam, mode)
        if status not in (SOLVED, AMBIGUOUS):
            return status
        slipping = False
        for i in range(k):
            if sliding[i] == 0 and mode[i] == SLIDING and work.mu[i] > mu[i]:
                work.mu[i] = mu[i]
                slipping = True
        if not slipping:
            return status
    return status
