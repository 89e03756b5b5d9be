"""Applied forces: elements (one law along one coordinate, line or angle), bushings, loads; one file a law.

A new law is a new file (docs/adding_a_force_law.md); its functions are called by address.
"""

from __future__ import annotations

from flexmbs.core.laws.force.bushing import add_bushings, bushing_energy
from flexmbs.core.laws.force.elements import add_elements, element_energy
from flexmbs.core.laws.force.loads import add_loads
from flexmbs.core.laws.force.spread import add_spread_loads
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats


@kernel
def has_applied_forces(tables):
    """Whether there is anything for :func:`add_forces` and :func:`force_energy`."""
    return len(tables.elements) + len(tables.bushings) + len(tables.loads) + len(tables.spread_loads) > 0


@entry
def add_forces(tables: Tables, q: Floats, v: Floats, a: Floats, contact_history: Floats, work: Workspace, residual: Floats) -> None:
    """All applied forces but contacts; the outputs of user functions are current."""
    add_elements(tables, q, v, a, contact_history, work, residual)
    add_bushings(tables, q, v, a, contact_history, work, residual)
    add_loads(tables, q, v, a, work, residual)
    add_spread_loads(tables, q, work, residual)


@entry
def force_energy(tables: Tables, q: Floats, v: Floats, a: Floats, contact_history: Floats, work: Workspace) -> float:
    """Elastic energy of elements and bushings, J."""
    elements = element_energy(tables, q, v, a, contact_history, work)
    return elements + bushing_energy(tables, q, v, a, contact_history, work)
