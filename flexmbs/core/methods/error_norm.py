"""Where errors become one number: reciprocal tolerances, and the weighted rms norm over all coordinates.

As in scipy's ``solve_ivp`` and Hairer and Wanner's codes an error counts in parts of atol + rtol |y|, with the larger
|y| of both ends of the step; 1 is the tolerance (Hairer, Norsett and Wanner I, 1993, II.4). With flexible
bodies what counts is how far the errors of all coordinates together move points of the bodies
(core.methods.motion_scales).  A method puts the square
of what each coordinate's position and velocity miss into ``Scratch.squared_error``; :func:`error_norm` does the rest.
"""

import math

from flexmbs.core.layout.tables import ACCELERATION_LEVEL, BALL, POSITION_LEVEL
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.methods.motion_scales import error_of_bodies
from flexmbs.machine_code.kernel import kernel

MIN_ERROR = 1e-10  # of a step, in parts of the tolerance: below it there is nothing to gain


@kernel
def position_weight(settings, scratch, k, size):
    """Reciprocal tolerance of the position of coordinate ``k`` where it is as large as ``size``."""
    return 1.0 / (settings.atol_q[k] + settings.rtol * (max(size, scratch.scale_q[k]) + settings.floor_q[k]))


@kernel
def velocity_weight(settings, scratch, k, size):
    """Reciprocal tolerance of the velocity of coordinate ``k`` where it is as large as ``size``."""
    return 1.0 / (settings.atol_v[k] + settings.rtol * max(size, scratch.scale_v[k]))


@kernel
def set_weights(tables, state, settings, scratch):
    """Reciprocal tolerances of the free coordinates and velocities at the start of the step, for Newton's iteration."""
    for i in range(len(tables.free)):
        k = tables.free[i]
        scratch.weight_q[i] = position_weight(settings, scratch, k, abs(state.q[k]))
        scratch.weight_v[i] = velocity_weight(settings, scratch, k, abs(state.v[k]))


@kernel
def is_integrated(tables, k):
    """Whether coordinate ``k`` is driven by a rate or acceleration, which the method integrates."""
    return tables.coordinates[k].signal >= 0 and tables.coordinates[k].level != POSITION_LEVEL


@kernel
def squared_error(tables, state, settings, scratch, k, error_q, error_v):
    """Sum of squares of the errors of coordinate ``k`` in parts of what is allowed over the step."""
    x = error_q * position_weight(settings, scratch, k, max(abs(state.q[k]), abs(scratch.end_q[k])))
    y = error_v * velocity_weight(settings, scratch, k, max(abs(state.v[k]), abs(scratch.end_v[k])))
    if tables.coordinates[k].signal >= 0 and tables.coordinates[k].level != ACCELERATION_LEVEL:
        y = error_v = 0.0  # the velocity is prescribed
    scratch.missed_q[k], scratch.missed_v[k] = error_q, error_v
    return x * x + y * y


@kernel
def clear_errors(scratch):
    """No error of any coordinate."""
    scratch.squared_error[:] = 0.0
    scratch.missed_q[:] = 0.0
    scratch.missed_v[:] = 0.0


@kernel
def set_squared_errors(tables, state, settings, scratch):
    """``scratch.squared_error`` of the free coordinates from ``scratch.error_q`` and ``error_v``; of all others 0."""
    clear_errors(scratch)
    for i in range(len(tables.free)):
        k = tables.free[i]
        if not is_algebraic(tables.coordinates[k]):
            scratch.squared_error[k] = squared_error(tables, state, settings, scratch, k, scratch.error_q[i], scratch.error_v[i])


@kernel
def rms_of_squares(tables, scratch, total):
    """Root of the mean over positions and velocities of all coordinates whose error is controlled."""
    count = len(tables.free) - scratch.algebraic
    for k in range(len(tables.coordinates)):
        if is_integrated(tables, k):
            count += 1
    return math.sqrt(total / (2.0 * max(count, 1)))


@kernel
def error_norm(tables, state, settings, scratch, work):
    """Size of the errors of a step: 1 is the tolerance; keeps the worst coordinate.

    The weighted rms of ``scratch.squared_error``, or that of the body with the largest error: with flexible bodies
    (error_of_bodies), and with groups of many, of which most move freely while a few collide.
    """
    if settings.by_motion != 0:
        return max(error_of_bodies(tables, state, settings, scratch, work), MIN_ERROR)
    if len(tables.groups) > 0:
        return max(error_of_each_body(tables, state, scratch), MIN_ERROR)
    total, worst = 0.0, -1.0
    for k in range(len(tables.coordinates)):
        part = scratch.squared_error[k]
        total += part
        if part > worst:
            worst = part
            state.worst_coordinate = k
    return max(rms_of_squares(tables, scratch, total), MIN_ERROR)


@kernel
def error_of_each_body(tables, state, scratch):
    """Largest weighted rms over the coordinates of one body; others count each by itself."""
    largest = worst = 0.0
    for b in range(1, len(tables.bodies)):
        body, total, count = tables.bodies[b], 0.0, body_coordinates(tables, b)
        for axis in range(body.axis_start, body.axis_end):
            joint = tables.axes[axis]
            for k in range(joint.coordinate, joint.coordinate + (3 if joint.kind == BALL else 1)):
                total += scratch.squared_error[k]
                if scratch.squared_error[k] > worst:
                    worst = scratch.squared_error[k]
                    state.worst_coordinate = k
        for k in range(body.modal_start, body.modal_start + body.modes):
            total += scratch.squared_error[k]
        largest = max(largest, total / (2.0 * count))
    for k in range(len(tables.coordinates)):
        if tables.coordinates[k].state != 0:
            largest = max(largest, scratch.squared_error[k])
    return math.sqrt(largest)


@kernel
def body_coordinates(tables, b):
    """How many coordinates the joint and the modes of body ``b`` have, at least 1."""
    body = tables.bodies[b]
    count = body.modes
    for axis in range(body.axis_start, body.axis_end):
        count += 3 if tables.axes[axis].kind == BALL else 1
    return max(count, 1)
