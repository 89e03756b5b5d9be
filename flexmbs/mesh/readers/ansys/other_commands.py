"""Included files, units, local coordinate systems, and commands that flexmbs does not act on, with their lines of data."""

from __future__ import annotations

import math
import re

import numpy as np

from flexmbs.mesh.coordinate_systems import CoordinateSystem, axes_along
from flexmbs.mesh.readers.ansys.deck import Deck, handles
from flexmbs.mesh.readers.ansys.deck_text import Command

# Labels of /UNITS, which convert nothing, and what read_mesh calls these systems.
_SI = ("SI", "MKS")
_UNITS = {"MPA": "mm-t-s", "CGS": "0.01,0.001,1", "UMKS": "1e-6,1,1", "BIN": "in-lbf-s", "BFT": "0.3048,14.5939029372,1"}


@handles("/INPUT", "/INP", "/INPU")
def _input(deck: Deck, command: Command) -> None:
    if command.text(4) or command.text(5):
        raise command.wrong("reading a file from a given line is not supported; write the mesh with CDWRITE,DB.")
    _include(deck, command, _file_name(deck, command, 1, ""))


@handles("CDRE")
def _cdread(deck: Deck, command: Command) -> None:
    if command.text(1) not in ("DB", "ALL", "COMB", ""):
        deck.skip("CDREAD," + command.text(1), command.place, "geometry, not mesh")
        return
    _include(deck, command, _file_name(deck, command, 2, "cdb"))


def _file_name(deck: Deck, command: Command, first: int, extension: str) -> str:
    name, ending, folder = (command.raw(first + i).strip("'") for i in range(3))
    for parameter, value in deck.parameters.items():
        if isinstance(value, str) and "%" in name:
            at = name.upper().find(f"%{parameter}%")
            name = name[:at] + value + name[at + len(parameter) + 2 :] if at >= 0 else name
    ending = ending or ("" if "." in name.rsplit("/", 1)[-1] else extension)
    return (f"{folder}/" if folder else "") + name + (f".{ending}" if ending else "")


def _include(deck: Deck, command: Command, name: str) -> None:
    if not name.strip(".") or "\x00" in name or len(name) > 1000:
        raise command.wrong("the name of the file is missing.")
    if deck.source.include(name, command.where):
        return
    if deck.processor == "/PREP7":
        folder = deck.source.path.parent.resolve()
        raise command.wrong(f"there is no file {name} in {folder}; copy it there, or remove the line if it holds no mesh.")
    deck.missing_includes.append(name)
    deck.skip(f"{command.name},{name}", command.place, "there is no such file", analysis=deck.in_solution)
    if not deck.in_solution:
        deck.warn(f"{command.where}: there is no file {name}; if it holds part of the mesh, copy it to the deck's folder.")


@handles("/UNITS", "/UNIT")
def _units(deck: Deck, command: Command) -> None:
    label = command.text(1)
    if label not in _SI:
        offered = f" If they are, give units='{_UNITS[label]}' (--units {_UNITS[label]})." if label in _UNITS else ""
        stated = f"the deck states its units as {label or 'none'}"
        deck.warn(f"{command.where}: {stated}; numbers are converted only from units that you give.{offered}")


@handles("/CLEAR")
def _clear(deck: Deck, command: Command) -> None:
    if deck.elements or deck.types or deck.materials:
        raise command.wrong("this command deletes the model before it; give one model per file.")


@handles("NUMO")
def _numoff(deck: Deck, command: Command) -> None:
    named = ("NODE", "ELEM", "MAT", "REAL", "TYPE", "SECN", "CSYS")
    given = (deck.node_chunks, deck.elements, deck.materials, deck.reals, deck.types, deck.sections, deck.systems)
    if dict(zip(named, given, strict=True)).get(command.text(1)[:4]):
        raise command.wrong("it offsets the numbers of all before it; merge the models in Ansys, and write them with CDWRITE,DB.")


@handles("MAT", "TYPE", "REAL", "SECN", "ESYS", "CSYS")
def _attribute(deck: Deck, command: Command) -> None:
    """The attribute that elements of E and EN commands get from here on."""
    deck.current[command.key] = command.integer(1, 0 if command.key in ("ESYS", "CSYS") else 1)


_KINDS = ("rectangular", "cylindrical", "spherical")


