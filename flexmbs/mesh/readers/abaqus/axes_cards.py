"""Cards that state local axes: *SYSTEM for nodes, *ORIENTATION for materials, *TRANSFORM for displacements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.readers.abaqus.cards import Card
from flexmbs.mesh.readers.abaqus.deck import Deck
from flexmbs.mesh.readers.abaqus.number_tables import data_line, flat_numbers, integer, number, numbers


def read_system(deck: Deck, card: Card) -> None:
    """*SYSTEM: origin, point on x; point in the x-y plane. Nodes that follow are in these axes; no data: global."""
    values = flat_numbers(card, "a coordinate")
    if not values:
        deck.scope.system = None
        return
    values += [0.0] * (9 - len(values)) if len(values) in (3, 6, 9) else []
    if len(values) != 9:
        raise MeshError(f"{card.where} needs 3, 6 or 9 coordinates (points a, b, c), got {len(values)}.")
    a, b, c = np.array(values).reshape(3, 3)
    count = len(flat_numbers(card, "a coordinate"))
    if count == 3:
        axes = np.eye(3)
    else:
        # Without a third point the z axis stays, and x is turned in the x-y plane only.
        x = b - a if count == 9 else (b - a) * (1.0, 1.0, 0.0)
        in_plane = c - a if count == 9 else np.cross((0.0, 0.0, 1.0), x)
        axes = _axes(x, in_plane, card.where)
    deck.scope.system = (a, axes)


def read_orientation(deck: Deck, card: Card) -> None:
    """*ORIENTATION, NAME=name: kept until the nodes that it may name are known."""
    deck.scope.orientations[card.required_name("NAME")] = card.detached()


@dataclass(frozen=True)
class Orientation:
    """Material directions: those of a system, turned by ``angle`` (rad) about its axis ``about`` (0 to 2)."""

    system: CoordinateSystem
    about: int = 0
    angle: float = 0.0

    def _local(self, at: np.ndarray, serials: np.ndarray | None) -> np.ndarray:
        return self.system.directions(at)

    def solid_axes(self, at: np.ndarray, serials: np.ndarray | None = None) -> np.ndarray:
        """(n, 3, 3): columns are the directions 1, 2, 3 at points (n, 3), of elements with these serial numbers."""
        local = self._local(at, serials)
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


def made_orientation(card: Card, points_of) -> Orientation | None:
    """The orientation of a card; None for forms that cannot be read (user subroutine, distributions, element nodes).

    ``points_of`` (node numbers, where) gives mesh coordinates.
    """
    if not card.lines():
        raise MeshError(f"{card.where} needs data line 1 with the points a and b.")
    kind = card.option("SYSTEM", "RECTANGULAR") or "RECTANGULAR"
    definition = card.option("DEFINITION", "COORDINATES") or "COORDINATES"
    line = data_line(card, 0, "points a and b")
    is_distribution = any(not _is_number(entry) for entry in line.fields())
    if kind == "USER" or definition not in ("COORDINATES", "NODES") or is_distribution:
        return None
    if definition == "NODES":
        nodes = [integer(entry, card.at(line), "a node number") for entry in line.fields()]
        values = points_of(nodes, card.at(line)).ravel().tolist()
    else:
        values = numbers(card, line, "a coordinate")
    if len(values) < 6:
        raise MeshError(f"{card.at(line)}: needs the points a and b (6 coordinates), got {len(values)} numbers.")
    system = system_of(card.name("NAME"), kind, values, card.at(line))
    about, angle = additional_rotation(card)
    return Orientation(system, about, angle)


def additional_rotation(card: Card) -> tuple[int, float]:
    """Axis (0 to 2) and angle (rad) of the second data line of an *ORIENTATION."""
    if len(card.lines()) < 2:
        return 0, 0.0
    line = card.lines()[1]
    fields = [*line.fields(), "", ""][:2]
    if not all(map(_is_number, fields)):
        return 0, 0.0
    about = integer(fields[0] or "1", card.at(line), "the axis of the additional rotation")
    if about not in (1, 2, 3):
        raise MeshError(f"{card.at(line)}: the axis of the additional rotation must be 1, 2 or 3, got {about}.")
    return about - 1, np.radians(number(fields[1], card.at(line), "the additional rotation"))


def system_of(name: str, kind: str, values: list[float], where: str) -> CoordinateSystem:
    """System from points a, b (and origin c): rectangular (a on x, b in x-y); cylindrical, spherical (axis a-b)."""
    values = [*values, 0.0, 0.0, 0.0][:9]
    a, b, c = np.array(values).reshape(3, 3)
    if kind.startswith("C") or kind.startswith("S"):
        z = b - a
        helper = np.eye(3)[np.argmin(np.abs(z))]
        axes = _axes(np.cross(helper, z), np.cross(z, np.cross(helper, z)), where)
        return CoordinateSystem(name, "cylindrical" if kind.startswith("C") else "spherical", a, axes)
    if kind.startswith("Z"):
        axes = _axes(a - c, b - c, where)  # a on z, b in x-z
        x, z = axes[:, 1], axes[:, 0]
        return CoordinateSystem(name, "rectangular", c, np.column_stack([x, np.cross(z, x), z]))
    if not kind.startswith("R"):
        raise MeshError(f"{where}: SYSTEM={kind} is unknown; known are RECTANGULAR, Z RECTANGULAR, CYLINDRICAL and SPHERICAL.")
    return CoordinateSystem(name, "rectangular", c, _axes(a - c, b - c, where))


def _axes(x: np.ndarray, in_plane: np.ndarray, where: str) -> np.ndarray:
    z = np.cross(x, in_plane)
    if not np.linalg.norm(z) > 1e-10 * np.linalg.norm(x) * np.linalg.norm(in_plane):
        raise MeshError(f"{where}: the points of the coordinate system are collinear or coincide.")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _is_number(text: str) -> bool:
    try:
        float(text.lower().replace("d", "e") or 0)
    except ValueError:
        return False
    return True
