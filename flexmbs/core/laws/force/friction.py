"""Coulomb friction, regularised: -mu(v) N r with the coefficient

    mu_s p(v / v_s)                             |v| <= v_s,          p(z) = z (15 - 10 z^2 + 3 z^4) / 8
    mu_s + (mu_d - mu_s) (1 + p(2 z - 1)) / 2   v_s <= |v| <= v_d,   z = (|v| - v_s) / (v_d - v_s)
    mu_d                                        beyond

with two continuous derivatives.  A joint that sticks creeps, slower than v_s.  v_s and v_d are rates of the coordinate,
r is the radius at which the normal force N acts (1 for translations).  The shape is that of the
coefficient over slip velocity in Adams/Solver (CONTACT and FRICTION statements), there with cubic steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.laws.force.force_law import ForceLaw, ReactionLoad, law_force
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

STATIC, DYNAMIC, STICTION_RATE, SLIP_RATE, RADIUS = range(5)


@kernel
def smooth_sign(z):
    """Odd polynomial from -1 at -1 to 1 at 1, with two derivatives that vanish there."""
    return 0.125 * z * (15.0 - z * z * (10.0 - 3.0 * z * z))


@kernel
def friction_coefficient(parameters, rate):
    """Coefficient at a slip ``rate``, with its sign."""
    speed, stiction_rate, slip_rate = abs(rate), parameters[STICTION_RATE], parameters[SLIP_RATE]
    static, dynamic = parameters[STATIC], parameters[DYNAMIC]
    if speed <= stiction_rate:
        return static * smooth_sign(rate / stiction_rate)
    size = dynamic
    if speed < slip_rate:
        z = (speed - stiction_rate) / (slip_rate - stiction_rate)
        size = static + (dynamic - static) * 0.5 * (1.0 + smooth_sign(2.0 * z - 1.0))
    return size if rate > 0.0 else -size


@entry(law_force)
def friction_force(parameters, x, rate, given):
    return -friction_coefficient(parameters, rate) * max(given, 0.0) * parameters[RADIUS]


@dataclass(frozen=True)
class FrictionLaw(ForceLaw):
    """-mu(rate) normal radius.

    ``normal``: force on the sliding faces; None: that of the joint's reaction, filtered by a lag (s), plus ``arm``
    (1/m) times the moment transverse to the axis.
    """

    static: float
    dynamic: float
    transition: float
    full_slip: float
    radius: float
    normal: Any
    lag: float = 0.0
    arm: float = 0.0

    kind = "friction"
    force = friction_force

    @property
    def given(self) -> Any:  # type: ignore[override]
        """The normal force."""
        return ReactionLoad(self.lag, self.arm) if self.normal is None else self.normal

    def parameters(self) -> Sequence[float]:
        return [self.static, self.dynamic, self.transition, self.full_slip, self.radius]
