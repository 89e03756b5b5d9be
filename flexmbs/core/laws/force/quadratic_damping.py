"""Turbulent drag: -c v |v|, the resistance of a body in a fluid at high Reynolds number, of a fan or a throttle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexmbs.core.laws.force.force_law import ForceLaw, check_parameter, law_force
from flexmbs.machine_code.entry import entry

COEFFICIENT = 0


@entry(law_force)
def drag(parameters, x, rate, given):
    return -parameters[COEFFICIENT] * rate * abs(rate)


@dataclass(frozen=True)
class QuadraticDamping(ForceLaw):
    """-c v |v|, with c in N s2/m2 (rho C_d A / 2 of a body in a fluid) or N m s2/rad2 (of a fan)."""

    coefficient: float

    kind = "quadratic damping"
    force = drag
    is_passive = True

    def __post_init__(self) -> None:
        check_parameter("quadratic damping: coefficient", self.coefficient, 0.0)

    def parameters(self) -> Sequence[float]:
        return [float(self.coefficient)]
