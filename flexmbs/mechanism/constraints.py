"""Constraints other than joints: couplings of joint coordinates, rods, cables, prescribed markers, rolling."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.time_signals import Signal

Terms = tuple[tuple[Joint, str, float], ...]


def stated_sum(terms: Terms) -> float:
    """Sum of factor * coordinate at the stated start values (zero if not stated)."""
    return sum(factor * joint.start.get(coordinate, 0.0) for joint, coordinate, factor in terms)


@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint that is no joint; a ``signal`` prescribes its position, velocity or acceleration (``level`` 0, 1, 2) in time."""

    name: str
    signal: Signal | None = field(default=None, kw_only=True)
    level: int = field(default=0, kw_only=True)


@dataclass(frozen=True, eq=False)
class Coupling(Constraint):
    """sum of factor * coordinate = signal.

    Without a signal the sum keeps the value that it has at the stated start values.
    """

    terms: Terms


@dataclass(frozen=True, eq=False)
class ElasticCoupling:
    """Spring (N/m or N m/rad) and damper on sum of factor * coordinate.

    ``rest``: the sum at which it is relaxed; None: that of the stated start values.
    """

    name: str
    terms: Terms
    stiffness: float
    damping: float = 0.0
    rest: float | None = None


@dataclass(frozen=True, eq=False)
class Distance(Constraint):
    """A massless rigid rod of ``length`` (m); a signal, if given, prescribes the length in time."""

    a: Marker
    b: Marker
    length: float


@dataclass(frozen=True, eq=False)
class Component(Constraint):
    """Component ``axis`` (0, 1, 2) of the position of marker b relative to marker a, in the axes of a, prescribed."""

    a: Marker
    b: Marker
    axis: int


@dataclass(frozen=True, eq=False)
class Cable(Constraint):
    """A cable over ``markers``, massless, frictionless, inextensible and always taut.

    ``parts`` (markers - 1,): number of cable parts between neighbouring markers; ``length`` (m): total at t = 0.
    """

    markers: tuple[Marker, ...]
    parts: tuple[float, ...]
    length: float


@dataclass(frozen=True, eq=False)
class Belt:
    """The pulleys of a belt, for pictures: joints, and ``radii`` (m; negative on the other side of the belt)."""

    name: str
    pulleys: tuple[Joint, ...]
    radii: tuple[float, ...]
    closed: bool = True


@dataclass(frozen=True, eq=False)
class Rolling(Constraint):
    """A thin disc (or a ball) of marker b that rolls on a plane of marker a without slipping.

    ``directions`` (4, 3): two tangents and the normal of the plane in the axes of a; the axle of the disc in those of
    b.
    """

    a: Marker
    b: Marker
    radius: float
    directions: np.ndarray
    is_ball: bool = False
