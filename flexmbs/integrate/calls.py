"""The large parts of a step as the loop sees them: called by address (flexmbs.integrate.entries).

Machine code of a kernel holds all kernels that it calls, so that what stands deep in the step would be compiled anew in
every function above it.
"""

from __future__ import annotations

from flexmbs.kernels.blocks import address_of, call_words
from flexmbs.kernels.jit import kernel

TANGENT_ENTRY, RENEWAL_ENTRY, NEWTON_ENTRY = range(3)  # places in Scratch.entries


@kernel
def update_tangent(tables, state, scratch, work, kinds):
    """See flexmbs.integrate.tangent.fill_tangent."""
    call_words(
        scratch.entries[TANGENT_ENTRY], address_of(tables), address_of(state), address_of(scratch), address_of(work),
        kinds, 0, 0, 0,
    )  # fmt: skip
    return scratch.answer[0] != 0.0


@kernel
def renewed_accelerations(tables, state, scratch, work, kinds):
    """See flexmbs.integrate.tangent.renew_accelerations."""
    call_words(
        scratch.entries[RENEWAL_ENTRY], address_of(tables), address_of(state), address_of(scratch), address_of(work),
        kinds, 0, 0, 0,
    )  # fmt: skip
    return scratch.answer[0] != 0.0


@kernel
def solve_stages(tables, state, settings, scratch, work, h):
    """Newton's iteration for a step of ``h``: how many it took, 0 when it failed, -1 when a matrix is singular."""
    scratch.answer[0] = h
    call_words(
        scratch.entries[NEWTON_ENTRY], address_of(tables), address_of(state), address_of(settings),
        address_of(scratch), address_of(work), 0, 0, 0,
    )  # fmt: skip
    return int(scratch.answer[0])
