"""Constraints as a part of the residual."""

from __future__ import annotations

from flexmbs.core.abi.kernel import c_function
from flexmbs.core.constraints import add_constraints
from flexmbs.core.parts.words import WORDS, floats_at, tables_at, workspace_at


@c_function(WORDS)
def constraint_entry(tables, active, q, v, a, work, out, _unused):
    """core.constraints.add_constraints."""
    mechanism = tables_at(tables)
    n = len(mechanism.coordinates)
    add_constraints(mechanism, floats_at(q, n), floats_at(v, n), floats_at(a, n), workspace_at(work), floats_at(out, n))
