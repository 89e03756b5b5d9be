"""The text of a deck: its lines and those of included files; commands with their arguments, and arithmetic in these."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TextIO

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.included_files import Includes

Parameters = Mapping[str, float | str | None]

_CHUNK = 20000  # lines of a block that are read at a time
_DIGITS = frozenset("0123456789")
_BOM = "\xef\xbb\xbf"  # as latin-1 reads it


class Source:
    """A deck, line by line; ``include`` puts the lines of another file in front of the rest.

    ``file`` and ``line`` say where the line stands that was given last. Other files than the deck, ``path``, must lie in
    its folder unless ``allow_outside``.
    """

    def __init__(self, path: Path, allow_outside: bool = False) -> None:
        self.path, self._includes = path, Includes(path, allow_outside)
        self._stack: list[tuple[TextIO, Path, int]] = []
        self._waiting: list[str] = []
        self.file, self.line = str(path), 0
        self._open(path)

    @property
    def place(self) -> str:
        """ "file:line" of the present line."""
        return f"{self.file}:{self.line}"

    def next_line(self) -> str | None:
        """The next line without its end; None after the last one of the deck."""
        if self._waiting:
            self.line += 1
            return self._waiting.pop()
        while self._stack:
            text = self._stack[-1][0].readline()
            if text:
                self.line += 1
                return (text.removeprefix(_BOM) if self.line == 1 else text).rstrip("\r\n\x1a")
            self.leave_file()
        return None

    def push_back(self, line: str) -> None:
        """Give a line back that was read from the present file; it comes again."""
        self._waiting.append(line)
        self.line -= 1

    def number_lines(self) -> list[str]:
        """The next lines, as long as they begin with a digit (after blanks), at most a chunk of them."""
        if self._waiting:
            return [self.next_line()] if self._waiting[-1].lstrip()[:1] in _DIGITS else []
        lines: list[str] = []
        for text in islice(self._stack[-1][0] if self._stack else (), _CHUNK):
            if text.lstrip()[:1] not in _DIGITS:
                self._waiting.append(text.rstrip("\r\n\x1a"))
                break
            lines.append(text.rstrip())
        self.line += len(lines)
        return lines

    def include(self, name: str, where: str) -> bool:
        """Read ``name`` next; False when there is no such file. ``where`` starts the message of errors.

        Raises MeshError when the file lies outside the deck's folder, includes itself, or too many are included.
        """
        path = self._includes.find(name, where, [opened for _, opened, _ in self._stack])
        if path is not None:
            self._open(path)
        return path is not None

    def _open(self, path: Path) -> None:
        try:
            opened = open(path, encoding="latin-1")  # any byte is a character; universal newlines
            head = opened.read(4096)
        except OSError as error:
            raise MeshError(f"{path}: cannot be read: {error.strerror}.") from error
        if "\x00" in head:
            opened.close()
            start = head[:8].encode("latin-1")
            raise MeshError(f"{path}:1: binary data ({start!r}), not an Ansys deck; write the model as text with CDWRITE,DB.")
        opened.seek(0)
        self._stack.append((opened, path, self.line))
        self.file, self.line = str(path), 0

    def leave_file(self) -> None:
        """Go on after the line that included the present file, or end the deck."""
        if not self._stack:
            return  # the deck has ended
        opened, _, line_before = self._stack.pop()
        opened.close()
        self._waiting.clear()
        if self._stack:
            self.file, self.line = str(self._stack[-1][1]), line_before

    def close(self) -> None:
        """End the deck and close all files."""
        while self._stack:
            self.leave_file()


_RELEASE = re.compile(r"R?\d\.\d|UNBL")
_LARGEST_INTEGER = 2**53  # beyond it a float is no exact whole number


@dataclass(frozen=True)
class Command:
    """A command, its name in upper case, with its arguments as text; the first has position 1, as in the manuals.

    ``left_off`` says how many arguments stood before these.
    """

    name: str
    arguments: tuple[str, ...]
    file: str
    line: int
    parameters: Parameters
    left_off: int = 0

    @property
    def key(self) -> str:
        """What identifies the command: four characters (Ansys reads no more), all of those that begin with * or /."""
        return self.name if self.name[0] in "*/~" else self.name[:4]

    @property
    def place(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self.line}"

    @property
    def where(self) -> str:
        """ "file:line: COMMAND", the start of every message about it."""
        return f"{self.place}: {self.name}"

    def wrong(self, text: str) -> MeshError:
        """The error that something is wrong with the command."""
        return MeshError(f"{self.where}: {text}")

    def coded(self) -> tuple[str, Command]:
        """Of the form in which CDWRITE writes commands (N,R5.3,LOC,...) the second argument, and what is behind it.

        An empty text, and the command itself, when it has not that form.
        """
        if not _RELEASE.fullmatch(self.text(1)):
            return "", self
        return self.text(2), replace(self, arguments=self.arguments[2:], left_off=2)

    def raw(self, position: int) -> str:
        """An argument as written; empty when it is not given."""
        return self.arguments[position - 1] if position <= len(self.arguments) else ""

    def text(self, position: int) -> str:
        """An argument in upper case, without quotes; of a parameter that holds a text the text."""
        given = self.raw(position).upper()
        value = self.parameters.get(given.strip("%")) if given.startswith("%") and given.endswith("%") else None
        return value.upper() if isinstance(value, str) else given.strip("'")

    def texts(self, first: int) -> list[str]:
        """All arguments from one on."""
        return [self.text(position) for position in range(first, len(self.arguments) + 1)]

    def number(self, position: int, default: float | None = None) -> float:
        """A number; ``default`` where none is given. MeshError when it is none, or missing without a default."""
        text, label = self.raw(position), f"argument {position + self.left_off}"
        if not text and default is None:
            raise self.wrong(f"{label} is missing; it must be a number.")
        value = evaluate(text, self.parameters) if text else default
        if value is None:
            raise self.wrong(f"{label}, '{text[:40]}', is neither a number nor a parameter that the deck sets; write the number.")
        return value

    def numbers(self, first: int, count: int) -> list[float]:
        """So many numbers; blanks are 0."""
        return [self.number(position, 0.0) for position in range(first, first + count)]

    def given(self, first: int, count: int | None = None) -> dict[int, float]:
        """The numbers that are given among all arguments from one on, or among so many; the first is number 0."""
        last = len(self.arguments) if count is None else min(first + count - 1, len(self.arguments))
        return {position - first: self.number(position) for position in range(first, last + 1) if self.text(position)}

    def integer(self, position: int, default: int | None = None) -> int:
        """A whole number, as ``number``."""
        value = self.number(position, default)
        if value != int(value) or abs(value) > _LARGEST_INTEGER:
            raise self.wrong(f"argument {position + self.left_off} is {value:g}; it must be a whole number.")
        return int(value)

    def integers(self, first: int) -> list[int]:
        """All whole numbers from an argument on; blanks are 0."""
        return [self.integer(position, 0) for position in range(first, len(self.arguments) + 1)]


_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[ED][+-]?\d+)?"
_PLAIN = re.compile(rf"[+-]?{_NUMBER}", re.ASCII)
_EXPRESSION = re.compile(r"[\w\s.%()*/+-]{1,500}", re.ASCII)
_OPERAND = re.compile(rf"(?P<number>{_NUMBER})|%?(?P<name>[A-Z_]\w*)%?", re.ASCII)


def _nearest_whole(value: float) -> float:
    return float(math.floor(value + 0.5))


_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "ABS": abs,
    "SQRT": math.sqrt,
    "EXP": math.exp,
    "LOG": math.log,
    "LOG10": math.log10,
    "NINT": _nearest_whole,
}
_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


def evaluate(text: str, parameters: Parameters) -> float | None:
    """Value of a number or an arithmetic expression of numbers and parameters; None when it has none.

    The order of operations is that of Python, as in Ansys: -A**-B is -(A**(-B)). Trigonometric functions are left out:
    their unit depends on *AFUN.
    """
    text = text.strip().upper()
    try:
        if _PLAIN.fullmatch(text):
            value = _float(text)
        elif _EXPRESSION.fullmatch(text):
            value = _value(ast.parse(_OPERAND.sub(_in_python, text).strip(), mode="eval").body, parameters)
        else:
            return None
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return value if math.isfinite(value) else None


def _float(number: str) -> float:
    return float(number.replace("D", "E"))


def _in_python(operand: re.Match) -> str:
    """A number as Python writes it, or the name of a parameter or function; blanks keep it apart from others."""
    return f" {operand['name'] or repr(_float(operand['number']))} "


def _value(node: ast.expr, parameters: Parameters) -> float:
    match node:
        case ast.Constant(value=float(number)):
            return number
        case ast.Name(id=name) if isinstance(known := parameters.get(name), float):
            return known
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, parameters)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, parameters)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(left, parameters), _value(right, parameters))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(argument, parameters))
    raise ValueError("no number, parameter or operation that has a value")
