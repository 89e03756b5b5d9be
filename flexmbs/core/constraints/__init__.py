"""Constraints between markers or coordinates, each with multipliers: one file a kind.

A constraint has rows g_i(q, t) = 0.  Its multiplier lam_i is a force (or moment) on marker b: the residual gets
-lam_i dg_i/dq, and the multiplier's own entry gets g_i'' (core.layout.tables).  ``work.constraint`` keeps g_i and g_i',
from which the integrator puts every finished step back on the constraints (core.equations.projection).

A new kind is a new file and a branch here.  Constraints that are switched: core.constraints.switches.
"""

from __future__ import annotations

from flexmbs.core.constraints.cable import add_cable
from flexmbs.core.constraints.closure import add_closure
from flexmbs.core.constraints.component import add_component
from flexmbs.core.constraints.coupling import add_coupling
from flexmbs.core.constraints.distance import add_distance
from flexmbs.core.constraints.rolling import add_rolling
from flexmbs.core.constraints.switches import add_switches, leave_out_constraint
from flexmbs.core.layout.tables import CABLE, CLOSURE, COMPONENT, COUPLING, DISTANCE, ROLLING, Tables, Workspace
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.signature import Floats, Integers


@entry
def add_constraints(
    tables: Tables, active: Integers, contact_history: Floats, q: Floats, v: Floats, a: Floats, work: Workspace, residual: Floats
) -> None:
    """Forces of all multipliers, and g, g' and g'' of all rows; the body frames are current.

    ``active`` and ``contact_history`` say which constraints are switched on, and where.
    """
    add_switches(tables, active, contact_history, q, v, a, work, residual)
    for c in range(len(tables.constraints)):
        if leave_out_constraint(tables, c, active, a, work, residual):
            continue
        kind = tables.constraints[c].kind
        if kind == CLOSURE:
            add_closure(tables, c, q, v, a, work, residual)
        elif kind == COUPLING:
            add_coupling(tables, c, q, v, a, work, residual)
        elif kind == DISTANCE:
            add_distance(tables, c, q, v, a, work, residual)
        elif kind == COMPONENT:
            add_component(tables, c, q, v, a, work, residual)
        elif kind == ROLLING:
            add_rolling(tables, c, q, v, a, work, residual)
        elif kind == CABLE:
            add_cable(tables, c, q, v, a, work, residual)
