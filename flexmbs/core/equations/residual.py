"""The equations of motion as a residual: inertia minus applied forces, by a recursive Newton-Euler pass.

Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5, with flexible bodies: the wrench that a body needs
passes through its own marker (projecting on its modes), the joint axes (projecting on the joint coordinates)
and the marker on its parent.  Cost grows linearly with the number of bodies.
"""

from __future__ import annotations

from flexmbs.core.abi.arrays import Floats, Floats2, Integers
from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.constraints import add_constraints
from flexmbs.core.contact.gap import add_contacts
from flexmbs.core.laws.force import add_forces, has_applied_forces
from flexmbs.core.layout.tables import RECORDED, WHOLE, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.couplers import add_couplers
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.inertia import add_elasticity, add_inertia
from flexmbs.core.mechanics.joint_axes import back_through_axis
from flexmbs.core.mechanics.markers import add_modal_force
from flexmbs.core.mechanics.quadratic_forms import add_cubic_elasticity, pass_to_modes
from flexmbs.core.sensors.sensors import read_all_sensors
from flexmbs.core.sensors.user_functions import add_states, evaluate_functions


@entry
def residual(
    tables: Tables, active: Integers, q: Floats, v: Floats, a: Floats, reference: Floats2, work: Workspace, out: Floats
) -> None:
    """out = M(q) a + h(q, v) - applied forces - G^T lam, one entry per coordinate (driven ones: their driving force).

    The entry of a multiplier is its constraint differentiated to accelerations, G a + gamma (core.constraints).

    ``active`` (contacts,) says which contacts touch; signals and drivers must be current (impose_drivers).
    """
    hide_condensed(tables, q, v, a, work)
    sum_forces(tables, active, q, v, a, reference, work, out)
    show_condensed(tables, a, work)


@kernel
def sum_forces(tables, active, q, v, a, reference, work, out):
    """:func:`residual` while condensed modes move without velocity and acceleration."""
    forward_kinematics(tables, q, v, a, reference, work)
    out[:] = 0.0
    if work.extent[0] != WHOLE and work.extent[0] != RECORDED:
        if len(tables.constraints) > 0:
            add_constraints(tables, q, v, a, work, out)
        return
    for b in range(1, len(tables.bodies)):
        add_inertia(tables, b, q, v, a, work, out)
        add_elasticity(tables, b, q, v, out)
        add_cubic_elasticity(tables, b, q, work, out)
    add_couplers(tables, q, v, out)
    if len(tables.constraints) > 0:
        add_constraints(tables, q, v, a, work, out)
    if len(tables.functions) > 0:
        evaluate_functions(tables, active, q, v, a, work)
    if has_applied_forces(tables):
        add_forces(tables, q, v, a, work, out)
    add_contacts(tables, active, q, v, a, work, out)
    add_states(tables, v, a, work, out)
    if work.extent[0] == RECORDED:
        read_all_sensors(tables, active, q, v, a, work)
    for b in range(len(tables.bodies) - 1, 0, -1):
        pass_to_parent(tables, b, q, work, out)
    pass_to_modes(tables, q, work, out)


@kernel
def pass_to_parent(tables, b, q, work, out):
    """Project the wrench of body ``b`` on its modes, its joint and the modes of its parent."""
    body = tables.bodies[b]
    f, wrench, point = work.frame[b], work.wrench[b], work.joint_point[b]
    _shift(wrench, f[9] - point[0], f[10] - point[1], f[11] - point[2])
    _project_on_modes(tables, body.own_marker, q, f, wrench, -1.0, work, out)
    if body.backwards == 0:
        _keep_reaction(work, b, wrench, 1.0)
    for axis in range(body.axis_end - 1, body.axis_start - 1, -1):
        back_through_axis(tables, axis, q, work.axis[axis], point, wrench, out, work)
    if body.backwards != 0:
        _keep_reaction(work, b, wrench, -1.0)
    parent = tables.markers[body.parent_marker].body
    if parent == 0:
        return
    g = work.frame[parent]
    _project_on_modes(tables, body.parent_marker, q, g, wrench, 1.0, work, out)
    _shift(wrench, point[0] - g[9], point[1] - g[10], point[2] - g[11])
    for i in range(6):
        work.wrench[parent, i] += wrench[i]


@kernel
def _keep_reaction(work, b, wrench, sign):
    """Force and moment of the joint on the second marker's body, at that marker."""
    for i in range(6):
        work.reaction[b, i] = sign * wrench[i]


@kernel
def _shift(wrench, dx, dy, dz):
    """Moment about a point that the old point is (dx, dy, dz) away from."""
    wrench[3] += dy * wrench[2] - dz * wrench[1]
    wrench[4] += dz * wrench[0] - dx * wrench[2]
    wrench[5] += dx * wrench[1] - dy * wrench[0]


@kernel
def _project_on_modes(tables, m, q, f, wrench, sign, work, out):
    if tables.markers[m].flexible == 0:
        return
    x, y, z = sign * wrench[0], sign * wrench[1], sign * wrench[2]
    p, r, s = sign * wrench[3], sign * wrench[4], sign * wrench[5]
    add_modal_force(
        tables, m, q,
        f[0] * x + f[3] * y + f[6] * z, f[1] * x + f[4] * y + f[7] * z, f[2] * x + f[5] * y + f[8] * z,
        f[0] * p + f[3] * r + f[6] * s, f[1] * p + f[4] * r + f[7] * s, f[2] * p + f[5] * r + f[8] * s,
        work, out,
    )  # fmt: skip