def rotation(angles) -> np.ndarray:
    """(3, 3): columns are the axes of a system turned by THXY about z, THYZ about x, then THZX about y (degrees)."""
    xy, yz, zx = np.radians(angles)
    about_z = np.array([(math.cos(xy), -math.sin(xy), 0), (math.sin(xy), math.cos(xy), 0), (0, 0, 1)])
    about_x = np.array([(1, 0, 0), (0, math.cos(yz), -math.sin(yz)), (0, math.sin(yz), math.cos(yz))])
    about_y = np.array([(math.cos(zx), 0, math.sin(zx)), (0, 1, 0), (-math.sin(zx), 0, math.cos(zx))])
    return about_z @ about_x @ about_y


@handles("LOCA")
def _local(deck: Deck, command: Command) -> None:
    """LOCAL,number,kind,origin,angles, or in parts: LOCAL,R5.0,LOC|ANG|PRM,number,kind,values."""
    form, command = command.coded()
    number, kind, values = _local_number(command), _kind(command), command.numbers(3, 6)
    origin, axes = np.array(values[:3]), np.eye(3)
    ratios = [] if form[:3] in ("LOC", "ANG") else values[:2]  # PRM: of the axes
    if not form:
        axes, ratios = rotation(values[3:]), [command.number(9, 1.0), command.number(10, 1.0)]
        if deck.current["CSYS"] and deck.system(deck.current["CSYS"]) is None:
            raise command.wrong(f"the active coordinate system {deck.current['CSYS']} is not defined.")
    elif form[:3] == "ANG":
        axes, origin = rotation(values[:3]), deck.systems[number].origin if number in deck.systems else np.zeros(3)
    if any(ratio not in (0.0, 1.0) for ratio in ratios):
        raise command.wrong("elliptical coordinate systems are not supported; use a circular one.")
    if form[:3] in ("", "LOC", "ANG"):
        deck.systems[number] = CoordinateSystem(str(number), kind, origin, axes)
    if not form:
        deck.current["CSYS"] = number  # LOCAL makes its system the active one


@handles("CS")
def _by_nodes(deck: Deck, command: Command) -> None:
    """CS,number,kind,origin node,node on x,node in the x-y plane."""
    number, kind = _local_number(command), _kind(command)
    deck.nodes.close()
    nodes = np.array([command.integer(3 + i) for i in range(3)])
    origin, on_x, in_xy = deck.nodes.points[deck.nodes.indices(nodes, command.where, f"coordinate system {number}")]
    axes = axes_along(on_x - origin, in_xy - origin, [command.where])
    deck.systems[number] = CoordinateSystem(str(number), kind, origin, axes)
    deck.current["CSYS"] = number


def _local_number(command: Command) -> int:
    number = command.integer(1)
    if number <= 10:
        raise command.wrong(f"coordinate system {number}; the numbers of local systems must be above 10.")
    return number


def _kind(command: Command) -> str:
    number = {"CART": 0, "CYLIN": 1, "SPHE": 2, "TORO": 3}.get(command.text(2))
    number = command.integer(2, 0) if number is None else number
    if not 0 <= number < len(_KINDS):
        raise command.wrong(f"coordinate systems of kind {number} are unknown; known are 0, 1 and 2.")
    return _KINDS[number]


@handles("NROT")
def _turn_nodes(deck: Deck, command: Command) -> None:
    deck.rotated_by_command = command.place
    deck.skip(command.name, command.place, "the displacement directions of these nodes are ignored")


_NUMBERS = re.compile(r"\s*([\d.+\-][\s\d.+\-EeDd,]*)?$")


def _keys(names: str) -> frozenset[str]:
    return frozenset(name if name[0] in "*/~" else name[:4] for name in names.split())


