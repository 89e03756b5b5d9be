"""Impulses of simultaneous impacts with Coulomb friction, by Newton's or Poisson's restitution.

Velocities of the contacts are u before and u+ = W Lam + u after. Newton: the contact problem with

    y_n = u_n+ + e min(u_n, 0),    y_t = u_t+ + e_T u_t

Poisson (Pfeiffer and Glocker 1996, chapter 8; Glocker 2001): compression is that problem with e = e_T = 0 and impulses
Lam_C; in the expansion that follows, Lam_nE >= e Lam_nC and y_n = u_n+; both phases have friction, and e_T turns round
the tangential velocities in the second one. A contact that is open after the impact may have transmitted an impulse.

Both laws can gain energy where friction couples the directions (Kane and Levinson 1985). No impact here does: all
coefficients of restitution of it are then reduced by one factor, the largest for which no energy is gained; without
restitution none can be.
"""

from __future__ import annotations

from flexmbs.core.contact.rigid.complementarity import solve_conditions
from flexmbs.core.contact.rigid.contact_conditions import apply_compliance
from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, SOLVED, ContactWork
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Integers

REDUCED = 16  # added to the status: restitution was reduced so that no energy is gained
HALVINGS = 40
LEAST_SIZE = 1e-7  # m/s: of redundant contacts velocities contradict each other by rounding, of which slow hits are not much more
WEDGED = 1e6  # times the impulse that stops a body: no impact has that
ROUNDING = 1e-14  # energy gained, relative to the energies that are exchanged


@entry
def solve_impact(
    W: Floats2,
    u: Floats,
    mu: Floats,
    restitution: Floats,
    tangential_restitution: Floats,
    poisson: int,
    impulse: Floats,
    mode: Integers,
    work: ContactWork,
) -> int:
    """Impulses of k contacts; returns the status of the contact problem, plus ``REDUCED``.

    Parameters
    ----------
    W : (3k, 3k), 1/kg; u : (3k,), velocities before, m/s
    mu, restitution, tangential_restitution : (k,), restitutions in 0..1
    poisson : 0: Newton's law, 1: Poisson's
    impulse : (3k,), out, N s; ``work.velocity`` is u+ (3k)
    mode : (k,), out: OPEN, SLIDING, STICKING, RESTING of the last phase, where y_n = 0 stands for closed
    work : for at least k contacts; ``work.energy`` is the energy lost, J (at least 0 but for rounding),
        ``work.reduction`` the factor on the coefficients of restitution, 1 as a rule

    Where the status is neither SOLVED nor AMBIGUOUS, impulses are zero.
    """
    work.reduction, work.least_size = 1.0, LEAST_SIZE
    status = _impact(W, u, mu, restitution, tangential_restitution, poisson, impulse, mode, work)
    wedged = status in (SOLVED, AMBIGUOUS) and _is_wedged(W, u, impulse)
    if status not in (SOLVED, AMBIGUOUS) or not (wedged or _gains_energy(u, impulse, work)):
        return status
    low, high = 0.0, 1.0
    for _halving in range(0 if wedged else HALVINGS):
        work.reduction = 0.5 * (low + high)
        status = _impact(W, u, mu, restitution, tangential_restitution, poisson, impulse, mode, work)
        if status in (SOLVED, AMBIGUOUS) and not _gains_energy(u, impulse, work):
            low = work.reduction
        else:
            high = work.reduction
    work.reduction = low
    status = _impact(W, u, mu, restitution, tangential_restitution, poisson, impulse, mode, work)
    return status + REDUCED


@kernel
def _impact(W, u, mu, restitution, tangential_restitution, poisson, impulse, mode, work):
    """The impact with restitutions times ``work.reduction``; sets u+ and the energy lost."""
    k, n = mu.shape[0], 3 * mu.shape[0]
    shift, velocity = work.shift[:n], work.velocity[:n]
    for i in range(k):
        work.mu[i], work.sliding[i], work.least[i] = mu[i], 0, 0.0
    impulse[:] = 0.0
    copy_vector(u, shift)
    if poisson == 0:
        _reverse(u, restitution, tangential_restitution, work.reduction, shift)
        status = solve_conditions(W, shift, work, k, impulse, mode)
    else:
        status = _compress_and_expand(W, u, restitution, tangential_restitution, impulse, mode, work)
    if status not in (SOLVED, AMBIGUOUS):
        impulse[:] = 0.0
    apply_compliance(W, u, impulse, velocity)
    work.energy = 0.0
    for row in range(n):
        work.energy -= 0.5 * impulse[row] * (u[row] + velocity[row])
    return status


@kernel
def _reverse(u, restitution, tangential_restitution, part, shift):
    """Add what the restitutions ask for to the velocities without impulse."""
    for i in range(restitution.shape[0]):
        n = 3 * i
        shift[n] += part * restitution[i] * min(u[n], 0.0)
        shift[n + 1] += part * tangential_restitution[i] * u[n + 1]
        shift[n + 2] += part * tangential_restitution[i] * u[n + 2]


@kernel
def _compress_and_expand(W, u, restitution, tangential_restitution, impulse, mode, work):
    """Poisson's law: two contact problems, the second with a least normal impulse; their impulses are added."""
    k, n = restitution.shape[0], 3 * restitution.shape[0]
    shift, compression = work.shift[:n], work.velocity[:n]
    status = solve_conditions(W, shift, work, k, impulse, mode)
    if status not in (SOLVED, AMBIGUOUS):
        return status
    apply_compliance(W, u, impulse, shift)
    copy_vector(impulse, compression)
    for i in range(k):
        work.least[i] = work.reduction * restitution[i] * compression[3 * i]
        for row in range(3 * i + 1, 3 * i + 3):
            shift[row] += work.reduction * tangential_restitution[i] * u[row]
    impulse[:] = 0.0
    status = solve_conditions(W, shift, work, k, impulse, mode)
    for row in range(n):
        impulse[row] += compression[row]
    return status


@kernel
def _is_wedged(W, u, impulse):
    """Whether impulses are without bound, and what they change is rounding of W: bodies that are wedged do not rebound."""
    speed = mobility = largest = 0.0
    for row in range(u.shape[0]):
        speed, mobility, largest = max(speed, abs(u[row])), max(mobility, W[row, row]), max(largest, abs(impulse[row]))
    return largest * mobility > WEDGED * speed


@kernel
def _gains_energy(u, impulse, work):
    exchanged = 0.0
    for row in range(u.shape[0]):
        exchanged += abs(impulse[row]) * (abs(u[row]) + abs(work.velocity[row]))
    return work.energy < -ROUNDING * exchanged
