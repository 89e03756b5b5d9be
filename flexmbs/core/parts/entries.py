"""The mechanics behind two C functions, which the integrator calls by address.

A kernel's machine code holds all kernels that it calls.  Called by address, the mechanics are compiled once instead of
once in every part of the integrator, which halves the first compilation.  Importing this module compiles or loads them.
"""

from __future__ import annotations

import numba
from numba import carray

from flexmbs.core.abi.blocks import pointer
from flexmbs.core.abi.kernel import c_function
from flexmbs.core.contact.gap import contact_geometry
from flexmbs.core.equations.residual import residual
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.parts.words import WORDS, floats_at, integers_at, tables_at, workspace_at


@c_function(WORDS)
def residual_entry(tables, active, q, v, a, reference, work, out):
    """core.equations.residual.residual with every argument as an address."""
    mechanism = tables_at(tables)
    n, contacts, axes = len(mechanism.coordinates), len(mechanism.contacts), len(mechanism.axes)
    scratch = workspace_at(work)
    positions, velocities, accelerations = floats_at(q, n), floats_at(v, n), floats_at(a, n)
    hide_condensed(mechanism, positions, velocities, accelerations, scratch)
    residual(
        mechanism,
        integers_at(active, contacts),
        positions,
        velocities,
        accelerations,
        carray(pointer(reference), (axes, 4), numba.float64),
        scratch,
        floats_at(out, n),
    )
    show_condensed(mechanism, accelerations, scratch)


@c_function(WORDS)
def gap_entry(tables, contact, q, v, a, reference, work, _unused):
    """Gap and gap rate of a contact, into ``Workspace.gap``."""
    mechanism, scratch = tables_at(tables), workspace_at(work)
    n, axes = len(mechanism.coordinates), len(mechanism.axes)
    positions, velocities, accelerations = floats_at(q, n), floats_at(v, n), floats_at(a, n)
    quaternions = carray(pointer(reference), (axes, 4), numba.float64)
    hide_condensed(mechanism, positions, velocities, accelerations, scratch)
    forward_kinematics(mechanism, positions, velocities, accelerations, quaternions, scratch)
    gap, rate, _x, _y, _z = contact_geometry(mechanism, contact, positions, velocities, accelerations, scratch)
    show_condensed(mechanism, accelerations, scratch)
    scratch.gap[0], scratch.gap[1] = gap, rate
