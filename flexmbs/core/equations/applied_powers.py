"""Power (W) that everything but inertia, gravity and elasticity supplies to a mechanism; negative where it dissipates.

Of what stores energy too (springs with dampers, contacts) the power is that of its force less the force at rest, which
is the derivative of its energy.
"""

from flexmbs.core.constraints.contact_slot import describe_rigid_contact
from flexmbs.core.contact.gap import contact_force, contact_geometry, evaluate_friction
from flexmbs.core.contact.groups import occupy
from flexmbs.core.contact.pair_geometry import surface_contact
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.row_multipliers import clear_wrenches, correct_multipliers
from flexmbs.core.laws.force.bushing import measure_bushing
from flexmbs.core.laws.force.elements import friction_effort
from flexmbs.core.laws.force.force_law import law_force
from flexmbs.core.laws.force.measure import measure
from flexmbs.core.laws.force.spread import FORCE, MODAL_FORCES, MOMENT
from flexmbs.core.layout.force_tables import DEFORMATION_RATE, ELEMENT_FORCE, ELEMENT_POWER, STICKS
from flexmbs.core.layout.frames import A
from flexmbs.core.layout.switch_tables import SLIDING
from flexmbs.core.layout.tables import CABLE, COUPLING, DISTANCE, FOLLOWER, POSITION_LEVEL, RATE, SURFACES, VALUE, VELOCITY_LEVEL
from flexmbs.core.mechanics.couplers import stretch_of
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.quadratic_forms import pass_to_modes
from flexmbs.core.mechanics.vectors import components, cross, difference, dot, rotate, rotate_back, vector_at
from flexmbs.machine_code.kernel import kernel


@kernel
def fill_powers(tables, booking, contact_history, touches, work):
    """``booking.power`` of the motion ``booking.q``, ``v``, ``a``; signals and drivers are current.

    ``touches``: whether any contact of ``booking.active`` does.
    """
    booking.power[:] = 0.0
    q, v, a = booking.q, booking.v, booking.a
    frames = touches or booking.needs_frames != 0
    exact = booking.exact != 0 or slides(tables, booking)
    if booking.needs_residual != 0 or exact:
        residual(tables, booking.active, contact_history, q, v, a, booking.reference, work, booking.residual)
        if exact and len(booking.multipliers) > 0:
            correct_multipliers(tables, booking, contact_history, work)
            if len(tables.joint_frictions) > 0:
                follow_multipliers(tables, booking, contact_history, work)
        prescribed_powers(tables, booking, work)
    elif frames:
        forward_kinematics(tables, q, v, a, booking.reference, work)
    modal_damping_powers(tables, booking)
    coupler_powers(tables, booking)
    if len(tables.condensed) > 0 and frames:
        let_condensed_move(tables, booking, work)
    element_powers(tables, booking, contact_history, work)
    if frames:
        bushing_powers(tables, booking, contact_history, work)
        load_powers(tables, booking, work)
        spread_load_powers(tables, booking, work)
        contact_powers(tables, booking, contact_history, work)


@kernel
def slides(tables, booking):
    """Whether a rigid contact slides with friction: its normal force is a multiplier."""
    for c in range(len(tables.contacts)):
        if tables.contacts[c].rigid != 0 and booking.active[c] == SLIDING and booking.booked[booking.friction + c] != 0:
            return True
    return False


@kernel
def follow_multipliers(tables, booking, contact_history, work):
    """Once more with the friction in joints that belongs to the corrected reactions."""
    q, v, a = booking.q, booking.v, booking.a
    residual(tables, booking.active, contact_history, q, v, a, booking.reference, work, booking.residual)
    correct_multipliers(tables, booking, contact_history, work)
    residual(tables, booking.active, contact_history, q, v, a, booking.reference, work, booking.residual)


@kernel
def let_condensed_move(tables, booking, work):
    """Give condensed modes their rates, which stand in ``booking.end_v``: forces on points that they carry do work.

    Laws of contacts do not know of these rates: the gap rates that they know are kept in ``booking.slow_rate``.
    """
    q, v, a = booking.q, booking.v, booking.a
    for c in range(len(tables.contacts)):
        if booking.active[c] != 0:
            _gap, rate, _x, _y, _z = contact_geometry(tables, c, q, v, a, work)
            booking.slow_rate[c] = rate
    for i in range(len(tables.condensed)):
        k = tables.condensed[i]
        v[k] = booking.end_v[k]
    forward_kinematics(tables, q, v, a, booking.reference, work)


