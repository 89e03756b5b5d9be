"""Kinetic, gravitational and elastic energy of a mechanism."""

from __future__ import annotations

from flexmbs.core.contact.gap import contact_energy, contact_geometry
from flexmbs.core.contact.groups import occupy
from flexmbs.core.laws.force import force_energy, has_applied_forces
from flexmbs.core.layout.tables import ELASTIC, GRAVITY, KINETIC, SURFACES, Tables, Workspace
from flexmbs.core.mechanics.couplers import coupler_energy
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.inertia import kinetic_energy
from flexmbs.core.mechanics.quadratic_forms import cubic_energy
from flexmbs.core.mechanics.vectors import rotate
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Integers


@kernel
def energies(tables, active, contact_history, q, v, a, reference, work, out):
    """out[0:3] = kinetic, gravitational and elastic energy (modes, springs, bushings, stops, contacts), J."""
    forward_kinematics(tables, q, v, a, reference, work)
    energy_sums(tables, active, contact_history, q, v, a, work, out)


@entry
def energy_sums(
    tables: Tables, active: Integers, contact_history: Floats, q: Floats, v: Floats, a: Floats, work: Workspace, out: Floats
) -> None:
    """:func:`energies` with the body frames as they are in ``work``."""
    out[:] = 0.0
    g = tables.gravity
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        out[KINETIC] += kinetic_energy(tables, b, work)
        frame = work.frame[b]
        mx, my, mz = rotate(frame.R_WB, work.r[0, 0], work.r[1, 0], work.r[2, 0])  # first moment / sqrt(mass)
        for k, moment in enumerate((mx, my, mz)):
            out[GRAVITY] -= g[k] * body.root_mass * (body.root_mass * frame.p_WB[k] + moment)
        for i in range(body.modes):
            for j in range(body.modes):
                stiffness = tables.pool[body.stiffness_at + i * body.modes + j]
                out[ELASTIC] += 0.5 * stiffness * q[body.modal_start + i] * q[body.modal_start + j]
        out[ELASTIC] += cubic_energy(tables, b, q, work)
    out[ELASTIC] += coupler_energy(tables, q)
    if has_applied_forces(tables):
        out[ELASTIC] += force_energy(tables, q, v, a, contact_history, work)
    for c in range(len(tables.contacts)):
        if active[c] != 0 and tables.contacts[c].rigid == 0:
            occupy(tables, c, active[c], work)
            gap, _rate, _x, _y, _z = contact_geometry(tables, c, q, v, a, work)
            if tables.contacts[c].kind == SURFACES:
                out[ELASTIC] += work.touch[0].energy
            else:
                out[ELASTIC] += contact_energy(tables, tables.contacts[c], contact_history, abs(gap))
