"""Forces as users state them: force elements (a law along a coordinate, line or angle), bushings, loads.

The laws stand in ``core/laws/force``, one file each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.force.applied import AppliedLaw
from flexmbs.core.laws.force.force_law import ForceLaw
from flexmbs.core.laws.force.friction import FrictionLaw
from flexmbs.core.laws.force.motor import MotorLaw
from flexmbs.core.laws.force.spring import SpringLaw
from flexmbs.mechanism.characteristics import CharacteristicLike, characteristic
from flexmbs.mechanism.geometry.rotations import as_number, as_positive
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.python_functions import FunctionOfTime
from flexmbs.mechanism.sensors import Sensor, cut_for_reactions
from flexmbs.mechanism.time_signals import Signal, signal

#: What determines a force: a number, a function of time, or a sensor (including states and controllers).
Quantity: TypeAlias = Signal | Sensor
#: The same as users give it.
QuantityLike: TypeAlias = FunctionOfTime | Sensor
#: Three of them, a sensor of three numbers, or a user function of sensors that returns three numbers.
LoadLike: TypeAlias = Sequence[QuantityLike] | np.ndarray | Sensor | Callable[..., object]


def quantity(given: object, where: str) -> Quantity:
    """A number, a function of time, or a sensor with one number; MechanismError otherwise."""
    if isinstance(given, Sensor):
        if given.size != 1:
            raise MechanismError(f"{where}: sensor '{given.name}' has {given.size} numbers; use one of them, sensor[i]")
        cut_for_reactions(given, where)
        return given
    return signal(given, where)


@dataclass(frozen=True, eq=False)
class Element:
    """A law along one coordinate of a joint, along the line between two markers, or about an axis of marker a.

    ``joint`` and ``coordinate``, or the markers ``a`` and ``b`` (``axis`` None: the line between them).
    """

    name: str
    law: ForceLaw
    joint: object = None
    coordinate: str = ""
    a: Marker | None = None
    b: Marker | None = None
    axis: tuple[float, float, float] | None = None

    @property
    def kind(self) -> str:
        """Kind of element, for descriptions."""
        if self.joint is not None or not isinstance(self.law, SpringLaw | AppliedLaw):
            return self.law.kind
        return "spring damper" if self.axis is None else "torsion spring"


@dataclass(frozen=True, eq=False)
class Bushing:
    """Stiffness, damping (6, 6), rest deformation and preload (6,) of marker b against marker a, in the axes of a."""

    name: str
    a: Marker
    b: Marker
    stiffness: np.ndarray
    damping: np.ndarray
    rest: np.ndarray
    preload: np.ndarray


@dataclass(frozen=True, eq=False)
class Load:
    """``factor`` times three components: a force (N) or torque (N m) on a marker, in world axes or following it."""

    name: str
    marker: Marker
    components: tuple[Quantity, Quantity, Quantity]
    is_torque: bool
    follower: bool
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class SpreadLoad:
    """A distributed load: ``amplitude`` times ``fields`` (1 + n, 6 + n) (core/laws/force/spread.py)."""

    name: str
    body: str
    amplitude: Quantity
    fields: np.ndarray


def checked_law(law: object, where: str) -> ForceLaw:
    """A law that a user made; MechanismError if it is something else."""
    if not isinstance(law, ForceLaw):
        raise MechanismError(f"{where}: expected a force law (fm.ForceLaw), got {law!r}")
    return law


def spring_law(stiffness: CharacteristicLike, damping: CharacteristicLike, rest: float, preload: float, where: str) -> SpringLaw:
    """A spring whose stiffness and damping are numbers >= 0 or characteristics."""
    parts: list[Any] = []
    for name, given in (("stiffness", stiffness), ("damping", damping)):
        curve = characteristic(given, f"{where} {name}")
        parts.append(as_number(cast(float, given), f"{where} {name}", 0.0) if curve is None else curve)
    return SpringLaw(parts[0], parts[1], as_number(rest, f"{where} rest"), as_number(preload, f"{where} preload"))


def friction_law(
    static: float,
    dynamic: float | None,
    normal: QuantityLike | str,
    radius: float,
    transition: float | None,
    full_slip: float | None,
    lag: float,
    bearing_length: float | None,
    where: str,
) -> FrictionLaw:
    """Friction law with checked parameters; ``normal``: "reaction" or a quantity."""
    static = as_number(static, f"{where}: static coefficient", 0.0)
    dynamic = static if dynamic is None else as_number(dynamic, f"{where}: dynamic coefficient", 0.0)
    if dynamic > static:
        raise MechanismError(f"{where}: the dynamic coefficient {dynamic:g} must not exceed the static one, {static:g}")
    if transition is None:
        raise MechanismError(f"{where}: coefficients need transition=, the speed at which the static one is reached")
    transition = as_positive(transition, f"{where}: transition")
    full_slip = 1.5 * transition if full_slip is None else as_number(full_slip, f"{where}: full_slip")
    if full_slip <= transition:
        raise MechanismError(f"{where}: full_slip = {full_slip:g} must be above transition = {transition:g}")
    return FrictionLaw(static, dynamic, transition, full_slip, radius, *normal_force_of(normal, lag, bearing_length, where))


def normal_force_of(
    normal: QuantityLike | str, lag: float, bearing_length: float | None, where: str
) -> tuple[Quantity | None, float, float]:
    """Force on sliding faces (None: the reaction of the joint), its lag (s), and force per moment (1/m)."""
    arm = 0.0 if bearing_length is None else 2.0 / as_positive(bearing_length, f"{where}: bearing_length (m)")
    if isinstance(normal, str):
        if normal != "reaction":
            raise MechanismError(f"{where}: normal_force {normal!r}: expected a number, function, sensor or 'reaction'")
        return None, as_positive(lag, f"{where}: lag (s)"), arm
    pressing = quantity(normal, f"{where}: normal_force (N)")
    if isinstance(pressing, Signal) and pressing.value is None:
        as_number(pressing.constant, f"{where}: normal_force (N)", 0.0)
    return pressing, 0.0, arm


def motor_law(curve: CharacteristicLike, command: QuantityLike, where: str) -> MotorLaw:
    """Motor law; its curve is a pair of rows (speeds, torques) or a Characteristic."""
    chosen = characteristic(curve, f"{where}: curve")
    if chosen is None:
        raise MechanismError(f"{where}: curve: expected two rows (speeds, torques) or a Characteristic, got {curve!r}")
    return MotorLaw(chosen, quantity(command, f"{where}: command"))
