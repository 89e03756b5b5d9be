"""SID_FEM text files (Wallrapp's standard input data of a flexible body): reading and writing their numbers.

An object tree: part / new modal / refmod, frame / new node / origin, phi, psi, AP, then mdCM, J, Ct, Cr, Me, Gr, Ge,
Oe, ksigma, Ke, De. Each quantity is a Taylor expansion M0(i, j) + sum_k M1(i, k, j) q_k.
Source: O. Wallrapp, Standardization of flexible body modeling in multibody system codes, Mechanics of Structures and
Machines 22 (1994).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import write_lines
from flexmbs.common.errors import BodyError
from flexmbs.interop.text_numbers import as_float, as_int, read_lines

NODE_PARTS = ("origin", "phi", "psi", "AP")
BODY_PARTS = ("mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")
_ENTRY = re.compile(r"(m[01n])\s*\(([^)]*)\)", re.IGNORECASE)
_MAX_MODES = 2000
_COUNTS = ("order", "nrow", "ncol", "nq", "nqn", "structure")
J_ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # of the six numbers of J
_ZERO, _DIAGONAL, _SYMMETRIC, _FULL, _UNIT = range(5)


@dataclass(frozen=True)
class Taylor:
    """M0 (rows, columns) + sum_k M1 (rows, nq, columns) q_k; M1 is None if the file lists no first-order part.

    ``order`` is the order stated in the file; None if not read from a file.
    """

    M0: np.ndarray
    M1: np.ndarray | None = None
    order: int | None = None

    @property
    def first_order(self) -> np.ndarray | None:
        """M1 unless it is absent or zero."""
        return self.M1 if self.M1 is not None and self.M1.any() else None


@dataclass(frozen=True)
class SidNode:
    """A node of the frame: number, reference frame, and expansions by name."""

    number: int
    frame: str
    parts: dict[str, Taylor]


@dataclass(frozen=True)
class SidData:
    """Content of a SID_FEM file. Units are those of the file.

    Attributes
    ----------
    comment : text of the first line
    name : of the modal object
    mass : number
    labels : names of the modes
    nodes : of the frame
    parts : mdCM, J, Ct, ... by name; only those in the file
    notes : messages about content of the file that is ignored
    """

    mass: float
    labels: tuple[str, ...]
    nodes: tuple[SidNode, ...]
    parts: dict[str, Taylor]
    comment: str = ""
    name: str = ""
    notes: tuple[str, ...] = ()


def part_shape(name: str, nq: int) -> tuple[tuple[int, int], ...]:
    """Shapes (rows, columns) that a quantity of nq modes can have."""
    shapes = {
        "origin": ((3, 1),),
        "phi": ((3, nq),),
        "psi": ((3, nq),),
        "AP": ((3, 3),),
        "mdCM": ((3, 1),),
        "J": ((6, 1), (3, 3)),
        "Ct": ((nq, 3),),
        "Cr": ((nq, 3),),
        "Me": ((nq, nq),),
        "Gr": ((3, 3 * nq),),
        "Ge": ((nq, 3 * nq),),
        "Oe": ((nq, 6),),
        "ksigma": ((nq, 1), (nq, nq)),
        "Ke": ((nq, nq),),
        "De": ((nq, nq),),
    }
    return shapes[name]


def read_sid_data(path: str | Path) -> SidData:
    """Read a SID_FEM file; BodyError gives file and line of missing or invalid content."""
    return _Reader(path).read()


@dataclass
class _Reader:
    path: str | Path
    mass: float | None = None
    nq: int | None = None
    labels: dict[int, str] = field(default_factory=dict)
    nodes: list[SidNode] = field(default_factory=list)
    parts: dict[str, _Listed] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    name: str = ""
    line: int = 0

    def read(self) -> SidData:
        lines = read_lines(self.path, "a SID_FEM file")
        if not lines:
            raise BodyError(f"{self.path}: is empty; expected a SID_FEM file")
        self.lines = lines
        self.line = 1
        if self._peek() == "part" and "=" not in lines[0]:
            self.line = 0
        comment = lines[0].partition(":")[2] if self.line else ""
        self._body()
        if self.mass is None or self.nq is None:
            raise BodyError(f"{self.path}:{self.line}: refmod with mass and nelastq is missing")
        every = [*self.parts.values(), *(part for node in self.nodes for part in node.parts.values())]
        tables = _tables(self.path, self.nq, every, self.notes)
        labels = tuple(self.labels.get(k) or f"mode {k}" for k in range(1, tables.nq + 1))
        nodes = tuple(replace(node, parts={k: tables.made(v) for k, v in node.parts.items()}) for node in self.nodes)
        return SidData(
            self.mass,
            labels,
            nodes,
            {name: tables.made(part) for name, part in self.parts.items()},
            comment.removeprefix("No. nodes, No. modes:").strip(),
            self.name,
            tuple(self.notes),
        )

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"

    def _peek(self) -> str:
        return self.lines[self.line - 1].split("=")[0].strip().lower() if self.line else ""

    def _next(self, inside: str) -> tuple[str, str]:
        """The next line's key and value."""
        while self.line < len(self.lines):
            self.line += 1
            text = self.lines[self.line - 1]
            if text.strip():
                key, _equals, value = text.partition("=")
                return " ".join(key.split()), value.strip()
        raise BodyError(f"{self.where}: the file ends within '{inside}'; expected 'end {inside}'")

    def _body(self) -> None:
        if self._next("part")[0].lower() != "part":
            raise BodyError(f"{self.where}: expected 'part'; this is not a SID_FEM file")
        proper = {name.lower(): name for name in BODY_PARTS}
        while True:
            key, value = self._next("part")
            word = key.lower()
            if word == "end part":
                return
            if word == "new modal":
                self.name = value
            elif word == "refmod":
                self._refmod()
            elif word == "frame":
                self._frame()
            elif word in proper:
                if proper[word] in self.parts:
                    raise BodyError(f"{self.where}: {key} is repeated")
                self.parts[proper[word]] = self._taylor(proper[word])
            elif word != "end modal":
                raise BodyError(f"{self.where}: unknown '{key[:40]}'; expected one of {', '.join(BODY_PARTS)}")

    def _refmod(self) -> None:
        while True:
            key, value = self._next("refmod")
            word = key.lower()
            if word == "end refmod":
                return
            if word == "mass":
                self.mass = as_float(value, f"{self.where}: mass")
            elif word == "nelastq":
                self.nq = as_int(value, f"{self.where}: nelastq")
                if not 0 <= self.nq <= _MAX_MODES:
                    raise BodyError(f"{self.where}: nelastq is {self.nq}; expected 0 to {_MAX_MODES} modes")
            elif word.startswith("ielastq"):
                index = as_int(word.partition("(")[2].rstrip(") "), f"{self.where}: ielastq")
                self.labels[index] = " ".join(value.split())
            else:
                raise BodyError(f"{self.where}: '{key[:40]}' in refmod; expected mass, nelastq or ielastq")

    def _frame(self) -> None:
        while True:
            key, value = self._next("frame")
            if key.lower() == "end frame":
                return
            if key.lower() != "new node":
                raise BodyError(f"{self.where}: '{key[:40]}' in frame; expected 'new node' or 'end frame'")
            number = as_int(value, f"{self.where}: new node")
            if any(node.number == number for node in self.nodes):
                raise BodyError(f"{self.where}: node {number} is repeated")
            self.nodes.append(self._node(number))

    def _node(self, number: int) -> SidNode:
        proper = {name.lower(): name for name in NODE_PARTS}
        node = SidNode(number, "body ref", {})
        start = self.line
        while True:
            key, value = self._next("node")
            word = key.lower()
            if word == "end node":
                break
            if word == "rframe":
                node = replace(node, frame=value)
            elif word in proper:
                node.parts[proper[word]] = self._taylor(proper[word])
            elif word == "sigma":
                self._skip("sigma")
            else:
                raise BodyError(f"{self.where}: '{key[:40]}' in node {number}; expected {', '.join(NODE_PARTS)}")
        if "origin" not in node.parts:
            raise BodyError(f"{self.path}:{start}: node {number} has no origin")
        return node

    def _skip(self, name: str) -> None:
        self.notes.append(f"{self.where}: {name} (stress) is not read")
        while self._next(name)[0].lower() != f"end {name}":
            pass

    def _taylor(self, name: str) -> _Listed:
        if self.nq is None:
            raise BodyError(f"{self.where}: {name} comes before refmod, which states the number of modes")
        listed = _Listed(name, self.line)
        while True:
            key, value = self._next(name)
            word = key.lower()
            if word == f"end {name.lower()}":
                break
            entry = _ENTRY.fullmatch(key)
            if word in _COUNTS:
                listed.counts[word] = as_int(value, f"{self.where}: {name}: {word}")
            elif entry is None:
                raise BodyError(f"{self.where}: '{key[:40]}' in {name}; expected {', '.join(_COUNTS)}, m0() or m1()")
            elif entry[1].lower() == "mn":
                self.notes.append(f"{self.where}: {name}: terms of higher order (mn) are not read")
            else:
                where = f"{self.where}: {name}"
                index = tuple(as_int(part, where) for part in entry[2].split(","))
                listed.entries[int(entry[1][1])].append((index, as_float(value, where), self.line))
        missing = [word for word in ("nrow", "ncol") if word not in listed.counts]
        if missing:
            raise BodyError(f"{self.path}:{listed.line}: {name}: {', '.join(missing)} is missing before its numbers")
        return listed


