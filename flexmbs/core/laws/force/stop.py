"""Compliant stops at both ends of a range: F + w c d' >= 0 with F = k d^e at depth d beyond an end.

Numbers: lower and upper end, stiffness k (N/m^e), exponent e, damping c, depth d_full from which all of the damping acts.
Above it w = s + (1 - s) F / hypot(F, c d') with the smooth step s(d / d_full): the force has no jump where the stop is met,
and what rests on it (c d' below F) is damped, however small its depth.  Stops never pull.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from flexmbs.core.laws.force.force_law import ForceLaw, law_energy, law_force
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

LOWER, UPPER, STIFFNESS, EXPONENT, DAMPING, FULL_DEPTH = range(6)


@kernel
def push(parameters, depth, rate):
    """Force of one stop at ``depth`` > 0, with its ``rate``."""
    spring, damping = parameters[STIFFNESS] * depth ** parameters[EXPONENT], parameters[DAMPING] * rate
    if depth < parameters[FULL_DEPTH]:
        z = depth / parameters[FULL_DEPTH]
        full = z * z * (3.0 - 2.0 * z)
        damping *= full + (1.0 - full) * spring / max(math.hypot(spring, damping), 1e-300)
    return max(spring + damping, 0.0)


@entry(law_force)
def stop_force(parameters, x, rate, given):
    if x > parameters[UPPER]:
        return -push(parameters, x - parameters[UPPER], rate)
    if x < parameters[LOWER]:
        return push(parameters, parameters[LOWER] - x, -rate)
    return 0.0


@entry(law_energy)
def stop_energy(parameters, x):
    depth = max(x - parameters[UPPER], parameters[LOWER] - x, 0.0)
    return parameters[STIFFNESS] * depth ** (parameters[EXPONENT] + 1.0) / (parameters[EXPONENT] + 1.0)


@dataclass(frozen=True)
class StopLaw(ForceLaw):
    """Compliant stops; an end that is infinite has none."""

    lower: float
    upper: float
    stiffness: float
    exponent: float
    damping: float
    depth: float

    kind = "limit"
    force = stop_force
    energy = stop_energy
    is_passive = True

    def parameters(self) -> Sequence[float]:
        largest = sys.float_info.max  # parameters are finite
        lower, upper = max(self.lower, -largest), min(self.upper, largest)
        return [lower, upper, self.stiffness, self.exponent, self.damping, self.depth]
