"""Names of every coordinate, in the order of the compiled tables."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class CoordinateNames:
    """Collects names while a system is compiled.

    ``coordinates`` name the local coordinates (three per ball), ``stored`` those that results keep (a
    quaternion per ball), ``rates`` their velocities; ``multipliers`` name the scalar constraints.
    """

    coordinates: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    rates: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)  # of ``stored``
    balls: list[int] = field(default_factory=list)  # first local coordinate of each ball
    multipliers: list[str] = field(default_factory=list)  # behind all coordinates

    def add(self, name: str, unit: str) -> int:
        self.coordinates.append(name)
        self.stored.append(name)
        self.units.append(unit)
        self.rates.append(f"{name}.rate")
        return len(self.coordinates) - 1

    def add_state(self, name: str) -> int:
        """A user state: the velocity of a coordinate without physical meaning."""
        self.add(f"{name}.integral", "")
        self.rates[-1] = name
        return len(self.coordinates) - 1

    def add_ball(self, name: str) -> int:
        start = len(self.coordinates)
        self.balls.append(start)
        self.coordinates += [f"{name}.{axis}" for axis in "xyz"]
        self.stored += [f"{name}.quaternion.{part}" for part in "wxyz"]
        self.units += [""] * 4
        self.rates += [f"{name}.omega.{axis}" for axis in "xyz"]
        return start
