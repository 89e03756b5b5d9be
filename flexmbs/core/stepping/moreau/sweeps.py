"""Impulses of all contacts of a step: Gauss and Seidel's method on the exact cones of friction, without a matrix.

The velocities of the unknowns change with every impulse, so that a sweep costs the sum of the columns (Jean, Comput.
Methods Appl. Mech. Engrg. 177 (1999) 235; Acary and Brogliato 2008, ch. 13.7). Sweeps go to and fro.
"""

import math

from flexmbs.core.contact.rigid.single_contact import solve_single
from flexmbs.core.laws.contact.rigid import RESTITUTION, TANGENTIAL_RESTITUTION
from flexmbs.machine_code.kernel import kernel

FEW = 16  # contacts, each of which is then solved exactly in every sweep
FIXED = 1e-12  # of the largest entry: freedoms along which a contact cannot move
LEAST_STEP = 1e-12  # kg, of a contact that cannot move along its surface


@kernel
def start_sweeps(tables, stepping):
    """Steps of the contacts; ``change`` with the impulses from which the sweeps start. The size of speeds, m/s."""
    size = 0.0
    for i in range(stepping.count):
        own = stepping.own[i]
        mean, half = 0.5 * (own[1, 1] + own[2, 2]), 0.5 * (own[1, 1] - own[2, 2])
        tangent = mean + math.sqrt(max(half * half + own[1, 2] * own[2, 1], 0.0))
        largest = max(own[0, 0], tangent)
        stepping.step_length[i, 0] = 1.0 / own[0, 0] if own[0, 0] > FIXED * largest else 0.0
        stepping.step_length[i, 1] = 1.0 / tangent if tangent > FIXED * largest else 0.0
        for d in range(3):
            size = max(size, abs(stepping.speed_free[i, d]), abs(stepping.speed_before[i, d]))
            give(stepping, i, d, stepping.impulse[i, d])
    return size


@kernel
def give(stepping, i, d, impulse):
    """Change the velocities by an impulse of contact number ``i``."""
    for at in range(stepping.column_start[i], stepping.column_start[i + 1]):
        stepping.change[stepping.column_unknown[at]] += impulse * stepping.response[d, at]


@kernel
def solve_impulses(tables, stepping, free_change, most_sweeps, tolerance):
    """Sweep until no impulse changes its speed by more than ``tolerance`` (m/s); what is left, m/s.

    ``free_change`` (free,) of velocities without contacts.
    """
    left = 0.0
    for sweep in range(most_sweeps):
        left = 0.0
        stepping.sweeps += 1
        for turn in range(stepping.count):
            i = turn if sweep % 2 == 0 else stepping.count - 1 - turn
            left = max(left, solve_contact(tables, stepping, free_change, i))
        if left <= tolerance:
            break
    return left


@kernel
def present_speed(stepping, free_change, i, d):
    """Speed of contact number ``i`` along its axis ``d`` with the present change of velocities, m/s."""
    speed = stepping.speed_free[i, d]
    for at in range(stepping.column_start[i], stepping.column_start[i + 1]):
        unknown = stepping.column_unknown[at]
        speed += stepping.direction[d, at] * (stepping.change[unknown] - free_change[unknown])
    return speed


@kernel
def solve_contact(tables, stepping, free_change, i):
    """Solve contact number ``i`` with the impulses of the others as they are; by how much its speed changed, m/s."""
    at, own = tables.contacts[stepping.closed[i]].at, stepping.own[i]
    force, before = stepping.local, stepping.impulse[i]
    for d in range(3):
        speed = present_speed(stepping, free_change, i, d)
        for e in range(3):
            speed -= own[d, e] * before[e]
        old = stepping.speed_before[i, d]
        if d == 0:
            speed += tables.pool[at + RESTITUTION] * min(old, 0.0)
        else:
            speed += tables.pool[at + TANGENTIAL_RESTITUTION] * old
        force[d] = speed
    normal_step, tangent_step, mu = stepping.step_length[i, 0], stepping.step_length[i, 1], stepping.limit[i]
    solved, n, u, v = False, 0.0, 0.0, 0.0
    if stepping.count <= FEW and normal_step > 0.0 and (tangent_step > 0.0 or mu == 0.0):
        solved, n, u, v = solve_single(own, 0, force[0], force[1], force[2], 0.0, mu, normal_step, max(tangent_step, LEAST_STEP))
    if not solved:
        n, u, v = project(own, force, before, mu, normal_step, tangent_step)
    change = 0.0
    for d in range(3):
        new = n if d == 0 else u if d == 1 else v
        difference = new - before[d]
        if difference != 0.0:
            give(stepping, i, d, difference)
            change = max(change, abs(difference) * own[d, d])
        before[d] = new
    return change


@kernel
def project(own, speed, before, mu, normal_step, tangent_step):
    """A step of each impulse onto its cone; ``speed``: without the present impulse ``before``."""
    n, u, v = before[0], before[1], before[2]
    n = max(0.0, -normal_step * (speed[0] + own[0, 1] * u + own[0, 2] * v))
    if mu == 0.0:
        return n, 0.0, 0.0
    along = speed[1] + own[1, 0] * n + own[1, 1] * u + own[1, 2] * v
    across = speed[2] + own[2, 0] * n + own[2, 1] * u + own[2, 2] * v
    u, v = u - tangent_step * along, v - tangent_step * across
    size, radius = math.sqrt(u * u + v * v), mu * n
    part = radius / size if size > radius else 1.0
    return n, part * u, part * v
