"""Where the nodes and the boxes of a surface are at the present modal coordinates, computed when first asked for."""

from flexmbs.core.contact.surfaces.layout import (
    BOX,
    BOX_ENTRY,
    BOXES_AT,
    CACHE_AT,
    FIELD_BOXES_AT,
    FIELDS_AT,
    FORMS,
    FORMS_AT,
    MODES,
    NODE_ENTRY,
    NODES,
    PARTS,
    POSITIONS_AT,
    STAMP,
    TERMS,
)
from flexmbs.machine_code.kernel import kernel


@kernel
def header(pool, s, name):
    """A whole number of the header of surface ``s``."""
    return int(pool[s + name])


@kernel
def refresh(pool, s, q, start, cache):
    """Take note of the modal coordinates ``q[start:]`` of the body: what is known of another shape is void."""
    n, c, terms = header(pool, s, MODES), header(pool, s, CACHE_AT), header(pool, s, TERMS)
    same = cache[c + STAMP] > 0.0
    for a in range(n):
        same = same and cache[c + PARTS + a] == q[start + a]
    if same:
        return
    cache[c + STAMP] += 1.0
    for a in range(n):
        cache[c + PARTS + a] = q[start + a]
    forms = header(pool, s, FORMS)
    for r in range(forms):
        cache[c + PARTS + n + r] = form_value(pool, s, r, q, start, q, start)
    for k in range(n + forms, terms):
        cache[c + PARTS + k] = 0.0


@kernel
def refresh_rates(pool, s, q, v, start, cache):
    """Rates of the terms at modal rates ``v[start:]``; no forces on the terms yet."""
    n, c, terms = header(pool, s, MODES), header(pool, s, CACHE_AT), header(pool, s, TERMS)
    rates, forces = c + PARTS + terms, c + PARTS + 2 * terms
    for k in range(terms):
        cache[rates + k] = 0.0
        cache[forces + k] = 0.0
    for a in range(n):
        cache[rates + a] = v[start + a]
    for r in range(header(pool, s, FORMS)):
        cache[rates + n + r] = 2.0 * form_value(pool, s, r, q, start, v, start)


@kernel
def form_value(pool, s, r, x, x_start, y, y_start):
    """x^T C_r y of form ``r`` of a surface."""
    n = header(pool, s, MODES)
    at = s + header(pool, s, FORMS_AT) + r * n * n
    total = 0.0
    for a in range(n):
        row, part = pool[at + a * n : at + (a + 1) * n], 0.0
        for b in range(n):
            part += row[b] * y[y_start + b]
        total += x[x_start + a] * part
    return total


@kernel
def pass_term_forces(pool, s, q, start, cache, residual):
    """Subtract the generalised forces on the modes that follow from those on the terms."""
    n, c, terms = header(pool, s, MODES), header(pool, s, CACHE_AT), header(pool, s, TERMS)
    forces = c + PARTS + 2 * terms
    for a in range(n):
        residual[start + a] -= cache[forces + a]
    for r in range(header(pool, s, FORMS)):
        force, at = cache[forces + n + r], s + header(pool, s, FORMS_AT) + r * n * n
        if force == 0.0:
            continue
        for a in range(n):
            row, part = pool[at + a * n : at + (a + 1) * n], 0.0
            for b in range(n):
                part += row[b] * q[start + b]
            residual[start + a] -= 2.0 * force * part


@kernel
def node_position(pool, s, node, cache):
    """Where node ``node`` of the deformed surface is, body axes, m."""
    c, terms = header(pool, s, CACHE_AT), header(pool, s, TERMS)
    entry = c + PARTS + 3 * terms + NODE_ENTRY * node
    if cache[entry] != cache[c + STAMP]:
        at = s + header(pool, s, POSITIONS_AT) + 3 * node
        x, y, z = field_sum(pool, s, node, cache, c + PARTS)
        cache[entry] = cache[c + STAMP]
        cache[entry + 1], cache[entry + 2], cache[entry + 3] = pool[at] + x, pool[at + 1] + y, pool[at + 2] + z
    return cache[entry + 1], cache[entry + 2], cache[entry + 3]


@kernel
def node_velocity(pool, s, node, cache):
    """Velocity of a node relative to its body, body axes, m/s."""
    return field_sum(pool, s, node, cache, header(pool, s, CACHE_AT) + PARTS + header(pool, s, TERMS))


@kernel
def field_sum(pool, s, node, cache, weights_at):
    """Sum over the terms of the displacement of a node by each, times the numbers from ``weights_at`` on."""
    terms = header(pool, s, TERMS)
    at = s + header(pool, s, FIELDS_AT) + 3 * terms * node
    weights = cache[weights_at : weights_at + terms]
    fx, fy, fz = pool[at : at + terms], pool[at + terms : at + 2 * terms], pool[at + 2 * terms : at + 3 * terms]
    x = y = z = 0.0
    for k in range(terms):
        x += fx[k] * weights[k]
        y += fy[k] * weights[k]
        z += fz[k] * weights[k]
    return x, y, z


@kernel
def add_node_force(pool, s, node, fx, fy, fz, cache):
    """Add the generalised forces of a force (N, body axes) at a node to those on the terms."""
    c, terms = header(pool, s, CACHE_AT), header(pool, s, TERMS)
    at = s + header(pool, s, FIELDS_AT) + 3 * terms * node
    forces = cache[c + PARTS + 2 * terms : c + PARTS + 3 * terms]
    u, v, w = pool[at : at + terms], pool[at + terms : at + 2 * terms], pool[at + 2 * terms : at + 3 * terms]
    for k in range(terms):
        forces[k] += u[k] * fx + v[k] * fy + w[k] * fz


@kernel
def box_entry(pool, s, branch, cache):
    """Where the cache holds centre and half sizes of a box of the tree, body axes, m; filled if they are not known.

    The box of a branch holds its items at any q: it moves by the middle of the fields of its nodes and grows by their
    largest deviation from it.
    """
    c, terms = header(pool, s, CACHE_AT), header(pool, s, TERMS)
    entry = c + PARTS + 3 * terms + NODE_ENTRY * header(pool, s, NODES) + BOX_ENTRY * branch
    if cache[entry] == cache[c + STAMP]:
        return entry + 1
    at = s + header(pool, s, BOXES_AT) + BOX * branch
    fields = s + header(pool, s, FIELD_BOXES_AT) + 6 * terms * branch
    weights = cache[c + PARTS : c + PARTS + terms]
    cache[entry] = cache[c + STAMP]
    for i in range(3):
        middle, deviation = pool[fields : fields + terms], pool[fields + 3 * terms : fields + 4 * terms]
        centre, half = pool[at + i], pool[at + 3 + i]
        for k in range(terms):
            centre += middle[k] * weights[k]
            half += deviation[k] * abs(weights[k])
        cache[entry + 1 + i], cache[entry + 4 + i] = centre, half
        fields += terms
    return entry + 1
