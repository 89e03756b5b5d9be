"""Friction that sticks in joints, as the model knows it; how it acts: joint_slip.py and sliding_joints.py here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.laws.force.force_law import ForceLaw
from flexmbs.core.laws.friction.dry_friction import DryFriction


@dataclass(frozen=True)
class StickingFriction(ForceLaw):
    """``law`` on faces that slip at ``radii`` times the rates of ``coordinates`` (1 for translations).

    Without coordinates: about the point of a spherical joint. ``normal``: force on the faces; None: the reaction of the
    joint in the same instant. Compiled code calls no ``force``.

    Attributes
    ----------
    arm : 1/m, reciprocal length of the bearing; 0: moments press on nothing
    axial : radius at which an axial force has its friction, over that of the others
    thread, advance : m, radius of a thread and its advance per radian; 0: none
    """

    law: DryFriction
    coordinates: tuple[str, ...]
    radii: tuple[float, ...]
    normal: Any
    arm: float = 0.0
    axial: float = 0.0
    thread: float = 0.0
    advance: float = 0.0

    kind = "friction"

    @property
    def given(self) -> Any:  # type: ignore[override]
        """The normal force, unless it is the reaction."""
        return self.normal

    def parameters(self) -> Sequence[float]:
        return []
