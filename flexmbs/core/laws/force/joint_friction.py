"""Friction of a joint coordinate by a friction law of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.laws.force.force_law import ForceLaw, ReactionLoad
from flexmbs.core.laws.friction.friction_law import ContactFriction


@dataclass(frozen=True)
class JointFriction(ForceLaw):
    """``law`` on faces that slip at ``radius`` times the rate of the coordinate (1 for translations).

    ``normal``: force on the sliding faces; None: that of the joint's reaction, filtered by a lag (s), plus ``arm``
    (1/m) times the moment transverse to the axis. Compiled code calls ``law.force`` in place of ``force``.
    """

    law: ContactFriction
    radius: float
    normal: Any
    lag: float = 0.0
    arm: float = 0.0

    kind = "friction"

    @property
    def given(self) -> Any:  # type: ignore[override]
        """The normal force."""
        return ReactionLoad(self.lag, self.arm) if self.normal is None else self.normal

    def parameters(self) -> Sequence[float]:
        return self.law.parameters()
