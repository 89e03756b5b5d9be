"""The contact problem by problems with given friction (Tresca), which are convex, one after the other.

With F F^T = W, least normal forces l, normal forces l + p, friction of at most mu N and y = F eta + b:

    min |eta|^2 / 2 + sum of mu N |y_t|   over eta,   with y_n >= 0,

whose multipliers are p and lam_t. Then N = lam_n, and again: that contracts where friction is small against the critical
one (Painleve). Contacts that slide have the force -mu N d. The first problem is that of de Saxce without its
term, y_n >= mu |y_t| in place of y_n >= 0: where any forces hold all contacts, it finds such. Springs under the normals
make shares definite. Newton's method begins at the forces of each.

Where that is not enough contacts are solved one after the other (Gauss-Seidel), which takes many rounds, but needs no
definite shares. Where that fails too friction grows from nothing in parts, and Newton's method follows the solution; where it ends,
friction is critical.
"""

import math

from flexmbs.core.contact.rigid.cone_program import solve_cone_program
from flexmbs.core.contact.rigid.contact_newton import find_error, iterate
from flexmbs.core.contact.rigid.holding import factor_delassus
from flexmbs.core.linalg.copying import copy_matrix, copy_vector
from flexmbs.core.linalg.vectors import dot
from flexmbs.machine_code.kernel import kernel

ROUNDS, PARTS = 30, 80
SPRING = 1e-8  # of the diagonal of W: compliance of normals in the rounds, so that shares are definite
FIRST_SWEEPS, SWEEPS = 8, 16384  # over all contacts
LATE = 3  # rounds without an error half as large
ROUGH = 1e-7  # errors, as ``ContactWork.error``, that are accepted where Newton's method finds no way to less
FEASIBLE = 1e-6  # error of a program, beyond which there is no solution
NOTHING = 1e-12  # of the largest force: friction that is left out
SHORTEST = 1e-9  # part of the friction


@kernel
def iterate_given_friction(W, b, work, k, lam):
    """Overwrite ``lam`` by a solution, if one was found; returns the part of the friction with which there is one.

    It is 1 where it was found, and negative where nothing holds the contacts without friction either.
    """
    n = 3 * k
    kept, on_springs = work.best_lam[:n], work.matrix[:n, :n]
    copy_matrix(W, on_springs)
    for i in range(k):
        on_springs[3 * i, 3 * i] += SPRING / work.normal_step[i]
    p = factor_delassus(on_springs, n, work.F)
    nearest, least, late = work.nearest[:n], math.inf, 0
    lam[:] = 0.0
    for count in range(ROUNDS):
        work.rounds += 1
        solved = _solve_round(W, b, work, k, p, lam, count == 0)
        if not solved and count == 0:  # as of bodies that are wedged
            continue
        if not solved:
            break
        copy_vector(lam, kept)
        if iterate(W, b, work, k, lam):
            return 1.0
        late += 1
        if work.error < 0.5 * least:
            least, late = work.error, 0
            copy_vector(lam, nearest)
        copy_vector(kept, lam)
        if least <= ROUGH and late >= LATE:
            break
    if least <= ROUGH:
        copy_vector(nearest, lam)
        return 1.0
    return 1.0 if _relax(W, b, work, k, lam) else _raise_friction(W, b, work, k, p, lam)


@kernel
def _relax(W, b, work, k, lam):
    """Each contact by itself, one after the other, again and again (Gauss-Seidel); whether that led to a solution.

    Newton's method begins at more and more of these forces: beside a narrow valley it may end, from within it does not.
    """
    kept, due = work.best_lam[: 3 * k], FIRST_SWEEPS
    lam[:] = 0.0
    for sweep in range(SWEEPS):
        for i in range(k):
            _relax_contact(W, b, work, i, lam)
        if sweep + 1 == due:
            due *= 2
            copy_vector(lam, kept)
            if iterate(W, b, work, k, lam):
                return True
            copy_vector(kept, lam)
    return find_error(W, b, work, k, lam) <= ROUGH


