"""A spring and damper that a variable switches on: -s (k (x - at) + c x'), with s the variable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.laws.force.force_law import ForceLaw, law_force
from flexmbs.machine_code.entry import entry

AT, STIFFNESS, DAMPING = range(3)


@entry(law_force)
def latch_force(parameters, x, rate, given):
    return -given * (parameters[STIFFNESS] * (x - parameters[AT]) + parameters[DAMPING] * rate)


@dataclass(frozen=True)
class LatchLaw(ForceLaw):
    """Spring and damper about ``at`` (m or rad), times a variable ``given`` that is 0 or 1."""

    at: float
    stiffness: float
    damping: float
    given: Any  # type: ignore[misc]

    kind = "latch"
    force = latch_force

    def parameters(self) -> Sequence[float]:
        return [self.at, self.stiffness, self.damping]
