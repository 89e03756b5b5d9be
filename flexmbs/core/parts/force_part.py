"""Applied forces as a part of the residual."""

from __future__ import annotations

from flexmbs.core.abi.kernel import c_function
from flexmbs.core.laws.force import add_forces, force_energy
from flexmbs.core.parts.words import WORDS, floats_at, tables_at, workspace_at


@c_function(WORDS)
def force_entry(tables, active, q, v, a, work, out, _unused):
    """core.laws.force.add_forces."""
    mechanism = tables_at(tables)
    n = len(mechanism.coordinates)
    add_forces(mechanism, floats_at(q, n), floats_at(v, n), floats_at(a, n), workspace_at(work), floats_at(out, n))


@c_function(WORDS)
def energy_entry(tables, active, q, v, a, work, out, _unused):
    """core.laws.force.force_energy, added to the first number of ``out``."""
    mechanism = tables_at(tables)
    n = len(mechanism.coordinates)
    energy = floats_at(out, 1)
    energy[0] += force_energy(mechanism, floats_at(q, n), floats_at(v, n), floats_at(a, n), workspace_at(work))