@kernel
def _relax_contact(W, b, work, i, lam):
    """Forces of contact ``i`` from those of the others: one step of the projections of Alart and Curnier."""
    n, t, u, k = 3 * i, 3 * i + 1, 3 * i + 2, b.shape[0]
    x, y = work.direction[i, 0], work.direction[i, 1]
    factor = 1.0 - work.sliding[i] * work.mu[i] * work.normal_step[i] * (W[n, t] * x + W[n, u] * y)
    change = work.normal_step[i] * (b[n] + dot(W[n], lam, k)) / (factor if factor > 0.0 else 1.0)
    lam[n] = max(work.least[i], lam[n] - change)
    radius = work.mu[i] * lam[n]
    if work.sliding[i] == 1:
        lam[t], lam[u] = -radius * x, -radius * y
        return
    p = lam[t] - work.tangent_step[i] * (b[t] + dot(W[t], lam, k))
    q = lam[u] - work.tangent_step[i] * (b[u] + dot(W[u], lam, k))
    part = min(1.0, radius / max(math.sqrt(p * p + q * q), 1e-300))
    lam[t], lam[u] = part * p, part * q


@kernel
def _raise_friction(W, b, work, k, p, lam):
    """Follow the solution from no friction to all of it; the part that was reached, -1: there is none without friction."""
    kept, mu, all_mu = work.best_lam[: 3 * k], work.mu[:k], work.all_mu[:k]
    copy_vector(mu, all_mu)
    part, step = 0.0, 1.0
    lam[:] = 0.0
    if not _solve_round(W, b, work, k, p, lam, False):
        return -1.0
    copy_vector(lam, kept)
    while part < 1.0 and step >= SHORTEST and work.parts_of_friction < PARTS:
        work.parts_of_friction += 1
        trial = min(1.0, part + step)
        for i in range(k):
            mu[i] = trial * all_mu[i]
        copy_vector(kept, lam)
        if iterate(W, b, work, k, lam):
            copy_vector(lam, kept)
            part, step = trial, 2.0 * step
        else:
            step *= 0.5
    copy_vector(all_mu, mu)
    return part


@kernel
def _solve_round(W, b, work, k, p, lam, dilates):
    """Overwrite ``lam`` by the solution with N = lam_n, or of the problem that ``dilates``; whether there is one."""
    n, y, given = 3 * k, work.trial_y, work.step
    scale = force = size = 0.0
    for row in range(n):
        scale, force = max(scale, W[row, row]), max(force, abs(lam[row]))
    for i in range(k):
        given[3 * i] = work.least[i]
        for t in range(2):
            given[3 * i + 1 + t] = -work.sliding[i] * work.mu[i] * lam[3 * i] * work.direction[i, t]
    for row in range(n):
        y[row] = b[row] + dot(W[row], given, n)
        size = max(size, abs(y[row]))
    scale = scale if scale > 0.0 else 1.0
    size = size if size > 0.0 else 1.0
    normal_row, cone_row, cones = work.pivots[:k], work.pivots[k : 2 * k], 0
    for i in range(k):
        rubs = work.sliding[i] == 0 and (work.mu[i] > 0.0 if dilates else work.mu[i] * lam[3 * i] > NOTHING * force)
        cone_row[i] = 3 * cones if rubs else -1
        cones += 1 if rubs else 0
    line, lines, unknowns = 0, k - cones if dilates else k, p
    work.AT[:] = 0.0
    work.P[:] = 0.0
    work.q[:] = 0.0
    for j in range(p):
        work.P[j] = 1.0
    for i in range(k):
        rubs = cone_row[i] >= 0
        cone_row[i] += lines
        normal_row[i] = cone_row[i] if rubs and dilates else line
        line += 0 if rubs and dilates else 1
        _put_row(work, 3 * i, normal_row[i], p, 1.0, scale, size)
        if rubs:
            for t in range(1, 3):
                _put_row(work, 3 * i + t, cone_row[i] + t, p, work.mu[i] if dilates else 1.0, scale, size)
        if rubs and not dilates:
            work.AT[unknowns, cone_row[i]], work.g[cone_row[i]] = 1.0, 0.0
            work.q[unknowns] = work.mu[i] * lam[3 * i] * scale / size
            unknowns += 1
    if not solve_cone_program(work, lines + 3 * cones, unknowns, lines) < FEASIBLE:
        return False
    for i in range(k):
        unit = size / scale
        lam[3 * i] = work.least[i] + unit * work.z[normal_row[i]]
        for t in range(1, 3):
            lam[3 * i + t] = given[3 * i + t]
            if cone_row[i] >= lines:
                lam[3 * i + t] = unit * (work.mu[i] if dilates else 1.0) * work.z[cone_row[i] + t]
    return True


@kernel
def _put_row(work, row, at, p, part, scale, size):
    """Row ``at`` of the program: y of ``row`` in parts of ``size``."""
    work.g[at] = part * work.trial_y[row] / size
    for j in range(p):
        work.AT[j, at] = part * work.F[row, j] / math.sqrt(scale)
