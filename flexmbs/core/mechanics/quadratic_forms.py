"""What multiplies the fields of a body: modal coordinates, and quadratic forms s(q) of them for second-order fields.

A body has one form per pair of modes, s = q_a q_b, or fewer: s_r = sum_p c_pr q_a q_b (``FlexibleBody.forms``).
The products of all pairs of modes are formed by rows, which SIMD can do, and picked from there.
Modes and forms have places in ``Workspace.weight`` (model.inertia_layout); between them, and behind, are empty ones.
"""

from flexmbs.core.layout.tables import ACCEL, FORCE, RATE, VALUE
from flexmbs.machine_code.kernel import kernel


@kernel
def weigh_fields(tables, q, v, a, work):
    """Fill ``work.weight``: every modal coordinate and form with two derivatives; no force on them yet."""
    work.weight[FORCE, :] = 0.0
    for b in range(1, len(tables.bodies)):
        if tables.bodies[b].modes > 0:
            weigh_fields_of_body(tables, b, q, v, a, work)


@kernel
def weigh_fields_of_body(tables, b, q, v, a, work):
    """:func:`weigh_fields` of one body."""
    body = tables.bodies[b]
    start, pool = body.modal_start, tables.pool
    for i in range(body.modes):
        k, place = start + tables.mode_order[body.order_start + i], body.place_start + i
        work.weight[VALUE, place], work.weight[RATE, place], work.weight[ACCEL, place] = q[k], v[k], a[k]
    weights, first, count = work.weight, body.place_start, body.form_end - body.form_start
    value = weights[VALUE, body.form_start : body.form_end]
    rate = weights[RATE, body.form_start : body.form_end]
    accel = weights[ACCEL, body.form_start : body.form_end]
    if body.form_at >= 0:
        value[:] = 0.0
        rate[:] = 0.0
        accel[:] = 0.0
    multiply_modes(weights, work.product, first, body.modes)
    for p in range(body.pair_end - body.pair_start):
        k = tables.pairs[body.pair_start + p].product
        x, u, w = work.product[VALUE, k], work.product[RATE, k], work.product[ACCEL, k]
        if body.form_at < 0:
            value[p], rate[p], accel[p] = x, u, w
            continue
        weight = pool[body.form_at + p * count : body.form_at + (p + 1) * count]
        for r in range(count):
            value[r] += weight[r] * x
            rate[r] += weight[r] * u
            accel[r] += weight[r] * w


@kernel
def multiply_modes(weights, product, first, n):
    """Products of the modal coordinates of places ``first`` on with all before them, and their two derivatives."""
    for i in range(n):
        y, s, t = weights[VALUE, first + i], weights[RATE, first + i], weights[ACCEL, first + i]
        values, rates = weights[VALUE, first : first + i + 1], weights[RATE, first : first + i + 1]
        accels, at = weights[ACCEL, first : first + i + 1], i * n
        value, rate = product[VALUE, at : at + i + 1], product[RATE, at : at + i + 1]
        accel = product[ACCEL, at : at + i + 1]
        for j in range(i + 1):
            value[j] = y * values[j]
            rate[j] = s * values[j] + y * rates[j]
            accel[j] = t * values[j] + 2.0 * s * rates[j] + y * accels[j]


@kernel
def add_products(weights, product, first, n):
    """Forces on modes from the forces on their products."""
    for i in range(n):
        y, total, at = weights[VALUE, first + i], 0.0, i * n
        values, forces = weights[VALUE, first : first + i + 1], weights[FORCE, first : first + i + 1]
        force = product[FORCE, at : at + i + 1]
        for j in range(i + 1):
            total += force[j] * values[j]
            forces[j] += force[j] * y
        weights[FORCE, first + i] += total


@kernel
def add_cubic_elasticity(tables, b, q, work, residual):
    """Forces of the cubic strain energy sum c_ra s_r q_a of body ``b``, on its modes and on its forms."""
    body = tables.bodies[b]
    if body.cubic_at < 0:
        return
    n, at = body.modes, body.cubic_at
    for r in range(body.form_end - body.form_start):
        total, size = 0.0, work.weight[VALUE, body.form_start + r]
        for i in range(n):
            total += tables.pool[at + r * n + i] * q[body.modal_start + i]
            residual[body.modal_start + i] += tables.pool[at + r * n + i] * size
        work.weight[FORCE, body.form_start + r] += total


@kernel
def cubic_energy(tables, b, q, work):
    """Cubic strain energy of body ``b``, J."""
    body, total = tables.bodies[b], 0.0
    if body.cubic_at >= 0:
        for r in range(body.form_end - body.form_start):
            for i in range(body.modes):
                coefficient = tables.pool[body.cubic_at + r * body.modes + i]
                total += coefficient * work.weight[VALUE, body.form_start + r] * q[body.modal_start + i]
    return total


@kernel
def pass_to_modes(tables, work, residual):
    """Add the generalised forces on modes: those on their places and on forms in ``work.weight[FORCE]``."""
    for b in range(1, len(tables.bodies)):
        if tables.bodies[b].modes > 0:
            pass_to_modes_of_body(tables, b, work, residual)


@kernel
def pass_to_modes_of_body(tables, b, work, residual):
    """:func:`pass_to_modes` of one body."""
    body, weights = tables.bodies[b], work.weight
    pool, first, count = tables.pool, body.place_start, body.form_end - body.form_start
    force = weights[FORCE, body.form_start : body.form_end]
    work.product[FORCE, : body.modes * body.modes] = 0.0
    for p in range(body.pair_end - body.pair_start):
        if body.form_at < 0:
            total = force[p]
        else:
            weight = pool[body.form_at + p * count : body.form_at + (p + 1) * count]
            total = 0.0
            for r in range(count):
                total += weight[r] * force[r]
        work.product[FORCE, tables.pairs[body.pair_start + p].product] += total
    add_products(weights, work.product, first, body.modes)
    for i in range(body.modes):
        residual[body.modal_start + tables.mode_order[body.order_start + i]] += weights[FORCE, first + i]
