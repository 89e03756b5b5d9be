"""Reader of Ansys decks (CDWRITE archives, Workbench's .dat): command by command, with assignments, conditions, included files."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.readers.ansys import (  # noqa: F401  (each states which commands it handles)
    components,
    constraints,
    element_types,
    node_and_element_commands,
    other_commands,
    properties,
    sections,
)
from flexmbs.mesh.readers.ansys.build_mesh import build_mesh
from flexmbs.mesh.readers.ansys.deck import HANDLERS, Deck
from flexmbs.mesh.readers.ansys.deck_text import Command, Parameters, Source, evaluate


def read_ansys(path: str | Path, *, allow_outside: bool = False) -> Mesh:
    """Read an Ansys deck, in the units and numbers of the file.

    Parameters
    ----------
    allow_outside : bool
        Whether the deck may include files (/INPUT, CDREAD) that lie outside its own folder.

    Raises
    ------
    MeshError
        The file is damaged or holds no body, or its mesh depends on commands that only Ansys itself carries out; the
        message names file, line and command.
    """
    source = Source(Path(path), allow_outside)
    try:
        deck = Deck(source, NodeTable(str(source.path), "NBLOCK or N"))
        _Interpreter(deck).run()
    finally:
        source.close()
    return build_mesh(deck)


_NAME = re.compile(r"\s*([*/~]?[A-Za-z_][\w*/.-]*)\s*,?")
_ASSIGNMENT = re.compile(r"\s*%?([A-Za-z_]\w*)%?\s*(\([^=]*\))?\s*=(.*)$")
_COMMENTS = ("/COM", "C***", "/TITL", "/STIT")
_QUOTED_SEPARATOR = "\uffff"  # which no text in latin-1 has


def _commands_of(text: str, source: Source, parameters: Parameters) -> Iterator[Command]:
    """The commands of the present line; none of blank lines and comments. NAME = value is a *SET.

    Raises MeshError when the line is no command (numbers outside of a block, binary garbage).
    """
    if text.lstrip().upper().startswith(_COMMENTS):
        return
    for part in _split(_split(text, "!")[0], "$"):
        if not part.strip() or part.lstrip().startswith(":"):  # a label of *GO
            continue
        assigned = _ASSIGNMENT.match(part)
        match = assigned or _NAME.match(part)
        if match is None:
            found = f"{source.place}: {part.strip()[:40]!r} was found instead of a command"
            raise MeshError(f"{found}; numbers belong in a block (NBLOCK, EBLOCK), whose first line is missing or damaged.")
        name, arguments = match[1].upper(), tuple(argument.strip() for argument in _split(part[match.end() :], ","))
        if assigned:
            name, arguments = "*SET", (name + (assigned[2] or ""), assigned[3].strip())
        yield Command(name, arguments, source.file, source.line, parameters)


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator that is not within quotes."""
    if "'" not in text:
        return text.split(separator)
    parts = text.split("'")
    parts[1::2] = [quoted.replace(separator, _QUOTED_SEPARATOR) for quoted in parts[1::2]]
    return [part.replace(_QUOTED_SEPARATOR, separator) for part in "'".join(parts).split(separator)]


_PROCESSORS = {"/PREP": "/PREP7", "/SOL": "/SOLU", "/POST": "/POST", "/AUX": "/AUX", "/OPT": "/OPT", "FINI": "FINISH"}
_UNDEFINED = 7.888609052e-31  # the value of a parameter that was never set
_DEEPEST = 20
_IGES = re.compile(r".{72}[SGDPT][ \d]{6}\d\s*$")  # geometry that CDWRITE,COMB writes ahead of the commands
_COMPARISONS = {"EQ": operator.eq, "NE": operator.ne, "LT": operator.lt, "GT": operator.gt, "LE": operator.le, "GE": operator.ge}


