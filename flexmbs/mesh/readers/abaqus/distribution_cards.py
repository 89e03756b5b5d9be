"""*DISTRIBUTION: values element by element, of which the points of orientations are read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem, unit_vectors
from flexmbs.mesh.readers.abaqus.axes_cards import Orientation, additional_rotation
from flexmbs.mesh.readers.abaqus.cards import Card, label
from flexmbs.mesh.readers.abaqus.deck import Deck
from flexmbs.mesh.readers.abaqus.deck_text import Line
from flexmbs.mesh.readers.abaqus.number_tables import is_integer, number
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.set_members import Sets


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
    system = CoordinateSystem(card.name("NAME"), "rectangular", np.zeros(3), np.eye(3))
    made = ElementOrientation(system, *additional_rotation(card))
    lines = given.lines()
    if not lines:
        raise MeshError(f"{given.where} needs data lines with an element and its points a and b.")
    axes = _axes(given, lines)
    firsts = [label(line.fields()[0]) for line in lines]
    for row, first in enumerate(firsts):
        if not first:
            made = replace(made, system=replace(system, axes=axes[row]))
    serials, rows = _elements(model, region, given, lines, firsts)
    serials, last = np.unique(serials[::-1], return_index=True)  # of several lines for an element the last counts
    return replace(made, serials=serials, axes=axes[rows[::-1][last]])


def _axes(card: Card, lines: list[Line]) -> np.ndarray:
    """(n, 3, 3) axes by the points a, b and the origin c of each line."""
    points = np.zeros((len(lines), 9))
    for row, line in enumerate(lines):
        values = [number(text, card.at(line), "a coordinate") for text in line.fields()[1:]]
        if len(values) not in (5, 6, 8, 9):  # a last zero may be left blank
            raise MeshError(f"{card.at(line)}: an element and its points a and b (6 coordinates) are needed.")
        points[row, : len(values)] = values
    a, b, c = points[:, :3], points[:, 3:6], points[:, 6:]
    z = np.cross(a - c, b - c)
    lengths = np.linalg.norm(a - c, axis=1) * np.linalg.norm(b - c, axis=1)
    wrong = np.flatnonzero(~(np.linalg.norm(z, axis=1) > 1e-10 * lengths))
    if wrong.size:
        raise MeshError(f"{card.at(lines[wrong[0]])}: the points a, b and the origin are collinear or coincide.")
    x, z = unit_vectors(a - c), unit_vectors(z)
    return np.stack([x, np.cross(z, x), z], axis=2)


def _elements(model: Model, region: Region, card: Card, lines: list[Line], firsts: list[str]):
    """Serial numbers of elements (k,), and the line of each; sets count for all their elements."""
    singles = np.array([row for row, first in enumerate(firsts) if is_integer(first)], np.int64)
    found = region.find_elements(np.array([int(firsts[row]) for row in singles], np.int64))
    if (found < 0).any():
        line = lines[singles[int(np.argmin(found))]]
        model.warn(f"{card.at(line)}: {int((found < 0).sum())} elements that do not exist are left out (first here).")
    parts, rows = [found[found >= 0]], [singles[found >= 0]]
    sets = Sets(model)
    for row, first in enumerate(firsts):
        if first and not is_integer(first):
            members = sets.named(region, first, card.at(lines[row]))
            parts.append(members)
            rows.append(np.full(len(members), row))
    serials, rows = np.concatenate(parts), np.concatenate(rows)
    order = np.argsort(rows, kind="stable")
    return serials[order], rows[order]
