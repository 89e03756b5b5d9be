"""The large parts of a step as the loop sees them: called by address (flexmbs.core.stepping.addresses).

Machine code of a kernel holds all kernels that it calls, so that what stands deep in the step would be compiled anew in
every function above it, and what a run does not need (other methods, constraints) would be compiled all the same.
"""

from __future__ import annotations

from flexmbs.core.abi.blocks import address_of, call_words
from flexmbs.core.abi.kernel import kernel
from flexmbs.core.linalg.matrix import factorise_any, solve_scaled

# places in Scratch.entries
TANGENT_ENTRY, RENEWAL_ENTRY, ATTEMPT_ENTRY, HISTORY_ENTRY, CONSTRAINTS_ENTRY, INTERMEDIATE_ENTRY = range(6)
ENTRIES = 6
# what is asked of the constraints (core.equations.constraint_entries)
FACTORISE, FINISH, RETURN, FACTORISE_BORDERS, SOLVE_REAL, SOLVE_COMPLEX, SET_TARGETS, REPLACE_ROWS = range(8)


@kernel
def update_tangent(tables, state, scratch, work, kinds):
    """See flexmbs.core.equations.tangent.fill_tangent."""
    call_words(
        scratch.entries[TANGENT_ENTRY], address_of(tables), address_of(state), address_of(scratch), address_of(work),
        kinds, 0, 0, 0,
    )  # fmt: skip
    return scratch.answer[0] != 0.0


@kernel
def renewed_accelerations(tables, state, scratch, work, kinds):
    """See flexmbs.core.equations.tangent.renew_accelerations."""
    call_words(
        scratch.entries[RENEWAL_ENTRY], address_of(tables), address_of(state), address_of(scratch), address_of(work),
        kinds, 0, 0, 0,
    )  # fmt: skip
    return scratch.answer[0] != 0.0


@kernel
def attempt_step(tables, state, settings, scratch, work, h):
    """Try a step of ``h`` with the method of the run: (iterations, error in parts of the tolerance, its order).

    See flexmbs.core.methods.method.Method.
    """
    scratch.answer[0] = h
    call_words(
        scratch.entries[ATTEMPT_ENTRY], address_of(tables), address_of(state), address_of(settings),
        address_of(scratch), address_of(work), 0, 0, 0,
    )  # fmt: skip
    return int(scratch.answer[0]), scratch.answer[1], scratch.answer[2]


@kernel
def update_history(tables, state, settings, scratch, h):
    """Let the method remember what it needs of the accepted step; the factor that it wants for the next one, or 0."""
    scratch.answer[0] = h
    call_words(
        scratch.entries[HISTORY_ENTRY], address_of(tables), address_of(state), address_of(settings),
        address_of(scratch), 0, 0, 0, 0,
    )  # fmt: skip
    return scratch.answer[0]


@kernel
def fill_intermediate_rows(tables, state, settings, scratch, work, h):
    """Motion inside the step, which is about to be accepted; how many rows (flexmbs.core.methods.method.Method)."""
    if scratch.entries[INTERMEDIATE_ENTRY] == 0:
        return 0
    scratch.answer[0] = h
    call_words(
        scratch.entries[INTERMEDIATE_ENTRY], address_of(tables), address_of(state), address_of(settings),
        address_of(scratch), address_of(work), 0, 0, 0,
    )  # fmt: skip
    return int(scratch.answer[0])


@kernel
def constraint_task(tables, state, scratch, work, what, which):
    """One of the tasks of core.equations.constraint_entries; False when a matrix is singular."""
    call_words(
        scratch.entries[CONSTRAINTS_ENTRY], address_of(tables), address_of(state), address_of(scratch),
        address_of(work), what, which, 0, 0,
    )  # fmt: skip
    return scratch.answer[0] != 0.0


@kernel
def factorise_mass(tables, state, scratch, work):
    """Factors of the mass matrix (with constraints: core.equations.projection); False: singular."""
    if len(tables.constraints) > 0:
        return constraint_task(tables, state, scratch, work, FACTORISE, 0)
    scratch.projection[:] = 0.0
    for i in range(state.mass.shape[0]):
        for j in range(state.mass.shape[1]):
            scratch.projection[i, j] = state.mass[i, j]
    return factorise_any(scratch.projection, scratch.projection_pivots, tables.band, 0.0)


@kernel
def solve_mass(tables, state, scratch, x):
    """Solve with the factors of :func:`factorise_mass`; multipliers of replaced rows stay."""
    if state.replaced_count != 0:
        for i in range(x.shape[0]):
            if state.replaced[i] != 0:
                x[i] = 0.0
    solve_scaled(scratch.projection, scratch.projection_pivots, tables.band, state.scale, x)


@kernel
def return_to_constraints(tables, state, scratch, work):
    """See flexmbs.core.equations.return_to_constraints.return_to_constraints."""
    return constraint_task(tables, state, scratch, work, RETURN, 0)
