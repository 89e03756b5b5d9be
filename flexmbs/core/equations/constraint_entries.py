"""What constraints need beside a step, behind one C function (core.equations.calls)."""

from __future__ import annotations

from flexmbs.core.abi.kernel import c_function
from flexmbs.core.equations.calls import (
    FACTORISE,
    FACTORISE_BORDERS,
    FINISH,
    REPLACE_ROWS,
    RETURN,
    SET_TARGETS,
    SOLVE_COMPLEX,
    SOLVE_REAL,
)
from flexmbs.core.equations.projection import factorise_constraints, finish_constraints
from flexmbs.core.equations.return_to_constraints import return_to_constraints
from flexmbs.core.equations.singular_positions import (
    factorise_borders,
    replace_rows,
    set_targets,
    solve_complex_bordered,
    solve_real_bordered,
)
from flexmbs.core.equations.words import scratch_at, state_at
from flexmbs.core.parts.words import WORDS, tables_at, workspace_at


@c_function(WORDS)
def constraint_entry(tables, state, scratch, work, what, which, _first, _second):
    """Task ``what``, for stage or with levels ``which``; in ``Scratch.answer`` 0 when a matrix is singular."""
    mechanism, now, own, kinematics = tables_at(tables), state_at(state), scratch_at(scratch), workspace_at(work)
    done = True
    if what == FACTORISE:
        done = factorise_constraints(mechanism, now, own)
    elif what == FINISH:
        finish_constraints(mechanism, now, own, kinematics, which)
    elif what == RETURN:
        done = return_to_constraints(mechanism, now, own, kinematics)
    elif what == FACTORISE_BORDERS:
        done = factorise_borders(mechanism, now, own)
    elif what == SOLVE_REAL:
        solve_real_bordered(mechanism, now, own)
    elif what == SOLVE_COMPLEX:
        solve_complex_bordered(mechanism, now, own)
    elif what == SET_TARGETS:
        set_targets(mechanism, now, own)
    elif what == REPLACE_ROWS:
        replace_rows(mechanism, now, own, which)
    own.answer[0] = 1.0 if done else 0.0