@dataclass
class _Listed:
    """A quantity as listed in the file: counts and entries (indices, value, line) of m0 and m1."""

    name: str
    line: int
    counts: dict[str, int] = field(default_factory=dict)
    entries: tuple[list, list] = field(default_factory=lambda: ([], []))

    @property
    def shape(self) -> tuple[int, int]:
        return self.counts["nrow"], self.counts["ncol"]


@dataclass
class _Tables:
    """Converts the listed quantities to expansions, after the whole file has been read.

    Some programs keep nelastq at the number of all modes although they write only a few, some list M1(i, j, k) with
    the mode last, some give J as a matrix: the other quantities of the file decide.
    """

    path: str | Path
    nq: int
    mode_last: bool = False

    def made(self, listed: _Listed) -> Taylor:
        rows, columns = listed.shape
        counted = listed.counts.get("nq", self.nq)
        if counted != self.nq and (counted != 0 or listed.entries[1]):
            raise BodyError(f"{self.path}:{listed.line}: {listed.name}: nq is {counted}; nelastq says {self.nq}")
        allowed = part_shape(listed.name, self.nq)
        if listed.shape not in allowed:
            expected = " or ".join(f"{r} x {c}" for r, c in allowed)
            raise BodyError(f"{self.path}:{listed.line}: {listed.name} is {rows} x {columns}; {self.nq} modes need {expected}")
        structure = listed.counts.get("structure", _FULL)
        M0 = _completed(self._filled(listed, 0, (rows, columns)), structure)
        M1 = None
        if listed.entries[1]:
            M1 = self._filled(listed, 1, (rows, columns, self.nq) if self.mode_last else (rows, self.nq, columns))
            M1 = M1.transpose(0, 2, 1) if self.mode_last else M1
        if listed.name == "J" and listed.shape == (3, 3):
            M0, M1 = _six(M0)[:, None], None if M1 is None else _six(M1.transpose(0, 2, 1))[:, :, None]
        return Taylor(M0, M1, listed.counts.get("order"))

    def _filled(self, listed: _Listed, order: int, shape: tuple[int, ...]) -> np.ndarray:
        array = np.zeros(shape)
        for index, value, line in listed.entries[order]:
            if not _inside(index, shape):
                inner = ",".join(map(str, index))
                raise BodyError(f"{self.path}:{line}: {listed.name}: ({inner}) is outside {' x '.join(map(str, shape))}")
            array[tuple(i - 1 for i in index)] = value
        return array


