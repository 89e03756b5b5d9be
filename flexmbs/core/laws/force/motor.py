"""Motor with a torque-speed curve T(speed): u T(speed) forwards (command u >= 0), u T(-speed) backwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.laws.force.force_law import ForceLaw, law_force
from flexmbs.core.laws.force.table import Table, table_value
from flexmbs.machine_code.entry import entry


@entry(law_force)
def motor_force(parameters, x, rate, given):
    return given * table_value(parameters, 0, rate if given >= 0.0 else -rate)


@dataclass(frozen=True)
class MotorLaw(ForceLaw):
    """Torque-speed curve times a command (number, function of time or sensor)."""

    curve: Table
    command: Any

    kind = "motor"
    force = motor_force
    is_driven = True

    @property
    def given(self) -> Any:  # type: ignore[override]
        """The command."""
        return self.command

    def parameters(self) -> Sequence[float]:
        return list(self.curve.packed())
