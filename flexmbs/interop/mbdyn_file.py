"""The FEM file of MBDyn's modal joint: reading and writing its numbers.

Text in record groups, each starting with ``** RECORD GROUP k``; other lines that begin with ``**`` are comments
(MBDyn Input File Format, chapter "Modal joint", FEM file format; groups 13 to 19 as its newer versions read them).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import write_lines
from flexmbs.common.errors import BodyError
from flexmbs.interop.text_blocks import NumberedBlock, as_int, numbered_blocks

_HEADING = re.compile(r"\*\*\s*RECORD\s+GROUP\s+(\d+)", re.IGNORECASE)
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


def read_mbdyn_data(path: str | Path) -> MbdynData:
    """Read a .fem file; BodyError gives file and line of missing or invalid content."""
    what = "the FEM file of an MBDyn modal joint"
    groups = numbered_blocks(path, what, _HEADING, _name)
    if 1 not in groups:
        raise BodyError(f"{path}: no '** RECORD GROUP 1'; expected {what}")
    revision, nn, n = _header(groups[1])
    missing = [f"{number} ({_TITLES[number].lower()})" for number in _REQUIRED if number not in groups]
    if missing:
        raise BodyError(f"{path}: record group {', '.join(missing)} is missing")
    sizes = {"n": n, "N": nn, "3": 3, "6": 6}

    def numbers(number: int, *shape: int) -> np.ndarray:
        return groups[number].numbers(shape, "according to group 1")

    node_ids, points = _labels(groups[2], nn), np.column_stack([numbers(number, nn) for number in (5, 6, 7)])
    found: dict[str, Any] = {
        name: numbers(number, *(sizes[size] for size in shape)).transpose(order)
        for number, (_title, name, shape, order) in _GROUPS.items()
        if name and number in groups
    }
    if 12 in groups:
        rigid = numbers(12, 13)
        found |= {"rigid_mass": float(rigid[0]), "center": rigid[1:4], "inertia": rigid[4:].reshape(3, 3)}
    stiffening = _stiffening(groups[19], n) if 19 in groups else {}
    unknown = tuple(sorted(set(groups) - set(range(1, 20))))
    return MbdynData(node_ids, points, **found, revision=revision, stiffening=stiffening, unknown_groups=unknown)


def _name(number: int) -> str:
    return f"record group {number}" + (f" ({_TITLES[number].lower()})" if number in _GROUPS else "")


def _header(group: NumberedBlock) -> tuple[str, int, int]:
    if len(group.words) < 6:
        expected = "a revision and five counts (nodes, normal, attachment, constraint and rejected modes)"
        group.fail(f"expected {expected}, found {len(group.words)}")
    nn, normal, attached, constraint, rejected = (as_int(word, group.where()) for word in group.words[1:6])
    n = normal + attached + constraint - rejected
    if nn < 1 or n < 0:
        group.fail(f"{nn} nodes and {n} modes; expected at least one node and 0 or more modes")
    return group.words[0], nn, n


def _labels(group: NumberedBlock, nn: int) -> tuple[str, ...]:
    if len(group.words) != nn:
        group.fail(f"{len(group.words)} node labels; group 1 says {nn} nodes")
    first = {word: i for i, word in reversed(list(enumerate(group.words)))}
    for i, word in enumerate(group.words):
        if first[word] != i:
            group.fail(f"node {word} is listed twice", group.lines[i])
    return tuple(group.words)


def _stiffening(group: NumberedBlock, n: int) -> dict[int, np.ndarray]:
    if not group.words:
        group.fail("is empty; expected the number of matrices")
    count, size = as_int(group.words[0], group.where()), 1 + n * n
    if count < 0 or len(group.words) != 1 + count * size:
        expected = f"{count} matrices of {n} x {n} with their indices need {1 + count * size}"
        group.fail(f"{len(group.words)} numbers; {expected}")
    starts = range(1, len(group.words), size)
    indices = [as_int(group.words[start], group.where(group.lines[start])) for start in starts]
    matrices = [group.part(start + 1, start + size).numbers((n, n), "") for start in starts]
    return dict(zip(indices, matrices, strict=True))


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
