"""Reader of Nastran bulk data (.bdf, .dat, .nas): MSC, NX and Simcenter, OptiStruct, MYSTRAN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.readers.nastran import material_cards, node_and_element_cards, rigid_element_cards, sets, spring_and_mass_cards
from flexmbs.mesh.readers.nastran.build_mesh import build
from flexmbs.mesh.readers.nastran.card import Batch, Card
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.deck_lines import BEGIN, BulkLines, Comments, DeckLines, LineOfDeck, has_sections
from flexmbs.mesh.readers.nastran.lexer import Lexer

# Beginnings of the names of cards that belong to an analysis, not to a body.
_ANALYSIS = tuple(
    """
    FORCE MOMENT PLOAD GRAV LOAD ACCEL RFORCE SLOAD LSEQ LSEQ DAREA DLOAD RLOAD TLOAD DPHASE DELAY LOADCYN LOADCYH LOADT
    TEMP QBDY QHBDY QSET QVECT QVOL RADBC RADSET VIEW CONV PCONV PHBDY RADM RADCAV RADCOL RADLST SPCD DEFORM CLOAD
    EIG TABLE TABD TABRND FREQ TSTEP NLPARM NLPCI NLSTEP NLCNTL NLRGAP NLOAD NOLIN RANDPS RANDT RCROSS TIC TF DYNRED
    DES DVP DVM DVC DVL DVG DVB DVS DVI DVT DVA DRESP DCON DOPT DSCR DTABLE DTPL DTI DEQATN DLINK DDVAL TOP BEADVAR
    AE AERO CAERO PAERO SPLINE TRIM FLUTTER FLFACT MKAERO GUST CSSCHD DIVERG MONPNT MONDSP BFLUT STREAML SURFGEN UXVEC
    PARAM MDLPRM CORDTYP SEQGP CNGRNT ECHOON ECHOOFF SWLDPRM SYSMOD MODTRAK MODSEL OUTPUT OUTRCV
    RSPEC RSPLOT SPCOFF UNBALNC ROTOR RGYRO RSPINR RSPINT CAMPBLL USET MFLUID ACMODL ACSRCE FLSYM FSLIST FREEPT PRESPT
    EBDADD EBDSET ENTUDS SUPAX GEOMCHECK DEBUG LOADADD DIAGRM XYPLOT CHKPNT BOLTFOR BOLTLD STEP CVEC TOL CONCPT PLOTOPT
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
    of_case, deck.parameters = deck.parameters, {}
    lexer = Lexer(frozenset(BATCH_HANDLERS), comments.take)
    bulk = BulkLines(deck, lines)
    for card in lexer.cards(bulk):
        if isinstance(card, Batch):
            BATCH_HANDLERS[card.name](deck, card)
        else:
            HANDLERS.get(card.name, _skip)(deck, card)
    _check_end(deck, source, lexer, bulk.ended)
    for name, cards in of_case.items():  # the last one of a parameter counts, which is one of case control if there is any (QRG)
        deck.parameters.setdefault(name, []).extend(cards)
    _apply_mass_factor(deck)
    return build(deck)


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
        what = f"{text[:8].strip() or 'last line'}: the file ends within a line, without ENDDATA; it is cut off."
        raise MeshError(f"{file}:{number}: {what}")
    if deck.has_case_control:
        deck.warn(f"{file}:{number}: ENDDATA", "it is missing at the end; the file may be incomplete")


def _keep(deck: Deck, card: Card) -> None:
    deck.kept.append(card)


def _skip(deck: Deck, card: Card) -> None:
    """Note a card that is not read."""
    if card.name in ("EIGRL", "EIGR") and deck.eigenvalue_request is None:
        deck.eigenvalue_request = card
    analysis = card.name.startswith(_ANALYSIS) and not card.name.startswith(_OMISSIONS)
    deck.leave_out(card, _WHY.get(card.name, ""), analysis=analysis or card.name == "SPCADD")


def _read_parameter(deck: Deck, card: Card) -> None:
    """PARAM: WTMASS multiplies all masses, COUPMASS makes them consistent; others are solution control."""
    name = card.text(0)
    if name in ("WTMASS", "COUPMASS"):
        deck.parameters.setdefault(name, []).append(card)
    if name == "WTMASS":
        factor = card.real(1, "WTMASS")
        if factor <= 0.0:
            raise MeshError(f"{card.where}: WTMASS is {factor:g}; give a positive factor.")
    else:
        deck.leave_out(card, analysis=True)


def _apply_mass_factor(deck: Deck) -> None:
    """The factor of the PARAM WTMASS that counts."""
    *others, card = deck.parameters.get("WTMASS", [Card("PARAM", ["WTMASS", "1."], deck.source, 0)])
    deck.mass_factor = card.real(1, "WTMASS")
    if any(other.real(1, "WTMASS") != deck.mass_factor for other in others):
        places, count = ", ".join(other.place for other in others), len(others) + 1
        deck.warn(card.where, f"of {count} WTMASS the one in this line counts, {deck.mass_factor:g} (others: {places}).")
    elif deck.mass_factor != 1.0:
        deck.warn(card.where, f"densities and masses are multiplied by WTMASS = {deck.mass_factor:g}.")


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
    **dict.fromkeys((*spring_and_mass_cards.SPRINGS, *spring_and_mass_cards.MASSES, *rigid_element_cards.NAMES), _keep),
    **dict.fromkeys(("MPC", "MPCADD", *sets.NUMBERED), _keep),
    "PARAM": _read_parameter,
}
