"""NBLOCK, N and the local coordinate systems."""

from __future__ import annotations

import math
import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.reader_tools.fixed_columns import Format, read_table
from flexmbs.mesh.readers.ansys.deck import Deck, handles
from flexmbs.mesh.readers.ansys.deck_text import Command

_LAST = r"-1\s*($|,)|N\s*,(\s*(R?\d\.\d|UNBL)\s*,\s*LOC\s*,)?\s*-1\b"
_END = re.compile(rf"\s*({_LAST})", re.IGNORECASE)
_END_OF_ALL = re.compile(rf"\s*({_LAST}|(?P<next>[A-Z/*!]|$))", re.IGNORECASE)  # where all nodes were read: any command
_KINDS = ("rectangular", "cylindrical", "spherical")
# Systems that always exist: global Cartesian, cylindrical about z, spherical, cylindrical about y.
_GLOBAL = {
    0: ("rectangular", np.eye(3)),
    1: ("cylindrical", np.eye(3)),
    2: ("spherical", np.eye(3)),
    5: ("cylindrical", np.array([(1.0, 0, 0), (0, 0, 1.0), (0, -1.0, 0)])),
}


@handles("NBLO")
def _nblock(deck: Deck, command: Command) -> None:
    source, count = deck.source, command.integer(4, 0)
    known = deck.format_line(command)
    if len(known.reals) < 3 or len(known.integers) not in (1, 3):
        raise command.wrong("the format must have 1 or 3 integers and at least 3 real numbers (6 values).")
    read = 0
    expected = "nodes were expected, and N,R5.3,LOC,-1, or -1"
    while lines := deck.block_lines(command, _END_OF_ALL if read and read >= count else _END, expected):
        _add_nodes(deck, known, lines, source.line - len(lines) + 1)
        read += len(lines)
    deck.check_count(command, read, count, "nodes")


def _add_nodes(deck: Deck, known: Format, lines: list[str], first: int) -> None:
    file = deck.source.file
    integers, reals = read_table(lines, known, file, first, "NBLOCK")
    ids = integers[:, 0]
    wrong = np.flatnonzero(ids <= 0)
    if wrong.size:
        raise MeshError(f"{file}:{first + wrong[0]}: NBLOCK: node number {ids[wrong[0]]}; it must be positive.")
    deck.add_nodes(ids, reals[:, :3], file, first + np.arange(len(ids)))
    turned = (reals[:, 3:6] != 0.0).any(axis=1)
    if reals.shape[1] >= 6 and turned.any():
        deck.angles.append((ids[turned], reals[turned, 3:6]))


@handles("N")
def _node(deck: Deck, command: Command) -> None:
    """N,number,x,y,z,angles, or as CDWRITE writes it: N,R5.3,LOC,number,x,y,z and N,R5.3,ANG,number,angles."""
    form, command = command.coded()
    if form[:3] == "ANG":
        deck.angles.append((np.array([command.integer(1)]), np.array([command.numbers(2, 3)])))
        return
    if not command.text(1) or "(" in "".join(command.arguments):
        raise command.wrong("the number of the node must be given as a number; write the mesh with CDWRITE,DB.")
    number = command.integer(1)
    if number == -1:
        return  # the end line of a block
    if number <= 0:
        raise command.wrong(f"node number {number}; it must be positive.")
    point, angles = command.numbers(2, 3), command.numbers(5, 3)
    if not form:
        point = _in_active_system(deck, command, point)
        if any(angles) and deck.current["CSYS"]:
            raise command.wrong("rotation angles are supported in the global system only; write the mesh with CDWRITE,DB.")
    deck.add_nodes(np.array([number]), np.array([point]), command.file, np.array([command.line]))
    if any(angles):
        deck.angles.append((np.array([number]), np.array([angles])))


def _in_active_system(deck: Deck, command: Command, point: list[float]) -> list[float]:
    active = deck.current["CSYS"]
    system = system_of(deck, active)
    if system is None:
        raise command.wrong(f"coordinate system {active} is active, but no LOCAL or CS defines it.")
    if active == 0:
        return point
    first, second, third = point
    if system.kind == "cylindrical":
        point = [first, math.radians(second), third]
    elif system.kind == "spherical":  # Ansys: radius, azimuth, elevation
        point = [first, math.radians(90.0 - third), math.radians(second)]
    return system.points(np.array([point]))[0].tolist()


