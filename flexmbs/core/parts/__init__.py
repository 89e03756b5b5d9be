"""Parts of the residual that many models do without: C functions, compiled and loaded only for a model that has them.

The residual calls them by address (``Workspace.entries``); 0 stands for a part that the model does not have.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import CURVE

# places in Workspace.entries
(
    RESIDUAL, GAP, FUNCTION, CONSTRAINTS_PART, FORCES_PART, FUNCTIONS_PART, SENSORS_PART, FORCE_ENERGY, CURVES_PART,
) = range(9)  # fmt: skip


def part_addresses(tables) -> np.ndarray:
    """Addresses of everything that ``tables`` need; compiles what is not in the cache."""
    from flexmbs.core.parts.entries import gap_entry, residual_entry

    found = np.zeros(9, dtype=np.int64)
    found[RESIDUAL], found[GAP] = residual_entry.address, gap_entry.address
    if len(tables.constraints):
        from flexmbs.core.parts.constraint_part import constraint_entry

        found[CONSTRAINTS_PART] = constraint_entry.address
    if any(len(table) for table in (tables.elements, tables.bushings, tables.loads, tables.spread_loads)):
        from flexmbs.core.parts.force_part import energy_entry, force_entry

        found[FORCES_PART], found[FORCE_ENERGY] = force_entry.address, energy_entry.address
    if np.any(tables.axes["kind"] >= CURVE):
        from flexmbs.core.parts.curve_part import curve_entry

        found[CURVES_PART] = curve_entry.address
    if len(tables.functions) or len(tables.sensors):
        from flexmbs.core.parts.function_part import function_entry, functions_entry, sensors_entry

        found[FUNCTION], found[FUNCTIONS_PART] = function_entry.address, functions_entry.address
        found[SENSORS_PART] = sensors_entry.address
    return found
