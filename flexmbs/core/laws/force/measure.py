"""What elements act along: a joint coordinate, the distance of two markers, or an angle between them about an axis.

The angle between markers is that of the rotation R = R_a^T R_b about the unit axis n (of a),
    tan(angle) = n . ax / (tr R - n . R n),  ax the axial part of R - R^T.
Its rate is c . w (w of b relative to a), c = (n_a + n_b) / (1 + n_a . n_b) with n_a, n_b the axis as it sits in a and
in b: a torque along c does the work of the angle, in every position.  Turns are counted: of all angles of R it is the one
nearest to the angle at the last accepted step, or to that of hinges (core.layout.force_tables.TURN).
"""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.layout.force_tables import COORDINATE_ELEMENT, HALF_TURN, LINE_ELEMENT, TURN_ANGLE, TURN_KNOWN, TURN_RATE
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import markers_in_world
from flexmbs.core.mechanics.rotation import rotation_vector
from flexmbs.core.mechanics.vectors import components, cross, difference, dot, relative_rotation, rotate
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2

LARGEST_TURN = 2.0  # rad in a step, at the rate of its start; the count would fail at pi


@kernel
def measure(tables, element, q, v, a, contact_history, work):
    """Coordinate, its rate, and (line, angle) the direction in the world; frames in ``work.marker`` (A, B)."""
    if element.geometry == COORDINATE_ELEMENT:
        return q[element.a], v[element.a], 0.0, 0.0, 0.0
    frame_a, frame_b = markers_in_world(tables, element, q, v, a, work)
    if element.geometry == LINE_ELEMENT:
        return along_line(frame_a, frame_b)
    angle, rate, cx, cy, cz = about_axis(frame_a, frame_b, tables.turns[element.turn].axis)
    return counted(tables, element.turn, angle, q, contact_history), rate, cx, cy, cz


@kernel
def counted(tables, number, angle, q, contact_history):
    """``angle`` (rad, up to whole turns) of ``tables.turns[number]`` with the turns so far."""
    near = angle_nearby(tables, tables.turns[number], q, contact_history)
    return angle + 2.0 * math.pi * np.floor((near - angle) / (2.0 * math.pi) + 0.5)


@kernel
def angle_nearby(tables, turn, q, contact_history):
    """What differs from the angle of ``turn`` by less than half a turn."""
    if turn.kept != 0 and contact_history[turn.at + TURN_KNOWN] != 0.0:
        return contact_history[turn.at + TURN_ANGLE]
    near = turn.offset
    for k in range(turn.start, turn.end):
        near += tables.terms[k].factor * q[tables.terms[k].coordinate]
    return near


@kernel
def longest_step(tables, state):
    """How long the next step may be so that no angle turns too far to be counted, s."""
    longest = math.inf
    for i in range(len(tables.turns)):
        rate = state.contact_history[tables.turns[i].at + TURN_RATE]
        longest = min(longest, LARGEST_TURN / max(abs(rate), 1e-300))
    return longest


@entry
def keep_turns(
    tables: Tables, t: float, q: Floats, v: Floats, a: Floats, reference: Floats2, work: Workspace, contact_history: Floats
) -> None:
    """Remember the angles at the end of a step, at time ``t``, and which general rotations have passed half a turn."""
    moved, R_AB = False, work.scratch[0].R
    for i in range(len(tables.turns)):
        turn = tables.turns[i]
        memory = contact_history[turn.at :]
        if turn.kept == 0:  # what another system would count on from (start=)
            memory[TURN_ANGLE], memory[TURN_KNOWN] = angle_nearby(tables, turn, q, contact_history), 1.0
            continue
        if not moved:
            hide_condensed(tables, q, v, a, work)
            forward_kinematics(tables, q, v, a, reference, work)
            moved = True
        frame_a, frame_b = markers_in_world(tables, turn, q, v, a, work)
        if dot(turn.axis, turn.axis[0], turn.axis[1], turn.axis[2]) > 0.0:
            angle, rate, _x, _y, _z = about_axis(frame_a, frame_b, turn.axis)
            angle = counted(tables, i, angle, q, contact_history)
            memory[TURN_ANGLE], memory[TURN_KNOWN], memory[TURN_RATE] = angle, 1.0, rate
            continue
        relative_rotation(frame_a.R_WM, frame_b.R_WM, R_AB)
        x, y, z = rotation_vector(R_AB)
        if (x - memory[0]) ** 2 + (y - memory[1]) ** 2 + (z - memory[2]) ** 2 > math.pi**2 and memory[HALF_TURN] == 0.0:
            memory[HALF_TURN] = t
        memory[0], memory[1], memory[2] = x, y, z
    if moved:
        show_condensed(tables, a, work)


@kernel
def along_line(frame_a, frame_b):
    """Distance of two frames, its rate, unit vector from a to b (zero where they coincide: no direction, no force)."""
    dx, dy, dz = difference(frame_b.p_WM, frame_a.p_WM)
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    ux, uy, uz = difference(frame_b.v_WM, frame_a.v_WM)
    nx, ny, nz = dx / length, dy / length, dz / length
    return length, nx * ux + ny * uy + nz * uz, nx, ny, nz


@kernel
def about_axis(frame_a, frame_b, axis):
    """Angle of b against a about ``axis`` (3) of a, its rate, and the vector c."""
    nx, ny, nz = components(axis)
    ax, ay, az = rotate(frame_a.R_WM, nx, ny, nz)
    bx, by, bz = rotate(frame_b.R_WM, nx, ny, nz)
    trace, sx, sy, sz = trace_and_axial_part(frame_a.R_WM, frame_b.R_WM)
    cosine = ax * bx + ay * by + az * bz
    angle = math.atan2(ax * sx + ay * sy + az * sz, trace - cosine)
    scale = 1.0 / (1.0 + cosine)
    cx, cy, cz = scale * (ax + bx), scale * (ay + by), scale * (az + bz)
    wx, wy, wz = difference(frame_b.w_WM, frame_a.w_WM)
    return angle, cx * wx + cy * wy + cz * wz, cx, cy, cz


@kernel
def trace_and_axial_part(R_WA, R_WB):
    """Of R_WB R_WA^T, which has the trace of R_AB: trace, and axial part of the matrix minus its transpose."""
    trace = sx = sy = sz = 0.0
    for k in range(3):
        ax, ay, az = R_WA[0, k], R_WA[1, k], R_WA[2, k]
        bx, by, bz = R_WB[0, k], R_WB[1, k], R_WB[2, k]
        px, py, pz = cross(ax, ay, az, bx, by, bz)
        trace += ax * bx + ay * by + az * bz
        sx, sy, sz = sx + px, sy + py, sz + pz
    return trace, sx, sy, sz


@kernel
def apply(tables, element, force, nx, ny, nz, q, work, residual):
    """Apply ``force`` along what :func:`measure` has just measured; positive drives it up."""
    if element.geometry == COORDINATE_ELEMENT:
        residual[element.a] -= force
        return
    frame_a, frame_b = work.marker[A], work.marker[B]
    x, y, z = force * nx, force * ny, force * nz
    if element.geometry == LINE_ELEMENT:
        add_force(tables, element.b, q, frame_b, x, y, z, 0.0, 0.0, 0.0, work, residual)
        add_force(tables, element.a, q, frame_a, -x, -y, -z, 0.0, 0.0, 0.0, work, residual)
    else:
        add_force(tables, element.b, q, frame_b, 0.0, 0.0, 0.0, x, y, z, work, residual)
        add_force(tables, element.a, q, frame_a, 0.0, 0.0, 0.0, -x, -y, -z, work, residual)
