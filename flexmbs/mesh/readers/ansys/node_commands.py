"""NBLOCK, N and the local coordinate systems."""

from __future__ import annotations

import math
import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.reader_tools.fixed_columns import Format, parse_format, read_table
from flexmbs.mesh.readers.ansys.deck import Deck, handles
from flexmbs.mesh.readers.ansys.deck_text import Command, is_release
from flexmbs.mesh.readers.ansys.sets import select_new

_CHUNK = 20000  # lines
_END = re.compile(r"\s*(-1\s*($|,)|N\s*,(\s*(R?\d\.\d|UNBL)\s*,\s*LOC\s*,)?\s*-1\b)", re.IGNORECASE)
_OTHER = re.compile(r"\s*[A-Za-z/*!]|\s*$")  # of commands, not of nodes
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
    count = command.integer(4, 0)
    known = parse_format(deck.source.next_line() or "", f"{command.file}:{command.line + 1}: NBLOCK")
    if len(known.reals) < 3 or len(known.integers) not in (1, 3):
        raise MeshError(f"{command.where}: the format must have 1 or 3 integers and at least 3 real numbers (6 values).")
    read = 0
    while True:
        lines, ended = _block_lines(deck, command, complete=bool(read) and read >= count)
        if lines:
            read += len(lines)
            _add_nodes(deck, known, lines, deck.source.line - len(lines) + (0 if ended else 1))
        if ended:
            break
    if read < count:
        raise MeshError(
            f"{deck.source.file}:{deck.source.line}: NBLOCK: the block ends after {read} nodes, but its first line"
            f" (line {command.line}) declares {count}; the file is cut off or the count is wrong."
        )


def _block_lines(deck: Deck, command: Command, complete: bool) -> tuple[list[str], bool]:
    """Up to a chunk of lines of a block, and whether its end line came, or another line where the block is complete."""
    source = deck.source
    lines = source.number_lines(_CHUNK)
    if lines:
        return lines, False
    line = source.next_line()
    if line is not None and _END.match(line):
        return [], True
    if complete and line is not None and _OTHER.match(line):
        source.push_back([line])
        return [], True
    where = f"{source.file}:{source.line}: {command.name}:"
    if line is None:
        raise MeshError(
            f"{where} the file ends within the block that begins in line {command.line} (a line N,R5.3,LOC,-1, or -1"
            " ends it); it is cut off."
        )
    raise MeshError(
        f"{where} {line.strip()[:40]!r} was found within the block that begins in line {command.line}; nodes were"
        " expected, and N,R5.3,LOC,-1, or -1 after the last."
    )


def _add_nodes(deck: Deck, known: Format, lines: list[str], first: int) -> None:
    file = deck.source.file
    integers, reals = read_table(lines, known, file, first, "NBLOCK")
    ids = integers[:, 0]
    wrong = np.flatnonzero(ids <= 0)
    if wrong.size:
        raise MeshError(f"{file}:{first + wrong[0]}: NBLOCK: node number {ids[wrong[0]]}; it must be positive.")
    deck.add_nodes(ids, reals[:, :3], file, first + np.arange(len(ids)))
    if reals.shape[1] >= 6:
        turned = (reals[:, 3:6] != 0.0).any(axis=1)
        if turned.any():
            deck.angles.append((ids[turned], reals[turned, 3:6]))
    select_new(deck, "NODE", ids)


@handles("N")
def _node(deck: Deck, command: Command) -> None:
    """N,number,x,y,z,angles, or as CDWRITE writes it: N,R5.3,LOC,number,x,y,z and N,R5.3,ANG,number,angles."""
    first = 1
    if is_release(command.text(1)):
        first = 3
        if command.text(2)[:3] == "ANG":
            ids = np.array([command.integer(3)])
            angles = np.array([[command.number(4 + i, 0.0) for i in range(3)]])
            deck.angles.append((ids, angles))
            return
    if not command.text(first) or "(" in "".join(command.arguments):
        raise MeshError(f"{command.where}: the number of the node must be given as a number; write the mesh with CDWRITE,DB.")
    number = command.integer(first)
    if number == -1:
        return  # the end line of a block
    if number <= 0:
        raise MeshError(f"{command.where}: node number {number}; it must be positive.")
    point = [command.number(first + 1 + i, 0.0) for i in range(3)]
    angles = [command.number(first + 4 + i, 0.0) for i in range(3)]
    if first == 1:
        point = _in_active_system(deck, command, point)
        if any(angles) and deck.current["CSYS"]:
            raise MeshError(
                f"{command.where}: rotation angles are supported in the global system only; write the mesh with CDWRITE,DB."
            )
    deck.add_nodes(np.array([number]), np.array([point]), command.file, np.array([command.line]))
    if any(angles):
        deck.angles.append((np.array([number]), np.array([angles])))
    select_new(deck, "NODE", np.array([number]))


