"""The FEM file of MBDyn's modal joint: reading and writing its numbers.

Text in record groups, each starting with ``** RECORD GROUP k``; other lines that begin with ``**`` are comments
(MBDyn Input File Format, chapter "Modal joint", FEM file format; groups 13 to 19 as its newer versions read them).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import write_lines
from flexmbs.common.errors import BodyError
from flexmbs.interop.text_numbers import as_floats, as_int, read_lines

_GROUP = re.compile(r"\*\*\s*RECORD\s+GROUP\s+(\d+)", re.IGNORECASE)
# Title, and of an array that is an attribute of its own: its name, shape in the file (n modes, N nodes), and the order of
# these axes in the attribute, which is its own inverse.
_GROUPS = {
    3: ("INITIAL MODAL DISPLACEMENTS", "initial_displacement", "n", (0,)),
    4: ("INITIAL MODAL VELOCITIES", "initial_velocity", "n", (0,)),
    5: ("NODAL X COORDINATES", "", "N", ()),
    6: ("NODAL Y COORDINATES", "", "N", ()),
    7: ("NODAL Z COORDINATES", "", "N", ()),
    8: ("MODE SHAPES", "shapes", "nN6", (0, 1, 2)),
    9: ("MODAL MASS MATRIX", "mass", "nn", (0, 1)),
    10: ("MODAL STIFFNESS MATRIX", "stiffness", "nn", (0, 1)),
    11: ("DIAGONAL OF LUMPED MASS MATRIX", "lumped", "N6", (0, 1)),
    12: ("RIGID BODY INERTIA", "", "", ()),
    13: ("MODAL DAMPING MATRIX", "damping", "nn", (0, 1)),
    14: ("INVARIANT 3", "inv3", "3n", (0, 1)),
    15: ("INVARIANT 4", "inv4", "3n", (0, 1)),
    16: ("INVARIANT 8", "inv8", "3n3", (0, 2, 1)),
    17: ("INVARIANT 5", "inv5", "3nn", (0, 2, 1)),
    18: ("INVARIANT 9", "inv9", "3nn3", (0, 3, 2, 1)),
    19: ("MODAL STRESS STIFFENING MATRIX", "", "", ()),
}
_TITLES = {2: "FINITE ELEMENT NODE LIST", **{number: title for number, (title, *_) in _GROUPS.items()}}
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
    missing = [f"{number} ({_TITLES[number].lower()})" for number in _REQUIRED if number not in groups]
    if missing:
        raise BodyError(f"{path}: record group {', '.join(missing)} is missing")
    node_ids, sizes = _labels(path, groups[2], nn), {"n": n, "N": nn, "3": 3, "6": 6}
    points = np.column_stack([_numbers(path, number, groups[number], (nn,)) for number in (5, 6, 7)])
    found: dict[str, Any] = {
        name: _numbers(path, number, groups[number], tuple(sizes[size] for size in shape)).transpose(order)
        for number, (_title, name, shape, order) in _GROUPS.items()
        if name and number in groups
    }
    if 12 in groups:
        rigid = _numbers(path, 12, groups[12], (13,))
        found |= {"rigid_mass": float(rigid[0]), "center": rigid[1:4], "inertia": rigid[4:].reshape(3, 3)}
    stiffening = _stiffening(path, groups[19], n) if 19 in groups else {}
    unknown = tuple(sorted(set(groups) - set(range(1, 20))))
    return MbdynData(node_ids, points, **found, revision=revision, stiffening=stiffening, unknown_groups=unknown)


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
    words, expected = group.words, math.prod(shape)
    where = f"record group {number} ({_TITLES[number].lower()})"
    if len(words) != expected:
        line = words[-1][1] if words else group.line
        raise BodyError(f"{path}:{line}: {where}: {len(words)} numbers; {expected} expected according to group 1")
    return as_floats([word for word, _line in words], lambda i: f"{path}:{words[i][1]}: {where}").reshape(shape)


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
    for number, (title, name, _shape, order) in _GROUPS.items():
        if number == 8:
            yield from ("**", f"** RECORD GROUP 8, {title}")
            for mode, shape in enumerate(data.shapes, start=1):
                yield f"**    NORMAL MODE SHAPE #  {mode}"
                yield from map(_row, shape)
        elif number in (5, 6, 7):
            yield from _block(number, data.points[:, number - 5, None])
        elif number == 12 and data.rigid_mass is not None:
            yield from _block(12, [np.array([data.rigid_mass]), data.center, *data.inertia])
        elif name and (values := getattr(data, name)) is not None:
            yield from _block(number, values.transpose(order).reshape(len(values) if values.ndim > 1 else 1, -1))
    if data.stiffening:
        yield from ("**", f"** RECORD GROUP 19, {_TITLES[19]}", str(len(data.stiffening)))
        for index, matrix in data.stiffening.items():
            yield str(index)
            yield from map(_row, matrix)
    yield "** END OF FILE"


def _block(number: int, rows) -> Iterator[str]:
    yield from ("**", f"** RECORD GROUP {number}, {_TITLES[number]}")
    yield from map(_row, rows)


def _row(values) -> str:
    return " ".join(f"{value:.16e}" for value in values)
