"""Markers: named frames on bodies, to which joints, forces and contacts attach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.reduction.flexible_body import PointFields


@dataclass(frozen=True, eq=False)
class Marker:
    """A frame on a body.

    Attributes
    ----------
    body, name : str
    position : (3,) m, in the undeformed body frame
    rotation : (3, 3) axes of the marker in the undeformed body frame
    fields : how it moves with the body's modes; None on rigid bodies and ground
    """

    body: str
    name: str
    position: np.ndarray
    rotation: np.ndarray
    fields: PointFields | None = None

    def __repr__(self) -> str:
        return f"{self.label} at {self.position.tolist()} m"

    @property
    def label(self) -> str:
        """ "BODY.MARKER", as histories are named."""
        return f"{self.body}.{self.name}"

    @property
    def can_turn(self) -> bool:
        """Whether the marker has a rotation (a single node of a solid has none)."""
        return self.fields is None or self.fields.has_rotation
