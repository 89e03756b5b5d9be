"""The mechanics behind three C functions, which the integrator calls by address.

A kernel's machine code holds all kernels that it calls.  Called by address, the mechanics are compiled once instead of
once in every part of the integrator, which halves the first compilation.  Importing this module compiles or loads them.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import carray, types

from flexmbs.kernels.blocks import block_at, pointer
from flexmbs.kernels.contact import contact_geometry
from flexmbs.kernels.functions import evaluate_function
from flexmbs.kernels.jit import c_function
from flexmbs.kernels.kinematics import forward_kinematics
from flexmbs.kernels.residual import residual
from flexmbs.kernels.tables import Tables, Workspace

_WORDS = types.void(*(types.int64,) * 8)
tables_at = block_at(Tables)
workspace_at = block_at(Workspace)


@c_function(_WORDS)
def residual_entry(tables, active, q, v, a, reference, work, out):
    """kernels.residual.residual with every argument as an address."""
    mechanism = tables_at(tables)
    n, contacts, axes = len(mechanism.coordinates), len(mechanism.contacts), len(mechanism.axes)
    residual(
        mechanism,
        carray(pointer(active), (contacts,), numba.int64),
        carray(pointer(q), (n,), numba.float64),
        carray(pointer(v), (n,), numba.float64),
        carray(pointer(a), (n,), numba.float64),
        carray(pointer(reference), (axes, 4), numba.float64),
        workspace_at(work),
        carray(pointer(out), (n,), numba.float64),
    )


@c_function(_WORDS)
def gap_entry(tables, contact, q, v, a, reference, work, _unused):
    """Gap and gap rate of a contact, into ``Workspace.gap``."""
    mechanism, scratch = tables_at(tables), workspace_at(work)
    n, axes = len(mechanism.coordinates), len(mechanism.axes)
    positions = carray(pointer(q), (n,), numba.float64)
    velocities = carray(pointer(v), (n,), numba.float64)
    accelerations = carray(pointer(a), (n,), numba.float64)
    quaternions = carray(pointer(reference), (axes, 4), numba.float64)
    forward_kinematics(mechanism, positions, velocities, accelerations, quaternions, scratch)
    gap, rate, _x, _y, _z = contact_geometry(mechanism, contact, positions, velocities, accelerations, scratch)
    scratch.gap[0], scratch.gap[1] = gap, rate


@c_function(_WORDS)
def function_entry(tables, active, q, v, a, number, work, _unused):
    """Call one user function after the residual was evaluated at the same state (a sampled controller)."""
    mechanism = tables_at(tables)
    n, contacts = len(mechanism.coordinates), len(mechanism.contacts)
    evaluate_function(
        mechanism,
        number,
        carray(pointer(active), (contacts,), numba.int64),
        carray(pointer(q), (n,), numba.float64),
        carray(pointer(v), (n,), numba.float64),
        carray(pointer(a), (n,), numba.float64),
        workspace_at(work),
    )


ADDRESSES = np.array([residual_entry.address, gap_entry.address, function_entry.address], dtype=np.int64)
