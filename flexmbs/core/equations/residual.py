"""The equations of motion as a residual: inertia minus applied forces, by a recursive Newton-Euler pass.

Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5, with flexible bodies: the wrench that a body needs
passes through its own marker (projecting on its modes), the joint axes (projecting on the joint coordinates)
and the marker on its parent.  Cost grows linearly with the number of bodies.
"""

from __future__ import annotations

from flexmbs.core.constraints import add_constraints
from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.contact.gap import add_contacts
from flexmbs.core.laws.force import add_forces, has_applied_forces
from flexmbs.core.laws.force.sliding_joints import add_joint_frictions
from flexmbs.core.layout.tables import CONSTRAINTS, IMPULSES, OPENINGS, RECORDED, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.couplers import add_couplers
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.inertia import add_elasticity, add_inertia
from flexmbs.core.mechanics.joint_axes import back_through_axis
from flexmbs.core.mechanics.markers import add_modal_force
from flexmbs.core.mechanics.quadratic_forms import add_cubic_elasticity, pass_to_modes
from flexmbs.core.mechanics.vectors import add, components, cross, difference, rotate_back
from flexmbs.core.sensors.sensors import read_all_sensors
from flexmbs.core.sensors.user_functions import add_states, evaluate_functions
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Integers


@entry
def residual(
    tables: Tables,
    active: Integers,
    contact_history: Floats,
    q: Floats,
    v: Floats,
    a: Floats,
    reference: Floats2,
    work: Workspace,
    out: Floats,
) -> None:
    """out = M(q) a + h(q, v) - applied forces - G^T lam, one entry per coordinate (driven ones: their driving force).

    The entry of a multiplier is its constraint differentiated to accelerations, G a + gamma (core.constraints).

    ``active`` (contacts,) says which contacts touch; signals and drivers must be current (impose_drivers).
    """
    hide_condensed(tables, q, v, a, work)
    sum_forces(tables, active, contact_history, q, v, a, reference, work, out)
    show_condensed(tables, a, work)


@kernel
def sum_forces(tables, active, contact_history, q, v, a, reference, work, out):
    """:func:`residual` while condensed modes move without velocity and acceleration."""
    forward_kinematics(tables, q, v, a, reference, work)
    out[:] = 0.0
    if work.extent[0] == CONSTRAINTS or work.extent[0] == OPENINGS:
        if any_rows(tables):
            add_constraints(tables, active, contact_history, q, v, a, work, out)
        return
    for b in range(1, len(tables.bodies)):
        add_inertia(tables, b, work)
        if tables.bodies[b].modes > 0:
            add_elasticity(tables, b, q, v, out)
            add_cubic_elasticity(tables, b, q, work, out)
    add_couplers(tables, q, v, out)
    if any_rows(tables):
        add_constraints(tables, active, contact_history, q, v, a, work, out)
    if len(tables.functions) > 0:
        evaluate_functions(tables, active, contact_history, q, v, a, work)
    if work.extent[0] == IMPULSES:
        keep_states(tables, a, out)
    else:
        if has_applied_forces(tables):
            add_forces(tables, q, v, a, contact_history, work, out)
        add_joint_frictions(tables, active, contact_history, q, v, a, work, out)
        add_contacts(tables, active, contact_history, q, v, a, work, out)
    add_states(tables, v, a, work, out)
    if work.extent[0] == RECORDED:
        read_all_sensors(tables, active, contact_history, q, v, a, work)
    for b in range(len(tables.bodies) - 1, 0, -1):
        pass_to_parent(tables, b, q, work, out)
    pass_to_modes(tables, work, out)


@kernel
def keep_states(tables, a, out):
    """States, as those of friction, do not jump."""
    for k in range(len(tables.coordinates)):
        if tables.coordinates[k].state != 0:
            out[k] = a[k]


@kernel
def pass_to_parent(tables, b, q, work, out):
    """Project the wrench of body ``b`` on its modes, its joint and the modes of its parent."""
    body = tables.bodies[b]
    frame, wrench, point = work.frame[b], work.wrench[b], work.joint_point[b]
    dx, dy, dz = difference(frame.p_WB, point)
    shift_moment(wrench, dx, dy, dz)
    project_on_modes(tables, body.own_marker, frame, wrench, -1.0, work)
    if body.backwards == 0:
        keep_reaction(work.reaction[b], wrench, 1.0)
    for axis in range(body.axis_end - 1, body.axis_start - 1, -1):
        back_through_axis(tables, axis, q, point, wrench, out, work)
    if body.backwards != 0:
        keep_reaction(work.reaction[b], wrench, -1.0)
    parent = tables.markers[body.parent_marker].body
    if parent == 0:
        return
    frame, total = work.frame[parent], work.wrench[parent]
    project_on_modes(tables, body.parent_marker, frame, wrench, 1.0, work)
    dx, dy, dz = difference(point, frame.p_WB)
    shift_moment(wrench, dx, dy, dz)
    for i in range(3):
        total.force[i] += wrench.force[i]
        total.moment[i] += wrench.moment[i]


@kernel
def keep_reaction(reaction, wrench, sign):
    """Force and moment of the joint on the second marker's body, at that marker."""
    for i in range(3):
        reaction.force[i], reaction.moment[i] = sign * wrench.force[i], sign * wrench.moment[i]


@kernel
def shift_moment(wrench, dx, dy, dz):
    """Moment about a point that the old point is (dx, dy, dz) away from."""
    fx, fy, fz = components(wrench.force)
    mx, my, mz = cross(dx, dy, dz, fx, fy, fz)
    add(wrench.moment, mx, my, mz)


@kernel
def project_on_modes(tables, m, body, wrench, sign, work):
    """Generalised forces of a wrench (world axes) at marker ``m`` on the modes of its body, times ``sign``."""
    if tables.markers[m].flexible == 0:
        return
    x, y, z = components(wrench.force)
    fx, fy, fz = rotate_back(body.R_WB, sign * x, sign * y, sign * z)
    x, y, z = components(wrench.moment)
    mx, my, mz = rotate_back(body.R_WB, sign * x, sign * y, sign * z)
    add_modal_force(tables, m, fx, fy, fz, mx, my, mz, work)
