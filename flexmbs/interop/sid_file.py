"""SID_FEM text files (Wallrapp's standard input data of a flexible body): reading and writing their numbers.

An object tree: part / new modal / refmod, frame / new node / origin, phi, psi, AP, then mdCM, J, Ct, Cr, Me, Gr, Ge,
Oe, ksigma, Ke, De. Each quantity is a Taylor expansion M0(i, j) + sum_k M1(i, k, j) q_k.
Source: O. Wallrapp, Standardization of flexible body modeling in multibody system codes, Mechanics of Structures and
Machines 22 (1994).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np

from flexmbs.common.atomic_files import write_lines
from flexmbs.common.errors import BodyError
from flexmbs.interop.text_blocks import Notes, as_float, as_int, read_lines

NODE_PARTS = ("origin", "phi", "psi", "AP")
BODY_PARTS = ("mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")
_ENTRY = re.compile(r"(m[01n])\s*\(([^)]*)\)", re.IGNORECASE)
_MAX_MODES = 2000
_COUNTS = ("order", "nrow", "ncol", "nq", "nqn", "structure")
_SIX = ((0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2))  # rows and columns of the six numbers of J
_PLACES = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # of these in the matrix
_REQUIRED = ("mdCM", "J", "Ct", "Cr", "Me", "Ke")
_ZERO, _DIAGONAL, _SYMMETRIC, _FULL, _UNIT = range(5)


@dataclass(frozen=True)
class Taylor:
    """M0 (rows, columns) + sum_k M1 (rows, nq, columns) q_k."""

    M0: np.ndarray
    M1: np.ndarray | None = None  # None: to be written without it; zeros where a file lists none
    order: int | None = None  # stated in the file; None: 1 with M1, 0 without


@dataclass(frozen=True)
class SidData:
    """Content of a SID_FEM file, in its units; of what it leaves out, psi, Gr, De and others are 0, AP is the unit matrix."""

    mass: float
    labels: tuple[str, ...]  # names of the modes
    nodes: dict[int, dict[str, Taylor]]  # number -> origin, phi, psi, AP
    parts: dict[str, Taylor]  # mdCM, J, Ct, ...
    name: str = ""  # of the modal object
    notes: Notes = field(default_factory=lambda: Notes(""))  # content of the file that is ignored


def _shapes(name: str, n: int) -> tuple[tuple[int, int], ...]:
    """Shapes (rows, columns) that a quantity of n modes can have; the first is the usual one."""
    usual = {
        "mdCM": (3, 1),
        "J": (6, 1),
        "Ct": (n, 3),
        "Cr": (n, 3),
        "Me": (n, n),
        "Gr": (3, 3 * n),
        "Ge": (n, 3 * n),
        "Oe": (n, 6),
    }
    usual |= {"ksigma": (n, 1), "Ke": (n, n), "De": (n, n), "origin": (3, 1), "phi": (3, n), "psi": (3, n), "AP": (3, 3)}
    others = {"J": ((3, 3),), "ksigma": ((n, n),)}
    return (usual[name], *others.get(name, ()))


def read_sid_data(path: str | Path) -> SidData:
    """Read a SID_FEM file; BodyError gives file and line of missing or invalid content."""
    return _Reader(path).read()


class _Reader:
    """Lines "key = value" in blocks, each of which "end NAME" closes; ``line`` is the one read last."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.lines, self.line = path, read_lines(path, "a SID_FEM file"), 0
        if not self.lines:
            raise BodyError(f"{path}: is empty; expected a SID_FEM file")
        self.mass: float | None = None
        self.nq: int | None = None
        self.name = ""
        self.labels: dict[int, str] = {}
        self.nodes: dict[int, dict[str, _Listed]] = {}
        self.parts: dict[str, _Listed] = {}
        self.notes = Notes(path)

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}"

    def fail(self, what: str) -> NoReturn:
        raise BodyError(f"{self.where}: {what}")

    def following(self, inside: str) -> tuple[str, str, str]:
        """Key in lower case, key and value of the next line of a block."""
        while self.line < len(self.lines):
            self.line += 1
            key, _equals, value = self.lines[self.line - 1].partition("=")
            if key.strip() or value.strip():
                key = " ".join(key.split())
                return key.lower(), key, value.strip()
        self.fail(f"the file ends within '{inside}'; expected 'end {inside}'")

    def inside(self, name: str) -> Iterator[tuple[str, str, str]]:
        """The lines up to the end of a block."""
        while (found := self.following(name))[0] != f"end {name.lower()}":
            yield found

    def read(self) -> SidData:
        if self.lines[0].strip().lower() != "part":
            self.line = 1  # the first one is a comment
        if self.following("part")[0] != "part":
            self.fail("expected 'part'; this is not a SID_FEM file")
        self._body()
        if self.mass is None or self.nq is None:
            self.fail("refmod with mass and nelastq is missing")
        listed = [*self.parts.values(), *(part for parts in self.nodes.values() for part in parts.values())]
        nq, mode_last = self._agreed(listed)

        def expansions(names: tuple[str, ...], parts: dict[str, _Listed]) -> dict[str, Taylor]:
            return {name: parts[name].expansion(nq, mode_last) if name in parts else _left_out(name, nq) for name in names}

        if missing := [name for name in _REQUIRED if name not in self.parts]:
            raise BodyError(f"{self.path}: {missing[0]} is missing")
        return SidData(
            self.mass,
            tuple(self.labels.get(k) or f"mode {k}" for k in range(1, nq + 1)),
            {number: expansions(NODE_PARTS, parts) for number, parts in self.nodes.items()},
            expansions(BODY_PARTS, self.parts),
            self.name,
            self.notes,
        )

    def _body(self) -> None:
        proper = {name.lower(): name for name in BODY_PARTS}
        for word, key, value in self.inside("part"):
            if word == "new modal":
                self.name = value
            elif word == "refmod":
                self._refmod()
            elif word == "frame":
                self._frame()
            elif word in proper:
                if proper[word] in self.parts:
                    self.fail(f"{key} is repeated")
                self.parts[proper[word]] = self._taylor(proper[word])
            elif word != "end modal":
                self.fail(f"unknown '{key[:40]}'; expected one of {', '.join(BODY_PARTS)}")

    def _refmod(self) -> None:
        for word, key, value in self.inside("refmod"):
            if word == "mass":
                self.mass = as_float(value, f"{self.where}: mass")
            elif word == "nelastq":
                self.nq = as_int(value, f"{self.where}: nelastq")
                if not 0 <= self.nq <= _MAX_MODES:
                    self.fail(f"nelastq is {self.nq}; expected 0 to {_MAX_MODES} modes")
            elif word.startswith("ielastq"):
                index = as_int(word.partition("(")[2].rstrip(") "), f"{self.where}: ielastq")
                self.labels[index] = " ".join(value.split())
            else:
                self.fail(f"'{key[:40]}' in refmod; expected mass, nelastq or ielastq")

    def _frame(self) -> None:
        for word, key, value in self.inside("frame"):
            if word != "new node":
                self.fail(f"'{key[:40]}' in frame; expected 'new node' or 'end frame'")
            number = as_int(value, f"{self.where}: new node")
            if number in self.nodes:
                self.fail(f"node {number} is repeated")
            self.nodes[number] = self._node(number)

    def _node(self, number: int) -> dict[str, _Listed]:
        proper, start, parts = {name.lower(): name for name in NODE_PARTS}, self.where, {}
        for word, key, value in self.inside("node"):
            if word == "rframe":
                if " ".join(value.lower().split()) not in ("body ref", ""):
                    self.fail(f"node {number} is given in a frame other than 'body ref'")
            elif word in proper:
                parts[proper[word]] = self._taylor(proper[word])
            elif word == "sigma":
                self.notes.append(f"{self.where}: sigma (stress) is not read")
                list(self.inside("sigma"))
            else:
                self.fail(f"'{key[:40]}' in node {number}; expected {', '.join(NODE_PARTS)}")
        if "origin" not in parts:
            raise BodyError(f"{start}: node {number} has no origin")
        return parts

    def _taylor(self, name: str) -> _Listed:
        if self.nq is None:
            self.fail(f"{name} comes before refmod, which states the number of modes")
        listed = _Listed(name, self.where)
        for word, key, value in self.inside(name):
            where, entry = f"{self.where}: {name}", _ENTRY.fullmatch(key)
            if word in _COUNTS:
                listed.counts[word] = as_int(value, f"{where}: {word}")
            elif entry is None:
                self.fail(f"'{key[:40]}' in {name}; expected {', '.join(_COUNTS)}, m0() or m1()")
            elif entry[1].lower() == "mn":
                self.notes.append(f"{where}: terms of higher order (mn) are not read")
            else:
                index = tuple(as_int(part, where) for part in entry[2].split(","))
                listed.entries[int(entry[1][1])].append((index, as_float(value, where), where))
        if missing := [word for word in ("nrow", "ncol") if word not in listed.counts]:
            raise BodyError(f"{listed.where}: {name}: {', '.join(missing)} is missing before its numbers")
        return listed

    def _agreed(self, listed: list[_Listed]) -> tuple[int, bool]:
        """Number of modes (some programs write fewer than nelastq), and whether M1(i, j, k) has the mode last in this file."""
        own = {part.counts["nq"] for part in listed if part.counts.get("nq")}
        rows = {part.shape[0] for part in listed if part.name in ("Me", "Ke")}
        nq = self.nq
        if len(own) == 1 and own == rows and min(own) < nq:
            self.notes.add(f"nelastq is {nq}, but the matrices have {min(own)} modes; these are read")
            nq = min(own)
        entries = [(index, part.shape) for part in listed for index, *_ in part.entries[1]]
        second = all(_fits(index, (r, nq, c)) for index, (r, c) in entries)
        return nq, not second and all(_fits(index, (r, c, nq)) for index, (r, c) in entries)


