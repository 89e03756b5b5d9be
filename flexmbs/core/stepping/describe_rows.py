"""What a log row means: energies, frames, contact forces, joint reactions and driving forces of finished steps."""

from __future__ import annotations

import math

from flexmbs.core.constraints.contact_slot import describe_rigid_contact
from flexmbs.core.contact.gap import contact_geometry, evaluate_friction, normal_force
from flexmbs.core.energy import energy_sums
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import POSITION_LEVEL, RECORDED, WHOLE, Tables, Workspace
from flexmbs.core.mechanics.signals import evaluate_signals
from flexmbs.core.stepping.write_log_rows import log_columns
from flexmbs.machine_code.blocks import Block
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Floats3, Floats4, Integers


class DescribedRows(Block):
    """What ``rows`` log rows mean; vectors in world axes. Contacts without those of groups."""

    fields = {
        "active": ("i8", ("flags",)),  # of one row, as its reference; scratch
        "reference": ("f8", ("balls", 4)),
        "residual": ("f8", ("n",)),
        "energy": ("f8", ("rows", 3)),
        "p_WB": ("f8", ("rows", "bodies", 3)),
        "R_WB": ("f8", ("rows", "bodies", 9)),  # row by row
        "v_WB": ("f8", ("rows", "bodies", 3)),
        "w_WB": ("f8", ("rows", "bodies", 3)),
        "gap": ("f8", ("rows", "recorded")),
        "force": ("f8", ("rows", "recorded")),
        "point": ("f8", ("rows", "recorded", 3)),  # contact point, and the whole force on the first shape
        "push": ("f8", ("rows", "recorded", 3)),
        "slip": ("f8", ("rows", "recorded")),  # speed of sliding
        "reaction": ("f8", ("rows", "reactions", 6)),  # of bodies, then of constraints
        "effort": ("f8", ("rows", "n")),  # driving forces (the residual); of multipliers the value of the constraint
        "record": ("f8", ("rows", "record")),  # Workspace.record
    }


@entry
def describe_rows(tables: Tables, rows: Floats2, work: Workspace, made: DescribedRows) -> None:
    """Fill ``made`` from log rows (core.layout.log_rows)."""
    n, balls = len(tables.coordinates), made.reference.shape[0]
    active, reference, out, effort = made.active, made.reference, made.residual, made.effort
    p_WB, R_WB, v_WB, w_WB = made.p_WB, made.R_WB, made.v_WB, made.w_WB
    gap, force, point, push, slip = made.gap, made.force, made.point, made.push, made.slip
    record, reaction = made.record, made.reaction
    at_q, at_reference, at_v, at_a, at_active = log_columns(n, balls)
    for i in range(rows.shape[0]):
        row = rows[i]
        q, v, a = row[at_q : at_q + n], row[at_v : at_v + n], row[at_a : at_a + n]
        for ball in range(balls):
            for k in range(4):
                reference[ball, k] = row[at_reference + 4 * ball + k]
        flags = len(tables.contacts) + len(tables.switches)
        for c in range(flags):
            active[c] = int(row[at_active + c])
        contact_history = row[at_active + flags :]
        evaluate_signals(tables, row[TIME], work.signal)
        work.extent[0] = RECORDED
        residual(tables, active, contact_history, q, v, a, reference, work, out)
        work.extent[0] = WHOLE
        for k in range(record.shape[1]):
            record[i, k] = work.record[k]
        for b in range(reaction.shape[1]):
            copy_wrench(work.reaction[b], reaction[i, b])
        for k in range(n):
            effort[i, k] = work.constraint[k, POSITION_LEVEL] if tables.coordinates[k].multiplier != 0 else out[k]
        energy_sums(tables, active, contact_history, q, v, a, work, made.energy[i])
        for b in range(len(tables.bodies)):
            frame = work.frame[b]
            for k in range(3):
                p_WB[i, b, k], v_WB[i, b, k], w_WB[i, b, k] = frame.p_WB[k], frame.v_WB[k], frame.w_WB[k]
                for j in range(3):
                    R_WB[i, b, 3 * k + j] = frame.R_WB[k, j]
        for c in range(gap.shape[1]):  # without those of groups
            describe_contact(tables, c, active, contact_history, q, v, a, work, gap[i], force[i], point[i, c], push[i, c], slip[i])


@kernel
def describe_contact(tables, c, active, contact_history, q, v, a, work, gap, force, point, push, slip):
    """Gap, normal force, point, whole force and sliding speed of contact ``c``; forces are zero while it is open."""
    distance, rate, nx, ny, nz = contact_geometry(tables, c, q, v, a, work)
    touch = work.touch[0]
    gap[c] = max(distance, touch.clear)
    force[c] = slip[c] = 0.0
    for k in range(3):
        point[k], push[k] = touch.p[k], 0.0
    if active[c] == 0 and tables.contacts[c].always == 0:
        return
    if tables.contacts[c].rigid != 0:
        describe_rigid_contact(tables, c, active[c], contact_history, q, v, a, work)
        force[c] = touch.force
    else:
        force[c] = normal_force(tables, c, contact_history, distance, rate, work)
        evaluate_friction(tables, c, force[c], v, work)
    push[0], push[1], push[2] = force[c] * nx, force[c] * ny, force[c] * nz
    for k in range(3):
        push[k] += touch.friction[k]
    slip[c] = math.sqrt(touch.u[0] ** 2 + touch.u[1] ** 2 + touch.u[2] ** 2)


@kernel
def copy_wrench(wrench, out):
    """out (6,) = force and moment."""
    for k in range(3):
        out[k], out[3 + k] = wrench.force[k], wrench.moment[k]


@entry
def describe_unit_multipliers(
    tables: Tables,
    rows: Floats2,
    count: int,
    balls: int,
    colour: Integers,
    work: Workspace,
    active: Integers,
    reference: Floats2,
    v: Floats,
    a: Floats,
    base: Floats,
    out: Floats,
    still: Floats2,
    forces: Floats3,
    reaction: Floats4,
) -> None:
    """What multipliers of value 1 do at the positions of log rows, those of one colour together.

    Behind the positions of a row stand the numbers of ``State.contact_history``.

    ``colour`` (coordinates,) numbers the colour of every multiplier, -1 for coordinates.  forces (count, colours,
    coordinates): change of the residual; reaction (count, colours, bodies + constraints, 6): of the reactions.
    ``active`` (contacts,) is zero: none touches. ``v``, ``a``, ``base``, ``out`` (coordinates,) and ``still`` (bodies +
    constraints, 6) are scratch.
    """
    n = len(tables.coordinates)
    at_q, at_reference, at_v, _a, _active = log_columns(n, balls)
    for i in range(count):
        row = rows[i]
        q = row[at_q : at_q + n]
        for ball in range(balls):
            for k in range(4):
                reference[ball, k] = row[at_reference + 4 * ball + k]
        contact_history = row[at_v:]
        evaluate_signals(tables, row[TIME], work.signal)
        v[:] = 0.0
        a[:] = 0.0
        residual(tables, active, contact_history, q, v, a, reference, work, base)
        for b in range(len(still)):
            copy_wrench(work.reaction[b], still[b])
        for c in range(forces.shape[1]):
            for k in range(n):
                a[k] = 1.0 if colour[k] == c else 0.0
            residual(tables, active, contact_history, q, v, a, reference, work, out)
            for k in range(n):
                forces[i, c, k] = out[k] - base[k]
            for b in range(reaction.shape[2]):
                copy_wrench(work.reaction[b], reaction[i, c, b])
                for k in range(6):
                    reaction[i, c, b, k] -= still[b, k]