@kernel
def prescribed_powers(tables, booking, work):
    """Of drivers their force times the rate; of constraints that prescribe a motion the same along their row."""
    for k in range(len(tables.coordinates)):
        if booking.booked[k] != 0 and tables.coordinates[k].multiplier == 0:
            booking.power[k] = booking.residual[k] * booking.v[k]
    for c in range(len(tables.constraints)):
        row = tables.constraints[c].row
        if booking.booked[row] != 0:
            booking.power[row] = booking.a[row] * prescribed_rate(tables, c, booking, work)


@kernel
def prescribed_rate(tables, c, booking, work):
    """What a constraint says of the rate of its quantity; measured where it prescribes accelerations only."""
    constraint = tables.constraints[c]
    s = constraint.signal
    if constraint.kind == DISTANCE:  # g = (d . d - L^2) / (2 L_0)
        return work.signal[s, RATE] * work.signal[s, VALUE] / constraint.length
    if constraint.kind == CABLE or constraint.level == POSITION_LEVEL:
        return work.signal[s, RATE]
    if constraint.level == VELOCITY_LEVEL:
        return work.signal[s, VALUE]
    if constraint.kind == COUPLING:
        return stretch_of(tables, constraint, booking.v)
    frame_a, frame_b = work.marker[A], work.marker[A + 1]
    marker_in_world(tables, constraint.a, booking.q, booking.v, booking.a, work, frame_a)
    marker_in_world(tables, constraint.b, booking.q, booking.v, booking.a, work, frame_b)
    px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
    vx, vy, vz = difference(frame_b.v_WM, frame_a.v_WM)
    wx, wy, wz = components(frame_a.w_WM)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    vx, vy, vz = rotate_back(frame_a.R_WM, vx - cx, vy - cy, vz - cz)
    return vx if constraint.component == 0 else (vy if constraint.component == 1 else vz)


@kernel
def modal_damping_powers(tables, booking):
    """-v De v of the modes of each body."""
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        if booking.booked[booking.bodies + b] == 0:
            continue
        n, at, total = body.modes, body.damping_at, 0.0
        rates = booking.v[body.modal_start : body.modal_start + n]
        for i in range(n):
            for j in range(n):
                total += rates[i] * tables.pool[at + i * n + j] * rates[j]
        booking.power[booking.bodies + b] = -total


@kernel
def coupler_powers(tables, booking):
    """-c e'^2 of the dampers on sums of coordinates."""
    for i in range(len(tables.couplers)):
        rate = stretch_of(tables, tables.couplers[i], booking.v)
        booking.power[booking.couplers + i] = -tables.couplers[i].damping * rate * rate


@kernel
def element_force(element, parameters, x, rate, given, v, work):
    """Force or moment of an element."""
    if element.slides != 0:
        return friction_effort(element, parameters, rate, given, v, work)
    return law_force(element.force, parameters, x, rate, given)


@kernel
def element_powers(tables, booking, contact_history, work):
    """Force less the elastic force, times the rate of what it acts along."""
    for e in range(len(tables.elements)):
        if booking.booked[booking.elements + e] == 0:
            continue
        element = tables.elements[e]
        if element.slides == STICKS:  # its residual has been evaluated
            booking.power[booking.elements + e] = work.record[element.at + ELEMENT_POWER]
            continue
        x, rate, _x, _y, _z = measure(tables, element, booking.q, booking.v, booking.a, contact_history, work)
        parameters = tables.pool[element.parameters_at : element.parameters_at + element.parameters]
        given = work.signal[element.signal, VALUE] if element.signal >= 0 else 0.0
        if len(tables.condensed) > 0:  # the law did not see the rates of condensed modes
            force = work.record[element.at + ELEMENT_FORCE]
        else:
            force = element_force(element, parameters, x, rate, given, booking.v, work)
        if element.energy != 0:
            force -= law_force(element.force, parameters, x, 0.0, given)
        booking.power[booking.elements + e] = force * rate


@kernel
def bushing_powers(tables, booking, contact_history, work):
    """-e' C e' of the dampers of bushings."""
    for i in range(len(tables.bushings)):
        if booking.booked[booking.bushings + i] == 0:
            continue
        bushing, total = tables.bushings[i], 0.0
        measure_bushing(tables, i, booking.q, booking.v, booking.a, contact_history, work)
        rates = work.record[bushing.at + DEFORMATION_RATE : bushing.at + DEFORMATION_RATE + 6]
        for k in range(6):
            for j in range(6):
                total += rates[k] * bushing.damping[k, j] * rates[j]
        booking.power[booking.bushings + i] = -total