# Comments, titles, echo, display, and settings of the program that change nothing.
SILENT = _keys(
    "/COM /TITLE /STITLE /NOPR /GOPR /GO /BATCH /CONFIG /FILNAME /FILNAM /WB /GST /SHOW /VIEW /ANG /ANGLE /PNUM /NUMBER"
    " /PLOPTS /GRAPHICS /REPLOT /UIS /NERR /MENU /OUTPUT /OUT /PSF /PBC /ESHAPE /AUTO /FOC /DIST /VUP /TRIAD /DEVICE /RGB"
    " /COLOR /CLABEL /FACET /GFORMAT /HEADER /PAGE /FORMAT /FCOMP /STATUS /PMETH /DSCALE /WINDOW /USER /ERASE /SYP /SYS"
    " /DELETE /COPY /RENAME /INQUIRE /CWD /XML /XMLO /VERIFY /VERIFI /GSAVE /GROPT /AXLAB /XRANGE /YRANGE NOLIST GOLIST"
    " /NOLIST /GOLIST SHPP NPLOT EPLOT GPLOT NLIST ELIST ETLIST MPLIST RLIST SLIST CSLIST STAT LIST IMMED NOORDER CHECK SAVE"
    " RESUME XMLO CDOPT CDWRITE NWRITE EWRITE /PSEARCH *ABBR *ABBRES *STATUS *MSG EXTOPT IOPTN BTOL MPTEMP TBPT TSHAP"
    " ETCONTROL PDEF KEYW NUMSTR WPSTYL WPLANE WPOFFS WPROTA WPCSYS WPAVE"
)
# Loads, steps, solution control, output: the analysis, not the body.
ANALYSIS = _keys(
    "F FK FDELE FCUM FSCALE FTRAN FJ SF SFE SFEDELE SFDELE SFGRAD SFCUM SFL SFA SFCONTROL SFBEAM SFFUN SFLEX BF BFE BFUNIF"
    " BFCUM BFDELE BFSCALE BFBLOCK BFEBLOCK SFEBLOCK FBLOCK IC ICE INISTATE DCUM DSCALE DTRAN DSYM LDREAD ACEL OMEGA DOMEGA"
    " CGLOC CGOMGA CGOMEGA DCGOMG CMOMEGA CMDOMEGA CMROTATE IRLF TREF TUNIF TOFFST ANTYPE NLGEOM SSTIF PSTRES EQSLV MODOPT"
    " MXPAND LUMPM HROPT HROUT HARFRQ FREQ SPOPT TRNOPT BUCOPT TIME NSUBST DELTIM AUTOTS KBC TIMINT TINTP ALPHAD BETAD DMPRAT"
    " DMPSTR MDAMP OUTRES OUTPR OUTGEOM RESCONTROL NEQIT CNVTOL LNSRCH PRED ARCLEN NCNV NROPT CUTCONTROL STABILIZE NLDIAG"
    " NLHIST CNTR CNCHECK LSWRITE LSSOLVE LSREAD LSDELE SOLVE KUSE CRPLIM ERESX ESSOLV EXPASS EXPSOL NUMEXP SEOPT M TOTAL"
    " SVTYP SV FREQ ROCK SED SRSS CQC GRP DSUM PSDUNIT PSDFRQ PSDVAL PFACT RATE OPNCONTROL DMPOPTION DMPEXT BCSOPTION"
    " DSPOPTION PCGOPT CINT CGOM SET PLNSOL PLESOL PRNSOL PRESOL PLDISP PRRSOL PRRFOR ETABLE PRETAB NFORCE FSUM RSYS DESOL"
    " NUMVAR NSOL ESOL RFORCE STORE PLVAR PRVAR XVAR DERIV ADD PROD QUOT LCDEF LCASE LCOPER LCSEL LCWRITE LCZERO SMAX SADD"
    " SSUM PATH PPATH PDEF PLPATH PRPATH AVPRIN LAYER SHELL FORCE INRES APPEND FILE CMSOPT CYCOPT ADDAM COMBINE AEROCOEFF"
    " RIGID SYNCHRO CORIOLIS CAMPBELL PRCAMP PLCAMP GAUGE MCOPT EMATWRITE MONITOR DOF THOPT KEEP TRPOIN ANTIME ANMODE ANHARM"
    " EXPROFILE RSTCREATE RSTOFF CEWRITE WRFULL SWADD SPCNOD CNKMOD MPCHG RESVEC MODCONT MODSELOPTION DYNOPT QRDOPT HREXP"
    " LVSCALE PERBC2D SPSCAN EKILL EALIVE DDELE FC FCLIST ASOL MACOPT NLOPT EDOUT GCGEN"
)
# What builds or changes the mesh in a way that only Ansys itself does.
CHANGES_MESH = _keys(
    "NGEN EGEN ENGEN FILL QUAD NSYM ESYM ENSYM NSCALE NMODIF EMODIF NDELE EDELE NREAD EREAD NUMMRG EINTF ESURF ECPCHG VMESH"
    " AMESH LMESH KMESH FVMESH VSWEEP VEXT VROTAT VDRAG VOFFST EXTRUDE MSHCOPY ETCHG ELBOW EREINF NKPT MOVE NLAYER EMID"
    " TRANSFER CPCYC LREFINE AREFINE NREFINE EREFINE ENORM CEINTF CEGEN CECYC CPINTF CPLGEN CPNGEN CPSGEN PSMESH SHSD MPCHG"
)
# Commands whose repetition would make more of the mesh.
MADE_BY_REPEAT = _keys("N E EN ET MP R D CE CP CM MPDATA RMODIF KEYOPT RMORE SECDATA LOCAL")
# Selections: where it is not known whether one is made, all that depends on it is unknown.
SELECTS = _keys("NSEL ESEL NSLE ESLN CMSEL ALLSEL CM CMGRP CMDELE NROTAT D NSLA NSLV NSLL NSLK ESLA ESLV ESLL")
_GEOMETRY = _keys(
    "K L A V BLOCK CYL4 CYLIND SPHERE SPH4 CONE RECTNG PCIRC RPR4 PRISM BLC4 BLC5 LARC LSTR BSPLIN AL VA VADD VGLUE VOVLAP"
    " VSBV VSBA ADELE VDELE LDELE KDELE AGLUE AADD AOVLAP ASBA LGLUE LESIZE ESIZE MSHAPE MSHKEY SMRTSIZE VATT AATT LATT KATT"
    " IGESIN PARAIN SATIN KSEL LSEL ASEL VSEL ASLV LSLA KSLL DA DL DK DJ FL MSHPAT KGEN LGEN AGEN VGEN KPT LCURV ASURF VBODY"
)
# Geometry as CDWRITE,COMB and CAD translators put it ahead of the mesh (Ansys Neutral File): the command, a line with
# the name in the CAD program, lines of numbers.
_NAMED_WITH_DATA = _keys("KPT LCURV ASURF VBODY")
_COMMAND = re.compile(r"\s*([*/][A-Za-z]|[A-Za-z]\w*\s*(,|$))")
# Commands after which lines of data stand, until a line that is none.
_WITH_DATA = _keys("BFBLOCK BFEBLOCK SFEBLOCK FBLOCK INISTATE CEBLOCK CPBLOCK SFBLOCK KPATTR LCATTR ASATTR VSATTR")
_LOADS = _keys("SF SFE SFBEAM BF BFE F")  # as CDWRITE writes them, with R5.0 at the end, their values stand in the next line
_ENDS = {"*PREAD": "END PREAD", "*CREATE": "*END"}
_ONE_FORMAT_LINE = ("*VREAD", "*VWRITE", "*MWRITE", "*SREAD", "*VWRIT", "*MWRIT", "*MSG")
_NEVER_CONSIDERED = {
    "CYCL": "cyclic symmetry: only the sector in the file is read",
    "NROT": "rotated nodal coordinate systems are not supported",
    "NUMC": "numbers are kept as in the file",
}


