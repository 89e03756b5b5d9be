"""Margins of friction that sticks in joints: positive while a joint goes on sliding, or sticking.

Slip along its direction of a joint that slides; mu_s N - |friction| of one that sticks; of one that could not move, up to
where it does.
"""

import math

from flexmbs.core.equations.residual import residual
from flexmbs.core.laws.force.joint_slip import BIAS, direction_of_sliding, joint_slip, pressing_force
from flexmbs.core.laws.force.sliding_joints import held_components
from flexmbs.core.layout.friction_tables import SLIDES_ALONG
from flexmbs.core.layout.switch_tables import FREED, FRESH, IN_RESTING_GROUP, SLIDING, STICKING
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.stepping.rigid.joint_bearings import follows_reaction, keep_reaction
from flexmbs.core.stepping.rigid.margins import CONE, LEAST_SLIP, SLIP
from flexmbs.machine_code.kernel import kernel

SETTLED_SLIP = 1e-13  # m/s: a joint that slides no more, since others hold it, does not turn over


@kernel
def joint_margins(tables, state, q, v, a, time, scratch, work, rigid, out):
    """Margins CONE and SLIP of each joint friction at a motion, into its three places of ``out``."""
    evaluate_signals(tables, time, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.shifted_residual)
    first = len(tables.contacts)
    hide_condensed(tables, q, v, a, work)
    for j in range(len(tables.joint_frictions)):
        friction = tables.joint_frictions[j]
        mode, at = state.active[first + friction.switch], 3 * friction.switch
        if mode == SLIDING:
            x, y, z = joint_slip(tables, friction, q, v, a, work)
            d = friction.history_at + SLIDES_ALONG
            history = state.contact_history
            slack = 0.5 * BIAS if history[friction.history_at + FRESH] != 0.0 else SETTLED_SLIP
            out[at + SLIP] = x * history[d] + y * history[d + 1] + z * history[d + 2] + slack
        elif mode == STICKING:
            normal = rigid.joint_load[j] = pressing_force(tables, friction, q, v, a, work)
            if follows_reaction(tables, j):
                keep_reaction(tables, work, rigid, j)
            x, y, z = held_components(tables, friction, a)
            if state.contact_history[friction.history_at + IN_RESTING_GROUP] == 0.0:  # which has one margin
                out[at + CONE] = friction.static * normal - math.sqrt(x * x + y * y + z * z)
        elif mode == FREED:  # nothing could move it, as a slider at a dead centre
            x, y, z = joint_slip(tables, friction, q, v, a, work)
            out[at + CONE] = LEAST_SLIP - math.sqrt(x * x + y * y + z * z)
    show_condensed(tables, a, work)


@kernel
def renew_joint_directions(tables, state, work):
    """Directions of joints that slide along several motions, at the end of a step."""
    first = len(tables.contacts)
    hide_condensed(tables, state.q, state.v, state.a, work)
    for j in range(len(tables.joint_frictions)):
        friction = tables.joint_frictions[j]
        if friction.motions != 1 and state.active[first + friction.switch] == SLIDING:
            x, y, z = joint_slip(tables, friction, state.q, state.v, state.a, work)
            fresh = friction.history_at + FRESH
            if x * x + y * y + z * z > (10.0 * BIAS if state.contact_history[fresh] != 0.0 else LEAST_SLIP) ** 2:
                state.contact_history[fresh] = 0.0
                x, y, z = direction_of_sliding(friction, state.contact_history, x, y, z)
                set_direction(friction, state.contact_history, x, y, z)
    show_condensed(tables, state.a, work)


@kernel
def set_direction(friction, contact_history, x, y, z):
    """Remember the direction of (x, y, z), unless it has none."""
    size = math.sqrt(x * x + y * y + z * z)
    if size > 0.0:
        at = friction.history_at + SLIDES_ALONG
        contact_history[at], contact_history[at + 1], contact_history[at + 2] = x / size, y / size, z / size
