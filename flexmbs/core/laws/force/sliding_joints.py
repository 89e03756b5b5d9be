"""Friction that sticks in joints, where they slide: -mu N against the slip, with the N of the same instant.

Where they stick, rows of the constraints hold them (core.constraints.sticking_joint).
"""

import math

from flexmbs.core.laws.force.joint_slip import direction_of_sliding, joint_slip, pressing_force
from flexmbs.core.layout.force_tables import ELEMENT_FORCE, ELEMENT_POWER, MEASURED, MEASURED_RATE
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.friction_tables import SLIDES_ALONG
from flexmbs.core.layout.switch_tables import SLIDING, STICKING
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.vectors import rotate
from flexmbs.machine_code.kernel import kernel


@kernel
def add_joint_frictions(tables, active, contact_history, q, v, a, work, residual):
    """Friction of all joints that slide; reactions are current. What each records stays in ``work.record``."""
    first = len(tables.contacts)
    for j in range(len(tables.joint_frictions)):
        friction = tables.joint_frictions[j]
        mode = active[first + friction.switch]
        record, slip, force = tables.elements[friction.element].at, 0.0, 0.0
        if mode == SLIDING:
            slip, force = add_sliding(tables, friction, contact_history, q, v, a, work, residual)
        elif mode == STICKING:
            force = held_force(tables, friction, a)
        # along a coordinate or about a point; of two motions along the slip, in N
        r = 1.0 if friction.motions == 2 else friction.first_radius
        if friction.motions == 1 and mode == SLIDING and contact_history[friction.history_at + SLIDES_ALONG] < 0.0:
            slip, force = -slip, -force
        work.record[record + MEASURED] = q[friction.first] if friction.motions == 1 else 0.0
        work.record[record + MEASURED_RATE], work.record[record + ELEMENT_FORCE] = slip / r, force * r
        work.record[record + ELEMENT_POWER] = force * slip


@kernel
def add_sliding(tables, friction, contact_history, q, v, a, work, residual):
    """Friction of a joint that slides onto the residual; slip velocity (m/s) and friction (N) along its direction."""
    normal = pressing_force(tables, friction, q, v, a, work)
    x, y, z = joint_slip(tables, friction, q, v, a, work)
    dx, dy, dz = direction_of_sliding(friction, contact_history, x, y, z)
    force, r = -friction.dynamic * normal, friction.first_radius
    if friction.motions == 0:
        push_ball(tables, friction, r * force * dx, r * force * dy, r * force * dz, q, work, residual)
    else:
        residual[friction.first] -= r * force * dx
        if friction.motions == 2:
            residual[friction.second] -= friction.second_radius * force * dy
    return dx * x + dy * y + dz * z, force


@kernel
def push_ball(tables, friction, x, y, z, q, work, residual):
    """Apply a moment (axes of marker a) on the second body of a spherical joint, whose frames are in ``work``."""
    frame_a, frame_b = work.marker[A], work.marker[B]
    x, y, z = rotate(frame_a.R_WM, x, y, z)
    add_force(tables, friction.b, q, frame_b, 0.0, 0.0, 0.0, x, y, z, work, residual)
    add_force(tables, friction.a, q, frame_a, 0.0, 0.0, 0.0, -x, -y, -z, work, residual)


@kernel
def held_components(tables, friction, a):
    """Friction of a joint that sticks, N: its multipliers over the radii."""
    row, r = tables.switches[friction.switch].row, friction.first_radius
    if friction.motions == 0:
        return a[row] / r, a[row + 1] / r, a[row + 2] / r
    return a[row] / r, a[row + 1] / friction.second_radius if friction.motions == 2 else 0.0, 0.0


@kernel
def held_force(tables, friction, a):
    """Friction of a joint that sticks, N: with its sign along one coordinate, else its size."""
    x, y, z = held_components(tables, friction, a)
    return x if friction.motions == 1 else math.sqrt(x * x + y * y + z * z)
