"""Reader of Abaqus and CalculiX input files (.inp): each card, in the order of the file, goes to the function that reads it.

A new card is one line in a table: here for cards that are read at once, ``SECTION_CARDS`` or ``LATER_CARDS`` for
those that can be read only when all names are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.included_files import Includes
from flexmbs.mesh.readers.abaqus import deck, generation_cards, material_cards, node_and_element_cards
from flexmbs.mesh.readers.abaqus.build_mesh import LATER_CARDS, build
from flexmbs.mesh.readers.abaqus.cards import Card, Line, Segment, compact
from flexmbs.mesh.readers.abaqus.deck import Deck
from flexmbs.mesh.readers.abaqus.section_cards import SECTION_CARDS

_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a"))
_MOST_CONTROL = 0.05  # of the characters; comments may hold a few
_SHOWN_BYTES = 24
_WANTED = "an Abaqus/CalculiX mesh is plain text with *NODE and *ELEMENT cards"
_SURELY_DATA = 10_000  # bytes between two keywords that are not looked at to see whether they are blank

# Cards whose data lines may stand in a file of their own (INPUT=).
_WITH_INPUT = {"NODE", "ELEMENT", "NSET", "ELSET", "EQUATION", "SURFACE", "BOUNDARY", "NODALTHICKNESS", "MPC", "DISTRIBUTION"}


def _by_key(names: str) -> dict[str, str]:
    """Keywords as cards are compared by them, and in their usual spelling."""
    spelled = [" ".join(name.split()) for name in names.split(",")]
    return {compact(name): name for name in spelled}


# Nothing is lost when these are not read, and nothing is said about them.
_SILENT = _by_key("HEADING, PREPRINT, RESTART, WAVEFRONT MINIMIZATION, PARAMETER, INCLUDE, END STEP, DISTRIBUTION TABLE")

# Keywords outside of steps that belong to the analysis: loads, contact, output, solution control.
_ANALYSIS = _by_key("""
    ACTUATOR, AMPLITUDE, BASELINE CORRECTION, BULK VISCOSITY, CFLUX, CHANGE FRICTION, CLEARANCE, CLOAD, COHESIVE BEHAVIOR, CONTACT,
    CONTACT CLEARANCE, CONTACT CLEARANCE ASSIGNMENT, CONTACT CONTROLS, CONTACT CONTROLS ASSIGNMENT, CONTACT DAMPING, CONTACT
    EXCLUSIONS, CONTACT FORMULATION, CONTACT INCLUSIONS, CONTACT INITIALIZATION ASSIGNMENT, CONTACT INITIALIZATION DATA, CONTACT
    INTERFERENCE, CONTACT PAIR, CONTACT PROPERTY ASSIGNMENT, CONTACT STABILIZATION, CORRELATION, CYCLIC SYMMETRY MODEL, DFLUX,
    DIAGNOSTICS, DLOAD, DSLOAD, ELEMENT MATRIX OUTPUT, FILM, FILTER, FRICTION, GAP CONDUCTANCE, GAP HEAT GENERATION, IMPERFECTION,
    INITIAL CONDITIONS, INITIAL STRAIN INCREASE, INCIDENT WAVE INTERACTION, INTERACTION, JOB PARAMETER, MODEL CHANGE, MONITOR,
    NETWORK MPC, OUTPUT, PHYSICAL CONSTANTS, PRESSURE PENETRATION, PSD-DEFINITION, RADIATE, RADIATION, RATIOS, SECTION CONTROLS,
    SECTION PRINT, SELECT CYCLIC SYMMETRY MODES, SPECTRUM, SUBMODEL, SUBROUTINE, SURFACE BEHAVIOR, SURFACE INTERACTION, SURFACE
    PROPERTY ASSIGNMENT, SURFACE SMOOTHING, TEMPERATURE, TIME POINTS, TRANSFORMF, VALUES AT INFINITY, VIEWFACTOR, VIEWFACTOR OUTPUT,
    VISUALIZATION, CO-SIMULATION, CONTACT PRINT, CONTACT FILE, NODE PRINT, NODE FILE, EL PRINT, EL FILE, NODE OUTPUT, ELEMENT
    OUTPUT, CONTACT OUTPUT, ENERGY PRINT, FILE FORMAT, BOUNDARYF, MASS FLOW, COUPLED TEMPERATURE-DISPLACEMENT, CRACK PROPAGATION,
    ENRICHMENT ACTIVATION
