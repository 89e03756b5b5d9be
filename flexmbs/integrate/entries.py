"""The large parts of a step behind C functions (flexmbs.integrate.calls); importing this compiles or loads them."""

from __future__ import annotations

import numpy as np

from flexmbs.integrate.radau import factorise_newton, newton
from flexmbs.integrate.state import FACTORED_STEP, Scratch, Settings, State
from flexmbs.integrate.tangent import fill_tangent, renew_accelerations
from flexmbs.kernels.blocks import block_at
from flexmbs.kernels.jit import c_function
from flexmbs.kernels.parts.words import WORDS, tables_at, workspace_at

state_at, scratch_at, settings_at = block_at(State), block_at(Scratch), block_at(Settings)


@c_function(WORDS)
def tangent_entry(tables, state, scratch, work, kinds, _first, _second, _third):
    """flexmbs.integrate.tangent.fill_tangent; its answer in ``Scratch.answer``."""
    answer = scratch_at(scratch).answer
    regular = fill_tangent(tables_at(tables), state_at(state), scratch_at(scratch), workspace_at(work), kinds)
    answer[0] = 1.0 if regular else 0.0


@c_function(WORDS)
def renewal_entry(tables, state, scratch, work, kinds, _first, _second, _third):
    """flexmbs.integrate.tangent.renew_accelerations; its answer in ``Scratch.answer``."""
    answer = scratch_at(scratch).answer
    done = renew_accelerations(tables_at(tables), state_at(state), scratch_at(scratch), workspace_at(work), kinds)
    answer[0] = 1.0 if done else 0.0


@c_function(WORDS)
def newton_entry(tables, state, settings, scratch, work, _first, _second, _third):
    """Factors when the step size has changed, then flexmbs.integrate.radau.newton; both ways by ``Scratch.answer``."""
    mechanism, now, own = tables_at(tables), state_at(state), scratch_at(scratch)
    answer = own.answer
    h = answer[0]
    if now.number[FACTORED_STEP] != h and not factorise_newton(mechanism, now, own, h):
        answer[0] = -1.0
    else:
        answer[0] = newton(mechanism, now, settings_at(settings), own, workspace_at(work), h)


ADDRESSES = np.array([tangent_entry.address, renewal_entry.address, newton_entry.address], dtype=np.int64)
