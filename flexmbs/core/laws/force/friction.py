"""Coulomb friction, regularised: -mu(v) N r with the coefficient of flexmbs/core/laws/friction/smooth_coefficient.py.

A joint that sticks creeps, slower than v_s.  v_s and v_d are rates of the coordinate, r is the radius at which the
normal force N acts (1 for translations).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.laws.force.force_law import ForceLaw, ReactionLoad, law_force
from flexmbs.core.laws.friction.smooth_coefficient import friction_coefficient
from flexmbs.machine_code.entry import entry

RADIUS = 4  # place of the radius behind the numbers of the coefficient


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