def system_of(deck: Deck, number: int) -> CoordinateSystem | None:
    """A coordinate system by its number; None when it is not defined."""
    if number in _GLOBAL:
        kind, axes = _GLOBAL[number]
        return CoordinateSystem(str(number), kind, np.zeros(3), axes)
    return deck.systems.get(number)


def rotation(angles) -> np.ndarray:
    """(3, 3): columns are the axes of a system turned by THXY about z, THYZ about x, then THZX about y (degrees)."""
    xy, yz, zx = np.radians(angles)
    about_z = np.array([(math.cos(xy), -math.sin(xy), 0), (math.sin(xy), math.cos(xy), 0), (0, 0, 1)])
    about_x = np.array([(1, 0, 0), (0, math.cos(yz), -math.sin(yz)), (0, math.sin(yz), math.cos(yz))])
    about_y = np.array([(math.cos(zx), 0, math.sin(zx)), (0, 1, 0), (-math.sin(zx), 0, math.cos(zx))])
    return about_z @ about_x @ about_y


@handles("LOCA")
def _local(deck: Deck, command: Command) -> None:
    """LOCAL,number,kind,origin,angles, or in parts: LOCAL,R5.0,LOC|ANG|PRM,number,kind,values."""
    form, command = command.coded()
    number, kind, values = _local_number(command), _kind(command), command.numbers(3, 6)
    origin, axes = np.array(values[:3]), np.eye(3)
    ratios = [] if form[:3] in ("LOC", "ANG") else values[:2]  # PRM: of the axes
    if not form:
        axes, ratios = rotation(values[3:]), [command.number(9, 1.0), command.number(10, 1.0)]
        if deck.current["CSYS"] and system_of(deck, deck.current["CSYS"]) is None:
            raise command.wrong(f"the active coordinate system {deck.current['CSYS']} is not defined.")
    elif form[:3] == "ANG":
        axes, origin = rotation(values[:3]), deck.systems[number].origin if number in deck.systems else np.zeros(3)
    if any(ratio not in (0.0, 1.0) for ratio in ratios):
        raise command.wrong("elliptical coordinate systems are not supported; use a circular one.")
    if form[:3] in ("", "LOC", "ANG"):
        deck.systems[number] = CoordinateSystem(str(number), kind, origin, axes)
    if not form:
        deck.current["CSYS"] = number  # LOCAL makes its system the active one


@handles("CS")
def _by_nodes(deck: Deck, command: Command) -> None:
    """CS,number,kind,origin node,node on x,node in the x-y plane."""
    number, kind = _local_number(command), _kind(command)
    deck.nodes.close()
    nodes = np.array([command.integer(3 + i) for i in range(3)])
    origin, on_x, in_xy = deck.nodes.points[deck.nodes.indices(nodes, command.where, f"coordinate system {number}")]
    x, across = on_x - origin, in_xy - origin
    z = np.cross(x, across)
    if not np.linalg.norm(z) > 1e-10 * np.linalg.norm(x) * np.linalg.norm(across):
        raise command.wrong("the three nodes are collinear or coincide; use others.")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    deck.systems[number] = CoordinateSystem(str(number), kind, origin, np.column_stack([x, np.cross(z, x), z]))
    deck.current["CSYS"] = number


def _local_number(command: Command) -> int:
    number = command.integer(1)
    if number <= 10:
        raise command.wrong(f"coordinate system {number}; the numbers of local systems must be above 10.")
    return number


def _kind(command: Command) -> str:
    number = {"CART": 0, "CYLIN": 1, "SPHE": 2, "TORO": 3}.get(command.text(2))
    number = command.integer(2, 0) if number is None else number
    if not 0 <= number < len(_KINDS):
        raise command.wrong(f"coordinate systems of kind {number} are unknown; known are 0, 1 and 2.")
    return _KINDS[number]


@handles("NROT")
def _turn_nodes(deck: Deck, command: Command) -> None:
    deck.rotated_by_command = command.place
    deck.skip(command.name, command.place, "the displacement directions of these nodes are ignored")
