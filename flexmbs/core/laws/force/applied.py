"""Applied force: ``factor`` times a number, function of time or sensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.laws.force.force_law import ForceLaw, law_force
from flexmbs.machine_code.entry import entry

FACTOR = 0


@entry(law_force)
def applied_force(parameters, x, rate, given):
    return parameters[FACTOR] * given


@dataclass(frozen=True)
class AppliedLaw(ForceLaw):
    """``factor`` times a quantity, along the coordinate."""

    effort: Any
    factor: float = 1.0

    kind = "actuator"
    force = applied_force
    is_driven = True

    @property
    def given(self) -> Any:  # type: ignore[override]
        """The quantity."""
        return self.effort

    def parameters(self) -> Sequence[float]:
        return [self.factor]