@kernel
def load_powers(tables, booking, work):
    """Force or torque times the velocity or angular velocity of the marker."""
    frame = work.marker[A]
    for i in range(len(tables.loads)):
        load = tables.loads[i]
        marker_in_world(tables, load.marker, booking.q, booking.v, booking.a, work, frame)
        x, y, z = work.signal[load.sx, VALUE], work.signal[load.sy, VALUE], work.signal[load.sz, VALUE]
        x, y, z = load.factor * x, load.factor * y, load.factor * z
        if load.frame == FOLLOWER:
            x, y, z = rotate(frame.R_WM, x, y, z)
        booking.power[booking.loads + i] = dot(frame.w_WM if load.is_torque != 0 else frame.v_WM, x, y, z)


@kernel
def spread_load_powers(tables, booking, work):
    """In body axes, as the load is stated."""
    for i in range(len(tables.spread_loads)):
        load = tables.spread_loads[i]
        body, frame, pool = tables.bodies[load.body], work.frame[load.body], tables.pool
        n, at, width = body.modes, body.modal_start, MODAL_FORCES + body.modes
        x, y, z = components(frame.v_WB)
        vx, vy, vz = rotate_back(frame.R_WB, x, y, z)
        x, y, z = components(frame.w_WB)
        wx, wy, wz = rotate_back(frame.R_WB, x, y, z)
        total = 0.0
        for row in range(1 + n):
            field = load.field_at + row * width
            fx, fy, fz = vector_at(pool, field + FORCE)
            mx, my, mz = vector_at(pool, field + MOMENT)
            power = fx * vx + fy * vy + fz * vz + mx * wx + my * wy + mz * wz
            for k in range(n):
                power += pool[field + MODAL_FORCES + k] * booking.v[at + k]
            total += power if row == 0 else power * booking.q[at + row - 1]
        booking.power[booking.spread_loads + i] = work.signal[load.signal, VALUE] * total


@kernel
def contact_powers(tables, booking, contact_history, work):
    """Power of normal forces and of friction.

    Of contacts whose law renews its history, such as plastic ones, and of surfaces, that of the whole force.
    """
    q, v, a = booking.q, booking.v, booking.a
    for c in range(len(tables.contacts)):
        contact = tables.contacts[c]
        if booking.active[c] == 0 and contact.always == 0:
            continue
        if contact.rigid != 0:
            describe_rigid_contact(tables, c, booking.active[c], contact_history, q, v, a, work)
            x, y, z = components(work.touch[0].friction)
            booking.power[booking.friction + c] = dot(work.touch[0].u, x, y, z)
            continue
        if contact.kind == SURFACES:
            booking.power[booking.contacts + c] = surface_power(tables, booking, c, work)
            continue
        occupy(tables, c, booking.active[c], work)
        gap, rate, _x, _y, _z = contact_geometry(tables, c, q, v, a, work)
        slow = booking.slow_rate[c] if len(tables.condensed) > 0 else rate
        force = contact_force(tables, contact, contact_history, gap, slow)
        if contact.friction != 0:
            evaluate_friction(tables, c, force, v, work)
            touch = work.touch[0]
            x, y, z = components(touch.friction)
            mx, my, mz = components(touch.moment)
            booking.power[booking.friction + c] = dot(touch.u, x, y, z) + dot(touch.w, mx, my, mz)
        if contact.update == 0:
            force -= contact_force(tables, contact, contact_history, gap, 0.0)
        booking.power[booking.contacts + c] = force * rate


@kernel
def surface_power(tables, booking, c, work):
    """Power of all forces between two surfaces, from what they do to the bodies and their modes."""
    q, v, out = booking.q, booking.v, booking.unit
    clear_wrenches(work)
    surface_contact(tables.contacts[c].geometry, tables, c, q, v, work, out, 1)
    pass_to_modes(tables, work, out)
    total = 0.0
    for b in range(1, len(tables.bodies)):
        wrench, frame = work.wrench[b], work.frame[b]
        x, y, z = components(wrench.force)
        mx, my, mz = components(wrench.moment)
        total -= dot(frame.v_WB, x, y, z) + dot(frame.w_WB, mx, my, mz)
    for k in range(out.shape[0]):
        total -= out[k] * v[k]
        out[k] = 0.0
    return total
