"""Reader of Ansys decks (CDWRITE archives, Workbench's .dat): command by command, with assignments, conditions, included files."""

from __future__ import annotations

import re
from pathlib import Path

from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.readers.ansys import (  # noqa: F401  (each states which commands it handles)
    components,
    constraints,
    element_commands,
    element_types,
    materials,
    node_commands,
    other_commands,
    real_constants,
    sections,
    selections,
    supports,
)
from flexmbs.mesh.readers.ansys.build_mesh import build_mesh
from flexmbs.mesh.readers.ansys.deck import HANDLERS, Deck
from flexmbs.mesh.readers.ansys.deck_text import Command, Source, commands_of
from flexmbs.mesh.readers.ansys.expressions import evaluate


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
    path = Path(path)
    return build_mesh(read_deck(path, allow_outside), path)


_RUN, _SKIP, _UNKNOWN = "run", "skip", "unknown"
_PROCESSORS = {"/PREP": "/PREP7", "/SOL": "/SOLU", "/POST": "/POST", "/AUX": "/AUX", "/OPT": "/OPT", "FINI": "FINISH"}
_UNDEFINED = 7.888609052e-31  # the value of a parameter that was never set
_DEEPEST = 20
_IGES = re.compile(r".{72}[SGDPT][ \d]{6}\d\s*$")  # geometry that CDWRITE,COMB writes ahead of the commands


def read_deck(path: Path, allow_outside: bool = False) -> Deck:
    """All commands of a deck and its included files.

    Raises
    ------
    MeshError
        A command that the mesh depends on cannot be read or followed.
    """
    source = Source(path, allow_outside)
    try:
        deck = Deck(source, NodeTable(str(path), "NBLOCK or N"))
        _Interpreter(deck).run()
        return deck
    finally:
        source.close()


class _Interpreter:
    def __init__(self, deck: Deck) -> None:
        self._deck, self._source = deck, deck.source
        # Open *IF and *DO blocks: (command, "run", "skip" or "unknown", whether a branch was taken).
        self._open: list[tuple[Command, str, bool]] = []
        self._before = ""

    def run(self) -> None:
        while (text := self._source.next_line()) is not None:
            if len(text) >= 80 and _IGES.match(text):
                self._deck.skip("IGES", self._source.place, "geometry, not mesh", analysis=True)
                continue
            for command in commands_of(text, self._source, self._deck.parameters):
                if self._command(command):
                    return
        if self._open:
            ends = f"the file ends too early, in line {self._source.line}"
            raise self._open[-1][0].wrong(f"this block is never closed (*ENDIF, *ENDDO); {ends}.")

    def _state(self) -> str:
        states = [state for _, state, _ in self._open]
        return _SKIP if _SKIP in states else _UNKNOWN if _UNKNOWN in states else _RUN

    def _command(self, command: Command) -> bool:
        """Do what a command says; True when the deck ends with it."""
        if self._control(command):
            return False
        state = self._state()
        if state == _SKIP:
            return False
        if state == _UNKNOWN:
            self._within_unknown(command)
            return False
        if command.name in ("/EOF", "/EXIT"):
            if command.name == "/EXIT" or not self._source.in_include:
                return True
            self._source.leave_file()
            return False
        self._run(command)
        self._before = command.key if command.key != "*SET" else self._before
        return False

    def _control(self, command: Command) -> bool:
        name = command.name
        if name == "*IF":
            self._if(command)
        elif name.startswith("*ELSE"):
            self._else(command)
        elif name.startswith("*DO"):
            self._push(command, _UNKNOWN)
        elif name.startswith("*END"):
            if self._open:
                self._open.pop()
        else:
            return False
        return True

    def _push(self, command: Command, state: str, taken: bool = False) -> None:
        if len(self._open) >= _DEEPEST:
            raise command.wrong(f"blocks are nested deeper than {_DEEPEST}; this is not an Ansys deck.")
        self._open.append((command, state, taken))

    def _if(self, command: Command) -> None:
        if "THEN" not in (command.text(4), command.text(8)):
            if self._state() == _RUN and command.text(4) not in ("", "EXIT", "CYCLE"):
                self._deck.skip("*IF", command.place, "a jump is not followed", analysis=True)
            return
        verdict = self._verdict(command)
        self._push(command, _UNKNOWN if verdict is None else _RUN if verdict else _SKIP, bool(verdict))

    def _else(self, command: Command) -> None:
        if not self._open:
            raise command.wrong("there is no *IF before it; the file is damaged.")
        opened, state, taken = self._open.pop()
        if state == _UNKNOWN:
            new = (opened, _UNKNOWN, False)
        elif taken:
            new = (opened, _SKIP, True)
        else:
            verdict = self._verdict(command) if command.name.startswith("*ELSEIF") else True
            new = (opened, _UNKNOWN if verdict is None else _RUN if verdict else _SKIP, bool(verdict))
        self._open.append(new)

    def _verdict(self, command: Command) -> bool | None:
        """Whether a condition holds; None when it depends on what flexmbs does not know."""
        if command.text(4) not in ("THEN", ""):
            return None
        first, second = (self._value(command, position) for position in (1, 3))
        if first is None or second is None:
            return None
        operator = command.text(2)
        if operator == "EQ":
            return first == second
        if operator == "NE":
            return first != second
        if isinstance(first, str) or isinstance(second, str):
            return None
        return {"LT": first < second, "GT": first > second, "LE": first <= second, "GE": first >= second}.get(operator)

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
        opened = next(block for block, state, _ in self._open if state == _UNKNOWN)
        if self._enters(command):
            return
        if key in ("*SET", "*GET"):
            deck.parameters[command.text(1)] = None
        elif self._decides_mesh(key):
            unknown = f"whether this command is run depends on {opened.name} in line {opened.line}"
            raise command.wrong(f"{unknown}, which flexmbs cannot decide or repeat; write the finished model with CDWRITE,DB.")
        elif key in other_commands.SELECTS:
            deck.selected.update(NODE="unknown", ELEM="unknown")
            deck.skip(command.name, command.place, f"within {opened.name}")
        elif key not in other_commands.SILENT:
            deck.skip(command.name, command.place, analysis=key in other_commands.ANALYSIS or key[0] in "*/" or deck.in_solution)

    def _decides_mesh(self, key: str) -> bool:
        """Whether a command says what the body is; during the solution none does that."""
        makes = key in other_commands.CHANGES_MESH or (key in HANDLERS and key not in other_commands.SELECTS)
        return makes and not self._deck.in_solution

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
