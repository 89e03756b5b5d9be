"""Cards that are left out: which of them are loads, steps and output, and why others are."""

from __future__ import annotations

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck

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
_WHY = {
    **dict.fromkeys(("CYJOIN", "CYAX", "CYSYM", "CYSUP"), "cyclic symmetry: only the sector in the deck is read"),
    "CNGRNT": "identical elements need no hint",
    "PBUSHT": "its springs stay linear",
    "PELAST": "its springs stay linear",
    "PDAMPT": "its dampers stay linear",
    "MATS1": "the material stays linear",
    "MATT1": "the material does not change with temperature",
    "DMIG": "matrices in the deck are not supported",
    **dict.fromkeys(("CCONEAX", "CTRAPAX", "CTRIAAX"), "it is axisymmetric"),
    **dict.fromkeys(("RINGAX", "AXIC", "SECTAX", "POINTAX"), "it belongs to an axisymmetric body"),
    **dict.fromkeys(("CFLUID2", "CFLUID3", "CFLUID4", "CAXIF2", "CAXIF3", "CAXIF4", "CSLOT3", "CSLOT4"), "it is a fluid"),
    **dict.fromkeys(("CHBDYE", "CHBDYP", "CHBDYI"), "it is thermal"),
    **dict.fromkeys(
        ("PQUAD1", "PQUAD2", "PQDMEM", "PQDMEM1", "PQDMEM2", "PQDPLT", "PTRIA1", "PTRIA2", "PTRMEM", "PTRPLT", "PTRBSC")
        + ("PTWIST", "PIHEX", "PTRSHL", "PTRIM6", "PELBOW"),
        "it belongs to NASTRAN-95 elements, which are not read",
    ),
    "CWELD": "connectors are not supported",
    "CFAST": "connectors are not supported",
    "CSEAM": "connectors are not supported",
    "NSM": "masses by element lists are not supported",
    "NSM1": "masses by element lists are not supported",
    "NSML": "masses by element lists are not supported",
    "NSML1": "masses by element lists are not supported",
    "NSMADD": "masses by element lists are not supported",
    "RJOINT": "joints are not read",
    "RSPLINE": "interpolation elements are not supported",
    "RTRPLT": "rigid triangles are not supported",
    "GENEL": "general elements are not supported",
    **dict.fromkeys(
        ("SEBULK", "SECONCT", "SEBNDRY", "SELOC", "SEMPLN", "CSUPER", "CSUPEXT"), "part superelements are not supported"
    ),
    **dict.fromkeys(("SESET", "SEELT"), "superelements defined in the main bulk data are read as one body"),
}
_WITHOUT_MASS = ("5", "105", "BUCKLING", "SEBUCKL")  # buckling, whose eigenvalues are of loads
_OMISSIONS = ("DMIG", "TOPVAR")  # in spite of how they begin


def skip(deck: Deck, card: Card) -> None:
    """Note a card that is not read."""
    if card.name == "SPCADD":
        deck.skipped.add(card.name, card.file, card.line, analysis=True, why="each of its sets is kept")
        return
    if card.name in ("EIGRL", "EIGR") and deck.eigenvalue_request is None:
        deck.eigenvalue_request = card
    analysis = card.name.startswith(_ANALYSIS) and not card.name.startswith(_OMISSIONS)
    deck.skipped.add(card.name, card.file, card.line, analysis=analysis, why=_WHY.get(card.name, ""))


def read_parameter(deck: Deck, card: Card) -> None:
    """PARAM: WTMASS multiplies all masses, COUPMASS makes them consistent; others are solution control."""
    name = card.text(0)
    if name in ("WTMASS", "COUPMASS"):
        deck.parameters.setdefault(name, []).append(card)
    if name == "WTMASS":
        factor = card.real(1, "WTMASS")
        if factor <= 0.0:
            raise MeshError(f"{card.where}: WTMASS is {factor:g}; give a positive factor.")
    else:
        deck.skipped.add("PARAM", card.file, card.line, analysis=True)


def _given(deck: Deck, name: str) -> list[Card]:
    """The cards of a parameter; the last one counts, which is one of case control if there is any there (QRG)."""
    return [*deck.parameters.get(name, ()), *deck.parameters_of_case.get(name, ())]


def apply_mass_factor(deck: Deck) -> None:
    """The factor of the WTMASS that counts."""
    cards = _given(deck, "WTMASS")
    if not cards:
        return
    card, deck.mass_factor = cards[-1], cards[-1].real(1, "WTMASS")
    if any(other.real(1, "WTMASS") != deck.mass_factor for other in cards):
        places = ", ".join(other.place for other in cards[:-1])
        deck.warn(card.where, f"of {len(cards)} WTMASS the one in this line counts, {deck.mass_factor:g} (others: {places}).")
    elif deck.mass_factor != 1.0:
        deck.warn(card.where, f"densities and masses are multiplied by WTMASS = {deck.mass_factor:g}.")


def note_lumped_masses(deck: Deck) -> None:
    """Say once that Nastran would compute the modes that the deck asks for with other masses than flexmbs."""
    card = deck.eigenvalue_request
    if card is None or deck.solution in _WITHOUT_MASS:
        return
    given = [parameter.text(1) for parameter in _given(deck, "COUPMASS")]
    if given and given[-1] not in ("NO", "-1", "0"):
        return
    deck.warn(
        card.where,
        "the deck has no PARAM,COUPMASS,1, so Nastran computes these modes with lumped masses; flexmbs has consistent"
        " ones, with higher frequencies on coarse meshes (a rod of one element: 22 %).",
    )
