"""The FEM file of MBDyn's modal joint: reading and writing its numbers.

Text in record groups, each starting with ``** RECORD GROUP k``; other lines that begin with ``**`` are comments
(MBDyn Input File Format, chapter "Modal joint", FEM file format; groups 13 to 19 as its newer versions read them).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import write_lines
from flexmbs.common.errors import BodyError
from flexmbs.interop.text_numbers import LARGEST, as_float, as_int, read_lines

_GROUP = re.compile(r"\*\*\s*RECORD\s+GROUP\s+(\d+)", re.IGNORECASE)
_TITLES = {
    3: "INITIAL MODAL DISPLACEMENTS",
    4: "INITIAL MODAL VELOCITIES",
    5: "NODAL X COORDINATES",
    6: "NODAL Y COORDINATES",
    7: "NODAL Z COORDINATES",
    8: "MODE SHAPES",
    9: "MODAL MASS MATRIX",
    10: "MODAL STIFFNESS MATRIX",
    11: "DIAGONAL OF LUMPED MASS MATRIX",
    12: "RIGID BODY INERTIA",
    13: "MODAL DAMPING MATRIX",
    14: "INVARIANT 3",
    15: "INVARIANT 4",
    16: "INVARIANT 8",
    17: "INVARIANT 5",
    18: "INVARIANT 9",
    19: "MODAL STRESS STIFFENING MATRIX",
}
_REQUIRED = (2, 5, 6, 7, 8, 9, 10)


@dataclass(frozen=True)
class MbdynData:
    """Content of a .fem file; optional groups are None. Units are those of the file.

    Attributes
    ----------
    node_ids : (nn,) group 2; FEM labels, text that may not be a number
    initial_displacement, initial_velocity : (n,) groups 3, 4
    points : (nn, 3) groups 5 to 7
    shapes : (n, nn, 6) group 8, displacements and rotations
    mass, stiffness, damping : (n, n) groups 9, 10, 13
    lumped : (nn, 6) group 11
    rigid_mass, center, inertia : number, (3,), (3, 3) about the center, group 12
    inv3, inv4 : (3, n) groups 14, 15: int Phi_a dm, int x x Phi_a dm
    inv8 : (3, 3, n) group 16: - int x~ Phi_a~ dm
    inv5 : (3, n, n) group 17: int Phi_a x Phi_b dm at [:, b, a]
    inv9 : (3, 3, n, n) group 18: int Phi_a~ Phi_b~ dm at [:, :, b, a]
    stiffening : group 19: {number of a unit load: (n, n)}
    """

    node_ids: tuple[str, ...]
    points: np.ndarray
    shapes: np.ndarray
    mass: np.ndarray
    stiffness: np.ndarray
    revision: str = "REV0"
    initial_displacement: np.ndarray | None = None
    initial_velocity: np.ndarray | None = None
    lumped: np.ndarray | None = None
    rigid_mass: float | None = None
    center: np.ndarray | None = None
    inertia: np.ndarray | None = None
    damping: np.ndarray | None = None
    inv3: np.ndarray | None = None
    inv4: np.ndarray | None = None
    inv8: np.ndarray | None = None
    inv5: np.ndarray | None = None
    inv9: np.ndarray | None = None
    stiffening: dict[int, np.ndarray] = field(default_factory=dict)
    unknown_groups: tuple[int, ...] = ()


@dataclass
class _Group:
    line: int
    words: list[tuple[str, int]] = field(default_factory=list)


def read_mbdyn_data(path: str | Path) -> MbdynData:
    """Read a .fem file; BodyError gives file and line of missing or invalid content."""
    groups = _groups(path)
    if 1 not in groups:
        raise BodyError(f"{path}: no '** RECORD GROUP 1'; expected the FEM file of an MBDyn modal joint")
    revision, nn, n = _header(path, groups[1])
    missing = [number for number in _REQUIRED if number not in groups]
    if missing:
        names = ", ".join(f"{number} ({_TITLES.get(number, 'FINITE ELEMENT NODE LIST').lower()})" for number in missing)
        raise BodyError(f"{path}: record group {names} is missing")

    def numbers(group: int, *shape: int) -> np.ndarray | None:
        return _numbers(path, group, groups[group], shape) if group in groups else None

    rigid = numbers(12, 13)
    inv8, inv5, inv9 = numbers(16, 3, n, 3), numbers(17, 3, n, n), numbers(18, 3, n, n, 3)
    return MbdynData(
        revision=revision,
        node_ids=_labels(path, groups[2], nn),
        points=np.column_stack([numbers(group, nn) for group in (5, 6, 7)]),
        shapes=numbers(8, n, nn, 6),
        mass=numbers(9, n, n),
        stiffness=numbers(10, n, n),
        initial_displacement=numbers(3, n),
        initial_velocity=numbers(4, n),
        lumped=numbers(11, nn, 6),
        rigid_mass=None if rigid is None else float(rigid[0]),
        center=None if rigid is None else rigid[1:4],
        inertia=None if rigid is None else rigid[4:].reshape(3, 3),
        damping=numbers(13, n, n),
        inv3=numbers(14, 3, n),
        inv4=numbers(15, 3, n),
        inv8=None if inv8 is None else inv8.transpose(0, 2, 1),
        inv5=None if inv5 is None else inv5.transpose(0, 2, 1),
        inv9=None if inv9 is None else inv9.transpose(0, 3, 2, 1),
        stiffening=_stiffening(path, groups[19], n) if 19 in groups else {},
        unknown_groups=tuple(sorted(set(groups) - set(range(1, 20)))),
    )


def _groups(path: str | Path) -> dict[int, _Group]:
    found: dict[int, _Group] = {}
    current = None
    for line, text in enumerate(read_lines(path, "the FEM file of an MBDyn modal joint"), start=1):
        if text.lstrip().startswith("**"):
            opened = _GROUP.match(text.lstrip())
            if opened:
                number = as_int(opened[1], f"{path}:{line}")
                if number in found:
                    raise BodyError(f"{path}:{line}: record group {number} is repeated (line {found[number].line})")
                current = found[number] = _Group(line)
        elif current is not None:
            current.words.extend((word, line) for word in text.replace(",", " ").split())
    return found


def _header(path: str | Path, group: _Group) -> tuple[str, int, int]:
    where = f"{path}:{group.line}: record group 1"
    if len(group.words) < 6:
        raise BodyError(
            f"{where}: expected a revision and five counts (nodes, normal, attachment, constraint and rejected modes), "
            f"found {len(group.words)}"
        )
    words = [word for word, _line in group.words[:6]]
    nn, normal, attached, constraint, rejected = (as_int(word, where) for word in words[1:])
    n = normal + attached + constraint - rejected
    if nn < 1 or n < 0:
        raise BodyError(f"{where}: {nn} nodes and {n} modes; expected at least one node and 0 or more modes")
    return words[0], nn, n


def _labels(path: str | Path, group: _Group, nn: int) -> tuple[str, ...]:
    if len(group.words) != nn:
        raise BodyError(f"{path}:{group.line}: record group 2: {len(group.words)} node labels; group 1 says {nn} nodes")
    seen: set[str] = set()
    for word, line in group.words:
        if word in seen:
            raise BodyError(f"{path}:{line}: record group 2: node {word} is listed twice")
        seen.add(word)
    return tuple(word for word, _line in group.words)


def _numbers(path: str | Path, number: int, group: _Group, shape: tuple[int, ...]) -> np.ndarray:
    expected = 1
    for size in shape:
        expected *= size
    where = f"record group {number} ({_TITLES[number].lower()})"
    if len(group.words) != expected:
        line = group.words[-1][1] if group.words else group.line
        raise BodyError(f"{path}:{line}: {where}: {len(group.words)} numbers; {expected} expected according to group 1")
    try:
        values = np.array([float(word) for word, _line in group.words])
        fast = bool(np.all(np.abs(values) <= LARGEST))
    except ValueError:  # a Fortran exponent, or no number: as_float knows which
        fast = False
    if not fast:
        values = np.array([as_float(word, f"{path}:{line}: {where}") for word, line in group.words])
    return values.reshape(shape)


def _stiffening(path: str | Path, group: _Group, n: int) -> dict[int, np.ndarray]:
    where = f"{path}:{group.line}: record group 19"
    if not group.words:
        raise BodyError(f"{where}: is empty; expected the number of matrices")
    count = as_int(group.words[0][0], where)
    if count < 0 or len(group.words) != 1 + count * (1 + n * n):
        raise BodyError(
            f"{where}: {len(group.words)} numbers; {count} matrices of {n} x {n} with their indices need {1 + count * (1 + n * n)}"
        )
    found = {}
    for start in range(1, len(group.words), 1 + n * n):
        index = as_int(group.words[start][0], f"{path}:{group.words[start][1]}: record group 19")
        words = _Group(group.line, group.words[start + 1 : start + 1 + n * n])
        found[index] = _numbers(path, 19, words, (n, n))
    return found


def write_mbdyn_data(data: MbdynData, path: str | Path) -> None:
    """Write a .fem file; numbers have 17 digits, which reproduce them exactly."""
    write_lines(path, _lines(data), BodyError)


def _lines(data: MbdynData) -> Iterator[str]:
    n, nn = data.shapes.shape[:2]
    yield from ("** MBDyn MODAL DATA FILE", "** written by flexmbs", "** RECORD GROUP 1, HEADER")
    yield "**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES."
    yield f"      {data.revision}  {nn}  {n}  0  0  0"
    yield from ("**", "** RECORD GROUP 2, FINITE ELEMENT NODE LIST", " ".join(data.node_ids))
    for number, values in _vectors(data):
        if values is not None:
            yield from _block(number, values)
    yield from ("**", f"** RECORD GROUP 8, {_TITLES[8]}")
    for number, shape in enumerate(data.shapes, start=1):
        yield f"**    NORMAL MODE SHAPE #  {number}"
        yield from map(_row, shape)
    yield from _block(9, data.mass)
    yield from _block(10, data.stiffness)
    if data.lumped is not None:
        yield from _block(11, data.lumped)
    if data.rigid_mass is not None:
        yield from _block(12, [np.array([data.rigid_mass]), data.center, *data.inertia])
    for number, values in _optional(data):
        if values is not None:
            yield from _block(number, values)
    if data.stiffening:
        yield from ("**", f"** RECORD GROUP 19, {_TITLES[19]}", str(len(data.stiffening)))
        for index, matrix in data.stiffening.items():
            yield str(index)
            yield from map(_row, matrix)
    yield "** END OF FILE"


def _vectors(data: MbdynData):
    yield 3, None if data.initial_displacement is None else [data.initial_displacement]
    yield 4, None if data.initial_velocity is None else [data.initial_velocity]
    for axis in range(3):
        yield 5 + axis, data.points[:, axis : axis + 1]


def _optional(data: MbdynData):
    yield from ((13, data.damping), (14, data.inv3), (15, data.inv4))
    yield 16, None if data.inv8 is None else data.inv8.transpose(0, 2, 1).reshape(3, -1)
    yield 17, None if data.inv5 is None else data.inv5.transpose(0, 2, 1).reshape(3, -1)
    yield 18, None if data.inv9 is None else data.inv9.transpose(0, 3, 2, 1).reshape(3, -1)


def _block(number: int, rows) -> Iterator[str]:
    yield from ("**", f"** RECORD GROUP {number}, {_TITLES[number]}")
    yield from map(_row, rows)


def _row(values) -> str:
    return " ".join(f"{value:.16e}" for value in values)