def _in_active_system(deck: Deck, command: Command, point: list[float]) -> list[float]:
    active = deck.current["CSYS"]
    system = system_of(deck, active)
    if system is None:
        raise MeshError(f"{command.where}: coordinate system {active} is active, but no LOCAL or CS defines it.")
    if system.kind == "rectangular" and active == 0:
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
    part, first = "", 1
    if is_release(command.text(1)):
        part, first = command.text(2)[:3], 3
    number, kind = command.integer(first), _kind(command, first + 1)
    values = [command.number(first + 2 + i, 0.0) for i in range(6)]
    _check_number(command, number)
    before = deck.systems.get(number)
    origin = np.array(values[:3])
    axes = rotation(values[3:])
    if part == "ANG":
        axes, origin = rotation(values[:3]), np.zeros(3) if before is None else before.origin
    elif part == "LOC":
        axes = np.eye(3)
    elif part:  # PRM: ratios of the axes
        if any(value not in (0.0, 1.0) for value in values[:2]):
            raise MeshError(f"{command.where}: elliptical coordinate systems are not supported; use a circular one.")
        return
    if not part and deck.current["CSYS"] != 0 and kind != "" and system_of(deck, deck.current["CSYS"]) is None:
        raise MeshError(f"{command.where}: the active coordinate system {deck.current['CSYS']} is not defined.")
    if first == 1 and any(command.number(first + 8 + i, 1.0) not in (0.0, 1.0) for i in range(2)):
        raise MeshError(f"{command.where}: elliptical coordinate systems are not supported; use a circular one.")
    deck.systems[number] = CoordinateSystem(str(number), kind, origin, axes)
    if first == 1:
        deck.current["CSYS"] = number  # LOCAL makes its system the active one


@handles("CS")
def _by_nodes(deck: Deck, command: Command) -> None:
    """CS,number,kind,origin node,node on x,node in the x-y plane."""
    number, kind = command.integer(1), _kind(command, 2)
    _check_number(command, number)
    deck.nodes.close()
    nodes = np.array([command.integer(3 + i) for i in range(3)])
    origin, on_x, in_xy = deck.nodes.points[deck.nodes.indices(nodes, command.where, f"coordinate system {number}")]
    x, across = on_x - origin, in_xy - origin
    z = np.cross(x, across)
    if not np.linalg.norm(z) > 1e-10 * np.linalg.norm(x) * np.linalg.norm(across):
        raise MeshError(f"{command.where}: the three nodes are collinear or coincide; use others.")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    deck.systems[number] = CoordinateSystem(str(number), kind, origin, np.column_stack([x, np.cross(z, x), z]))
    deck.current["CSYS"] = number


def _kind(command: Command, position: int) -> str:
    text = command.text(position)
    number = {"CART": 0, "CYLIN": 1, "SPHE": 2, "TORO": 3}.get(text)
    number = command.integer(position, 0) if number is None else number
    if not 0 <= number < len(_KINDS):
        raise MeshError(f"{command.where}: coordinate systems of kind {number} are unknown; known are 0, 1 and 2.")
    return _KINDS[number]


def _check_number(command: Command, number: int) -> None:
    if number <= 10:
        raise MeshError(f"{command.where}: coordinate system {number}; the numbers of local systems must be above 10.")


@handles("NROT")
def _turn_nodes(deck: Deck, command: Command) -> None:
    deck.rotated_by_command = command.place
    deck.skipped.add(command.name, command.file, command.line, why="the displacement directions of these nodes are ignored")
