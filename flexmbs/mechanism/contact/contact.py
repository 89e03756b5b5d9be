"""A contact as a case script states it, and the contact points, each with one gap, that a pair of shapes becomes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.core.laws.friction.friction_law import ContactFriction, ResistingFriction
from flexmbs.machine_code.entry import Entry
from flexmbs.mechanism.contact.shapes import Point, Shape
from flexmbs.mechanism.markers import Marker


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


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """One gap between a shape on marker a and one on marker b.

    Attributes
    ----------
    geometry : entry of :func:`flexmbs.core.contact.pair_geometry.pair_geometry`, or of ``surface_contact`` with
        ``many_points``; None: a sphere of ``radius_a`` (m) against the plane with ``normal``, or without one against a
        sphere of ``radius_b``
    numbers : (n,) sizes and places of the shapes that ``geometry`` reads, in the axes of the markers, m
    shared : arrays of numbers that many contact points read (a surface); their places in the pool follow ``numbers``
    many_points : the points of two surfaces at once, which share one record
    always : it acts at any gap and has no events (a film of oil); with ``many_points``
    follows_surface : one point on a surface that deforms: ``geometry`` is an entry of ``surface_contact`` too
    scratch : how many numbers of ``Workspace.surface`` the surfaces need (core.contact.surfaces.layout)
    label : of this point among those of its contact, "" where there is only one
    """

    a: Marker
    b: Marker
    geometry: Entry | None = None
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0))
    shared: tuple[np.ndarray, ...] = ()
    many_points: bool = False
    always: bool = False
    follows_surface: bool = False
    scratch: int = 0
    radius_a: float = 0.0
    radius_b: float = 0.0
    normal: tuple[float, float, float] | None = None
    label: str = ""


def checked_friction(friction: object, shapes: tuple[Shape, Shape], where: str) -> ContactFriction | None:
    """Friction between two shapes, None for none; MechanismError if it is no friction law, or has nothing to turn.

    Friction acts at the surface of a shape, with a moment about its marker; only at a ``Point`` there is none.
    """
    if friction is None:
        return None
    if not isinstance(friction, ContactFriction):
        raise MechanismError(f"{where}: friction must be a friction law such as fm.Coulomb(0.3), not {friction!r}")
    warn_if_implausible("friction", getattr(friction, "static", None), where)
    resists = isinstance(friction, ResistingFriction) and (friction.rolling > 0.0 or friction.pivoting > 0.0)
    for shape in shapes:
        if shape.marker.can_turn or isinstance(shape, Point) and not resists:
            continue
        what, other = (" with rolling or pivoting resistance", "") if resists else ("", ", or a Point")
        raise MechanismError(
            f"{where}: friction{what} needs markers that can turn, not '{shape.marker.label}', a single node of a "
            f"solid; use a set of nodes{other}"
        )
    return friction
