"""Constraints that are no joints: couplings of joint coordinates, rigid rods, prescribed components of markers."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.system.elements import Joint
from flexmbs.system.markers import Marker
from flexmbs.system.signals import Signal


@dataclass(frozen=True, eq=False)
class Coupling:
    """sum of factor * coordinate = signal, at position, velocity or acceleration ``level`` (0, 1, 2)."""

    name: str
    terms: tuple[tuple[Joint, str, float], ...]
    signal: Signal | None = None
    level: int = 0


@dataclass(frozen=True, eq=False)
class Distance:
    """A massless rigid rod of ``length`` (m; the signal, when there is one, prescribes it in time)."""

    name: str
    a: Marker
    b: Marker
    length: float
    signal: Signal | None = None
    level: int = 0


@dataclass(frozen=True, eq=False)
class Component:
    """Component ``axis`` (0, 1, 2) of the position of marker b relative to marker a, in the axes of a, is prescribed."""

    name: str
    a: Marker
    b: Marker
    axis: int
    signal: Signal | None = None
    level: int = 0
