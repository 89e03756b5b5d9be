"""What shares a load with others: closed rigid contacts, and joints with friction that are at rest.

A joint is a contact whose normal force N is given, so that it neither opens nor presses anything: W_nn y_n = lam_n - N.
Its tangents are the motions that share its cone. Members have the number of their contact, or, behind all contacts, of
their switch: there ``State.active`` has their mode.
"""

from __future__ import annotations

from flexmbs.core.laws.contact.rigid import FRICTION, STATIC_FRICTION
from flexmbs.core.laws.force.sliding_joints import held_components
from flexmbs.core.layout.switch_tables import SLOT
from flexmbs.machine_code.kernel import kernel


@kernel
def are_members(tables):
    """Whether joints with friction are decided with contacts: not where one is spherical, whose cone has three motions."""
    for j in range(len(tables.joint_frictions)):
        if tables.joint_frictions[j].motions == 0:
            return False
    return len(tables.joint_frictions) > 0


@kernel
def joint_of(tables, c):
    """The joint friction of a member; -1: a contact."""
    return tables.switches[c - len(tables.contacts)].start if c >= len(tables.contacts) else -1


@kernel
def member_of(tables, state, s):
    """The member that slot ``s`` serves, or whose switch that is."""
    first = len(tables.contacts)
    return state.active[first + s] - 1 if tables.switches[s].kind == SLOT else first + s


@kernel
def memory_of(tables, c):
    """Where the numbers of a member begin in ``State.contact_history``."""
    return tables.contacts[c].history_at if c < len(tables.contacts) else tables.joint_frictions[joint_of(tables, c)].history_at


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
def force_on(tables, a, rigid, s, k):
    """Force at switch ``s`` along its normal (``k`` 0) or a tangent, N; of joints with the normal forces last evaluated."""
    if tables.switches[s].kind == SLOT:
        return a[tables.switches[s].row + k]
    j = tables.switches[s].start
    x, y, _z = held_components(tables, tables.joint_frictions[j], a)
    return rigid.joint_load[j] if k == 0 else x if k == 1 else y


@kernel
def set_force(tables, a, s, k, force):
    """Give the multipliers of switch ``s`` such a force; the normal force of a joint is not its own."""
    row = tables.switches[s].row
    if tables.switches[s].kind == SLOT:
        a[row + k] = force
        return
    friction = tables.joint_frictions[tables.switches[s].start]
    if k == 1:
        a[row] = force * friction.first_radius
    elif k == 2 and friction.motions == 2:
        a[row + 1] = force * friction.second_radius
