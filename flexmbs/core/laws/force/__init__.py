"""Applied forces: elements (one law along one coordinate, line or angle), bushings, loads; one file a law.

A new law of elements is a new file, its number in core.layout.force_tables, and a branch in ``law_force`` and, when it
stores energy, in ``law_energy``.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.laws.force.bushing import add_bushings, bushing_energy
from flexmbs.core.laws.force.elements import add_elements, element_energy
from flexmbs.core.laws.force.loads import add_loads
from flexmbs.core.laws.force.spread import add_spread_loads


@kernel
def add_forces(tables, q, v, a, work, residual):
    """All applied forces but contacts; the outputs of user functions are current."""
    add_elements(tables, q, v, a, work, residual)
    add_bushings(tables, q, v, a, work, residual)
    add_loads(tables, q, v, a, work, residual)
    add_spread_loads(tables, q, work, residual)


@kernel
def force_energy(tables, q, v, a, work):
    """Elastic energy of elements and bushings, J."""
    return element_energy(tables, q, v, a, work) + bushing_energy(tables, q, v, a, work)
