"""Accelerations of a tree at given positions and velocities, as an explicit method needs them at every stage."""

from __future__ import annotations

import math

from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.state import Scratch, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.mechanics.articulated_body import solve_for_accelerations
from flexmbs.core.mechanics.free_tree import move_free_tree, solve_free_tree
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats

MAX_RENEWALS = 10
# Where user functions may read accelerations, these are iterated until they change by no more than rounding.
SETTLED = 1e-11


@entry
def find_accelerations(tables: Tables, state: State, scratch: Scratch, work: Workspace, q: Floats, v: Floats, a: Floats) -> bool:
    """Fill the unknown entries of ``a``; False when they are not finite or the mass matrix is singular.

    Signals are current in ``work.signal`` and driven coordinates in ``q``, ``v`` and ``a`` (impose_drivers).
    """
    if work.free_tree != 0:
        return solve_directly(tables, state, scratch, work, q, v, a)
    if work.rigid_tree != 0:
        done = iterate(tables, state, scratch, work, q, v, a)
        # user functions that read accelerations may act as more inertia than the bodies have
        if done or work.reads_accelerations == 0:
            return done
    if not fill_mass(tables, state, scratch, work, q, v, a):
        return False
    return iterate_with_mass(tables, state, scratch, work, q, v, a)


@kernel
def solve_explicit(tables, state, scratch, work, force, a):
    """a (n,) = M^-1 force at the present state, without constraints; False when the mass matrix is singular.

    Frames of the bodies, signals and drivers in ``work`` and ``state`` are current.
    """
    for k in range(len(tables.coordinates)):
        scratch.residual[k] = -force[k]
        a[k] = 0.0
    if len(work.dense) < len(tables.free) or work.rigid_tree != 0:
        if not solve_for_accelerations(tables, state.q, scratch.residual, work, a):
            return False
    if work.rigid_tree != 0:
        return True
    if not fill_mass(tables, state, scratch, work, state.q, state.v, scratch.point_q):
        return False
    for i in range(len(work.dense)):
        scratch.real_x[i] = force[work.dense[i]]
    solve(scratch.real, scratch.real_pivots, scratch.real_x[: len(work.dense)])
    for i in range(len(work.dense)):
        a[work.dense[i]] = scratch.real_x[i]
    return True


@kernel
def solve_directly(tables, state, scratch, work, q, v, a):
    """Accelerations of a tree on which nothing but gravity and drivers acts."""
    forget(tables, a)
    state.residual_evaluations += 1
    move_free_tree(tables, q, v, a, state.reference, work)
    if not solve_free_tree(tables, work, q, scratch.shifted_residual):
        return False
    total = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        a[k] = scratch.shifted_residual[k]
        total += abs(a[k])
    return math.isfinite(total)


@kernel
def evaluate(tables, state, scratch, work, q, v, a):
    """The residual, counted."""
    state.residual_evaluations += 1
    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)


@kernel
def forget(tables, a):
    """No accelerations of the unknowns."""
    for i in range(len(tables.free)):
        a[tables.free[i]] = 0.0


@kernel
def iterate(tables, state, scratch, work, q, v, a):
    """Accelerations of a tree of rigid bodies; where no user function reads them the first solution is exact."""
    forget(tables, a)
    for _ in range(1 if work.reads_accelerations == 0 else MAX_RENEWALS):
        evaluate(tables, state, scratch, work, q, v, a)
        if not solve_for_accelerations(tables, q, scratch.residual, work, scratch.shifted_residual):
            return False
        change = size = 0.0
        for i in range(len(tables.free)):
            k = tables.free[i]
            a[k] += scratch.shifted_residual[k]
            change += abs(scratch.shifted_residual[k])
            size += abs(a[k])
        if not math.isfinite(change):
            return False
        if change <= SETTLED * size:
            return True
    return work.reads_accelerations == 0


@kernel
def fill_mass(tables, state, scratch, work, q, v, a):
    """Factors of the mass matrix in ``scratch.real``, from the residual, which is linear in the accelerations.

    Only of the unknowns ``work.dense``; of the trees of rigid bodies beside them ``a`` holds the accelerations.
    """
    forget(tables, a)
    evaluate(tables, state, scratch, work, q, v, a)
    m = len(work.dense)
    for i in range(m):
        scratch.unshifted[i] = scratch.residual[work.dense[i]]
    if m < len(tables.free):
        if not solve_for_accelerations(tables, q, scratch.residual, work, scratch.shifted_residual):
            return False
        for i in range(len(tables.free)):
            a[tables.free[i]] = scratch.shifted_residual[tables.free[i]]
        for i in range(m):
            a[work.dense[i]] = 0.0
    for j in range(m):
        a[work.dense[j]] = 1.0
        evaluate(tables, state, scratch, work, q, v, a)
        a[work.dense[j]] = 0.0
        for i in range(m):
            scratch.real[i, j] = scratch.residual[work.dense[i]] - scratch.unshifted[i]
    return factorise(scratch.real, scratch.real_pivots, 0.0)


@kernel
def iterate_with_mass(tables, state, scratch, work, q, v, a):
    """Accelerations of any tree with the factors of :func:`fill_mass`, which has left the residual without them."""
    m = len(work.dense)
    for renewal in range(1 if work.reads_accelerations == 0 else MAX_RENEWALS):
        if renewal > 0:
            evaluate(tables, state, scratch, work, q, v, a)
        for i in range(m):
            scratch.real_x[i] = -(scratch.unshifted[i] if renewal == 0 else scratch.residual[work.dense[i]])
        solve(scratch.real, scratch.real_pivots, scratch.real_x[:m])
        change = size = 0.0
        for i in range(m):
            a[work.dense[i]] += scratch.real_x[i]
            change += abs(scratch.real_x[i])
        for i in range(len(tables.free)):
            size += abs(a[tables.free[i]])
        if not math.isfinite(change + size):
            return False
        if change <= SETTLED * size:
            return True
    return work.reads_accelerations == 0
