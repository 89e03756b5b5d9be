"""Effective mass of the bodies of a contact along its normal, 1 / (G M^-1 G^T) with G = dg'/dv."""

from __future__ import annotations

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.contact.gap import gap_in_place
from flexmbs.core.equations.accelerations import solve_explicit
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.projection import factorise_mass
from flexmbs.core.layout.state import Scratch, Settings, State
from flexmbs.core.layout.tables import BALL, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics, move_body, place_ground
from flexmbs.core.mechanics.quadratic_forms import weigh_fields_of_body
from flexmbs.core.mechanics.signals import evaluate_signals
from flexmbs.core.stepping.gap_motion import find_path
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats


@entry
def normal_compliance(tables: Tables, c: int, state: State, settings: Settings, scratch: Scratch, work: Workspace) -> float:
    """1 / effective mass of contact ``c`` along its normal, 1/kg; the mass matrix of implicit methods must be current.

    Explicit methods solve by articulated bodies (core.equations.accelerations).
    """
    compliance = 0.0
    if settings.explicit != 0:
        evaluate_signals(tables, state.time, work.signal)
        gap_gradient(tables, c, state, work, scratch.point_v)
        if not solve_explicit(tables, state, scratch, work, scratch.point_v, scratch.point_a):
            return 0.0
        for k in range(len(tables.coordinates)):
            compliance += scratch.point_v[k] * scratch.point_a[k]
        return compliance
    gap_gradient(tables, c, state, work, scratch.point_v)
    for i in range(len(tables.free)):
        scratch.real_x[i] = scratch.point_v[tables.free[i]]
    if not any_rows(tables):  # with constraints the tangent comes with these factors
        factorise_mass(tables, state, scratch)
    solve_mass(tables, state, scratch, scratch.real_x)
    for i in range(len(tables.free)):
        compliance += scratch.point_v[tables.free[i]] * scratch.real_x[i]
    return compliance


@entry
def gap_gradient(tables: Tables, c: int, state: State, work: Workspace, out: Floats) -> None:
    """out (n,) = change of the gap rate of contact ``c`` with each rate: only joints between ground and its bodies."""
    out[:] = 0.0
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    _gap, rate = gap_in_place(tables, c, state.q, state.v, state.a, work)
    bodies = find_path(tables, c, work)
    for i in range(bodies):
        body = tables.bodies[work.path[i]]
        for axis in range(body.axis_start, body.axis_end):
            joint = tables.axes[axis]
            for k in range(joint.coordinate, joint.coordinate + (3 if joint.kind == BALL else 1)):
                out[k] = change_of_rate(tables, c, k, rate, bodies, state, work)
            if joint.second >= 0:
                out[joint.second] = change_of_rate(tables, c, joint.second, rate, bodies, state, work)
        for k in range(body.modal_start, body.modal_start + body.modes):
            out[k] = change_of_rate(tables, c, k, rate, bodies, state, work)
    move_bodies(tables, bodies, state, work)
    show_condensed(tables, state.a, work)


@kernel
def change_of_rate(tables, c, k, rate, bodies, state, work):
    """How much the gap rate grows with the rate of coordinate ``k``; not with one that is driven or condensed."""
    if tables.coordinates[k].signal >= 0 or tables.coordinates[k].unit != 0.0:
        return 0.0
    old = state.v[k]
    state.v[k] = old + 1.0
    move_bodies(tables, bodies, state, work)
    _gap, shifted = gap_in_place(tables, c, state.q, state.v, state.a, work)
    state.v[k] = old
    return shifted - rate


@kernel
def move_bodies(tables, bodies, state, work):
    """Motion of the bodies in ``work.path`` at the present state."""
    place_ground(work.frame[0], tables.gravity)
    for i in range(bodies - 1, -1, -1):
        b = work.path[i]
        if tables.bodies[b].modes > 0:
            weigh_fields_of_body(tables, b, state.q, state.v, state.a, work)
        move_body(tables, b, state.q, state.v, state.a, state.reference, work)
