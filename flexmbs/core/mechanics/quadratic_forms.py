"""Quadratic forms s(q) of the modal coordinates: what multiplies each second-order field.

A body has one form per pair of modes, s = q_a q_b, or fewer: s_r = sum_p c_pr q_a q_b (``FlexibleBody.forms``).
"""

from __future__ import annotations

from flexmbs.core.layout.tables import ACCEL, FORCE, RATE, VALUE
from flexmbs.machine_code.kernel import kernel


@kernel
def weigh_forms(tables, q, v, a, work):
    """Fill ``work.form``: s, s', s'' of every form of every body; no force on it yet."""
    work.form[:] = 0.0
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        start, first, pool = body.modal_start, body.form_start, tables.pool
        count = body.form_end - first
        value = work.form[VALUE, first : body.form_end]
        rate = work.form[RATE, first : body.form_end]
        accel = work.form[ACCEL, first : body.form_end]
        for p in range(body.pair_end - body.pair_start):
            pair = tables.pairs[body.pair_start + p]
            i, j = start + pair.a, start + pair.b
            x, u, w = q[i] * q[j], v[i] * q[j] + q[i] * v[j], a[i] * q[j] + 2.0 * v[i] * v[j] + q[i] * a[j]
            if body.form_at < 0:
                value[p], rate[p], accel[p] = x, u, w
                continue
            weight = pool[body.form_at + p * count : body.form_at + (p + 1) * count]
            for r in range(count):
                value[r] += weight[r] * x
                rate[r] += weight[r] * u
                accel[r] += weight[r] * w


@kernel
def add_cubic_elasticity(tables, b, q, work, residual):
    """Forces of the cubic strain energy sum c_ra s_r q_a of body ``b``, on its modes and on its forms."""
    body = tables.bodies[b]
    if body.cubic_at < 0:
        return
    n, at = body.modes, body.cubic_at
    for r in range(body.form_end - body.form_start):
        total, size = 0.0, work.form[VALUE, body.form_start + r]
        for i in range(n):
            total += tables.pool[at + r * n + i] * q[body.modal_start + i]
            residual[body.modal_start + i] += tables.pool[at + r * n + i] * size
        work.form[FORCE, body.form_start + r] += total


@kernel
def cubic_energy(tables, b, q, work):
    """Cubic strain energy of body ``b``, J."""
    body, total = tables.bodies[b], 0.0
    if body.cubic_at >= 0:
        for r in range(body.form_end - body.form_start):
            for i in range(body.modes):
                coefficient = tables.pool[body.cubic_at + r * body.modes + i]
                total += coefficient * work.form[VALUE, body.form_start + r] * q[body.modal_start + i]
    return total


@kernel
def pass_to_modes(tables, q, work, residual):
    """Add the generalised forces on modes that come from the forces on forms, ``work.form[FORCE]``."""
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        start, first, pool = body.modal_start, body.form_start, tables.pool
        count = body.form_end - first
        force = work.form[FORCE, first : body.form_end]
        for p in range(body.pair_end - body.pair_start):
            pair = tables.pairs[body.pair_start + p]
            i, j = start + pair.a, start + pair.b
            if body.form_at < 0:
                total = force[p]
            else:
                weight = pool[body.form_at + p * count : body.form_at + (p + 1) * count]
                total = 0.0
                for r in range(count):
                    total += weight[r] * force[r]
            residual[i] += q[j] * total
            residual[j] += q[i] * total
