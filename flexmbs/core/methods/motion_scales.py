"""How large the motion of a mechanism with flexible bodies is, and errors measured against it.

Each coordinate by itself would ask for digits of vibrations of nanometres, and for the rate at which the frame of a
body turns where the modes turn it back. What counts is how far all errors together move points of the bodies: errors
of positions and rates are velocities along the way of the mechanism, so one forward pass each gives those of the
points. They are measured against the size of the body, the largest speed of its points so far, and (what the modes
alone do) against its deflection (docs/integrators.md).
"""

from __future__ import annotations

import math

from flexmbs.core.layout.state import Scratch, Settings, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.signals import evaluate_signals
from flexmbs.core.mechanics.vectors import components, rotate_back
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# Absolute tolerance of points relative to rtol, size and size per second, as of coordinates (analysis.run.tolerances).
ABSOLUTE = 1e-3
HUGE = 1e100  # errors beyond it, and those that are no numbers


@entry
def update_speeds(tables: Tables, state: State, settings: Settings, work: Workspace) -> None:
    """Raise ``state.speed`` of the bodies to the present speed of their fastest points (an upper bound)."""
    if settings.by_motion == 0:
        return
    evaluate_signals(tables, state.time, work.signal)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    for b in range(1, len(tables.bodies)):
        body, frame = tables.bodies[b], work.frame[b]
        vibration = 0.0
        for k in range(body.modal_start, body.modal_start + body.modes):
            vibration = max(vibration, settings.reach_v[k] * abs(state.v[k]))
        speed = length(frame.v_WB) + length(frame.w_WB) * settings.body_size[b] + vibration
        state.speed[b] = max(state.speed[b], settings.least_speed[b], speed)


@kernel
def length(vector):
    """Euclidean length."""
    x, y, z = components(vector)
    return math.sqrt(x * x + y * y + z * z)


@kernel
def set_motion_scales(tables, state, settings, scratch):
    """``scratch.deflection``; ``scale_q``, ``scale_v``: sizes below which no coordinate is measured by itself.

    The deflection is that of the mode that reaches furthest in its vibration, sqrt(q^2 + (v / w)^2): it does not vanish
    when the body swings through its undeformed shape.
    """
    if settings.by_motion == 0:
        return
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        deflection = 0.0
        for k in range(body.modal_start, body.modal_start + body.modes):
            swing = settings.vibration_time[k] * state.v[k]
            reach = settings.reach_q[k] * math.sqrt(state.q[k] * state.q[k] + swing * swing)
            deflection = max(deflection, reach)
        scratch.deflection[b] = deflection
        for k in range(body.modal_start, body.modal_start + body.modes):
            if settings.reach_q[k] > 0.0:
                scratch.scale_q[k] = deflection / settings.reach_q[k]
    for k in range(len(tables.coordinates)):
        if settings.reach_v[k] > 0.0:
            scratch.scale_v[k] = state.speed[settings.scale_body[k]] / settings.reach_v[k]


@entry
def error_of_bodies(tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace) -> float:
    """Largest error of a body in parts of the tolerance, from ``scratch.missed_q`` and ``missed_v``.

    User states, which move nothing, count each by itself. Keeps the worst coordinate.
    """
    for k in range(len(tables.coordinates)):
        if not (abs(scratch.missed_q[k]) < HUGE and abs(scratch.missed_v[k]) < HUGE):
            return math.inf
    worst, found = 0.0, -1
    for level in range(2):
        missed = scratch.missed_q if level == 0 else scratch.missed_v
        forward_kinematics(tables, scratch.end_q, missed, state.a, state.reference, work)
        for b in range(1, len(tables.bodies)):
            size = settings.body_size[b]
            reference = size if level == 0 else max(state.speed[b], settings.least_speed[b])
            total, own = moved_points(tables, settings, missed, work, b)
            part = total / (settings.rtol * (reference + ABSOLUTE * size))
            if level == 0 and own > 0.0:
                part = max(part, own / (settings.rtol * (scratch.deflection[b] + ABSOLUTE * size)))
            if part > worst:
                worst, found = part, b
    if found >= 0:
        name_coordinate(tables, state, scratch, found)
    square = worst * worst
    for k in range(len(tables.coordinates)):
        if tables.coordinates[k].state != 0 and scratch.squared_error[k] > square:
            square = scratch.squared_error[k]
            state.worst_coordinate = k
    return math.sqrt(square)


@kernel
def moved_points(tables, settings, missed, work, b):
    """How far ``missed``, with which ``work.frame`` moves, takes the points of body ``b``; its modes alone."""
    body, frame = tables.bodies[b], work.frame[b]
    if body.modes == 0:
        return length(frame.v_WB) + length(frame.w_WB) * settings.body_size[b], 0.0
    x, y, z = components(frame.v_WB)
    vx, vy, vz = rotate_back(frame.R_WB, x, y, z)
    x, y, z = components(frame.w_WB)
    wx, wy, wz = rotate_back(frame.R_WB, x, y, z)
    most = own = 0.0
    first, end = settings.point_start[b], settings.point_start[b + 1]
    for point in range(first, end):
        ux = uy = uz = 0.0
        at = settings.point_Phi_at[b] + 3 * (point - first)
        for k in range(body.modal_start, body.modal_start + body.modes):
            value = missed[k]
            ux += value * settings.point_Phi[at]
            uy += value * settings.point_Phi[at + 1]
            uz += value * settings.point_Phi[at + 2]
            at += 3 * (end - first)
        own = max(own, ux * ux + uy * uy + uz * uz)
        px, py, pz = components(settings.points[point])
        ux += vx + wy * pz - wz * py
        uy += vy + wz * px - wx * pz
        uz += vz + wx * py - wy * px
        most = max(most, ux * ux + uy * uy + uz * uz)
    return math.sqrt(most), math.sqrt(own)


@kernel
def name_coordinate(tables, state, scratch, b):
    """The coordinate of body ``b``, or of joints before it, whose error in parts of the tolerance is the largest."""
    body, worst = tables.bodies[b], -1.0
    for k in range(body.modal_start, body.modal_start + body.modes):
        if scratch.squared_error[k] > worst:
            worst = scratch.squared_error[k]
            state.worst_coordinate = k
    while b > 0:
        body = tables.bodies[b]
        for axis in range(body.axis_start, body.axis_end):
            k = tables.axes[axis].coordinate
            if scratch.squared_error[k] > worst:
                worst = scratch.squared_error[k]
                state.worst_coordinate = k
        b = tables.markers[body.parent_marker].body
