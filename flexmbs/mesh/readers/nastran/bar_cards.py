"""Bars, beams and rods: CBAR and CBEAM with the defaults of BAROR and BEAMOR; PBAR, PBARL, PBEAM, PBEAML, PROD, PTUBE."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import BeamSection, Material, TrussSection
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import Batch, Card, Field, Fields, is_blank, is_integer, real
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.material_cards import for_bars, material_of
from flexmbs.mesh.readers.nastran.node_and_element_cards import Grid
from flexmbs.mesh.sections.beam_sections import general_section
from flexmbs.mesh.sections.profile_section import profile_section
from flexmbs.mesh.sections.profiles import NASTRAN

_DEFAULTS = {"CBAR": "BAROR", "CBEAM": "BEAMOR"}

_MID, _ZERO, _SIZE, _FACTOR = Field(int, at=1), Field(float, 0.0), Field(float, 0.0, least=0.0), Field(float, 1.0, least=0.0)
PROD = Fields(mid=_MID, a=_SIZE, j=_ZERO, nsm=Field(float, 0.0, at=5))  # and CONROD
PTUBE = Fields(mid=_MID, od=_ZERO, t=_ZERO, nsm=_ZERO, od2=Field(float, None))
_SIZES = dict.fromkeys(("a", "i1", "i2", "j"), _SIZE)
PBAR = Fields(mid=_MID, **_SIZES, nsm=_ZERO, k1=Field(float, 0.0, at=16, least=0.0), k2=_SIZE, i12=_ZERO)
PBEAM = Fields(mid=_MID, a=_SIZE, i1=_SIZE, i2=_SIZE, i12=_ZERO, j=_SIZE, nsm=_ZERO)
PBEAM_LAST = Fields(  # the last two lines
    **{"k1": _FACTOR, "k2": _FACTOR, "s1": _ZERO, "s2": _ZERO, "nsi": Field(float, 0.0, count=2)},
    **{"n1a": Field(float, 0.0, at=12, label="N1(A)"), "n2a": Field(float, 0.0, label="N2(A)")},
)
_STATIONS = ("YES", "YESA", "NO")  # SO
_OF_A_SECTION = ("a", "i1", "i2", "i12", "j", "nsm")


def complete_bars(deck: Deck, bars: ElementRows, grid: Grid) -> ElementRows:
    """Bars whose data have ``y_axes`` (n, 3), ``offsets`` (n, 2, 3) in mesh axes, and all numbers of properties."""
    cards: Batch = bars.data["cards"]
    default = deck.defaults.get(_DEFAULTS[cards.name], Card(_DEFAULTS[cards.name], [], cards.file, 0))
    properties = bars.data["property"]
    properties = np.where(properties == 0, default.integer(1, "PID", 0) or bars.ids, properties)
    orientation = _orientation(cards, default)
    codes = _codes(orientation)
    y_axes = _y_axes(orientation, bars.nodes[:, 0], codes, grid)
    # Mesh generators write bars with neither direction nor section on the edges of solids.
    defined = np.isin(properties, [number for _, number in deck.properties])
    wrong = np.flatnonzero(np.isnan(y_axes).any(axis=1) & defined)
    if wrong.size:
        what = "the direction of plane 1 of the section is missing; give X1, X2, X3 (not all zero) or a grid point G0"
        raise MeshError(f"{cards.where(wrong[0])}: {what} beside the bar.")
    offsets = _offsets(cards, bars.nodes, codes, y_axes, grid)
    released = np.flatnonzero(cards.filled(8) | cards.filled(9))
    if released.size:
        what = f"pin flags PA, PB (released components) of {released.size} bars are ignored; their ends are connected rigidly."
        deck.warn(cards.where(released[0]), what)
    return bars.take(slice(None), data={"property": properties, "y_axes": y_axes, "offsets": offsets})


def _orientation(cards: Batch, default: Card) -> Batch:
    """The fields X1 or G0, X2, X3 and OFFT of the cards alone, where blank those of BAROR."""
    fields = np.column_stack([cards.column(i).astype("S24") for i in (4, 5, 6, 7)])
    blank = np.array([is_blank(column) for column in fields.T]).T
    given = np.array([default.text(i).encode("latin-1", "replace") for i in (4, 5, 6, 7)])
    fields[blank[:, :3].all(axis=1), :3] = given[:3]
    fields[blank[:, 3], 3] = given[3]
    return Batch(cards.name, fields, cards.file, cards.lines)


def _codes(orientation: Batch) -> np.ndarray:
    """(n, 3) letters of OFFT (orientation, offset A, offset B): G displacement system, B basic, O or E element's."""
    texts, first, rows = np.unique(orientation.column(3), return_index=True, return_inverse=True)
    letters = []
    for text, row in zip(texts, first, strict=True):
        code = text.decode("latin-1").strip().upper()
        if not code or real(code) is not None:  # BIT of p-elements
            code = "GGG"
        if len(code) != 3 or not set(code) <= set("GBOE"):
            raise MeshError(f"{orientation.where(row)}: OFFT is '{code}'; it must be three of the letters G, B, O (default GGG).")
        letters.append(list(code))
    return np.array(letters)[rows.ravel()]


