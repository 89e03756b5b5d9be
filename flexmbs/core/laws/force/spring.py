"""Spring and damper: -(k d + preload + c d'), d = x - rest; either part may be a table instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexmbs.core.laws.force.force_law import ForceLaw, law_energy, law_force
from flexmbs.core.laws.force.table import Table, table_integral, table_value
from flexmbs.machine_code.entry import entry

# TABLE, DAMPER: where the tables of elastic force and of damping force begin in the parameters; 0: there is none
STIFFNESS, DAMPING, PRELOAD, REST, TABLE, DAMPER, TABLES = range(7)


@entry(law_force)
def spring_force(parameters, x, rate, given):
    deformation = x - parameters[REST]
    pull = parameters[PRELOAD]
    if parameters[TABLE] > 0.0:
        pull += table_value(parameters, int(parameters[TABLE]), deformation)
    else:
        pull += parameters[STIFFNESS] * deformation
    if parameters[DAMPER] > 0.0:
        pull += table_value(parameters, int(parameters[DAMPER]), rate)
    else:
        pull += parameters[DAMPING] * rate
    return -pull


@entry(law_energy)
def deformation_energy(parameters, x):
    deformation = x - parameters[REST]
    stored = 0.5 * parameters[STIFFNESS] * deformation * deformation
    if parameters[TABLE] > 0.0:
        stored = table_integral(parameters, int(parameters[TABLE]), deformation)
    return stored + parameters[PRELOAD] * deformation


@dataclass(frozen=True)
class SpringLaw(ForceLaw):
    """-(k d + preload + c d'), d = x - rest; stiffness and damping are numbers or characteristics."""

    stiffness: float | Table
    damping: float | Table
    rest: float
    preload: float = 0.0

    kind = "spring"
    force = spring_force
    energy = deformation_energy

    @property
    def is_passive(self) -> bool:  # type: ignore[override]
        """A damping characteristic may drive."""
        return not isinstance(self.damping, Table)

    def parameters(self) -> Sequence[float]:
        numbers, places, tables = [], [], []
        for part in (self.stiffness, self.damping):
            is_table = isinstance(part, Table)
            numbers.append(0.0 if is_table else float(part))
            places.append(float(TABLES + len(tables)) if is_table else 0.0)
            tables += list(part.packed()) if is_table else []
        return [*numbers, self.preload, self.rest, *places, *tables]
