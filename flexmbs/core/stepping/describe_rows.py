"""What a log row means: energies, frames, contact forces, joint reactions and driving forces of finished steps."""

from __future__ import annotations

import numpy as np

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import contact_force, contact_geometry
from flexmbs.core.energy import energy_sums
from flexmbs.core.equations.mechanics import residual
from flexmbs.core.layout.tables import POSITION_LEVEL, RECORDED, WHOLE
from flexmbs.core.mechanics.signals import evaluate_signals


@kernel
def describe_rows(
    tables, rows, count, balls, work, active, reference, out, energy, frames, gap, force, reaction, effort, record
):  # fmt: skip
    """Fill arrays from log rows, each of which holds t, q, quaternions of the balls, v, a, contact flags.

    energy (count, 3), frames (count, bodies) of core.layout.frames.BODY_FRAME, gap and force (count, contacts),
    reaction (count, bodies + constraints, 6), effort (count, coordinates): of driven coordinates their driving force
    (the residual), of multipliers the value of the constraint; record (count, k): ``Workspace.record``.  ``out``
    (coordinates,) is scratch.
    """
    n = len(tables.coordinates)
    at_v = 1 + n + 4 * balls
    for i in range(count):
        row = rows[i]
        q, v, a = row[1 : 1 + n], row[at_v : at_v + n], row[at_v + n : at_v + 2 * n]
        for ball in range(balls):
            for k in range(4):
                reference[ball, k] = row[1 + n + 4 * ball + k]
        for c in range(len(tables.contacts)):
            active[c] = int(row[at_v + 2 * n + c])
        evaluate_signals(tables, row[0], work.signal)
        work.extent[0] = RECORDED
        residual(tables, active, q, v, a, reference, work, out)
        work.extent[0] = WHOLE
        for k in range(record.shape[1]):
            record[i, k] = work.record[k]
        for b in range(reaction.shape[1]):
            copy_wrench(work.reaction[b], reaction[i, b])
        for k in range(n):
            effort[i, k] = work.constraint[k, POSITION_LEVEL] if tables.coordinates[k].multiplier != 0 else out[k]
        energy_sums(tables, active, q, v, a, work, energy[i])
        for b in range(len(tables.bodies)):
            frames[i, b] = work.frame[b]
        for c in range(len(tables.contacts)):
            distance, _rate, _x, _y, _z = contact_geometry(tables, c, q, v, a, work)
            gap[i, c] = distance
            force[i, c] = contact_force(tables.contacts[c], distance) if active[c] != 0 else 0.0


@kernel
def copy_wrench(wrench, out):
    """out (6,) = force and moment."""
    for k in range(3):
        out[k], out[3 + k] = wrench.force[k], wrench.moment[k]


@kernel
def describe_unit_multipliers(tables, rows, count, balls, colour, work, reference, v, a, base, out, forces, reaction):
    """What multipliers of value 1 do at the positions of log rows, those of one colour together.

    ``colour`` (coordinates,) numbers the colour of every multiplier, -1 for coordinates.  forces (count, colours,
    coordinates): change of the residual; reaction (count, colours, bodies + constraints, 6): of the reactions.
    ``v``, ``a``, ``base`` and ``out`` (coordinates,) are scratch.
    """
    n = len(tables.coordinates)
    active = np.zeros(len(tables.contacts), dtype=np.int64)
    still = np.zeros((reaction.shape[2], 6))
    for i in range(count):
        row = rows[i]
        q = row[1 : 1 + n]
        for ball in range(balls):
            for k in range(4):
                reference[ball, k] = row[1 + n + 4 * ball + k]
        evaluate_signals(tables, row[0], work.signal)
        v[:] = 0.0
        a[:] = 0.0
        residual(tables, active, q, v, a, reference, work, base)
        for b in range(len(still)):
            copy_wrench(work.reaction[b], still[b])
        for c in range(forces.shape[1]):
            for k in range(n):
                a[k] = 1.0 if colour[k] == c else 0.0
            residual(tables, active, q, v, a, reference, work, out)
            for k in range(n):
                forces[i, c, k] = out[k] - base[k]
            for b in range(reaction.shape[2]):
                copy_wrench(work.reaction[b], reaction[i, c, b])
                reaction[i, c, b] -= still[b]
