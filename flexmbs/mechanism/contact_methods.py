"""The method of Mechanism for contacts between many shapes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.mechanism.body_in_system import BodyInSystem
from flexmbs.mechanism.contact.contact import Contact
from flexmbs.mechanism.contact.contact_group import CONTACTS_PER_SPHERE, MANY_PAIRS, BodyPair, ContactGroup, owner, pairs_of
from flexmbs.mechanism.contact.shape_pairs import turning
from flexmbs.mechanism.contact.shapes import Plane, Shape, Sphere
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.markers import Marker
from flexmbs.reduction.flexible_body import FlexibleBody

FREEDOMS = 6


class ContactMethods:
    """Mixed into :class:`flexmbs.mechanism.mechanism.Mechanism`."""

    contacts: dict[str, Contact]
    contact_groups: dict[str, ContactGroup]
    bodies: dict[str, BodyInSystem]
    joints: dict[str, Joint]
    contact: Callable[..., Contact]
    _check_name: Callable[[str], None]
    _check_marker: Callable[[Marker, str], None]

    def contact_all(
        self,
        shapes: Sequence[Shape],
        law: ContactLaw,
        name: str | None = None,
        friction: Any = None,
        *,
        exclude: Iterable[tuple[BodyInSystem | str, BodyInSystem | str]] = (),
        max_contacts: int | None = None,
        grouped: bool | None = None,
    ) -> ContactGroup | tuple[Contact, ...]:
        """Contact of everything with everything.

        Bodies that a joint connects at this time do not touch each other, nor do shapes of one body. Few pairs become
        contacts named "NAME: body - body" (of ground the marker). Many spheres and planes become a group: what is near
        is found in every step, and the cost grows with the number of bodies; its contacts are in ``Result.contacts``
        under such names, without histories. A group needs the explicit integrator, which "auto" chooses.

        Parameters
        ----------
        shapes : of any bodies, several per body if need be
        law : of the normal force of every pair
        friction : of every pair (not in groups)
        exclude : pairs of bodies, or of their names, that do not touch
        max_contacts : of a group, pairs that may touch at once (None: six for each sphere)
        grouped : None: a group from 300 pairs of spheres and planes on (not of rigid contacts)

        Raises
        ------
        MechanismError
            Fewer than two shapes, or no pair of them can touch; shapes or friction that a group cannot have.
        """
        name = name or f"contacts {len(self.contact_groups) + 1}"
        self._check_name(name)
        where = f"contact_all '{name}'"
        shapes = self._checked_shapes(shapes, law, where)
        excluded = excluded_pairs(exclude, self.bodies, where) | neighbours(self.joints.values())
        simple = friction is None and all(isinstance(shape, Sphere | Plane) for shape in shapes)
        if grouped is None:
            grouped = simple and not law.is_rigid and len(shapes) ** 2 > 2 * MANY_PAIRS
        if grouped:
            if not simple:
                raise MechanismError(f"{where}: a group holds spheres and planes without friction; set grouped=False")
            return self._add_group(name, shapes, law, excluded, max_contacts, where)
        pairs = pairs_of(shapes, excluded)
        if not pairs:
            raise MechanismError(f"{where}: no pair of these shapes can touch")
        found = []
        for first, second in pairs:
            label = own = f"{name}: {owner(first)} - {owner(second)}"
            count = 1
            while own in self.contacts:
                count += 1
                own = f"{label} ({count})"
            found.append(self.contact(first, second, law, own, friction))
        return tuple(found)

    def _add_contact(self, contact: Contact) -> Contact:
        """Keep it; MechanismError if it is rigid and on a massless patch, which yields at once where it is hit."""
        for marker in (m for point in contact.points for m in (point.a, point.b) if contact.law.is_rigid):
            body = self.bodies[marker.body].body if marker.body in self.bodies else None
            if isinstance(body, FlexibleBody) and body.yields_at(marker.fields):
                raise MechanismError(
                    f"contact '{contact.name}': '{marker.label}' is a massless contact patch, which has no inertia that a rigid "
                    'contact could stop; give a law with stiffness, or ContactPatch(kind="attachment")'
                )
        self.contacts[contact.name] = contact
        return contact

    def _checked_shapes(self, shapes: Sequence[Shape], law: ContactLaw, where: str) -> list[Shape]:
        shapes = list(shapes)
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise MechanismError(f"{where}: expected shapes such as fm.Sphere(marker, radius), got {type(shape).__name__}")
            self._check_marker(shape.marker, where)
        if len(shapes) < 2:
            raise MechanismError(f"{where}: give at least two shapes")
        if not isinstance(law, ContactLaw):
            raise MechanismError(f"{where}: law must be a contact law such as fm.Hertz(...), not {law!r}")
        return shapes

    def _add_group(self, name, shapes, law, excluded, max_contacts, where: str) -> ContactGroup:
        spheres = tuple(shape for shape in shapes if isinstance(shape, Sphere))
        planes = tuple(shape for shape in shapes if isinstance(shape, Plane))
        if not spheres:
            raise MechanismError(f"{where}: no pair of these shapes can touch")
        turning(where, *planes)
        pairs = len(spheres) * (len(spheres) - 1) // 2 + len(spheres) * len(planes)
        room = min(pairs, CONTACTS_PER_SPHERE * len(spheres) + len(planes)) if max_contacts is None else max_contacts
        if not isinstance(room, int) or room < 1:
            raise MechanismError(f"{where}: max_contacts = {max_contacts!r} must be a positive whole number")
        group = ContactGroup(name, spheres, planes, law, frozenset(excluded), room)
        self.contact_groups[name] = group
        return group


def neighbours(joints: Iterable[Joint]) -> set[BodyPair]:
    """Pairs of bodies that a joint connects, other than one that leaves all six freedoms."""
    found = set()
    for joint in joints:
        kind = joint.type
        if joint.clearance is not None or len(kind.coordinates) + (3 if kind.ends_with_ball else 0) < FREEDOMS:
            found.add(frozenset((joint.a.body, joint.b.body)))
    return found


def excluded_pairs(
    exclude: Iterable[tuple[BodyInSystem | str, BodyInSystem | str]], bodies: Collection[str], where: str
) -> set[BodyPair]:
    """Pairs of names from pairs of bodies or of their names.

    Raises
    ------
    MechanismError
        Not a pair, or a body that the system does not have.
    """
    found = set()
    for pair in exclude:
        if isinstance(pair, str) or len(tuple(pair)) != 2:
            raise MechanismError(f"{where}: exclude takes pairs of bodies, such as [('plate', 'ball')], not {pair!r}")
        names = [body.name if isinstance(body, BodyInSystem) else body for body in pair]
        for name in names:
            if name not in bodies:
                raise MechanismError(f"{where}: exclude names the body {name!r}, which the system does not have")
        found.add(frozenset(names))
    return found