class _Interpreter:
    def __init__(self, deck: Deck) -> None:
        self._deck, self._source = deck, deck.source
        # Open *IF and *DO blocks: (command, whether its commands are run (None: unknown), whether a branch was taken).
        self._open: list[tuple[Command, bool | None, bool]] = []
        self._before = ""

    def run(self) -> None:
        while (text := self._source.next_line()) is not None:
            if len(text) >= 80 and _IGES.match(text):
                self._deck.skip("IGES", self._source.place, "geometry, not mesh", analysis=True)
                continue
            for command in _commands_of(text, self._source, self._deck.parameters):
                self._command(command)
        if self._open:
            ends = f"the file ends too early, in line {self._source.line}"
            raise self._open[-1][0].wrong(f"this block is never closed (*ENDIF, *ENDDO); {ends}.")

    def _command(self, command: Command) -> None:
        name, verdicts = command.name, [verdict for _, verdict, _ in self._open]
        if name == "*IF":
            self._if(command, all(verdicts))
        elif name.startswith("*ELSE"):
            self._else(command)
        elif name.startswith("*DO"):
            self._push(command, None)
        elif name.startswith("*END"):
            self._open = self._open[:-1]
        elif False in verdicts:
            return
        elif None in verdicts:
            self._within_unknown(command)
        elif name in ("/EOF", "/EXIT"):
            self._leave(command)
        else:
            self._run(command)
            self._before = command.key if command.key != "*SET" else self._before

    def _leave(self, command: Command) -> None:
        """/EOF ends the present file, with the blocks that are open in it; /EXIT ends the deck."""
        if command.name == "/EXIT":
            self._source.close()
        else:
            self._source.leave_file()
        self._open = [block for block in self._open if command.name == "/EOF" and block[0].file != command.file]

    def _push(self, command: Command, verdict: bool | None) -> None:
        if len(self._open) >= _DEEPEST:
            raise command.wrong(f"blocks are nested deeper than {_DEEPEST}; this is not an Ansys deck.")
        self._open.append((command, verdict, bool(verdict)))

    def _if(self, command: Command, is_run: bool) -> None:
        if "THEN" in (command.text(4), command.text(8)):
            self._push(command, self._verdict(command))
        elif is_run and command.text(4) not in ("", "EXIT", "CYCLE"):
            self._deck.skip("*IF", command.place, "a jump is not followed", analysis=True)

    def _else(self, command: Command) -> None:
        if not self._open:
            raise command.wrong("there is no *IF before it; the file is damaged.")
        opened, verdict, taken = self._open.pop()
        if taken:
            verdict = False
        elif verdict is not None:
            verdict = self._verdict(command) if command.name.startswith("*ELSEIF") else True
        self._open.append((opened, verdict, taken or bool(verdict)))

    def _verdict(self, command: Command) -> bool | None:
        """Whether a condition holds; None when it depends on what flexmbs does not know."""
        first, second, compare = self._value(command, 1), self._value(command, 3), command.text(2)
        of_texts = isinstance(first, str) or isinstance(second, str)
        if command.text(4) not in ("THEN", "") or compare not in (("EQ", "NE") if of_texts else _COMPARISONS):
            return None
        return None if first is None or second is None else _COMPARISONS[compare](first, second)

    def _value(self, command: Command, position: int) -> float | str | None:
        text = command.text(position)
        if command.raw(position).startswith("'"):
            return text
        known = self._deck.parameters
        if text.strip("%") in known:
            value = known[text.strip("%")]
            return value.upper() if isinstance(value, str) else value
        value = evaluate(text, known)
        if value is None and text.isidentifier():
            return _UNDEFINED
        return value

    def _within_unknown(self, command: Command) -> None:
        deck, key = self._deck, command.key
        decides_mesh = key in other_commands.CHANGES_MESH or (key in HANDLERS and key not in other_commands.SELECTS)
        opened = next(block for block, verdict, _ in self._open if verdict is None)
        if self._enters(command):
            return
        if key in ("*SET", "*GET"):
            deck.parameters[command.text(1)] = None
        elif decides_mesh and not deck.in_solution:
            unknown = f"whether this command is run depends on {opened.name} in line {opened.line}"
            raise command.wrong(f"{unknown}, which flexmbs cannot decide or repeat; write the finished model with CDWRITE,DB.")
        elif key in other_commands.SELECTS:
            deck.selected.update(NODE="unknown", ELEM="unknown")
            deck.skip(command.name, command.place, f"within {opened.name}")
        elif key not in other_commands.SILENT:
            deck.skip(command.name, command.place, analysis=key in other_commands.ANALYSIS or key[0] in "*/" or deck.in_solution)

    def _enters(self, command: Command) -> bool:
        """Whether a command enters or leaves a processor (/PREP7, /SOLU, FINISH)."""
        processor = next((full for start, full in _PROCESSORS.items() if command.key.startswith(start)), "")
        self._deck.processor = processor or self._deck.processor
        return bool(processor)

    def _run(self, command: Command) -> None:
        deck, key = self._deck, command.key
        if self._enters(command):
            return
        if key in HANDLERS:
            HANDLERS[key](deck, command)
        elif key == "*SET":
            self._assign(command)
        elif key == "*GET":
            deck.parameters[command.text(1)] = None
        elif key == "*REPEAT" and self._before in other_commands.MADE_BY_REPEAT:
            raise command.wrong("*REPEAT is not supported; write the finished mesh with CDWRITE,DB.")
        elif key in other_commands.CHANGES_MESH and not deck.in_solution:
            what = "this command creates or changes the mesh within Ansys, which flexmbs does not do"
            raise command.wrong(f"{what}; run the deck in Ansys and write the finished mesh with CDWRITE,DB.")
        elif key not in other_commands.SILENT:
            other_commands.skip(deck, command)

    def _assign(self, command: Command) -> None:
        parameters, name, value = self._deck.parameters, command.text(1).strip("% "), command.raw(2)
        if "(" in name:
            return  # an element of an array
        if not value:
            parameters.pop(name, None)
        elif value.startswith("'"):
            parameters[name] = value.strip("'").strip()
        else:
            parameters[name] = evaluate(value, parameters)