""")

# In place of *ELASTIC these make a material that flexmbs cannot compute with.
_UNUSABLE = _by_key("""
    ACOUSTIC MEDIUM, CAPACITY, CONCRETE, CRUSHABLE FOAM, DEFORMATION PLASTICITY, EOS, FLUID CONSTANTS, HYPERELASTIC, HYPERFOAM,
    HYPOELASTIC, LOW DENSITY FOAM, MAGNETIC PERMEABILITY, MOONEY-RIVLIN, POROUS ELASTIC, SPECIFIC GAS CONSTANT, SUPERELASTIC, USER
    MATERIAL, ANISOTROPIC HYPERELASTIC, FABRIC, NO TENSION, COMPRESSION ONLY, VISCOSITY
""")

# Cards of several words that are read, for messages about decks that write them in one.
_READ = _by_key("""
    SOLID SECTION, SHELL SECTION, SHELL GENERAL SECTION, MEMBRANE SECTION, BEAM SECTION, BEAM GENERAL SECTION, SHEAR CENTER, RIGID
    BODY, KINEMATIC COUPLING, DISTRIBUTING COUPLING, NODAL THICKNESS, NONSTRUCTURAL MASS, ROTARY INERTIA, END PART, END INSTANCE,
    END ASSEMBLY
""")
_SPELLINGS = {**_SILENT, **_ANALYSIS, **_UNUSABLE, **_READ}

# Shortened keywords that real decks use.
_ALIASES = {"SHELLGENERAL": "SHELLGENERALSECTION", "KINEMATICS": "KINEMATIC"}

# Completions of the card before them.
_COUPLED, _BEAM = "COUPLING", "BEAMGENERALSECTION"
_CHILDREN = {"KINEMATIC": _COUPLED, "DISTRIBUTING": _COUPLED, "CENTROID": _BEAM, "SHEARCENTER": _BEAM}

# Cards, and parameters of cards, that one of the two programs has and the other has not.
_ONLY_ABAQUS = {"PART", "ASSEMBLY", "INSTANCE", "OUTPUT", "PREPRINT", "CONTACT"}
_ONLY_CALCULIX = {"NODEFILE": "OUTPUT", "ELFILE": "OUTPUT", "BEAMSECTION": "OFFSET1", "CFD": "", "GREEN": ""}

READ_AT_ONCE = {
    **{"NODE": node_and_element_cards.read_nodes, "ELEMENT": node_and_element_cards.read_elements, "SURFACE": deck.read_surface},
    **{"NSET": deck.read_set, "ELSET": deck.read_set},
    **{"NGEN": generation_cards.read_ngen, "NFILL": generation_cards.read_nfill, "NCOPY": generation_cards.read_ncopy},
    **{"ELGEN": generation_cards.read_elgen, "ELCOPY": generation_cards.read_elcopy},
    **{"SYSTEM": material_cards.read_system, "ORIENTATION": material_cards.keep, "DISTRIBUTION": material_cards.keep},
    **{"PART": generation_cards.read_part, "ASSEMBLY": generation_cards.read_assembly, "INSTANCE": generation_cards.read_instance},
    **dict.fromkeys(("ENDPART", "ENDASSEMBLY", "ENDINSTANCE"), generation_cards.end_block),
    "MATERIAL": material_cards.read_material,
    **dict.fromkeys(("ELASTIC", "DENSITY", "DAMPING", *_UNUSABLE), material_cards.read_property),
}
_READ_LATER = {*SECTION_CARDS, *LATER_CARDS, "NONSTRUCTURALMASS"}


def read_abaqus(path: Path, *, allow_outside: bool = False) -> Mesh:
    """Mesh of an Abaqus/CalculiX file, in the units and numbers of the file.

    Names are upper case, as in the format (quoted ones as they are). A set SET of a part keeps its name when there is
    one instance only; with several it is "INSTANCE.SET". Sets of elements that are faces of others become surfaces and
    node sets. Supports are read from the model and from the first step; everything else of steps, and other cards that
    are not read, are listed in ``Mesh.skipped`` with their lines.

    Parameters
    ----------
    allow_outside : bool
        Let ``*INCLUDE`` and ``INPUT=`` leave the folder of the deck.

    Raises
    ------
    MeshError
        The content is wrong, cut off, or has no structural element; the message names file, line and card.
    """
    read, reader = Deck(str(path)), CardReader(Path(path), allow_outside)
    last, open_step, steps = None, None, 0
    for card in reader:
        last = card
        if card.key in _SPELLINGS:
            card.title = f"*{_SPELLINGS[card.key]}"
        card.key = _ALIASES.get(card.key, card.key)
        _note_program(read, card)
        if card.key == "STEP":
            open_step, steps = card, steps + 1
        elif card.key == "ENDSTEP":
            open_step = None
        if open_step is None:
            _in_model(read, card)
        elif card.key == "BOUNDARY" and steps == 1:  # supports of the first step are kept
            read.root.cards.append(card.detached())
        else:
            read.skip(card, analysis=True)
    _check_ended(read, reader, last, open_step)
    return build(read)


def _note_program(read: Deck, card: Card) -> None:
    """Abaqus and CalculiX read few things differently; which of them a deck is for shows here and there."""
    if card.key in _ONLY_ABAQUS:
        read.written_for.add("Abaqus")
    elif card.key in _ONLY_CALCULIX and (not _ONLY_CALCULIX[card.key] or card.has(_ONLY_CALCULIX[card.key])):
        read.written_for.add("CalculiX")
    elif card.key == "ELEMENT" and card.option("TYPE") in ("B31R", "B32R"):
        read.written_for.add("CalculiX")


def _in_model(read: Deck, card: Card) -> None:
    before = read.scope.cards[-1] if read.scope.cards else None
    if card.key in READ_AT_ONCE:
        READ_AT_ONCE[card.key](read, card)
    elif card.key in _CHILDREN:
        if before is None or before.key != _CHILDREN[card.key]:
            raise MeshError(f"{card.where} must follow *{_CHILDREN[card.key]}, to which it belongs.")
        before.children.append(card.detached())
    elif card.key in ("SPRING", "DASHPOT") and not card.has("ELSET") and before is not None and before.key == "JOINT":
        before.children.append(card.detached())
    elif card.key in _READ_LATER:
        read.scope.cards.append(card.detached())
    elif card.key == "NMAP":  # without it the mesh would be another than the file means
        raise MeshError(f"{card.where} is not supported; list all nodes and elements in global axes.")
    elif card.key not in _SILENT:
        read.skip(card, analysis=card.key in _ANALYSIS)


def _check_ended(read: Deck, reader: CardReader, last: Card | None, open_step: Card | None) -> None:
    orphan = reader.orphan
    if last is None:
        shown = f"its first line is '{orphan.text[:60]}'" if orphan else "it has comments only"
        start = f"{read.source}:{orphan.number if orphan else 1}: not an Abaqus/CalculiX file"
        raise MeshError(f"{start}: {shown}; keyword lines such as *NODE and *ELEMENT were expected.")
    if orphan:
        read.skipped.add("text before the first keyword", orphan.file, orphan.number)
    if read.open_blocks:
        block, where = read.open_blocks[-1], reader.last_line.where
        opened = f"{block.title} of line {block.line.number}"
        raise MeshError(f"{where}: the file ends without *END {block.key} for {opened}; it is cut off.")
    if open_step is not None:
        read.warn(f"{open_step.where} has no *END STEP; the file may be cut off there.")
    if last.key not in ("NODE", "ELEMENT") and any(segment.ends_file for segment in last.segments):
        read.warn(f"{last.where}: the file ends with its data and without a line end; it may be cut off.")


class CardReader:
    """Reads cards of a deck, with ``*INCLUDE`` and ``INPUT=`` files in their place.

    Raises MeshError for a file that is missing, includes itself, or stands outside the deck's folder unless
    ``allow_outside``. ``orphan`` is the first data line before the first keyword: it belongs to no card.
    """

    def __init__(self, path: Path, allow_outside: bool) -> None:
        self._path, self._includes = path, Includes(path, allow_outside)
        self.orphan: Line | None = None
        self.last_line: Line | None = None  # with a keyword

    def __iter__(self) -> Iterator[Card]:
        card = None
        for piece in self._pieces(self._path, ()):
            if isinstance(piece, Card):
                if card is not None:
                    yield card
                card = piece
            elif card is not None:
                card.segments.append(piece)
            else:
                self.orphan = self.orphan or next(piece.lines(), None)
        if card is not None:
            yield card

    def _pieces(self, path: Path, including: tuple[Path, ...]) -> Iterator[Segment | Card]:
        own = (*including, path)
        for piece in _pieces_of(_load_text(path, included=bool(including))):
            if isinstance(piece, Segment):
                yield piece
                continue
            self.last_line = piece
            entries = piece.text[1:].split('"')  # commas between quotes separate nothing
            entries[1::2] = [entry.replace(",", "\0") for entry in entries[1::2]]
            keyword, *rest = [entry.replace("\0", ",") for entry in '"'.join(entries).split(",")]
            pairs = (entry.partition("=") for entry in rest)
            parameters = {compact(name): value.strip() for name, _, value in pairs if name.strip()}
            card = Card(compact(keyword), "*" + " ".join(keyword.upper().split()), parameters, piece)
            if card.key != "INCLUDE":
                yield card
            if card.key == "INCLUDE" or (card.has("INPUT") and card.key in _WITH_INPUT):
                name = card.text("INPUT").strip("\"'")
                if not name:
                    raise MeshError(f"{card.where} needs the parameter INPUT=file.")
                yield from self._pieces(self._includes.needed(name, card.where, own), own)


def _load_text(path: Path, included: bool) -> Segment:
    """A file as a whole. Raises MeshError when it is no text, or empty (an included one may be)."""
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.rstrip(b"\x1a\0")
    if not included and (not data or data.isspace()):
        raise MeshError(f"{path}:1: the file is empty; {_WANTED}.")
    control = [place for place, byte in enumerate(data[:4096]) if byte in _CONTROL]
    position = data.find(b"\0")
    if position < 0 and len(control) > _MOST_CONTROL * len(data[:4096]):
        position = control[0]
    if position >= 0:
        line, first = data.count(b"\n", 0, position) + 1, max(0, position - _SHOWN_BYTES // 2)
        raise MeshError(f"{path}:{line}: not a text file: it has the bytes {data[first : first + _SHOWN_BYTES]!r}; {_WANTED}.")
    encoding = "utf-8"
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            encoding = "latin-1"
    return Segment(str(path), data, encoding, 0, len(data), 1)


def _pieces_of(whole: Segment) -> Iterator[Segment | Line]:
    """Keyword lines, completed by those that continue them, and the data lines between them and the comments, in order."""
    data, size = whole.data, whole.end
    start, line, position = 0, 1, 0  # where data lines may begin, and the number of the line there

    def line_end(at: int) -> int:
        found = data.find(b"\n", at)
        return size if found < 0 else found

    while True:
        star = data.find(b"*", position)
        stop = data.rfind(b"\n", 0, star) + 1 if star >= 0 else size
        end = line_end(star) if star >= 0 else size
        if data[stop : max(star, stop)].strip():  # a star within a data line
            position = end
            continue
        if stop - start > _SURELY_DATA or data[start:stop].strip():
            yield replace(whole, start=start, end=stop, first_line=line)
        if star < 0:
            return
        line += data.count(b"\n", start, stop)
        keyword = Line(whole.file, line, data[stop:end].decode(whole.encoding, "replace").strip())
        start, line = min(end + 1, size), line + 1
        is_comment = keyword.text.startswith("**")
        while keyword.text.endswith(",") and not is_comment and start < size:
            end = line_end(start)
            more = data[start:end].decode(whole.encoding, "replace").strip()
            # Parameters go on in the next line; a line of numbers is data after a comma too many.
            if re.match(r"[\d+.-]|\*(?!\*)", more):
                break
            keyword = keyword._replace(text=keyword.text + ("" if more.startswith("**") else more))
            start, line = min(end + 1, size), line + 1
        if not is_comment:
            yield keyword
        position = start
