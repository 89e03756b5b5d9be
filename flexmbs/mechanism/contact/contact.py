"""A contact as a case script states it."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.core.laws.friction.friction_law import ContactFriction
from flexmbs.mechanism.contact.contact_point import ContactPoint
from flexmbs.mechanism.contact.shapes import Shape


@dataclass(frozen=True)
class Contact:
    """A possible contact between two shapes, which may touch at several points at once.

    Attributes
    ----------
    first, second : the shapes; normals point from the second to the first
    law : of the normal force, for each point
    points : the contact points, in the order of their names
    friction : of each point, or None
    """

    name: str
    first: Shape
    second: Shape
    law: ContactLaw
    points: tuple[ContactPoint, ...]
    friction: ContactFriction | None = None

    def __post_init__(self) -> None:
        if self.law.is_rigid:
            warn_if_implausible("friction", self.law.parameters()[1], f"contact '{self.name}'")

    @property
    def point_names(self) -> tuple[str, ...]:
        """Names of the points in results: that of the contact, or "name[1]", "name[2]" ... or their labels."""
        if len(self.points) == 1:
            return (self.name,)
        return tuple(f"{self.name}[{point.label or number}]" for number, point in enumerate(self.points, 1))