def _y_axes(orientation: Batch, first: np.ndarray, codes: np.ndarray, grid: Grid) -> np.ndarray:
    """(n, 3) directions of local y (made perpendicular to the bar later), mesh axes; ``first`` (n,) nodes at end A."""
    by_point = is_integer(orientation.column(0)) & ~orientation.filled(1) & ~orientation.filled(2)
    vectors = np.zeros((len(first), 3))
    plain = orientation[~by_point]
    vectors[~by_point] = np.column_stack([plain.reals(i, f"X{i + 1}") for i in range(3)])
    in_system = ~by_point & (codes[:, 0] == "G")
    vectors[in_system] = np.einsum("nij,nj->ni", grid.displacement_axes(first[in_system]), vectors[in_system])
    for row in np.flatnonzero(by_point):
        point = grid.node(orientation.card(row), 0, "G0", "G0 of the bar")
        vectors[row] = grid.points[point] - grid.points[first[row]]
    vectors[~vectors.any(axis=1)] = np.nan
    return vectors


def _offsets(cards: Batch, ends: np.ndarray, codes: np.ndarray, y_axes: np.ndarray, grid: Grid) -> np.ndarray:
    """(n, 2, 3) from the nodes to the ends of the bar, mesh axes; NaN where a bar has none."""
    names = ("W1A", "W2A", "W3A", "W1B", "W2B", "W3B")
    given = np.column_stack([cards.reals(10 + i, what) for i, what in enumerate(names)]).reshape(-1, 2, 3)
    offsets = np.full(given.shape, np.nan)
    used = np.flatnonzero(given.any(axis=(1, 2)))
    for end in (0, 1):
        axes = grid.displacement_axes(ends[used, end])
        in_element = np.isin(codes[used, 1 + end], ("O", "E"))
        if in_element.any():  # x along the line of the nodes, y and z
            points = grid.points[ends[used[in_element]]]
            x = points[:, 1] - points[:, 0]
            z = np.cross(x, y_axes[used[in_element]])
            own = np.stack([x, np.cross(z, x), z], axis=2)
            lengths = np.linalg.norm(own, axis=1, keepdims=True)
            axes[in_element] = own / np.where(lengths > 0.0, lengths, 1.0)
        axes[codes[used, 1 + end] == "B"] = np.eye(3)
        offsets[used, end] = np.einsum("nij,nj->ni", axes, given[used, end])
    return offsets


def bar_fields(deck: Deck, card: Card) -> dict:
    """Fields of a block of bars (material, section) from its property."""
    material = for_bars(deck, card.integer(1, "MID"), material_of(deck, card, 1))
    if card.name not in _MAKERS:
        deck.warn(card.where, f"{card.text(0)} is not supported; its elements have no section. Use a PBEAM instead.")
        return {"material": material}
    ratio = material.poisson_ratio if isinstance(material, Material) else 0.3
    return {"material": material, "section": _MAKERS[card.name](deck, card, ratio)}


def rod_fields(deck: Deck, card: Card) -> dict:
    """Fields of a block of rods (material, section) from its property."""
    if card.name != "PTUBE":  # CONROD has the same fields
        given = PROD.read(card)
        area, torsion = given.a, given.j
    else:
        given = PTUBE.read(card)
        outer, inner = given.od, given.od - 2.0 * given.t if given.t else 0.0
        if not 0.0 <= inner < outer:
            raise card.wrong(f"has OD = {outer:g} and T = {given.t:g}; give 0 < T <= OD / 2.")
        if given.od2 not in (None, outer):
            deck.warn(card.where, f"{card.text(0)}: OD2 (taper) is ignored; OD is used.")
        area, torsion = math.pi / 4.0 * (outer**2 - inner**2), math.pi / 32.0 * (outer**4 - inner**4)
    if not area > 0.0:
        raise card.wrong(f"has the area {area:g}; give a positive A.")
    section = TrussSection(area, max(torsion, 0.0), given.nsm * deck.mass_factor, card.place)
    return {"material": for_bars(deck, given.mid, material_of(deck, card, 1)), "section": section}


def _pbar(deck: Deck, card: Card, ratio: float) -> BeamSection:
    given = PBAR.read(card)
    return _section(deck, card, [getattr(given, name) for name in _OF_A_SECTION], given)


