"""Reader of Nastran bulk data (.bdf, .dat, .nas): MSC, NX and Simcenter, OptiStruct, MYSTRAN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.included_files import Includes
from flexmbs.mesh.readers.nastran import material_cards, node_and_element_cards, sets, spring_and_mass_cards
from flexmbs.mesh.readers.nastran.build_mesh import build
from flexmbs.mesh.readers.nastran.card import Batch, Card, LineOfDeck
from flexmbs.mesh.readers.nastran.deck import BEGIN, BulkLines, Comments, Deck
from flexmbs.mesh.readers.nastran.lexer import Lexer

# Beginnings of the names of cards that belong to an analysis, not to a body.
_ANALYSIS = tuple(
    """
    FORCE MOMENT PLOAD GRAV LOAD ACCEL RFORCE SLOAD LSEQ DAREA DLOAD RLOAD TLOAD DPHASE DELAY TEMP QBDY QHBDY QSET QVECT QVOL
    RADBC RADSET VIEW CONV PCONV PHBDY RADM RADCAV RADCOL RADLST SPCD DEFORM CLOAD EIG TABLE TABD TABRND FREQ TSTEP NLPARM NLPCI
    NLSTEP NLCNTL NLRGAP NLOAD NOLIN RANDPS RANDT RCROSS TIC TF DYNRED DES DVP DVM DVC DVL DVG DVB DVS DVI DVT DVA DRESP DCON
    DOPT DSCR DTABLE DTPL DTI DEQATN DLINK DDVAL TOP BEADVAR AE CAERO PAERO SPLINE TRIM FLUTTER FLFACT MKAERO GUST CSSCHD
    DIVERG MONPNT MONDSP BFLUT STREAML SURFGEN UXVEC PARAM MDLPRM CORDTYP SEQGP CNGRNT ECHOON ECHOOFF SWLDPRM SYSMOD MODTRAK
    MODSEL OUTPUT OUTRCV RSPEC RSPLOT SPCOFF UNBALNC ROTOR RGYRO RSPINR RSPINT CAMPBLL USET MFLUID ACMODL ACSRCE FLSYM FSLIST
    FREEPT PRESPT EBDADD EBDSET ENTUDS SUPAX GEOMCHECK DEBUG DIAGRM XYPLOT CHKPNT BOLTFOR BOLTLD STEP CVEC TOL CONCPT PLOTOPT
    SESET SEELT SETREE SELABEL SPCR DYPARAM ITER EXTRN MAXMIN TTEMP PTHREAD DISPLAY SKIP PBUSHT
    """.split()
)
# Why cards that are no part of an analysis are not read.
_WHY = {
    name: why
    for why, names in {
        "cyclic symmetry: only the sector in the deck is read": "CYJOIN CYAX CYSYM CYSUP",
        "each of its sets is kept": "SPCADD",
        "identical elements need no hint": "CNGRNT",
        "its springs stay linear": "PBUSHT PELAST",
        "its dampers stay linear": "PDAMPT",
        "the material stays linear": "MATS1",
        "the material does not change with temperature": "MATT1",
        "matrices in the deck are not supported": "DMIG",
        "it joins scalar points": "CELAS3 CELAS4 CDAMP3 CDAMP4 CDAMP5 CMASS3 CMASS4",
        "it is axisymmetric": "CCONEAX CTRAPAX CTRIAAX",
        "it belongs to an axisymmetric body": "RINGAX AXIC SECTAX POINTAX",
        "it is a fluid": "CFLUID2 CFLUID3 CFLUID4 CAXIF2 CAXIF3 CAXIF4 CSLOT3 CSLOT4",
        "it is thermal": "CHBDYE CHBDYP CHBDYI",
        "it belongs to NASTRAN-95 elements, which are not read": "PQUAD1 PQUAD2 PQDMEM PQDMEM1 PQDMEM2 PQDPLT PTRIA1 PTRIA2 PTRMEM"
        " PTRPLT PTRBSC PTWIST PIHEX PTRSHL PTRIM6 PELBOW",
        "connectors are not supported": "CWELD CFAST CSEAM",
        "masses by element lists are not supported": "NSM NSM1 NSML NSML1 NSMADD",
        "joints are not read": "RJOINT",
        "interpolation elements are not supported": "RSPLINE",
        "rigid triangles are not supported": "RTRPLT",
        "general elements are not supported": "GENEL",
        "part superelements are not supported": "SEBULK SECONCT SEBNDRY SELOC SEMPLN CSUPER CSUPEXT",
        "superelements defined in the main bulk data are read as one body": "SESET SEELT",
    }.items()
    for name in names.split()
}
_LINES_OF_A_NAME = 12  # a quoted file name goes on over several lines
_LONGEST_NAME = 1000
_INCLUDE = re.compile(r"\s*INCLUDE\b[\s=,]*(.*)", re.I)
_SECTION = re.compile(
    rb"(?:\A|[\r\n])[ \t]*(?:BEGIN[ \t,=]+BULK\b(?![ \t,=]*(?:SUPER|AUXMODEL|MODULE|MASSID))|BEGIN[ \t]*[\r\n$]|CEND)", re.I
)
_OMISSIONS = ("DMIG", "TOPVAR")  # in spite of how they begin
_CEND = re.compile(r"\s*CEND\b", re.IGNORECASE)
_PARAMETER = re.compile(r"\s*PARAM\s*,\s*(\w+)\s*,\s*([^\s,$]*)", re.IGNORECASE)
_SOLUTION = re.compile(r"\s*SOL\s+(\w+)", re.IGNORECASE)


def read_nastran(path: Path, *, allow_outside: bool = False) -> Mesh:
    """Mesh of a Nastran deck, in the file's units and numbers, coordinates in the basic system.

    Parameters
    ----------
    allow_outside : bool
        INCLUDE may name files outside the deck's folder.

    Raises
    ------
    MeshError
        What is wrong with the deck: "file:line: CARD: ...".
    """
    path = Path(path)
    deck = Deck(str(path))
    comments = Comments(deck)
    source = DeckLines(path, allow_outside)
    lines = iter(source)
    if has_sections(path):
        deck.has_case_control = True
        lines = chain([_read_head(deck, comments, source, lines)], lines)
    of_case, deck.parameters = deck.parameters, []
    lexer = Lexer(frozenset(BATCH_HANDLERS), comments.take)
    bulk = BulkLines(deck, lines)
    for card in lexer.cards(bulk):
        if isinstance(card, Batch):
            BATCH_HANDLERS[card.name](deck, card)
        else:
            HANDLERS.get(card.name, _skip)(deck, card)
    _check_end(deck, source, lexer, bulk.ended)
    deck.parameters += of_case  # the last one of a parameter counts, which is one of case control if there is any (QRG)
    _apply_mass_factor(deck)
    return build(deck)


def has_sections(path: Path) -> bool:
    """Whether a file has CEND or the main BEGIN BULK; without them all of it is bulk data (and superelements)."""
    if not path.stat().st_size:
        return False
    with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return _SECTION.search(content) is not None


class DeckLines:
    """Iterates over the lines of a deck and of the files that it includes."""

    def __init__(self, path: Path, allow_outside: bool) -> None:
        self.path = path
        self._includes = Includes(path, allow_outside)
        # Set by the consumer while executive control is read: what is included there and not found (DMAP alters mostly)
        # is listed in ``missing`` and passed over.
        self.in_executive = False
        self.missing: list[tuple[str, int, str]] = []
        self.last: LineOfDeck = (str(path), 0, "")  # handed out last
        self.ends_open = False  # whether the main file ends without a line end

    def __iter__(self) -> Iterator[LineOfDeck]:
        return self._file(self.path, ())

    def _file(self, path: Path, including: tuple[Path, ...]) -> Iterator[LineOfDeck]:
        name = str(path)
        number, raw = 0, "\n"
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            numbered = enumerate(file, start=1)
            for number, raw in numbered:
                if "\0" in raw:
                    with open(path, "rb") as binary:
                        start = repr(binary.read(16))[1:]
                    raise MeshError(f"{name}:{number}: not a text file (it starts with {start}); a Nastran deck is plain text.")
                if raw[:1] in "Ii \t" and (found := _INCLUDE.match(raw)):
                    yield from self._included(path, number, found.group(1), numbered, including)
                else:
                    self.last = line = (name, number, raw.rstrip())
                    yield line
        if path == self.path:
            self.ends_open = not raw.endswith("\n")

    def _included(self, path: Path, number: int, text: str, rest, including) -> Iterator[LineOfDeck]:
        where, chain = f"{path}:{number}: INCLUDE", (*including, path)
        name = _file_name(text.strip(), rest, where)
        target = (self._includes.find if self.in_executive else self._includes.needed)(name, where, chain)
        if target is None:
            self.missing.append((str(path), number, name))
        else:
            yield from self._file(target, chain)


def _file_name(text: str, rest, where: str) -> str:
    """The name after INCLUDE: in quotes, over several lines if need be, or one word."""
    quote, closing = text[:1], ""
    if quote in ("'", '"'):
        name, closing = text[1:], f" or its closing {quote}"
        for _ in range(_LINES_OF_A_NAME):
            if quote in name:
                break
            name += next(rest, (0, ""))[1].strip()
        name = name.split(quote)[0].strip()
    else:
        name = text.split("$")[0].strip()
    if not name or len(name) > _LONGEST_NAME:
        raise MeshError(f"{where}: the name of the file{closing} is missing; write INCLUDE 'file'.")
    return name


def _read_head(deck: Deck, comments: Comments, source: DeckLines, lines: Iterator[LineOfDeck]) -> LineOfDeck:
    """Executive and case control; returns the first BEGIN line, of the main bulk data or of a superelement."""
    case: list[LineOfDeck] = []
    source.in_executive = True
    for line in lines:
        if line[2][:1] == "$":
            comments.take(line)
        elif _CEND.match(line[2]):
            source.in_executive, case = False, []
        elif BEGIN.match(line[2]):
            break
        elif found := _PARAMETER.match(line[2]):
            _read_parameter(deck, Card("PARAM", [found.group(1), found.group(2)], line[0], line[1]))
        else:
            if source.in_executive and (solution := _SOLUTION.match(line[2])):
                deck.solution = solution.group(1).upper()
            case.append(line)
    else:
        raise MeshError(f"{source.last[0]}:{source.last[1]}: the deck ends before BEGIN BULK; the file is cut off.")
    source.in_executive = False
    for file, number, name in source.missing:
        deck.skipped.add(f"INCLUDE '{name}'", file, number, analysis=True, why="not found; executive control only")
    sets.read_case_control(deck, case)
    return line


def _check_end(deck: Deck, source: DeckLines, lexer: Lexer, ended: bool) -> None:
    """MeshError when the file is cut off within a card or line; a warning when only ENDDATA is missing."""
    file, number, text = source.last
    if ended:
        return
    if lexer.open_card:
        raise MeshError(f"{lexer.open_card}: the file ends (line {number}), but this card needs another line; the file is cut off.")
    if deck.has_case_control and source.ends_open:
        card = text[:8].strip() or "last line"
        raise MeshError(f"{file}:{number}: {card}: the file ends within a line, without ENDDATA; it is cut off.")
    if deck.has_case_control:
        deck.warn(f"{file}:{number}: ENDDATA", "it is missing at the end; the file may be incomplete")


def _skip(deck: Deck, card: Card) -> None:
    """Note a card that is not read."""
    if card.name in ("EIGRL", "EIGR"):
        deck.keep(card)
    analysis = card.name.startswith(_ANALYSIS) and not card.name.startswith(_OMISSIONS)
    deck.leave_out(card, _WHY.get(card.name, ""), analysis=analysis or card.name == "SPCADD")


def _read_parameter(deck: Deck, card: Card) -> None:
    """PARAM: WTMASS multiplies all masses, COUPMASS makes them consistent; others are solution control."""
    if card.text(0) in ("WTMASS", "COUPMASS"):
        deck.parameters.append(card)
    if card.text(0) != "WTMASS":
        deck.leave_out(card, analysis=True)
    elif card.real(1, "WTMASS") <= 0.0:
        raise MeshError(f"{card.where}: WTMASS is {card.text(1)}; give a positive factor.")


def _apply_mass_factor(deck: Deck) -> None:
    """The factor of the PARAM WTMASS that counts."""
    cards = [card for card in deck.parameters if card.text(0) == "WTMASS"]
    factors = [card.real(1, "WTMASS") for card in cards]
    if not factors:
        return
    deck.mass_factor = factors[-1]
    if any(factor != deck.mass_factor for factor in factors):
        others = ", ".join(card.place for card in cards[:-1])
        deck.warn(cards[-1].where, f"of {len(cards)} WTMASS the one in this line counts, {deck.mass_factor:g} (others: {others}).")
    elif deck.mass_factor != 1.0:
        deck.warn(cards[-1].where, f"densities and masses are multiplied by WTMASS = {deck.mass_factor:g}.")


BATCH_HANDLERS = {
    "GRID": lambda deck, batch: deck.grids.append(batch),
    **dict.fromkeys(node_and_element_cards.CARDS, node_and_element_cards.read_elements),
    **dict.fromkeys(node_and_element_cards.OTHERS, node_and_element_cards.read_others),
}
HANDLERS = {
    **dict.fromkeys(("GRDSET", "BAROR", "BEAMOR"), Deck.set_default),
    **dict.fromkeys(("SPOINT", "EPOINT"), node_and_element_cards.read_scalar_points),
    **{f"CORD{number}{kind}": node_and_element_cards.read_system for number in "12" for kind in "RCS"},
    **dict.fromkeys(material_cards.MATERIALS, material_cards.read_material),
    **dict.fromkeys(material_cards.PROPERTIES, material_cards.read_property),
    **dict.fromkeys(sets.NAMES, sets.read_set),
    **dict.fromkeys((*spring_and_mass_cards.SPRINGS, *sets.JOINING, "MPC", "MPCADD", *sets.NUMBERED), Deck.keep),
    "PARAM": _read_parameter,
}