@dataclass
class _Listed:
    """A quantity as listed in the file: counts, and entries (indices, value, where) of m0 and m1."""

    name: str
    where: str
    counts: dict[str, int] = field(default_factory=dict)
    entries: tuple[list, list] = field(default_factory=lambda: ([], []))

    @property
    def shape(self) -> tuple[int, int]:
        return self.counts["nrow"], self.counts["ncol"]

    def expansion(self, nq: int, mode_last: bool) -> Taylor:
        where, (rows, columns), counted = f"{self.where}: {self.name}", self.shape, self.counts.get("nq", nq)
        if counted != nq and (counted != 0 or self.entries[1]):
            raise BodyError(f"{where}: nq is {counted}; nelastq says {nq}")
        if self.shape not in (allowed := _shapes(self.name, nq)):
            raise BodyError(f"{where} is {rows} x {columns}; {nq} modes need {' or '.join(f'{r} x {c}' for r, c in allowed)}")
        M0, structure = self._filled(0, (rows, columns)), self.counts.get("structure", _FULL)
        if structure == _UNIT and not M0.any():  # unit matrices are not listed, symmetric ones may be listed in part
            M0 = np.eye(*M0.shape)
        elif structure == _SYMMETRIC and rows == columns:
            M0 = np.where(M0 == 0.0, M0.T, M0)
        M1 = np.broadcast_to(0.0, (rows, nq, columns))  # takes no memory
        if self.entries[1]:
            M1 = self._filled(1, (rows, columns, nq)).transpose(0, 2, 1) if mode_last else self._filled(1, M1.shape)
        if self.name == "J" and self.shape == (3, 3):  # some programs give the matrix
            M0, M1 = six_of(M0)[:, None], six_of(M1.transpose(1, 0, 2)).T[:, :, None]
        return Taylor(M0, M1, self.counts.get("order", int(bool(self.entries[1]))))

    def _filled(self, order: int, shape: tuple[int, ...]) -> np.ndarray:
        array = np.zeros(shape)
        for index, value, where in self.entries[order]:
            if not _fits(index, shape):
                raise BodyError(f"{where}: ({','.join(map(str, index))}) is outside {' x '.join(map(str, shape))}")
            array[tuple(i - 1 for i in index)] = value
        return array


