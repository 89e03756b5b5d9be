"""A contact at points of a step: its gap, how fast that changes, and what bounds it between two points.

Between rows that its method has filled a step is followed by quintics (core.equations.quintic_interpolation), as
results read it. All contacts at one point cost one forward pass; one contact alone moves only the bodies between ground
and its two.
"""

from __future__ import annotations

import math

from flexmbs.core.contact.gap import contact_geometry
from flexmbs.core.contact.groups import pairs_for_ever
from flexmbs.core.equations.massless_patches import balance_patches
from flexmbs.core.equations.quintic_interpolation import quintic
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.state import Scratch, State
from flexmbs.core.layout.tables import BALL, SHAPE_PAIR, SPHERE_SPHERE, SURFACES, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics, move_body, place_ground
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.quadratic_forms import weigh_fields_of_body
from flexmbs.core.mechanics.signals import evaluate_signals, impose_driver
from flexmbs.core.mechanics.vectors import components, cross, difference
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

LEFT, RIGHT, INSIDE = range(3)  # rows of Workspace.one_gap; of the first two also of Workspace.gap_motion


@kernel
def piece_of(rows, x):
    """Which of the ``rows`` + 1 pieces of a step holds point ``x`` (0 to 1) of it, and where in the piece that is."""
    piece = min(int(x * (rows + 1.0)), rows)
    return piece, x * (rows + 1.0) - piece


@kernel
def at_end(start, rows_inside, end, rows, i, k):
    """Coordinate ``k`` at the start of piece ``i`` of a step: at its start, at a row inside, at its end."""
    if i == 0:
        return start[k]
    return rows_inside[i - 1, k] if i <= rows else end[k]


@entry
def all_gaps(tables: Tables, state: State, scratch: Scratch, work: Workspace, h: float, rows: int, x: float, end: int) -> None:
    """``work.gap_motion[end]`` of all contacts at point ``x`` of a step with ``rows`` inside."""
    move_all(tables, state, scratch, work, h, rows, x)
    q, v, a = scratch.point_q, scratch.point_v, scratch.point_a
    single = pairs_for_ever(tables)
    for c in range(len(tables.contacts)):
        if c < single or state.active[c] != 0:
            set_gap_motion(tables, c, q, v, a, work, work.gap_motion[end, c])
    for f in range(len(tables.features)):
        marker_in_world(tables, tables.features[f].marker, q, v, a, work, work.feature_frame[end, f])


@kernel
def move_all(tables, state, scratch, work, h, rows, x):
    """All bodies at point ``x`` of the step; its coordinates stay in ``scratch.point_*``, condensed modes at rest."""
    q, v, a = scratch.point_q, scratch.point_v, scratch.point_a
    evaluate_signals(tables, state.time + x * h, work.signal)
    for k in range(len(tables.coordinates)):
        place_coordinate(tables, k, state, scratch, work, h, rows, x)
    balance_patches(tables, state, scratch, work)
    hide_condensed(tables, q, v, a, work)
    forward_kinematics(tables, q, v, a, state.reference, work)


@entry
def one_gap(
    tables: Tables, state: State, scratch: Scratch, work: Workspace, c: int, bodies: int, h: float, rows: int, x: float
) -> tuple[float, float]:
    """Gap (m) and gap rate (m/s) of contact ``c`` at point ``x`` of the step; all of it in ``work.one_gap[INSIDE]``.

    ``bodies``: how many :func:`find_path` has found.
    """
    q, v, a = scratch.point_q, scratch.point_v, scratch.point_a
    if len(tables.condensed) > 0:
        move_all(tables, state, scratch, work, h, rows, x)
    else:
        move_path(tables, bodies, state, scratch, work, h, rows, x)
    set_gap_motion(tables, c, q, v, a, work, work.one_gap[INSIDE])
    return work.one_gap[INSIDE].gap, work.one_gap[INSIDE].rate


@kernel
def move_path(tables, bodies, state, scratch, work, h, rows, x):
    """The first ``bodies`` of ``work.path`` at point ``x`` of the step."""
    if len(tables.signals) > 0:
        evaluate_signals(tables, state.time + x * h, work.signal)
    place_ground(work.frame[0], tables.gravity)
    for i in range(bodies - 1, -1, -1):
        b = work.path[i]
        place_body(tables, b, state, scratch, work, h, rows, x)
        if tables.bodies[b].modes > 0:
            weigh_fields_of_body(tables, b, scratch.point_q, scratch.point_v, scratch.point_a, work)
        move_body(tables, b, scratch.point_q, scratch.point_v, scratch.point_a, state.reference, work)


@kernel
def copy_motion(source, target):
    """Copy a record GAP_MOTION."""
    target.gap, target.rate, target.speed = source.gap, source.rate, source.speed
    target.acceleration, target.bend = source.acceleration, source.bend


@kernel
def find_path(tables, c, work):
    """Bodies between ground and the two of contact ``c`` into ``work.path``, the last one first; how many."""
    a, b = tables.markers[work.contact[c].a].body, tables.markers[work.contact[c].b].body
    count = 0
    while a > 0 or b > 0:
        last = max(a, b)
        work.path[count] = last
        count += 1
        parent = tables.markers[tables.bodies[last].parent_marker].body
        if a == last:
            a = parent
        if b == last:
            b = parent
    return count


