"""The FEM file of MBDyn's modal joint <-> FlexibleBody.

Text in record groups, each starting with ``** RECORD GROUP k``; other lines that begin with ``**`` are comments
(MBDyn Input File Format, chapter "Modal joint", FEM file format; groups 13 to 19 as its newer versions read them).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from flexmbs.common.atomic_files import write_lines
from flexmbs.common.errors import BodyError
from flexmbs.interop import moments as integrals
from flexmbs.interop.arrays import body_from_arrays, moments_of_nodes
from flexmbs.interop.moments import InertiaMoments, relative_difference
from flexmbs.interop.text_blocks import Notes, as_floats, as_int, read_lines
from flexmbs.reduction.body_layout import with_field_for_each_pair
from flexmbs.reduction.flexible_body import FlexibleBody


def _group(number: int, title: str, shape: str) -> Any:
    """An attribute that is an optional group of the file, of this shape: n modes, N nodes."""
    return field(default=None, metadata={"number": number, "title": title, "shape": shape})


@dataclass(frozen=True, kw_only=True)
class MbdynData:
    """Content of a .fem file, arrays indexed as in it; optional groups are None. Units are those of the file."""

    revision: str = "REV0"
    node_ids: tuple[str, ...]  # group 2: FEM labels, text that may not be a number
    points: np.ndarray  # (N, 3), groups 5 to 7
    initial_displacement: np.ndarray | None = _group(3, "INITIAL MODAL DISPLACEMENTS", "n")
    initial_velocity: np.ndarray | None = _group(4, "INITIAL MODAL VELOCITIES", "n")
    shapes: np.ndarray = _group(8, "MODE SHAPES", "nN6")  # displacements and rotations
    mass: np.ndarray = _group(9, "MODAL MASS MATRIX", "nn")
    stiffness: np.ndarray = _group(10, "MODAL STIFFNESS MATRIX", "nn")
    lumped: np.ndarray | None = _group(11, "DIAGONAL OF LUMPED MASS MATRIX", "N6")
    rigid: np.ndarray | None = _group(12, "RIGID BODY INERTIA", "R")  # mass, center (3), inertia (3 x 3) about it
    damping: np.ndarray | None = _group(13, "MODAL DAMPING MATRIX", "nn")
    inv3: np.ndarray | None = _group(14, "INVARIANT 3", "3n")  # int Phi_a dm
    inv4: np.ndarray | None = _group(15, "INVARIANT 4", "3n")  # int x x Phi_a dm
    inv8: np.ndarray | None = _group(16, "INVARIANT 8", "3n3")  # - int x~ Phi_a~ dm at [:, a, :]
    inv5: np.ndarray | None = _group(17, "INVARIANT 5", "3nn")  # int Phi_a x Phi_b dm at [:, a, b]
    inv9: np.ndarray | None = _group(18, "INVARIANT 9", "3nn3")  # int Phi_a~ Phi_b~ dm at [:, a, b, :]
    stiffening: dict[int, np.ndarray] = field(default_factory=dict)  # group 19: number of a unit load -> (n, n)
    unknown_groups: tuple[int, ...] = ()


_HEADING = re.compile(r"\*\*\s*RECORD\s+GROUP\s+(\d+)", re.IGNORECASE)
_GROUPS = {part.metadata["number"]: part for part in fields(MbdynData) if part.metadata}
_TITLES = {2: "FINITE ELEMENT NODE LIST"} | {5 + k: f"NODAL {axis} COORDINATES" for k, axis in enumerate("XYZ")}
_TITLES |= {number: part.metadata["title"] for number, part in _GROUPS.items()} | {19: "MODAL STRESS STIFFENING MATRIX"}
_REQUIRED = (2, 5, 6, 7, 8, 9, 10)


@dataclass
class _Group:
    """The words of a record group, and the line of each; ``line``: where it begins, ``name``: of the group in messages."""

    path: str | Path
    line: int
    name: str
    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def fail(self, what: str, line: int = 0) -> NoReturn:
        raise BodyError(f"{self.where(line)}: {what}")

    def where(self, line: int = 0) -> str:
        return f"{self.path}:{line or self.line}: {self.name}"

    def numbers(self, count: int, expectation: str) -> np.ndarray:
        """All words, which must be so many numbers."""
        if len(self.words) != count:
            self.fail(f"{len(self.words)} numbers; {expectation}", self.lines[-1] if self.lines else self.line)
        return as_floats(self.words, lambda i: self.where(self.lines[i]))


def _groups(path: str | Path, what: str) -> dict[int, _Group]:
    found: dict[int, _Group] = {}
    current = None
    for line, text in enumerate(read_lines(path, what), start=1):
        if text.lstrip().startswith("**"):
            if opened := _HEADING.match(text.lstrip()):
                number = as_int(opened[1], f"{path}:{line}")
                title = f" ({_TITLES[number].lower()})" if number in _TITLES and number != 2 else ""
                name = f"record group {number}{title}"
                if number in found:
                    raise BodyError(f"{path}:{line}: {name} is repeated (line {found[number].line})")
                current = found[number] = _Group(path, line, name)
        elif current is not None:
            words = text.replace(",", " ").split()
            current.words += words
            current.lines += [line] * len(words)
    return found


def read_mbdyn_data(path: str | Path) -> MbdynData:
    """Read a .fem file; BodyError gives file and line of missing or invalid content."""
    what = "the FEM file of an MBDyn modal joint"
    groups = _groups(path, what)
    if 1 not in groups:
        raise BodyError(f"{path}: no '** RECORD GROUP 1'; expected {what}")
    revision, nn, n = _header(groups[1])
    if missing := [f"{number} ({_TITLES[number].lower()})" for number in _REQUIRED if number not in groups]:
        raise BodyError(f"{path}: record group {', '.join(missing)} is missing")
    sizes = {"n": n, "N": nn, "3": 3, "6": 6, "R": 13}

    def numbers(number: int, letters: str) -> np.ndarray:
        shape = tuple(sizes[letter] for letter in letters)
        return groups[number].numbers(math.prod(shape), f"{math.prod(shape)} expected according to group 1").reshape(shape)

    return MbdynData(
        revision=revision,
        node_ids=_labels(groups[2], nn),
        points=np.column_stack([numbers(number, "N") for number in (5, 6, 7)]),
        **{part.name: numbers(number, part.metadata["shape"]) for number, part in _GROUPS.items() if number in groups},
        stiffening=_listed_stiffening(groups[19], n) if 19 in groups else {},
        unknown_groups=tuple(sorted(set(groups) - set(range(1, 20)))),
    )


def _header(group: _Group) -> tuple[str, int, int]:
    """Revision, number of nodes, number of modes."""
    if len(group.words) < 6:
        expected = "a revision and five counts (nodes, normal, attachment, constraint and rejected modes)"
        group.fail(f"expected {expected}, found {len(group.words)}")
    nn, normal, attached, constraint, rejected = (as_int(word, group.where()) for word in group.words[1:6])
    n = normal + attached + constraint - rejected
    if nn < 1 or n < 0:
        group.fail(f"{nn} nodes and {n} modes; expected at least one node and 0 or more modes")
    return group.words[0], nn, n


def _labels(group: _Group, nn: int) -> tuple[str, ...]:
    if len(group.words) != nn:
        group.fail(f"{len(group.words)} node labels; group 1 says {nn} nodes")
    seen: set[str] = set()
    for word, line in zip(group.words, group.lines, strict=True):
        if word in seen:
            group.fail(f"node {word} is listed twice", line)
        seen.add(word)
    return tuple(group.words)


def _listed_stiffening(group: _Group, n: int) -> dict[int, np.ndarray]:
    if not group.words:
        group.fail("is empty; expected the number of matrices")
    count, size = as_int(group.words[0], group.where()), 1 + n * n
    expected = f"{count} matrices of {n} x {n} with their indices need {1 + count * size}"
    if count < 0 or len(group.words) != 1 + count * size:
        group.fail(f"{len(group.words)} numbers; {expected}")
    indices = [as_int(group.words[start], group.where(group.lines[start])) for start in range(1, len(group.words), size)]
    matrices = group.numbers(1 + count * size, expected)[1:].reshape(count, size)[:, 1:].reshape(count, n, n)
    return dict(zip(indices, matrices, strict=True))


def write_mbdyn_data(data: MbdynData, path: str | Path) -> None:
    """Write a .fem file; numbers have 17 digits, which reproduce them exactly."""
    write_lines(path, _lines(data), BodyError)


def _lines(data: MbdynData) -> Iterator[str]:
    n, nn = data.shapes.shape[:2]
    yield from ("** MBDyn MODAL DATA FILE", "** written by flexmbs", "** RECORD GROUP 1, HEADER")
    yield "**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES."
    yield f"      {data.revision}  {nn}  {n}  0  0  0"
    lines: dict[int, Iterable[str]] = {
        number: map(_row, np.atleast_2d(values))
        for number, part in _GROUPS.items()
        if (values := getattr(data, part.name)) is not None
    }
    lines[2] = [" ".join(data.node_ids)]
    lines |= {5 + axis: map(_row, column) for axis, column in enumerate(data.points.T)}
    lines[8] = (
        line
        for number, shape in enumerate(data.shapes, start=1)
        for line in (f"**    NORMAL MODE SHAPE #  {number}", *map(_row, shape))
    )
    if data.rigid is not None:
        lines[12] = map(_row, np.split(data.rigid, (1, 4, 7, 10)))
    if data.stiffening:
        each = ((str(index), *map(_row, matrix)) for index, matrix in data.stiffening.items())
        lines[19] = chain([str(len(data.stiffening))], *each)
    for number in sorted(lines):
        yield from ("**", f"** RECORD GROUP {number}, {_TITLES[number]}")
        yield from lines[number]
    yield "** END OF FILE"


def _row(values: np.ndarray) -> str:
    return " ".join(f"{value:.16e}" for value in np.ravel(values))


def read_mbdyn_fem(path: str | Path) -> FlexibleBody:
    """A flexible body from the FEM file of an MBDyn modal joint (numbers in SI).

    Inertia is taken from groups 12 and 14 to 18 if all exist, otherwise from the lumped mass of group 11. Every
    node becomes a marker, named by its label. Group 19 (stiffness under unit inertia loads, numbers 1 to 12) is
    converted to second-order fields; without it the body has no geometric stiffness.
    """
    data, notes = read_mbdyn_data(path), Notes(path)
    n, nn = data.shapes.shape[:2]
    moments, pairs = _with_stiffening(_moments(data, notes), data, notes)
    rotations = data.shapes[..., 3:]
    has_rotations = n == 0 or bool(rotations.any())
    if not has_rotations:
        notes.add("record group 8 has no rotations: markers support only forces and spherical joints")
    if data.unknown_groups:
        notes.add(f"record groups {', '.join(map(str, data.unknown_groups))} are not read")
    if any(values is not None and values.any() for values in (data.initial_displacement, data.initial_velocity)):
        notes.add(
            "initial modal displacements and velocities (groups 3, 4) are not part of a body; pass them to "
            "System.add(modal_coordinates=..., modal_velocities=...)"
        )
    numbered = all(label.isdecimal() and len(label) < 18 for label in data.node_ids)
    ids = [int(label) for label in data.node_ids] if numbered else list(range(1, nn + 1))
    return body_from_arrays(
        points=data.points,
        modes=data.shapes[..., :3],
        rotations=rotations if has_rotations else None,
        K=data.stiffness,
        D=data.damping,
        moments=moments,
        pairs=pairs,
        node_ids=ids,
        markers=dict(zip(data.node_ids, ids, strict=True)),
        name=Path(path).stem,
        source=str(path),
        warnings=notes,
    )


def _with_stiffening(moments: InertiaMoments, data: MbdynData, notes: Notes) -> tuple[InertiaMoments, np.ndarray]:
    """Integrals of second-order fields from group 19, and the pairs of modes."""
    # stiffnesses per unit of 1 to 6: w1^2, w2^2, w3^2, w1 w2, w2 w3, w3 w1; 7 to 9: angular acceleration; 10 to 12:
    # acceleration less gravity; 13 and above: loads at nodes
    absent = [str(number) for number in range(1, 13) if number not in data.stiffening]
    if len(absent) == 12:
        notes.add("no stress stiffening (record group 19): this body does not stiffen under load or in rotation")
        return moments, integrals.all_pairs(0)
    if absent:
        notes.add(f"record group 19 lacks the unit loads {', '.join(absent)}: these do not stiffen the body")
    notes.add(
        "the body stiffens under inertia loads, but not under forces at its markers: the format has no "
        "second-order displacements of the nodes"
    )
    none = np.zeros_like(data.mass)
    table = np.stack([data.stiffening.get(number, none) for number in range(1, 13)], axis=-1)
    product = integrals.from_centrifugal(table[..., :6]) - integrals.from_axial(table[..., 6:9])
    pairs = integrals.all_pairs(len(data.mass))
    first, position = integrals.pair_values(table[..., 9:], pairs), integrals.pair_values(product, pairs)
    return replace(moments, pair_first=first, pair_position=position), pairs


def _moments(data: MbdynData, notes: Notes) -> InertiaMoments:
    needed = {number: getattr(data, _GROUPS[number].name) for number in (12, 14, 15, 16, 17, 18)}
    absent = [str(number) for number, values in needed.items() if values is None]
    if not absent:
        return _moments_of_invariants(data, notes)
    if data.lumped is None:
        raise BodyError(
            f"{notes.path}: the inertia is incomplete: record group 11 (lumped mass) or groups 12 and 14 to 18 are needed "
            f"(record group {', '.join(absent)} is missing)"
        )
    if len(absent) < len(needed):
        notes.add("inertia is taken from the lumped mass of group 11; groups 12 and 14 to 18 are ignored")
    masses = data.lumped[:, :3]
    if np.any(np.ptp(masses, axis=1) > 1e-9 * np.abs(masses).max(initial=0.0)):
        raise BodyError(f"{notes.path}: record group 11: the three masses of a node differ; expected one mass per node")
    if data.lumped[:, 3:].any():
        notes.add("record group 11: moments of inertia of the nodes are ignored")
    none = np.zeros((0, len(data.points), 3))
    moments = moments_of_nodes(data.points, data.shapes[..., :3], none, masses[:, 0], notes.path)
    error = relative_difference(np.einsum("abkk->ab", moments.mode_mode), data.mass)
    if error > 1e-6:
        notes.add(f"the modal mass of group 9 and that of the lumped masses differ by {error:.1e}")
    return moments


def _moments_of_invariants(data: MbdynData, notes: Notes) -> InertiaMoments:
    mass, center, inertia = data.rigid[0], data.rigid[1:4], data.rigid[4:].reshape(3, 3)
    position = integrals.from_crossed(-data.inv8.transpose(1, 0, 2)).transpose(0, 2, 1)
    mode_mode = integrals.from_crossed(data.inv9.transpose(1, 2, 0, 3))
    trace, product = np.einsum("abkk->ab", mode_mode), data.inv5.transpose(1, 2, 0)
    for text, error in (
        ("group 9 and group 18 (trace)", relative_difference(trace, data.mass)),
        ("group 17 and group 18", relative_difference(integrals.axial(mode_mode), product, data.mass)),
        ("group 15 and group 16", relative_difference(-integrals.axial(position), data.inv4.T, data.inv4, data.inv8)),
    ):
        if error > 1e-6:
            notes.add(f"{text} contradict each other by {error:.1e}; the latter is used")
    return InertiaMoments(
        mass=mass,
        first=mass * center,
        second=integrals.second_moment(0.5 * (inertia + inertia.T)) + mass * np.outer(center, center),
        mode_first=data.inv3.T,
        mode_position=position,
        mode_mode=mode_mode,
    )


def write_mbdyn_fem(
    body: FlexibleBody, path: str | Path, *, all_nodes: bool = False, stress_stiffening: bool = True
) -> tuple[str, ...]:
    """Write ``body`` as the FEM file of an MBDyn modal joint; returns messages about data the format cannot hold.

    Parameters
    ----------
    all_nodes : False: only the markers, numbered from 1 in order; True: the nodes of the mesh with their own numbers,
        followed by the markers
    stress_stiffening : whether to write group 19, which only newer versions of MBDyn read

    The modal node of MBDyn is at the origin of the body frame.
    """
    body = with_field_for_each_pair(body)
    moments = integrals.moments_of_fields(body.inertia, body.mass)
    labels, points, shapes, warnings = _exposed(body, all_nodes)
    if body.cubic is not None:
        warnings.append("the format cannot store the cubic strain energy")
    center = moments.first / moments.mass
    inertia = integrals.inertia_tensor(moments.second - moments.mass * np.outer(center, center))
    mode_mode, position = moments.mode_mode, moments.mode_position
    data = MbdynData(
        node_ids=labels,
        points=points,
        shapes=shapes,
        mass=body.Me,
        stiffness=body.Ke,
        initial_displacement=np.zeros(body.mode_count),
        initial_velocity=np.zeros(body.mode_count),
        rigid=np.concatenate([[body.mass], center, inertia.ravel()]),
        damping=body.De,
        inv3=moments.mode_first.T,
        inv4=-integrals.axial(position).T,
        inv8=-integrals.crossed(position.transpose(0, 2, 1)).transpose(1, 0, 2),
        inv5=integrals.axial(mode_mode).transpose(2, 0, 1),
        inv9=integrals.crossed(mode_mode).transpose(2, 0, 1, 3),
        stiffening=_stiffening(moments, body) if stress_stiffening and len(body.pairs) else {},
    )
    write_mbdyn_data(data, path)
    if len(body.pairs):
        kept = "only the stiffness under inertia loads (group 19) is kept" if stress_stiffening else "none is kept"
        warnings.append(f"second-order fields of {len(body.pairs)} pairs of modes (geometric stiffness): {kept}")
    return tuple(warnings)


def _stiffening(moments: InertiaMoments, body: FlexibleBody) -> dict[int, np.ndarray]:
    """Group 19, numbers 1 to 12: see ``_with_stiffening``."""
    H = integrals.pair_table(moments.pair_position, body.pairs, body.mode_count)
    first = integrals.pair_table(moments.pair_first, body.pairs, body.mode_count)
    table = np.concatenate([integrals.centrifugal(H), -integrals.axial(H), first], axis=-1)
    return {number: table[..., number - 1] for number in range(1, 13)}


def _exposed(body: FlexibleBody, all_nodes: bool) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, list[str]]:
    """Labels, points (k, 3), shapes (n, k, 6) of the nodes written, and warnings."""
    if not (all_nodes or body.markers):
        raise BodyError(f"body '{body.name}' has no markers; write all nodes instead (all_nodes=True)")
    own = body.node_ids.tolist() if all_nodes else []
    numbers = range(max(own, default=0) + 1, max(own, default=0) + 1 + len(body.markers))
    named = zip(body.markers, numbers, strict=True)
    warnings = [f"marker '{name}' is node {number}: the format numbers its nodes" for name, number in named if name != str(number)]
    points = [marker.position[None] for marker in body.markers.values()]
    shapes = [np.concatenate([marker.Phi, marker.Psi], axis=1)[:, None] for marker in body.markers.values()]
    if all_nodes:
        rotations = np.zeros_like(body.modes) if body.rotations is None else body.rotations
        points.insert(0, body.points)
        shapes.insert(0, np.concatenate([body.modes, rotations], axis=2))
        if body.rotations is None:
            warnings.insert(0, "nodes of solids have no rotations: zeros are written for them")
    return tuple(map(str, (*own, *numbers))), np.concatenate(points), np.concatenate(shapes, axis=1), warnings