def skip(deck: Deck, command: Command) -> None:
    """Note a command that is left out, and jump over its lines of data."""
    key = command.key
    analysis = key in ANALYSIS or key[0] in "*/~"
    why = _NEVER_CONSIDERED.get(key, "")
    if key in _GEOMETRY or deck.processor == "/AUX":
        analysis, why = True, "geometry, not mesh"
    deck.skip(command.name, command.place, why, analysis or deck.in_solution)
    if key in _ENDS:
        _jump_to(deck, command, _ENDS[key])
    elif key in _ONE_FORMAT_LINE:
        _jump_over_format(deck)
    elif key in _WITH_DATA or deck.processor == "/AUX" or key in _LOADS and command.arguments[-1:] == ("R5.0",):
        _jump_over_numbers(deck)
    elif key in _NAMED_WITH_DATA:
        line = deck.source.next_line()
        if line is not None and _COMMAND.match(line):
            deck.source.push_back(line)
        else:
            _jump_over_numbers(deck)


def _jump_to(deck: Deck, command: Command, end: str) -> None:
    while (line := deck.source.next_line()) is not None:
        if line.strip().upper().replace("  ", " ").startswith(end):
            return
    raise command.wrong(f"the file ends (line {deck.source.line}) before {end}, which ends this block; it is cut off.")


def _jump_over_format(deck: Deck) -> None:
    line = deck.source.next_line()
    if line is not None and not line.lstrip().startswith(("(", "%", "'")):
        deck.source.push_back(line)


def _jump_over_numbers(deck: Deck) -> None:
    _jump_over_format(deck)
    while (line := deck.source.next_line()) is not None:
        if not _NUMBERS.match(line):
            deck.source.push_back(line)
            return
