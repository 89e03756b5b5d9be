"""How large the motion of flexible bodies is: what errors of their modes and joints are measured against.

Each mode by itself would ask for digits of vibrations of nanometres. What counts is how far an error moves points of
the body: a modal position against the deflection of the body, all modes together, and a rate against the largest speed
of its points so far (Settings.reach_q, reach_v turn coordinates into m and m/s; docs/integrators.md).
"""

from __future__ import annotations

import math

from flexmbs.core.layout.state import Scratch, Settings, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.signals import evaluate_signals
from flexmbs.core.mechanics.vectors import components
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@entry
def update_speeds(tables: Tables, state: State, settings: Settings, work: Workspace) -> None:
    """Raise ``state.speed`` of the flexible bodies to the present speed of their fastest points (an upper bound)."""
    if settings.by_motion == 0:
        return
    evaluate_signals(tables, state.time, work.signal)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        if body.modes == 0:
            continue
        speed = settings.least_speed[b]
        vibration = 0.0
        for k in range(body.modal_start, body.modal_start + body.modes):
            vibration = max(vibration, settings.reach_v[k] * abs(state.v[k]))
        frame = work.frame[b]
        speed = max(speed, length(frame.v_WB) + length(frame.w_WB) * settings.body_size[b] + vibration)
        state.speed[b] = max(state.speed[b], speed)


@kernel
def length(vector):
    """Euclidean length."""
    x, y, z = components(vector)
    return math.sqrt(x * x + y * y + z * z)


@kernel
def set_motion_scales(tables, state, settings, scratch):
    """``scratch.scale_q``, ``scale_v``: sizes below which no coordinate is measured against itself alone.

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
        for k in range(body.modal_start, body.modal_start + body.modes):
            if settings.reach_q[k] > 0.0:
                scratch.scale_q[k] = deflection / settings.reach_q[k]
    for k in range(len(tables.coordinates)):
        if settings.reach_v[k] > 0.0:
            scratch.scale_v[k] = state.speed[settings.scale_body[k]] / settings.reach_v[k]
