"""Tangent and accelerations behind C functions (core.equations.calls); importing this compiles or loads them."""

from __future__ import annotations

from flexmbs.core.abi.kernel import c_function
from flexmbs.core.equations.tangent import fill_tangent, renew_accelerations
from flexmbs.core.equations.words import scratch_at, state_at
from flexmbs.core.parts.words import WORDS, tables_at, workspace_at


@c_function(WORDS)
def tangent_entry(tables, state, scratch, work, kinds, _first, _second, _third):
    """flexmbs.core.equations.tangent.fill_tangent; its answer in ``Scratch.answer``."""
    answer = scratch_at(scratch).answer
    regular = fill_tangent(tables_at(tables), state_at(state), scratch_at(scratch), workspace_at(work), kinds)
    answer[0] = 1.0 if regular else 0.0


@c_function(WORDS)
def renewal_entry(tables, state, scratch, work, kinds, _first, _second, _third):
    """flexmbs.core.equations.tangent.renew_accelerations; its answer in ``Scratch.answer``."""
    answer = scratch_at(scratch).answer
    done = renew_accelerations(tables_at(tables), state_at(state), scratch_at(scratch), workspace_at(work), kinds)
    answer[0] = 1.0 if done else 0.0
