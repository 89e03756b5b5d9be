"""Normal forces of joints with friction by all forces at once: N of the reaction R = R_0 + sum of lam_r dR/dlam_r.

So also their impulses. Each depends on all members of the problem, so that both are found by turns.
"""

from flexmbs.core.laws.force.joint_slip import pressing_force
from flexmbs.core.layout.friction_tables import GIVEN
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.stepping.rigid.delassus import evaluate
from flexmbs.core.stepping.rigid.members import NO_ROW
from flexmbs.machine_code.kernel import kernel

DEPENDENT = 1e-12  # mobility of a slip, of the largest: it cannot change
MOST_ROUNDS = 100


@kernel
def is_driven(tables, friction):
    """Whether a driver moves it: then it slips as that says, and nothing is to be decided."""
    for i in range(friction.motions):
        k = friction.first if i == 0 else friction.second
        if tables.coordinates[k].signal >= 0:
            return True
    return False


@kernel
def follows_reaction(tables, j):
    """Whether the normal force of joint friction ``j`` is the reaction, and no driver says how it slips."""
    return tables.joint_frictions[j].load != GIVEN and not is_driven(tables, tables.joint_frictions[j])


@kernel
def keep_reaction(tables, work, rigid, j):
    """The present reaction of joint friction ``j`` in ``rigid.bearing_before``, from where it changes."""
    reaction = work.reaction[tables.joint_frictions[j].reaction]
    for k in range(3):
        rigid.bearing_before[j, k], rigid.bearing_before[j, 3 + k] = reaction.force[k], reaction.moment[k]


@kernel
def leave_out(rigid, r, size):
    """Row ``r`` of ``size`` members, along which nothing can change."""
    rigid.row[r] = NO_ROW
    rigid.delassus[r, : 3 * size] = 0.0
    rigid.delassus[: 3 * size, r] = 0.0
    rigid.response[r, :] = 0.0


@kernel
def read_all_bearings(tables, state, scratch, work, rigid, size):
    """Reactions by unit forces on the rows of ``size`` members, with what these change, ``rigid.response``."""
    for r in range(3 * size):
        if rigid.row[r] != NO_ROW:
            change, out = rigid.response[r], rigid.bearing[r]
            read_bearings(tables, state, scratch, work, rigid, change, rigid.row[r], rigid.row_scale[r], out)


@kernel
def read_bearings(tables, state, scratch, work, rigid, x, row, impulse, out):
    """out (joints, 6): impulses of the bearings by changes ``x`` (free,) of the velocities, and ``impulse`` on a row."""
    copy_vector(state.a, rigid.kept)
    for sign in range(2):
        state.a[:] = 0.0
        if sign == 1:
            for i in range(len(tables.free)):
                state.a[tables.free[i]] = x[i]
            if row != NO_ROW:
                state.a[row] = impulse
        evaluate(tables, state, scratch, work)
        for j in range(len(tables.joint_frictions)):
            if not follows_reaction(tables, j):
                continue
            reaction = work.reaction[tables.joint_frictions[j].reaction]
            for k in range(3):
                force, moment = reaction.force[k], reaction.moment[k]
                out[j, k] = force if sign == 0 else force - out[j, k]
                out[j, 3 + k] = moment if sign == 0 else moment - out[j, 3 + k]
    copy_vector(rigid.kept, state.a)


@kernel
def renew_bearings(tables, state, work, rigid, force, count, size, part):
    """Normal forces of the joints behind ``count`` contacts by all forces, in ``rigid.joint_load``: the largest, its change.

    ``part`` of the change is made.
    """
    largest = change = 0.0
    for i in range(count, size):
        j = rigid.joint_of[i]
        friction = tables.joint_frictions[j]
        if follows_reaction(tables, j):
            reaction = work.reaction[friction.reaction]
            for k in range(3):
                reaction.force[k], reaction.moment[k] = rigid.bearing_before[j, k], rigid.bearing_before[j, 3 + k]
                for r in range(3 * size):
                    if rigid.row[r] != NO_ROW:
                        reaction.force[k] += force[r] * rigid.bearing[r, j, k]
                        reaction.moment[k] += force[r] * rigid.bearing[r, j, 3 + k]
        load = pressing_force(tables, friction, state.q, state.v, state.a, work)
        largest, change = max(largest, load), max(change, abs(load - rigid.joint_load[j]))
        rigid.joint_load[j] += part * (load - rigid.joint_load[j])
    return largest, change
