"""Contact patches with massless boundary: coordinates without any inertia, which balance the contact at every instant.

Between the ends of a step the motion of all other coordinates is known to fifth order, that of these only linearly:
at points where a gap is looked at they are found from their own equations,  Ke q + loads(q) = 0
(reduction.bases).
"""

from __future__ import annotations

import math

from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.tangent import acceleration_shift
from flexmbs.core.layout.state import Scratch, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.mechanics.condensed_modes import place_condensed
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

ITERATIONS = 8
PRECISION = 1e-10  # of the values
NOTHING = 1e-25  # m


@kernel
def balance_patches(tables, state, scratch, work):
    """Balance the massless coordinates of ``scratch.point_*`` if a contact that is closed may load them."""
    if len(tables.massless) == 0:
        return
    for c in range(len(tables.contacts)):
        if state.active[c] != 0:
            solve_patches(tables, state, scratch, work)
            return


@entry
def solve_patches(tables: Tables, state: State, scratch: Scratch, work: Workspace) -> bool:
    """Newton's method for the massless coordinates of ``scratch.point_*``, whose signals must be current."""
    q, v, a = scratch.point_q, scratch.point_v, scratch.point_a
    for _ in range(ITERATIONS):
        place_condensed(tables, q, v, a)
        residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
        for i in range(len(tables.massless)):
            scratch.patch_x[i] = -scratch.residual[tables.massless[i]]
        if not fill_patch_matrix(tables, state, scratch, work):
            return False
        solve(scratch.patch_matrix, scratch.patch_pivots, scratch.patch_x)
        done = True
        for i in range(len(tables.massless)):
            k = tables.massless[i]
            change = scratch.patch_x[i]
            if not math.isfinite(change):
                return False
            a[k] += change
            done = done and abs(change) <= PRECISION * abs(a[k]) + NOTHING / tables.coordinates[k].unit
        if done:
            break
    place_condensed(tables, q, v, a)
    return True


@kernel
def fill_patch_matrix(tables, state, scratch, work):
    """Factors of the derivatives of the patches' equations, by differences from ``scratch.residual``."""
    q, v, a = scratch.point_q, scratch.point_v, scratch.point_a
    for j in range(len(tables.massless)):
        k = tables.massless[j]
        kept = a[k]
        a[k] += acceleration_shift(tables, k, a)
        step = a[k] - kept
        residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.shifted_residual)
        a[k] = kept
        for i in range(len(tables.massless)):
            row = tables.massless[i]
            scratch.patch_matrix[i, j] = (scratch.shifted_residual[row] - scratch.residual[row]) / step
    return factorise(scratch.patch_matrix, scratch.patch_pivots, 0.0)
