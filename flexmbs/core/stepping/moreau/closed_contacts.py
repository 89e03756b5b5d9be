"""Which contacts enter a step: those without a gap at its middle; what their impulses do to the unknowns."""

from flexmbs.core.constraints.contact_slot import least_aligned, put_tangents
from flexmbs.core.contact.gap import contact_geometry, relative_velocity
from flexmbs.core.contact.groups import occupy, pairs_for_ever
from flexmbs.core.equations.residual import pass_to_parent
from flexmbs.core.layout.frames import B
from flexmbs.core.layout.switch_tables import OPEN, STEP_MODE
from flexmbs.core.layout.tables import FORCE
from flexmbs.core.mechanics.quadratic_forms import pass_to_modes_of_body
from flexmbs.core.mechanics.touching_forces import push_apart
from flexmbs.core.mechanics.vectors import components, dot
from flexmbs.core.stepping.moreau.block_matrices import solve_block
from flexmbs.core.stepping.moreau.group_pairs import find_pairs
from flexmbs.machine_code.kernel import kernel


@kernel
def find_closed(tables, state, work, stepping):
    """List the contacts that enter in ``stepping.closed``, with their geometry; False when there are too many.

    The frames of the bodies at the middle of the step are current in ``work``.
    """
    stepping.count = 0
    stepping.column_start[0] = 0
    for b in range(len(tables.bodies)):
        for k in range(3):
            stepping.joint_point[b, k] = work.joint_point[b, k]
    for c in range(pairs_for_ever(tables)):
        if tables.contacts[c].rigid == 0:
            continue
        gap, _rate, _x, _y, _z = contact_geometry(tables, c, state.q, state.v, state.a, work)
        if gap > 0.0:
            open_stepped(tables, state, c)
        elif not add_closed(tables, state, work, stepping, c):
            return False
    for g in range(len(tables.groups)):
        if not find_pairs(tables, g, state, work, stepping):
            return False
        for c in range(tables.groups[g].slot_start, tables.groups[g].slot_end):
            if state.active[c] == OPEN:
                continue
            occupy(tables, c, state.active[c], work)
            contact_geometry(tables, c, state.q, state.v, state.a, work)
            if not add_closed(tables, state, work, stepping, c):
                return False
    stepping.most = max(stepping.most, stepping.count)
    return True


@kernel
def open_stepped(tables, state, c):
    """Contact ``c`` carries nothing in this step."""
    state.active[c] = OPEN
    at = tables.contacts[c].history_at
    for k in range(tables.contacts[c].history):
        state.contact_history[at + k] = 0.0


@kernel
def add_closed(tables, state, work, stepping, c):
    """One more contact, whose geometry was evaluated last; False when there is no room."""
    i, touch, axes = stepping.count, work.touch[0], work.scratch[0]
    if i == stepping.closed.shape[0]:
        return False
    put_tangents(touch.n, work.marker[B].R_WM, least_aligned(touch.n, work.marker[B].R_WM), axes.u, axes.v)
    for k in range(3):
        stepping.axes[i, 0, k], stepping.axes[i, 1, k], stepping.axes[i, 2, k] = touch.n[k], axes.u[k], axes.v[k]
        stepping.place[i, k] = touch.p[k]
    ux, uy, uz = relative_velocity(work.marker[0], work.marker[1], touch)
    stepping.closed[i] = c
    start = stepping.column_start[i]
    end = list_unknowns(tables, work, stepping, c, start)
    stepping.column_start[i + 1] = end
    for d in range(3):
        set_column(tables, state, work, stepping, i, d)
        stepping.speed_before[i, d] = dot(stepping.axes[i, d], ux, uy, uz)
    for d in range(3):
        speed = stepping.speed_before[i, d]
        for at in range(start, end):
            speed += stepping.direction[d, at] * stepping.change[stepping.column_unknown[at]]
        stepping.speed_free[i, d] = speed
        for e in range(3):
            total = 0.0
            for at in range(start, end):
                total += stepping.direction[d, at] * stepping.response[e, at]
            stepping.own[i, d, e] = total
    stepping.count += 1
    return True


@kernel
def bodies_of(tables, work, c):
    """The two bodies of contact ``c``."""
    contact = work.contact[c]
    return tables.markers[contact.a].body, tables.markers[contact.b].body


@kernel
def list_unknowns(tables, work, stepping, c, start):
    """Unknowns that an impulse of contact ``c`` moves, from ``start`` on in ``stepping.column_unknown``; their end."""
    a, b = bodies_of(tables, work, c)
    first, second, end = stepping.block_of_body[a], stepping.block_of_body[b], start
    for turn in range(2):
        block = first if turn == 0 else second
        if block < 0 or (turn == 1 and second == first):
            continue
        for at in range(stepping.block_start[block], stepping.block_start[block + 1]):
            stepping.column_unknown[end] = stepping.block_unknowns[at]
            end += 1
    return end


@kernel
def set_column(tables, state, work, stepping, i, d):
    """Generalised force of a unit impulse of contact number ``i`` along its axis ``d``, and what it changes."""
    c, out = stepping.closed[i], stepping.generalised
    a, b = bodies_of(tables, work, c)
    out[:] = 0.0
    clear_paths(tables, a, b, work, stepping)
    x, y, z = components(stepping.axes[i, d])
    push_apart(tables, work.contact[c].a, work.contact[c].b, state.q, x, y, z, 0.0, 0.0, 0.0, work, out)
    first, second = a, b
    while first != 0 or second != 0:  # the later body first: its wrench goes into those before it
        body = max(first, second)
        pass_to_parent(tables, body, state.q, work, out)
        if tables.bodies[body].modes > 0:
            pass_to_modes_of_body(tables, body, work, out)
        parent = tables.markers[tables.bodies[body].parent_marker].body
        first, second = parent if first == body else first, parent if second == body else second
    start, end = stepping.column_start[i], stepping.column_start[i + 1]
    for at in range(start, end):
        k = tables.free[stepping.column_unknown[at]]
        known = tables.coordinates[k].multiplier != 0
        stepping.direction[d, at] = 0.0 if known else -out[k]
        stepping.response[d, at] = stepping.direction[d, at]
    first, second = stepping.block_of_body[a], stepping.block_of_body[b]
    if first >= 0:
        size = stepping.block_start[first + 1] - stepping.block_start[first]
        solve_block(state, stepping, first, stepping.response[d, start : start + size])
        start += size
    if second >= 0 and second != first:
        solve_block(state, stepping, second, stepping.response[d, start:end])


@kernel
def clear_paths(tables, a, b, work, stepping):
    """No wrenches and no forces on modes of two bodies and of all between them and ground."""
    for turn in range(2):
        body = a if turn == 0 else b
        while body != 0:
            wrench, record = work.wrench[body], tables.bodies[body]
            for k in range(3):
                wrench.force[k] = wrench.moment[k] = 0.0
                work.joint_point[body, k] = stepping.joint_point[body, k]
            for at in range(record.place_start, record.place_end):
                work.weight[FORCE, at] = 0.0
            for at in range(record.form_start, record.form_end):
                work.weight[FORCE, at] = 0.0
            body = tables.markers[record.parent_marker].body


@kernel
def mode_before(tables, state, c):
    """What contact ``c`` did in the step before."""
    return int(state.contact_history[tables.contacts[c].history_at + STEP_MODE])
