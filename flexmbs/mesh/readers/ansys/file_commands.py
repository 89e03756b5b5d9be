"""Included files, units, and the settings that decide what the numbers of a deck mean."""

from __future__ import annotations

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.ansys.commands import Command
from flexmbs.mesh.readers.ansys.deck import Deck

# Labels of /UNITS, which convert nothing, and what read_mesh calls these systems.
_UNITS = {
    "SI": "m-kg-s",
    "MKS": "m-kg-s",
    "MPA": "mm-t-s",
    "CGS": "0.01,0.001,1",
    "UMKS": "1e-6,1,1",
    "BIN": "in-lbf-s",
    "BFT": "0.3048,14.5939029372,1",
}


def _input(deck: Deck, command: Command) -> None:
    if command.text(4) or command.text(5):
        raise MeshError(f"{command.where}: reading a file from a given line is not supported; write the mesh with CDWRITE,DB.")
    _include(deck, command, _file_name(deck, command, 1, ""))


def _cdread(deck: Deck, command: Command) -> None:
    if command.text(1) not in ("DB", "ALL", "COMB", ""):
        deck.skipped.add("CDREAD," + command.text(1), command.file, command.line, why="geometry, not mesh")
        return
    _include(deck, command, _file_name(deck, command, 2, "cdb"))


def _file_name(deck: Deck, command: Command, first: int, extension: str) -> str:
    name, given = command.raw(first), command.raw(first + 1)
    for parameter, value in deck.parameters.items():
        if isinstance(value, str) and "%" in name:
            at = name.upper().find(f"%{parameter}%")
            name = name[:at] + value + name[at + len(parameter) + 2 :] if at >= 0 else name
    ending = given or ("" if "." in name.rsplit("/", 1)[-1] else extension)
    folder = command.raw(first + 2)
    return (f"{folder}/" if folder else "") + name + (f".{ending}" if ending else "")


def _include(deck: Deck, command: Command, name: str) -> None:
    if not name.strip(".") or "\x00" in name or len(name) > 1000:
        raise MeshError(f"{command.where}: the name of the file is missing.")
    if deck.source.include(name, command.where):
        return
    if deck.processor == "/PREP7":
        raise MeshError(
            f"{command.where}: there is no file {name} in {deck.source.path.parent.resolve()}; copy it there, or"
            " remove the line if the file holds no part of the mesh."
        )
    deck.missing_includes.append(name)
    analysis = deck.processor.startswith(("/SOLU", "/POST"))
    deck.skipped.add(f"{command.name},{name}", command.file, command.line, analysis=analysis, why="there is no such file")
    if not analysis:
        deck.warn(f"{command.where}: there is no file {name}; if it holds part of the mesh, copy it to the deck's folder.")


def _units(deck: Deck, command: Command) -> None:
    label = command.text(1)
    if _UNITS.get(label) == "m-kg-s":
        return
    offered = f" If they are, give units='{_UNITS[label]}' (--units {_UNITS[label]})." if label in _UNITS else ""
    deck.warn(
        f"{command.where}: the deck states its units as {label or 'none'}; numbers are converted only from units"
        f" that you give.{offered}"
    )


def _clear(deck: Deck, command: Command) -> None:
    if deck.elements or deck.types or deck.materials:
        raise MeshError(f"{command.where}: this command deletes the model before it; give one model per file.")


def _numoff(deck: Deck, command: Command) -> None:
    defined = {
        "NODE": deck.node_chunks,
        "ELEM": deck.elements,
        "MAT": deck.materials,
        "REAL": deck.reals,
        "TYPE": deck.types,
        "SECN": deck.sections,
        "CSYS": deck.systems,
    }
    if defined.get(command.text(1)[:4]):
        raise MeshError(
            f"{command.where}: this command offsets the numbers of everything before it; merge the models in Ansys"
            " and write them with CDWRITE,DB."
        )


def _attribute(name: str):
    def handle(deck: Deck, command: Command) -> None:
        deck.current[name] = command.integer(1, 0 if name in ("ESYS", "CSYS") else 1)

    return handle


FILE_COMMANDS = {
    "/INPUT": _input,
    "/INP": _input,
    "/INPU": _input,
    "CDRE": _cdread,
    "/UNITS": _units,
    "/UNIT": _units,
    "/CLEAR": _clear,
    "NUMO": _numoff,
    **{name: _attribute(name) for name in ("MAT", "TYPE", "REAL", "SECN", "ESYS", "CSYS")},
}