@kernel
def place_body(tables, b, state, scratch, work, h, rows, x):
    """Coordinates of the joint and the modes of body ``b`` at point ``x`` of the step, into ``scratch.point_*``."""
    body = tables.bodies[b]
    for axis in range(body.axis_start, body.axis_end):
        joint = tables.axes[axis]
        for k in range(joint.coordinate, joint.coordinate + (3 if joint.kind == BALL else 1)):
            place_coordinate(tables, k, state, scratch, work, h, rows, x)
        if joint.second >= 0:
            place_coordinate(tables, joint.second, state, scratch, work, h, rows, x)
    for k in range(body.modal_start, body.modal_start + body.modes):
        place_coordinate(tables, k, state, scratch, work, h, rows, x)


@kernel
def place_coordinate(tables, k, state, scratch, work, h, rows, x):
    """Coordinate ``k`` at point ``x`` of the step; of a condensed mode its value, which changes linearly."""
    i, inside = piece_of(rows, x)
    a0 = at_end(state.a, scratch.intermediate_a, scratch.end_a, rows, i, k)
    a1 = at_end(state.a, scratch.intermediate_a, scratch.end_a, rows, i + 1, k)
    unit = tables.coordinates[k].unit
    if unit != 0.0:
        scratch.point_a[k] = a0 + inside * (a1 - a0)
        scratch.point_q[k], scratch.point_v[k] = unit * scratch.point_a[k], 0.0
        return
    q0 = at_end(state.q, scratch.intermediate_q, scratch.end_q, rows, i, k)
    q1 = at_end(state.q, scratch.intermediate_q, scratch.end_q, rows, i + 1, k)
    v0 = at_end(state.v, scratch.intermediate_v, scratch.end_v, rows, i, k)
    v1 = at_end(state.v, scratch.intermediate_v, scratch.end_v, rows, i + 1, k)
    part = h / (rows + 1.0)
    scratch.point_q[k], scratch.point_v[k], scratch.point_a[k] = quintic(q0, v0, a0, q1, v1, a1, part, inside)
    impose_driver(tables, work.signal, k, scratch.point_q, scratch.point_v, scratch.point_a)


@kernel
def set_gap_motion(tables, c, q, v, a, work, out):
    """Fill a record GAP_MOTION of contact ``c``; the motion of the bodies in ``work`` is current.

    As seen from the frame of marker b, that of a moves at u = v_a - v_b - w_b x d. The second derivative of the gap is
    n . u' and, between two spheres, what the curvature of the distance adds: |u_t|^2 / |d|.
    """
    out.gap, out.rate, _x, _y, _z = contact_geometry(tables, c, q, v, a, work)
    contact, frame_a, frame_b = work.contact[c], work.marker[A], work.marker[B]
    out.gap = max(out.gap, work.touch[0].clear)
    if contact.kind >= SURFACES:
        marker_in_world(tables, contact.a, q, v, a, work, frame_a)
        marker_in_world(tables, contact.b, q, v, a, work, frame_b)
    distance = set_relative_motion(frame_a, frame_b, out)
    out.bend = out.speed * out.speed / distance if contact.kind == SPHERE_SPHERE else 0.0
    if contact.kind >= SHAPE_PAIR:
        add_rotation(frame_a, frame_b, work.touch[0], out)
    if contact.kind >= SURFACES:  # the frames do not know how fast the surfaces deform
        ux, uy, uz = components(work.touch[0].u)
        out.speed = max(out.speed, math.sqrt(ux * ux + uy * uy + uz * uz + out.rate * out.rate))


@kernel
def set_relative_motion(frame_a, frame_b, out):
    """Speed and acceleration of the origin of frame a as seen from frame b, in ``out``; the distance of both, m."""
    dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
    ux, uy, uz = difference(frame_a.v_WM, frame_b.v_WM)
    ax, ay, az = difference(frame_a.a_WM, frame_b.a_WM)
    wx, wy, wz = components(frame_b.w_WM)
    ex, ey, ez = components(frame_b.alpha_WM)
    cx, cy, cz = cross(wx, wy, wz, dx, dy, dz)
    # u' in b: a - alpha x d - w x (w x d) - 2 w x (u - w x d) = a - alpha x d - w x (2 u - w x d)
    sx, sy, sz = cross(wx, wy, wz, 2.0 * ux - cx, 2.0 * uy - cy, 2.0 * uz - cz)
    rx, ry, rz = cross(ex, ey, ez, dx, dy, dz)
    ux, uy, uz = ux - cx, uy - cy, uz - cz
    ax, ay, az = ax - rx - sx, ay - ry - sy, az - rz - sz
    out.speed = math.sqrt(ux * ux + uy * uy + uz * uz)
    out.acceleration = math.sqrt(ax * ax + ay * ay + az * az)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def add_rotation(frame_a, frame_b, touch, out):
    """What the rotation of a shape on marker a as seen from b adds to the motion of its closest point."""
    dx, dy, dz = difference(touch.p, frame_a.p_WM)
    wx, wy, wz = difference(frame_a.w_WM, frame_b.w_WM)
    ex, ey, ez = difference(frame_a.alpha_WM, frame_b.alpha_WM)
    bx, by, bz = components(frame_b.w_WM)
    lever = math.sqrt(dx * dx + dy * dy + dz * dz)
    spin = math.sqrt(wx * wx + wy * wy + wz * wz)
    turn = math.sqrt(ex * ex + ey * ey + ez * ez) + spin * (spin + 2.0 * math.sqrt(bx * bx + by * by + bz * bz))
    out.speed += spin * lever
    out.acceleration += turn * lever
