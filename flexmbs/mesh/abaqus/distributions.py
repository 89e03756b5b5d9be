"""*DISTRIBUTION: values element by element, of which the points of orientations are read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.mesh.abaqus.cards import Card, label
from flexmbs.mesh.abaqus.model import Model, Region
from flexmbs.mesh.abaqus.scope import Deck
from flexmbs.mesh.abaqus.sets import Sets
from flexmbs.mesh.abaqus.systems import Orientation, axes_of, made_additional_rotation
from flexmbs.mesh.abaqus.text import Line
from flexmbs.mesh.abaqus.values import number
from flexmbs.mesh.coordinate_systems import CoordinateSystem


def read_distribution(deck: Deck, card: Card) -> None:
    """*DISTRIBUTION, NAME=name: kept until an *ORIENTATION names it."""
    deck.scope.distributions[card.required_name("NAME")] = card.detached()


@dataclass(frozen=True)
class ElementOrientation(Orientation):
    """Material directions that elements have one by one; ``system`` is that of the others.

    Attributes
    ----------
    serials : (k,) int
        Serial numbers of the elements, rising.
    axes : (k, 3, 3) float
        Columns: their directions 1, 2, 3 before the additional rotation.
    """

    serials: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    axes: np.ndarray = field(default_factory=lambda: np.empty((0, 3, 3)))

    def _local(self, at: np.ndarray, serials: np.ndarray | None) -> np.ndarray:
        local = super()._local(at, serials)
        if serials is not None and len(self.serials):
            place = np.minimum(np.searchsorted(self.serials, serials), len(self.serials) - 1)
            own = self.serials[place] == serials
            local[own] = self.axes[place[own]]
        return local


def element_orientation(model: Model, region: Region, card: Card) -> ElementOrientation | None:
    """The *ORIENTATION of a region by a distribution of points a and b; None when it is something else.

    In the axes of the part, as ``made_orientation`` has it.
    """
    name = card.lines()[0].text.strip().strip(",") if card.lines() else ""
    scope = next((r.scope for r in (region, model.root) if label(name) in r.scope.distributions), None)
    if scope is None or (card.option("SYSTEM", "RECTANGULAR") or "RECTANGULAR") != "RECTANGULAR":
        return None
    given = scope.distributions[label(name)]
    if (given.option("LOCATION", "ELEMENT") or "ELEMENT") != "ELEMENT":
        return None
    about, angle = made_additional_rotation(card)
    default, parts, axes = np.eye(3), [], []
    sets = Sets(model, elements=True)
    for line in given.lines():
        first, own = _axes_of_line(given, line)
        if not first:
            default = own
            continue
        serials = sets.named(region, label(first), given.at(line))
        parts.append(serials)
        axes.append(np.broadcast_to(own, (len(serials), 3, 3)))
    serials = np.concatenate(parts or [np.empty(0, np.int64)])
    numbers, last = np.unique(serials[::-1], return_index=True)  # of several lines for an element the last counts
    turned = np.concatenate(axes or [np.empty((0, 3, 3))])[::-1][last]
    system = CoordinateSystem(card.name("NAME"), "rectangular", np.zeros(3), default)
    return ElementOrientation(system, about, angle, numbers, turned)


def _axes_of_line(card: Card, line: Line) -> tuple[str, np.ndarray]:
    """The element (set) of a line, empty for the default, and the axes by its points a, b and the origin c."""
    first, *rest = [*line.fields(), ""]
    values = [number(text, card.at(line), "a coordinate") for text in rest if text]
    if len(values) not in (6, 9):
        raise MeshError(f"{card.at(line)}: an element and its points a and b (6 coordinates) are needed.")
    a, b, c = np.array([*values, 0.0, 0.0, 0.0][:9]).reshape(3, 3)
    return first, axes_of(a - c, b - c, card.at(line))