def _left_out(name: str, nq: int) -> Taylor:
    rows, columns = _shapes(name, nq)[0]
    return Taylor(np.eye(3) if name == "AP" else np.zeros((rows, columns)), np.broadcast_to(0.0, (rows, nq, columns)), 0)


def _fits(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(index) == len(shape) and all(1 <= i <= size for i, size in zip(index, shape, strict=True))


def six_of(J: np.ndarray) -> np.ndarray:
    """(..., 3, 3) to (..., 6) in the order xx, yy, zz, xy, xz, yz."""
    return J[..., _SIX[0], _SIX[1]]


def matrix_of(six: np.ndarray) -> np.ndarray:
    """(..., 6) to (..., 3, 3)."""
    return six[..., _PLACES]


def write_sid_data(data: SidData, path: str | Path) -> None:
    """Write a SID_FEM file; numbers have 17 digits, which reproduce them exactly."""
    write_lines(path, _lines(data), BodyError)


def _lines(data: SidData) -> Iterator[str]:
    nq = len(data.labels)
    yield f"{len(data.nodes):5d}{nq:5d}    :No. nodes, No. modes:written by flexmbs"
    yield " part"
    yield _assignment(6, "new modal", data.name)
    yield " " * 11 + "refmod"
    yield _assignment(16, "mass", _number(data.mass))
    yield _assignment(16, "nelastq", f"{nq:5d}")
    for k, label in enumerate(data.labels, start=1):
        yield _assignment(16, f"ielastq ({k:4d})", label)
    yield from (" " * 11 + "end refmod", " " * 11 + "frame")
    for number, parts in data.nodes.items():
        yield _assignment(16, "new node", f"{number:8d}")
        yield _assignment(21, "rframe", "body ref")
        for name in NODE_PARTS:
            yield from _taylor_lines(21, name, parts[name], nq)
        yield " " * 16 + "end node"
    yield " " * 11 + "end frame"
    for name in BODY_PARTS:
        yield from _taylor_lines(11, name, data.parts[name], nq)
    yield from ("      end modal", " end part")


def _taylor_lines(indent: int, name: str, value: Taylor, nq: int) -> Iterator[str]:
    yield " " * indent + name
    empty = not (value.M0.any() or value.M1 is not None and value.M1.any())
    order = value.order if value.order is not None else int(value.M1 is not None)
    counts = (order, *value.M0.shape, nq, 0, _ZERO if empty else _FULL)
    for word, count in zip(_COUNTS, counts, strict=True):
        yield _assignment(26, word, f"{count:5d}")
    for key, array in (("m0", value.M0), ("m1", value.M1)):
        for index in () if array is None else np.argwhere(array):
            place = ",".join(f"{i + 1:3d}" for i in index)
            yield _assignment(26, f"{key}({place})", _number(array[tuple(index)]))
    yield " " * indent + "end " + name


def _assignment(indent: int, key: str, value: str) -> str:
    return f"{' ' * indent + key:<48}= {value}".rstrip()


def _number(value: float) -> str:
    return f"{value:.16E}".replace("E", "D")
