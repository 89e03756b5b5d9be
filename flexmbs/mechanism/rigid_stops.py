"""Rigid stops of joint coordinates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.rotations import as_number


@dataclass(frozen=True)
class RigidStop:
    """A coordinate stays between ``lower`` and ``upper`` (m or rad; infinite: no stop at that end)."""

    name: str
    coordinate: str
    lower: float
    upper: float
    restitution: float

    @property
    def ends(self) -> list[tuple[str, float]]:
        """Name and value of each end that has a stop."""
        return [(word, at) for word, at in (("lower", self.lower), ("upper", self.upper)) if math.isfinite(at)]


def stop_ends(lower: float | None, upper: float | None, where: str) -> tuple[float, float]:
    """Ends of a range, infinite where None; MechanismError for none, or in the wrong order."""
    if lower is None and upper is None:
        raise MechanismError(f"{where}: give lower=, upper= or both")
    low = -math.inf if lower is None else as_number(lower, f"{where}: lower")
    high = math.inf if upper is None else as_number(upper, f"{where}: upper")
    if low >= high:
        raise MechanismError(f"{where}: lower = {low:g} must be below upper = {high:g}")
    return low, high


def rigid_stop(
    known: Sequence[RigidStop], coordinate: str, ends: tuple[float, float], restitution: float, name: str | None, where: str
) -> RigidStop:
    """A checked rigid stop; MechanismError for a restitution outside 0 ... 1, or a name that is taken."""
    bounce = as_number(restitution, f"{where}: restitution")
    if not 0.0 <= bounce <= 1.0:
        raise MechanismError(f"{where}: restitution = {bounce:g} must be between 0 and 1")
    chosen = name or "limit"
    if any((stop.name, stop.coordinate) == (chosen, coordinate) for stop in known):
        raise MechanismError(f"{where}: the name '{chosen}' is taken on '{coordinate}'; give name=")
    return RigidStop(chosen, coordinate, *ends, bounce)
