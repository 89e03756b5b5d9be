"""Ways to a solution over problems with softened contacts, W + softness / r on its diagonal, that Newton solves easily."""

from __future__ import annotations

from flexmbs.core.contact.rigid.contact_newton import iterate
from flexmbs.core.linalg.copying import copy_matrix, copy_vector
from flexmbs.machine_code.kernel import kernel

SOFTENINGS = (10.0, 1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-6)
POINTS = 200
ANCHORED = 0.3  # softness of proximal points
TRIES = 5  # proximal points between attempts without softness


@kernel
def soften_first(W, b, work, k, lam):
    """Newton's method for ever stiffer contacts, from lam = 0."""
    n = 3 * k
    soft = work.softened[:n, :n]
    copy_matrix(W, soft)
    lam[:] = 0.0
    for softness in SOFTENINGS:
        work.softenings += 1
        _soften(W, work, k, softness, soft)
        iterate(soft, b, work, k, lam)
    return iterate(W, b, work, k, lam)


@kernel
def iterate_proximal_points(W, b, work, k, lam):
    """Proximal points (Rockafellar 1976; with Newton's method for contacts Acary, Bremond, Huber 2018).

    Softened contacts whose softness is paid back from point to point, so that the limit is a solution for W.
    """
    n = 3 * k
    soft, anchor, load = work.softened[:n, :n], work.anchor[:n], work.load[:n]
    copy_matrix(W, soft)
    anchor[:] = 0.0
    _soften(W, work, k, ANCHORED, soft)
    for count in range(POINTS):
        work.proximal_points += 1
        for i in range(k):
            for row in range(3 * i, 3 * i + 3):
                step = work.normal_step[i] if row == 3 * i else work.tangent_step[i]
                load[row] = b[row] - ANCHORED / step * anchor[row]
        copy_vector(anchor, lam)
        iterate(soft, load, work, k, lam)
        copy_vector(lam, anchor)
        if count % TRIES == TRIES - 1 and iterate(W, b, work, k, lam):
            return True
    return False


@kernel
def _soften(W, work, k, softness, soft):
    for i in range(k):
        for row in range(3 * i, 3 * i + 3):
            step = work.normal_step[i] if row == 3 * i else work.tangent_step[i]
            soft[row, row] = W[row, row] + softness / step