def _section(deck: Deck, card: Card, values, last, centroid=(0.0, 0.0)) -> BeamSection:
    """Section by A, I1 (bending in plane 1), I2, I12, J, NSM, the shear factors K1, K2 of ``last`` and its centroid.

    K1 or K2 = 0 means no shear deformation (QRG: a blank one is 0 on PBAR, but 1 on PBEAM). Zeros of the others stay:
    Nastran allows them, for bars without axial or bending stiffness; such a bar can be read, but not computed.
    """
    area, first, second, product, torsion, mass = values
    if 0.0 in (area, first, second, torsion):
        stated = f"A = {area:g}, I1 = {first:g}, I2 = {second:g}, J = {torsion:g}"
        deck.warn(card.where, f"{card.text(0)} has {stated}; they must be positive.")
    if min(area, first, second, torsion) < 0.0 or (product and first * second <= product**2):
        stated = f"A = {area:g}, I1 = {first:g}, I2 = {second:g}, I12 = {product:g}, J = {torsion:g}"
        raise card.wrong(f"has {stated}; these are not properties of a section.")
    shear = last.k1 or math.inf, last.k2 or math.inf
    if min(area, first, second, torsion) > 0.0:
        section = general_section(area, second, first, torsion, shear_factor=shear, Iyz=product, centroid=centroid)
    else:
        y, z = (math.sqrt(3.0 * inertia / area) if area else 0.0 for inertia in (first, second))
        outline = np.array([(-y, -z), (y, -z), (y, z), (-y, z)])
        section = BeamSection(area, second, first, torsion, outline, np.array([0.0, 1.0, 0.0]), *shear, centroid=centroid)
    return replace(section, nonstructural_mass=mass * deck.mass_factor, where=card.place)


def _pbeam(deck: Deck, card: Card, ratio: float) -> BeamSection:
    """PBEAM: its first line | C1 .. F2 | per station SO X/XB A I1 I2 I12 J NSM (| C1 .. F2) | the last two lines."""
    given = PBEAM.read(card)
    start = [getattr(given, name) for name in _OF_A_SECTION]
    at = 8 if card.text(8) in _STATIONS else 16
    stations: list[tuple[float, list[float]]] = []
    while card.text(at) in _STATIONS:
        values = [card.real(at + 2 + i, name.upper(), start[i]) for i, name in enumerate(_OF_A_SECTION)]
        stations.append((card.real(at + 1, "X/XB", 1.0), values))
        at += 16 if card.text(at) == "YES" else 8
    last = PBEAM_LAST.read(card, at)
    for ignored, values in (("shear relief S1, S2", (last.s1, last.s2)), ("rotational mass NSI", last.nsi)):
        if any(values):
            deck.warn(card.where, f"{card.text(0)}: the {ignored} is ignored.")

    def section(values: list[float]) -> BeamSection:
        made = _section(deck, card, values, last, (last.n1a, last.n2a))
        y, z = made.centroid
        return replace(made, shear_center=(-y, -z))  # the line of a CBEAM is that of its shear centres

    return _tapered(deck, card, start, stations, section)


def _tapered(deck: Deck, card: Card, start: list[float], stations: list[tuple[float, list[float]]], section) -> BeamSection:
    """The section by the values at end A, with that at end B when the values (of X/XB = 1) differ there."""
    if any(x != 1.0 and values != start for x, values in stations):
        deck.warn(card.where, f"{card.text(0)}: intermediate stations are ignored; the taper is linear.")
    at_end = [values for x, values in stations if x == 1.0]
    return replace(section(start), end=section(at_end[-1]) if at_end and at_end[-1] != start else None)


def _profile(deck: Deck, card: Card, ratio: float) -> BeamSection:
    """PBARL: PID MID GROUP TYPE, 4 blanks, DIM1.. NSM; PBEAML: NSM SO X/XB DIM1.. NSM for more stations."""
    shape = card.text(3)
    if shape not in NASTRAN:
        raise card.wrong(f"has the cross section '{shape}'; known are {', '.join(NASTRAN)}.")
    count = len(NASTRAN[shape].names.split())
    line = "shear center" if card.name == "PBEAML" else "centroid"  # where the nodes of CBEAM and CBAR are

    def section(values: list[float]) -> BeamSection:
        where = f"{card.where} {card.text(0)}"
        made = profile_section("nastran", shape, values[:-1], poisson_ratio=ratio, where=where, line=line)
        return replace(made, nonstructural_mass=values[-1] * deck.mass_factor, where=card.place)

    start = [*card.reals(8, count, "DIM", None), card.real(8 + count, "NSM", 0.0)]
    stations = []
    at = 9 + count
    while card.name == "PBEAML" and card.text(at) in ("YES", "NO"):
        x, own = card.real(at + 1, "X/XB", 1.0), [card.real(at + 2 + i, "DIM", start[i]) for i in range(count)]
        mass = card.real(at + 2 + count, "NSM", 0.0) if own != start[:count] else start[-1]
        stations.append((x, [*own, mass]))
        at += 3 + count
    return _tapered(deck, card, start, stations, section)


_MAKERS = {"PBAR": _pbar, "PBARL": _profile, "PBEAM": _pbeam, "PBEAML": _profile}