def _tables(path: str | Path, nq: int, listed: list[_Listed], notes: list[str]) -> _Tables:
    """Number of modes and order of the indices of M1 that all quantities of the file agree on."""
    own = {part.counts["nq"] for part in listed if part.counts.get("nq")}
    rows = {part.shape[0] for part in listed if part.name in ("Me", "Ke")}
    if len(own) == 1 and own == rows and min(own) < nq:
        notes.append(f"{path}: nelastq is {nq}, but the matrices have {min(own)} modes; these are read")
        nq = min(own)
    modes_second, modes_last = True, True
    for part in listed:
        r, c = part.shape
        for index, _value, _line in part.entries[1]:
            modes_second = modes_second and _inside(index, (r, nq, c))
            modes_last = modes_last and _inside(index, (r, c, nq))
    return _Tables(path, nq, mode_last=modes_last and not modes_second)


def _inside(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(index) == len(shape) and all(1 <= i <= size for i, size in zip(index, shape, strict=True))


def _six(J: np.ndarray) -> np.ndarray:
    """(3, 3, ...) to (6, ...) in the order xx, yy, zz, xy, xz, yz."""
    return np.stack([J[i, j] for i, j in J_ORDER])


def _completed(M0: np.ndarray, structure: int) -> np.ndarray:
    """M0 completed by its structure number: unit matrices are not listed, symmetric ones may be listed in part."""
    if structure == _UNIT and not M0.any():
        return np.eye(*M0.shape)
    if structure == _SYMMETRIC and M0.shape[0] == M0.shape[1]:
        return np.where(M0 == 0.0, M0.T, M0)
    return M0


def write_sid_data(data: SidData, path: str | Path) -> None:
    """Write a SID_FEM file; numbers have 17 digits, which reproduce them exactly."""
    write_lines(path, _lines(data), BodyError)


def _lines(data: SidData) -> Iterator[str]:
    nq = len(data.labels)
    yield f"{len(data.nodes):5d}{nq:5d}    :No. nodes, No. modes:{data.comment}"
    yield " part"
    yield _assignment(6, "new modal", data.name)
    yield " " * 11 + "refmod"
    yield _assignment(16, "mass", _number(data.mass))
    yield _assignment(16, "nelastq", f"{nq:5d}")
    for k, label in enumerate(data.labels, start=1):
        yield _assignment(16, f"ielastq ({k:4d})", label)
    yield from (" " * 11 + "end refmod", " " * 11 + "frame")
    for node in data.nodes:
        yield _assignment(16, "new node", f"{node.number:8d}")
        yield _assignment(21, "rframe", node.frame)
        for name in NODE_PARTS:
            if name in node.parts:
                yield from _taylor_lines(21, name, node.parts[name], nq)
        yield " " * 16 + "end node"
    yield " " * 11 + "end frame"
    for name in BODY_PARTS:
        if name in data.parts:
            yield from _taylor_lines(11, name, data.parts[name], nq)
    yield from ("      end modal", " end part")


def _taylor_lines(indent: int, name: str, value: Taylor, nq: int) -> Iterator[str]:
    yield " " * indent + name
    empty = value.first_order is None and not value.M0.any()
    order = value.order if value.order is not None else int(value.M1 is not None)
    counts = (order, *value.M0.shape, nq, 0, _ZERO if empty else _FULL)
    for word, count in zip(_COUNTS, counts, strict=True):
        yield _assignment(26, word, f"{count:5d}")
    for index, number in np.ndenumerate(value.M0):
        if number != 0.0:
            yield _assignment(26, f"m0({index[0] + 1:3d},{index[1] + 1:3d})", _number(number))
    if value.M1 is not None:
        for i, k, j in np.argwhere(value.M1):
            yield _assignment(26, f"m1({i + 1:3d},{k + 1:3d},{j + 1:3d})", _number(value.M1[i, k, j]))
    yield " " * indent + "end " + name


def _assignment(indent: int, key: str, value: str) -> str:
    return f"{' ' * indent + key:<48}= {value}".rstrip()


def _number(value: float) -> str:
    return f"{value:.16E}".replace("E", "D")
