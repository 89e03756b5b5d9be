"""Cards that state local axes: *SYSTEM for nodes, *ORIENTATION and *DISTRIBUTION for materials."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.coordinate_systems import CoordinateSystem, unit_vectors
from flexmbs.mesh.readers.abaqus.deck import Deck
from flexmbs.mesh.readers.abaqus.deck_text import Card, Line, label
from flexmbs.mesh.readers.abaqus.number_tables import data_line, integer, is_integer, is_number, number, numbers
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.sets_and_surfaces import Sets


def read_system(deck: Deck, card: Card) -> None:
    """*SYSTEM: origin, point on x; point in the x-y plane. Nodes that follow are in these axes; no data: global."""
    values = numbers(card, card.lines(), "a coordinate")
    count = len(values)
    if count and count not in (3, 6, 9):
        raise MeshError(f"{card.where} needs 3, 6 or 9 coordinates (points a, b, c), got {count}.")
    a, b, c = np.array([*values, *[0.0] * 9][:9]).reshape(3, 3)
    axes = np.eye(3)
    if count == 6:  # without a third point the z axis stays, and x is turned in the x-y plane only
        x = (b - a) * (1.0, 1.0, 0.0)
        axes = _axes(x, np.cross((0.0, 0.0, 1.0), x), [card.where])
    elif count == 9:
        axes = _axes(b - a, c - a, [card.where])
    deck.scope.system = CoordinateSystem("", "rectangular", a, axes) if count else None


def keep(deck: Deck, card: Card) -> None:
    """*ORIENTATION, *DISTRIBUTION, NAME=name: kept until the nodes and elements that they may name are known."""
    kept = deck.scope.orientations if card.key == "ORIENTATION" else deck.scope.distributions
    kept[card.required_name("NAME")] = card.detached()


@dataclass(frozen=True)
class Orientation:
    """Material directions: those of a system, turned by ``angle`` (rad) about its axis ``about`` (0 to 2).

    Elements with the serial numbers ``serials`` (k,), which rise, have their own in place of those of the system: the
    columns of ``axes`` (k, 3, 3).
    """

    system: CoordinateSystem
    about: int
    angle: float
    serials: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    axes: np.ndarray = field(default_factory=lambda: np.empty((0, 3, 3)))

    def solid_axes(self, at: np.ndarray, serials: np.ndarray | None = None) -> np.ndarray:
        """(n, 3, 3): columns are the directions 1, 2, 3 at points (n, 3), of elements with these serial numbers."""
        local = self.system.directions(at)
        if serials is not None and len(self.serials):
            place = np.minimum(np.searchsorted(self.serials, serials), len(self.serials) - 1)
            own = self.serials[place] == serials
            local[own] = self.axes[place[own]]
        if self.system.kind == "spherical":  # the format's order is radial, circumferential, towards the pole
            local = np.stack([local[:, :, 0], local[:, :, 2], -local[:, :, 1]], axis=2)
        first, second = (self.about + 1) % 3, (self.about + 2) % 3
        turned = local.copy()
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        turned[:, :, first] = cos * local[:, :, first] + sin * local[:, :, second]
        turned[:, :, second] = cos * local[:, :, second] - sin * local[:, :, first]
        return turned

    def shell_axes(self, at: np.ndarray, serials: np.ndarray | None = None) -> np.ndarray:
        """As ``solid_axes`` in the order for shells: the axis ``about`` is near the normal and comes third."""
        return self.solid_axes(at, serials)[:, :, [(self.about + 1) % 3, (self.about + 2) % 3, self.about]]

    def rectangular_axes(self, where: str) -> np.ndarray:
        """(3, 3) directions that are the same everywhere; MeshError starting with ``where`` when they are not."""
        if self.system.kind != "rectangular":
            raise MeshError(f"{where}: its orientation must be rectangular.")
        return self.solid_axes(np.zeros((1, 3)))[0]


def find_orientation(model: Model, region: Region, name: str, where: str, needed: bool = True) -> Orientation | None:
    """An *ORIENTATION by its name, in mesh axes; MeshError when it is not defined, or ``needed`` and not readable."""
    places = (model.place_of(r, name, lambda r, n: n in r.scope.orientations) for r in (region, model.root))
    place = next(filter(None, places), None)
    if place is None:
        raise MeshError(f"{where} names the orientation {name}; {near_names(name, region.scope.orientations)}")
    holder, own = place
    card = holder.scope.orientations[own]
    # Of other forms there are user subroutines, offsets to nodes, distributions of anything but points.
    made = _by_points(model, holder, card) or _by_elements(model, holder, card)
    if made is None and not needed:
        model.deck.skip(card, "its form is not read")
        return None
    if made is None:
        raise MeshError(f"{card.where} {name} is used in {where}, but its form is not supported; give the points a and b.")
    turn, shift = region.scope.placement.rotation, region.scope.placement.translation
    system = replace(made.system, origin=turn @ made.system.origin + shift, axes=turn @ made.system.axes)
    return replace(made, system=system, axes=turn @ made.axes)


def _by_points(model: Model, holder: Region, card: Card) -> Orientation | None:
    """An orientation by its points, in the axes of the part; None for other forms (user subroutine, distribution, ...)."""
    line = data_line(card, 0, "the points a and b")
    where = card.at(line)
    definition = card.option("DEFINITION", "COORDINATES")
    if card.option("SYSTEM") == "USER" or definition not in ("COORDINATES", "NODES") or not all(map(is_number, line.fields())):
        return None
    if definition == "NODES":
        nodes = [integer(entry, where, "a node number") for entry in line.fields()]
        found = holder.nodes.find(np.array(nodes, np.int64))
        if (found < 0).any():
            raise MeshError(f"{where}: there is no node {nodes[int(np.argmin(found))]}.")
        placement = holder.scope.placement  # of which the points are brought back into the axes of the part
        values = ((model.points[found] - placement.translation) @ placement.rotation).ravel().tolist()
    else:
        values = numbers(card, line, "a coordinate")
    if len(values) < 6:
        raise MeshError(f"{where}: needs the points a and b (6 coordinates), got {len(values)} numbers.")
    return Orientation(system_of(card.name("NAME"), card.option("SYSTEM", "R"), values, where), *_additional_rotation(card))


def _by_elements(model: Model, holder: Region, card: Card) -> Orientation | None:
    """An orientation by a distribution of points a and b, in the axes of the part; None when it is something else."""
    name = label(card.lines()[0].text.strip(","))
    given = next((r.scope.distributions[name] for r in (holder, model.root) if name in r.scope.distributions), None)
    if given is None or card.option("SYSTEM", "RECTANGULAR") != "RECTANGULAR" or given.option("LOCATION", "ELEMENT") != "ELEMENT":
        return None
    lines = given.lines()
    if not lines:
        raise MeshError(f"{given.where} needs data lines with an element and its points a and b.")
    points = np.zeros((len(lines), 9))
    for row, line in enumerate(lines):
        values = [number(text, given.at(line), "a coordinate") for text in line.fields()[1:]]
        if len(values) not in (5, 6, 8, 9):  # a last zero may be left blank
            raise MeshError(f"{given.at(line)}: an element and its points a and b (6 coordinates) are needed.")
        points[row, : len(values)] = values
    axes = _axes(points[:, :3] - points[:, 6:], points[:, 3:6] - points[:, 6:], [given.at(line) for line in lines])
    firsts = [label(line.entries(1)[0]) for line in lines]
    others = [np.eye(3), *(axes[row] for row, first in enumerate(firsts) if not first)][-1]  # of elements not listed
    serials, rows = _elements(model, holder, given, lines, firsts)
    serials, last = np.unique(serials[::-1], return_index=True)  # of several lines for an element the last counts
    system = CoordinateSystem(card.name("NAME"), "rectangular", np.zeros(3), others)
    return Orientation(system, *_additional_rotation(card), serials, axes[rows[::-1][last]])


def _elements(model: Model, region: Region, card: Card, lines: list[Line], firsts: list[str]):
    """Serial numbers of elements (k,), and the line of each; sets count for all their elements."""
    singles = np.array([row for row, first in enumerate(firsts) if is_integer(first)], np.int64)
    found = region.elements.find(np.array([int(firsts[row]) for row in singles], np.int64))
    if (found < 0).any():
        line = lines[singles[int(np.argmin(found))]]
        model.deck.warn(f"{card.at(line)}: {int((found < 0).sum())} elements that do not exist are left out (first here).")
    parts, rows = [found[found >= 0]], [singles[found >= 0]]
    sets = Sets(model)
    for row, first in enumerate(firsts):
        if first and not is_integer(first):
            parts.append(sets.named(region, first, card.at(lines[row])))
            rows.append(np.full(len(parts[-1]), row))
    serials, rows = np.concatenate(parts), np.concatenate(rows)
    order = np.argsort(rows, kind="stable")
    return serials[order], rows[order]


def _additional_rotation(card: Card) -> tuple[int, float]:
    """Axis (0 to 2) and angle (rad) of the second data line of an *ORIENTATION."""
    lines = card.lines()
    if len(lines) < 2 or not all(map(is_number, lines[1].entries(2))):
        return 0, 0.0
    (axis, angle), where = lines[1].entries(2), card.at(lines[1])
    about = integer(axis or "1", where, "the axis of the additional rotation")
    if about not in (1, 2, 3):
        raise MeshError(f"{where}: the axis of the additional rotation must be 1, 2 or 3, got {about}.")
    return about - 1, np.radians(number(angle, where, "the additional rotation"))


def system_of(name: str, kind: str, values: list[float], where: str) -> CoordinateSystem:
    """System from points a, b (and origin c): rectangular (a on x, b in x-y); cylindrical, spherical (axis a-b)."""
    a, b, c = np.array([*values, 0.0, 0.0, 0.0][:9]).reshape(3, 3)
    if kind.startswith(("C", "S")):
        z = b - a
        x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
        axes = _axes(x, np.cross(z, x), [where])
        return CoordinateSystem(name, "cylindrical" if kind[0] == "C" else "spherical", a, axes)
    if not kind.startswith(("R", "Z")):
        raise MeshError(f"{where}: SYSTEM={kind} is unknown; known are RECTANGULAR, Z RECTANGULAR, CYLINDRICAL and SPHERICAL.")
    axes = _axes(a - c, b - c, [where])
    if kind.startswith("Z"):  # a on z, b in x-z
        x, z = axes[:, 1], axes[:, 0]
        axes = np.column_stack([x, np.cross(z, x), z])
    return CoordinateSystem(name, "rectangular", c, axes)


def _axes(x: np.ndarray, in_plane: np.ndarray, where: list[str]) -> np.ndarray:
    """(..., 3, 3) right-handed axes (columns) with ``x`` and, in their x-y plane, ``in_plane`` (..., 3)."""
    z = np.cross(x, in_plane)
    lengths = np.linalg.norm(x, axis=-1) * np.linalg.norm(in_plane, axis=-1)
    wrong = np.flatnonzero(~(np.linalg.norm(z, axis=-1) > 1e-10 * lengths))
    if wrong.size:
        raise MeshError(f"{where[wrong[0]]}: the points that define the axes are collinear or coincide.")
    x, z = unit_vectors(x), unit_vectors(z)
    return np.stack([x, np.cross(z, x), z], axis=-1)
