"""Joints as users state them (forces in joints: flexmbs.mechanism.joint_forces)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.common.names_in_messages import names_arguments
from flexmbs.common.plausible_values import ROUND_DEGREES, warn_if_implausible
from flexmbs.core.layout.tables import HOLD
from flexmbs.mechanism.clearance.clearance import Clearance
from flexmbs.mechanism.forces import Element
from flexmbs.mechanism.joint_forces import JointForces
from flexmbs.mechanism.joint_type import JointType
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.python_functions import FunctionOfTime
from flexmbs.mechanism.rigid_stops import RigidStop
from flexmbs.mechanism.time_functions import Pieces
from flexmbs.mechanism.time_signals import Signal, driver

#: A joint, or one of its coordinates where it has several.
JointCoordinate: TypeAlias = "Joint | tuple[Joint, str]"


@names_arguments(MechanismError)
@dataclass(eq=False)
class Joint(JointForces):
    """A joint between two markers, with its start values.

    ``given`` names the coordinates with stated start values (kept if the loops can close with them); ``held``: those
    that must be kept; ``cut``: modelled by constraints even if the spanning tree could contain the joint;
    ``clearance``: its play, with which ``type`` has more coordinates than the joint was stated with.
    """

    name: str
    type: JointType
    a: Marker
    b: Marker
    start: dict[str, float] = field(default_factory=dict)
    start_rate: dict[str, float] = field(default_factory=dict)
    rotation: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    drivers: dict[str, Signal] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    forces: list[Element] = field(default_factory=list)
    stops: list[RigidStop] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    given_rates: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    cut: bool = False
    clearance: Clearance | None = None

    def __repr__(self) -> str:
        return f"{self.name} ({self.type.name}: {self.a.label} -> {self.b.label}; {', '.join(self.coordinates)})"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its coordinates; that of a ball stands last."""
        ball = (self.type.axes[-1].coordinate,) if self.type.ends_with_ball else ()
        return (*self.type.coordinates, *ball)

    def _single(self, coordinate: str | None, what: str) -> str:
        names = [name for name in self.type.coordinates if name not in self.type.play]
        if coordinate in self.type.play and what != "prescribe":
            return str(coordinate)
        if coordinate in self.type.play:
            raise MechanismError(
                f"joint '{self.name}' ({self.type.name}): '{coordinate}' is free by its clearance, so that only "
                f"contact stops it and no driver moves it; prescribe {names or 'nothing'}, or leave the clearance out"
            )
        chosen = coordinate or (names[0] if len(names) == 1 else None)
        turns = "its rotations have no single angle (those of a universal joint have)"
        if not names:
            raise MechanismError(
                f"joint '{self.name}' ({self.type.name}) has no coordinate for {what}: "
                + (turns if self.type.ends_with_ball else "it is locked")
            )
        if chosen not in names:
            raise MechanismError(
                f"joint '{self.name}' ({self.type.name}): {what} needs one of its coordinates {names or '(none)'}, "
                f"got {coordinate!r}" + f"; {turns}" * self.type.ends_with_ball
            )
        return chosen

    def prescribe(
        self,
        position: FunctionOfTime | None = None,
        rate: FunctionOfTime | None = None,
        acceleration: FunctionOfTime | None = None,
        coordinate: str | None = None,
    ) -> Joint:
        """Prescribe a coordinate (rad or m) at position, velocity or acceleration level.

        The first given of ``position``, ``rate`` and ``acceleration`` sets the level: a number, a function with exact
        derivatives (Step, Harmonic, Table ...), or a Python function of time. The following ones are the derivatives of
        a Python function, if known; otherwise finite differences over 3 ms to both sides are used (also before t = 0),
        and the function must be smooth. A coordinate prescribed by rate or acceleration starts from its start values.
        """
        chosen = self._single(coordinate, "prescribe")
        if chosen in self.drivers:
            raise MechanismError(
                f"joint '{self.name}': '{chosen}' is already prescribed; a second driver would contradict the first"
            )
        where = f"joint '{self.name}', prescribed {chosen}"
        self.drivers[chosen], self.levels[chosen] = driver(position, rate, acceleration, where)
        if self.type.coordinates[chosen] == "rad":
            self._doubt_units(position, rate, where)
        return self

    def _doubt_units(self, position: FunctionOfTime | None, rate: FunctionOfTime | None, where: str) -> None:
        """Warn of angles in degrees and of rates in rev/min, where a number or the end of a Step, Ramp or table has one."""
        stated = position if position is not None else rate
        if isinstance(stated, Pieces):
            value, speed, _acceleration = stated.jet(float(stated.times[-1]))
            step = ROUND_DEGREES if stated.beyond == HOLD else np.inf
        elif isinstance(stated, int | float | np.number):
            value, speed, step = float(stated), 0.0, 0.5
        else:
            return
        if position is not None:
            warn_if_implausible("angle", value, where, step=step)
        warn_if_implausible("speed", value if position is None else speed, where)

    def hold(self, *coordinates: str) -> Joint:
        """Keep the start values of these coordinates (default: all) when loops are closed, so that others change.

        The coordinate of a ball joint is called "rotation".
        """
        for name in coordinates:
            if name not in self.coordinates:
                raise MechanismError(f"joint '{self.name}' ({self.type.name}): no coordinate '{name}' to hold")
        self.held.update(coordinates or self.coordinates)
        return self
