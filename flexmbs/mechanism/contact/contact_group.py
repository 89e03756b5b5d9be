"""Spheres and planes of which everything can touch everything, without a contact for each pair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.mechanism.contact.shapes import Plane, Shape, Sphere

#: Contacts at once per sphere: equal spheres touch at most twelve others, and each contact belongs to two.
CONTACTS_PER_SPHERE = 6
#: From this number of pairs on a group is used.
MANY_PAIRS = 300
BodyPair = frozenset[str]


@dataclass(frozen=True)
class ContactGroup:
    """A group of shapes of which everything can touch everything.

    Attributes
    ----------
    spheres, planes : the shapes; their numbers in the group are those of the spheres, then those of the planes
    law : of the normal force of each contact
    excluded : pairs of names of bodies that do not touch
    max_contacts : how many pairs may touch at once
    """

    name: str
    spheres: tuple[Sphere, ...]
    planes: tuple[Plane, ...]
    law: ContactLaw
    excluded: frozenset[BodyPair]
    max_contacts: int

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return (*self.spheres, *self.planes)

    def excluded_numbers(self) -> np.ndarray:
        """Numbers i n + j of the pairs that never touch (i < j, n shapes), in ascending order."""
        bodies: dict[str, list[int]] = {}
        for number, shape in enumerate(self.shapes):
            bodies.setdefault(shape.marker.body, []).append(number)
        found = set()
        for pair in self.excluded:
            first, second = (bodies.get(name, []) for name in pair)
            found.update(min(i, j) * len(self.shapes) + max(i, j) for i in first for j in second)
        return np.array(sorted(found), dtype=np.int64)


def owner(shape: Shape) -> str:
    """The body of a shape as names of contacts have it; on ground the marker."""
    return shape.marker.name if shape.marker.body == "ground" else shape.marker.body


def pairs_of(shapes: Sequence[Shape], excluded: Collection[BodyPair]) -> list[tuple[Shape, Shape]]:
    """Pairs of shapes that can touch: on different bodies, not two planes, not excluded."""
    return [
        (first, second)
        for first, second in combinations(shapes, 2)
        if first.marker.body != second.marker.body
        and not (isinstance(first, Plane) and isinstance(second, Plane))
        and frozenset((first.marker.body, second.marker.body)) not in excluded
    ]
