"""Checks of friction on contacts."""

from __future__ import annotations

from flexmbs.common.errors import MechanismError
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.core.laws.friction.friction_law import ContactFriction, ResistingFriction
from flexmbs.mechanism.contact.shapes import Point, Shape


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
