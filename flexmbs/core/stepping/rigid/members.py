"""What shares a load with others: closed rigid contacts, and joints with friction that are at rest.

A joint is a contact whose normal force N is given, so that it neither opens nor presses anything: W_nn y_n = lam_n - N.
Its tangents are the motions that share its cone. A spherical joint, which has three, is two members: about x and y, and
about z, with the parts of N that its slip has in them. Members have the number of their contact, or, behind all contacts,
of their switch (where ``State.active`` has their mode), or, behind all switches, of the switch whose second part they are.
"""

import math

from flexmbs.core.laws.contact.rigid import FRICTION, STATIC_FRICTION
from flexmbs.core.layout.friction_tables import SECOND_PART
from flexmbs.core.layout.switch_tables import COMPLIANCE, LOAD, SLOT, SLOT_OF, STICKING
from flexmbs.machine_code.kernel import kernel

NO_ROW = -1


@kernel
def mode_at(tables, j):
    """The member that joint friction ``j`` is, or its first part: where its mode stands in ``State.active``."""
    return len(tables.contacts) + tables.joint_frictions[j].switch


@kernel
def is_second(tables, c):
    """Whether a member is the second part of a spherical joint."""
    return c >= len(tables.contacts) + len(tables.switches)


@kernel
def second_part(tables, c):
    """The second part of the spherical joint whose first one is ``c``."""
    return c + len(tables.switches)


@kernel
def slot_of(tables, state, c):
    """The switch of a member: the slot that serves a contact."""
    if c < len(tables.contacts):
        return int(state.contact_history[tables.contacts[c].history_at + SLOT_OF])
    return c - len(tables.contacts) - (len(tables.switches) if is_second(tables, c) else 0)


@kernel
def joint_of(tables, c):
    """The joint friction of a member; -1: a contact."""
    if c < len(tables.contacts):
        return -1
    return tables.switches[c - len(tables.contacts) - (len(tables.switches) if is_second(tables, c) else 0)].start


@kernel
def member_of(tables, state, s):
    """The member that slot ``s`` serves, or whose switch that is."""
    first = len(tables.contacts)
    return state.active[first + s] - 1 if tables.switches[s].kind == SLOT else first + s


@kernel
def memory_of(tables, c):
    """Where the numbers of a member begin in ``State.contact_history``."""
    if c < len(tables.contacts):
        return tables.contacts[c].history_at
    return tables.joint_frictions[joint_of(tables, c)].history_at + (SECOND_PART if is_second(tables, c) else 0)


@kernel
def kinetic_friction(tables, c):
    """Coefficient of a member that slides."""
    if c >= len(tables.contacts):
        return tables.joint_frictions[joint_of(tables, c)].dynamic
    return tables.pool[tables.contacts[c].at + FRICTION]


@kernel
def static_friction(tables, c):
    """Coefficient of a member that sticks."""
    if c >= len(tables.contacts):
        return tables.joint_frictions[joint_of(tables, c)].static
    return tables.pool[tables.contacts[c].at + STATIC_FRICTION]


@kernel
def row_of(tables, state, c, k):
    """Row of a member along its normal (``k`` 0) or a tangent; NO_ROW: it has none."""
    row, j = tables.switches[slot_of(tables, state, c)].row, joint_of(tables, c)
    if j < 0:
        return row + k
    if is_second(tables, c):
        return row + 2 if k == 1 else NO_ROW
    return NO_ROW if k == 0 or k == 2 and tables.joint_frictions[j].motions == 1 else row + k - 1


@kernel
def scale_of(tables, c, k):
    """Velocity in m/s of a row of a member per unit of its own; so many of its multipliers are 1 N."""
    j = joint_of(tables, c)
    if j < 0:
        return 1.0
    friction = tables.joint_frictions[j]
    return friction.second_radius if k == 2 and friction.motions == 2 else friction.first_radius


@kernel
def share_row(tables, state, c, k):
    """Row of a member in ``Workspace.sharing``: three of each switch."""
    return 3 * slot_of(tables, state, c) + (0 if is_second(tables, c) else k)


@kernel
def place_rows(tables, state, rigid, c, i):
    """Rows of the member ``c`` as number ``i`` of an event."""
    rigid.closed[i], rigid.joint_of[i] = c, joint_of(tables, c)
    for k in range(3):
        rigid.row[3 * i + k], rigid.row_scale[3 * i + k] = row_of(tables, state, c, k), scale_of(tables, c, k)


@kernel
def place_joint(tables, state, rigid, j, i):
    """Joint friction ``j``, which sticks meanwhile, as number ``i`` of an event; the number behind it."""
    c = mode_at(tables, j)
    state.active[c], state.contact_history[memory_of(tables, c) + COMPLIANCE] = STICKING, 0.0
    place_rows(tables, state, rigid, c, i)
    if tables.joint_frictions[j].motions != 0:
        return i + 1
    place_rows(tables, state, rigid, second_part(tables, c), i + 1)
    return i + 2


@kernel
def force_on(tables, state, a, rigid, c, k):
    """Force of a member along its normal (``k`` 0) or a tangent, N; of joints with the normal forces last evaluated."""
    row, j = row_of(tables, state, c, k), joint_of(tables, c)
    if j < 0 or k > 0:
        return a[row] / scale_of(tables, c, k) if row != NO_ROW else 0.0
    share, friction = 1.0, tables.joint_frictions[j]
    if friction.motions == 0:  # the part that it had
        own, first = state.contact_history[memory_of(tables, c) + LOAD], state.contact_history[friction.history_at + LOAD]
        share = own / max(math.hypot(first, state.contact_history[friction.history_at + SECOND_PART + LOAD]), 1e-300)
    return share * rigid.joint_load[j]


@kernel
def set_force(tables, state, a, c, k, force):
    """Give a row of a member the multiplier of such a force; the normal force of a joint is not its own."""
    row = row_of(tables, state, c, k)
    if row != NO_ROW:
        a[row] = force * scale_of(tables, c, k)
