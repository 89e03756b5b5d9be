"""Bars, beams and rods: CBAR and CBEAM with the defaults of BAROR and BEAMOR; PBAR, PBARL, PBEAM, PBEAML, PROD, PTUBE."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import BeamSection, TrussSection
from flexmbs.mesh.materials import Material
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import Batch, Card, Field, Fields, integers, is_blank, is_integer, real, reals
from flexmbs.mesh.readers.nastran.deck import Deck, Elements
from flexmbs.mesh.readers.nastran.element_cards import element_numbers, nodes_of
from flexmbs.mesh.readers.nastran.grid_cards import Grid
from flexmbs.mesh.readers.nastran.material_cards import PropertyUse, for_bars
from flexmbs.mesh.sections.beam_sections import general_section
from flexmbs.mesh.sections.profiles.nastran import NASTRAN
from flexmbs.mesh.sections.profiles.profile_section import profile_section

NAMES = frozenset(("CBAR", "CBEAM"))
_DEFAULTS = {"CBAR": "BAROR", "CBEAM": "BEAMOR"}

_ZERO = Field(float, 0.0)
PROD = Fields(mid=Field(int, at=1), a=_ZERO, j=_ZERO, nsm=Field(float, 0.0, at=5))
PTUBE = Fields(mid=Field(int, at=1), od=_ZERO, t=_ZERO, nsm=_ZERO, od2=Field(float, None))
PBAR = Fields(mid=Field(int, at=1), a=_ZERO, i1=_ZERO, i2=_ZERO, j=_ZERO, nsm=_ZERO)
PBAR_LAST = Fields(k1=_ZERO, k2=_ZERO, i12=_ZERO)  # on the third line; no shear deformation without K1, K2
PBEAM = Fields(mid=Field(int, at=1), a=_ZERO, i1=_ZERO, i2=_ZERO, i12=_ZERO, j=_ZERO, nsm=_ZERO)
PBEAM_LAST = Fields(
    **{"k1": Field(float, 1.0), "k2": Field(float, 1.0), "s1": _ZERO, "s2": _ZERO},
    **{"nsi_a": Field(float, 0.0, label="NSI(A)"), "nsi_b": Field(float, 0.0, label="NSI(B)")},
    **{"n1a": Field(float, 0.0, at=12, label="N1(A)"), "n2a": Field(float, 0.0, label="N2(A)")},
)
_OF_A_SECTION = ("a", "i1", "i2", "i12", "j", "nsm")


def read_bars(deck: Deck, batch: Batch) -> None:
    """CBAR, CBEAM: the orientation stays as the cards state it until the grid points are known."""
    ids = element_numbers(batch)
    rows = ElementRows("beam2", batch.name, ids, nodes_of(batch, 2, 2, 2), batch.file, batch.lines)
    offsets = [batch.reals(10 + i, what) for i, what in enumerate(("W1A", "W2A", "W3A", "W1B", "W2B", "W3B"))]
    extras = {
        "orientation": np.column_stack([batch.column(i).astype("S24") for i in (4, 5, 6, 7)]),
        "offsets": np.column_stack(offsets).reshape(-1, 2, 3),
        "pins": batch.filled(8) | batch.filled(9),
    }
    deck.elements.append(Elements(rows, "bar", batch.integers(1, "PID", 0), extras))


def complete_bars(deck: Deck, bars: Elements, grid: Grid) -> Elements:
    """Bars with ``y_axes`` (n, 3), ``offsets`` (n, 2, 3) in mesh axes, and their property numbers filled in."""
    name = bars.rows.type_name
    default = deck.defaults.get(_DEFAULTS[name], Card(_DEFAULTS[name], [], bars.rows.file, 0))
    properties = np.where(bars.properties == 0, default.integer(1, "PID", 0), bars.properties)
    properties = np.where(properties == 0, bars.rows.ids, properties)
    where = [f"{bars.rows.where(row)}: {name}" for row in range(len(bars.rows.ids))]
    ends = bars.rows.node_indices(grid.table)
    fields = _with_default(bars.extras["orientation"], default)
    codes = _codes(fields[:, 3], where)
    y_axes = _vectors(fields, ends[:, 0], codes, grid, where)
    defined = {number for _, number in deck.properties}
    for row in np.flatnonzero(np.isnan(y_axes).any(axis=1)):
        # Mesh generators write bars with neither direction nor section on the edges of solids.
        if int(properties[row]) in defined:
            raise MeshError(
                f"{where[row]}: the direction of plane 1 of the section is missing; give X1, X2, X3 (not all zero) or a"
                " grid point G0 beside the bar."
            )
    offsets = _offsets(bars.extras["offsets"], ends, codes, y_axes, grid)
    released = np.flatnonzero(bars.extras["pins"])
    if released.size:
        what = f"pin flags PA, PB (released components) of {released.size} bars are ignored; their ends are connected rigidly."
        deck.warn(where[released[0]], what)
    return Elements(bars.rows, "bar", properties, {"y_axes": y_axes, "offsets": offsets})


def _with_default(fields: np.ndarray, default: Card) -> np.ndarray:
    """(n, 4) X1 or G0, X2, X3 and OFFT, where blank those of BAROR."""
    fields = fields.copy()
    blank = np.array([is_blank(column) for column in fields.T]).T
    given = np.array([default.text(i).encode("latin-1", "replace") for i in (4, 5, 6, 7)])
    fields[blank[:, :3].all(axis=1), :3] = given[:3]
    fields[blank[:, 3], 3] = given[3]
    return fields


def _codes(column: np.ndarray, where: list[str]) -> np.ndarray:
    """(n, 3) letters of OFFT (orientation, offset A, offset B): G displacement system, B basic, O or E element's."""
    texts, first, rows = np.unique(column, return_index=True, return_inverse=True)
    letters = []
    for text, row in zip(texts, first, strict=True):
        code = text.decode("latin-1").strip().upper()
        if not code or real(code) is not None:  # BIT of p-elements
            code = "GGG"
        if len(code) != 3 or not set(code) <= set("GBOE"):
            raise MeshError(f"{where[row]}: OFFT is '{code}'; it must be three of the letters G, B, O (default GGG).")
        letters.append(list(code))
    return np.array(letters)[rows.ravel()]


def _vectors(fields, first: np.ndarray, codes, grid: Grid, where: list[str]) -> np.ndarray:
    """(n, 3) directions of local y (made perpendicular to the bar later), mesh axes."""
    by_point = is_integer(fields[:, 0]) & is_blank(fields[:, 1]) & is_blank(fields[:, 2])
    vectors = np.zeros((len(fields), 3))
    plain = np.flatnonzero(~by_point)
    for column in range(3):
        values, wrong = reals(np.ascontiguousarray(fields[plain, column]), 0.0)
        if wrong is not None:
            text = fields[plain[wrong], column].decode("latin-1").strip()
            raise MeshError(f"{where[plain[wrong]]}: X{column + 1} is '{text}'; give a number.")
        vectors[plain, column] = values
    in_system = plain[codes[plain, 0] == "G"]
    vectors[in_system] = np.einsum("nij,nj->ni", grid.displacement_axes(first[in_system]), vectors[in_system])
    rows = np.flatnonzero(by_point)
    ids, _ = integers(np.ascontiguousarray(fields[rows, 0]), 0)
    for row, number in zip(rows, ids, strict=True):
        point = grid.table.indices(np.array([number]), where[row], "G0 of the bar")[0]
        vectors[row] = grid.table.points[point] - grid.table.points[first[row]]
    vectors[~vectors.any(axis=1)] = np.nan
    return vectors


def _offsets(given: np.ndarray, ends: np.ndarray, codes: np.ndarray, y_axes: np.ndarray, grid: Grid) -> np.ndarray:
    """(n, 2, 3) from the nodes to the ends of the bar, mesh axes; NaN where a bar has none."""
    offsets = np.full(given.shape, np.nan)
    used = np.flatnonzero(given.any(axis=(1, 2)))
    for end in (0, 1):
        axes = grid.displacement_axes(ends[used, end])
        in_element = np.isin(codes[used, 1 + end], ("O", "E"))
        if in_element.any():
            rows = used[in_element]
            axes[in_element] = _element_axes(grid.table.points[ends[rows]], y_axes[rows])
        axes[codes[used, 1 + end] == "B"] = np.eye(3)
        offsets[used, end] = np.einsum("nij,nj->ni", axes, given[used, end])
    return offsets


def _element_axes(points: np.ndarray, y_axes: np.ndarray) -> np.ndarray:
    """(n, 3, 3) columns x along the line of the nodes, y and z."""
    x = points[:, 1] - points[:, 0]
    z = np.cross(x, y_axes)
    axes = np.stack([x, np.cross(z, x), z], axis=2)
    lengths = np.linalg.norm(axes, axis=1, keepdims=True)
    return axes / np.where(lengths > 0.0, lengths, 1.0)


def bar_fields(use: PropertyUse, card: Card) -> dict:
    """Fields of a block of bars (material, section) from its property."""
    material = for_bars(use.deck, card.integer(1, "MID"), use.material(card, 1))
    if card.name not in _MAKERS:
        use.deck.warn(card.where, f"{card.text(0)} is not supported; its elements have no section. Use a PBEAM instead.")
        return {"material": material}
    ratio = material.poisson_ratio if isinstance(material, Material) else 0.3
    return {"material": material, "section": _MAKERS[card.name](use, card, ratio)}


def rod_fields(use: PropertyUse, card: Card) -> dict:
    """Fields of a block of rods (material, section) from its property."""
    if card.name == "PROD":
        given = PROD.read(card)
        area, torsion = given.a, given.j
    else:
        given = PTUBE.read(card)
        inner = given.od - 2.0 * given.t if given.t else 0.0
        if not 0.0 <= inner < given.od:
            raise card.wrong(f"has OD = {given.od:g} and T = {given.t:g}; give 0 < T <= OD / 2.")
        if given.od2 not in (None, given.od):
            use.deck.warn(card.where, f"{card.text(0)}: OD2 (taper) is ignored; OD is used.")
        area, torsion = math.pi / 4.0 * (given.od**2 - inner**2), math.pi / 32.0 * (given.od**4 - inner**4)
    section = truss_section(card, area, torsion, given.nsm * use.deck.mass_factor)
    return {"material": for_bars(use.deck, given.mid, use.material(card, 1)), "section": section}


def truss_section(card: Card, area: float, torsion: float, mass: float) -> TrussSection:
    """Area, torsion constant and mass per length that a card states; MeshError unless the area is positive."""
    if not area > 0.0:
        raise card.wrong(f"has the area {area:g}; give a positive A.")
    return TrussSection(area, max(torsion, 0.0), mass, card.place)


def _pbar(use: PropertyUse, card: Card, ratio: float) -> BeamSection:
    given, last = PBAR.read(card), PBAR_LAST.read(card, 16)
    return _section(use, card, (given.a, given.i1, given.i2, last.i12, given.j, given.nsm), _shear_factors(card, last))


def _shear_factors(card: Card, given) -> tuple[float, float]:
    """Of K1 and K2; 0 means no shear deformation (QRG: a blank one is 0 on PBAR, but 1 on PBEAM)."""
    if min(given.k1, given.k2) < 0.0:
        advice = "give the part of the area that carries shear, or 0 for no shear deformation"
        raise card.wrong(f"has K1 = {given.k1:g}, K2 = {given.k2:g}; {advice}.")
    return given.k1 or math.inf, given.k2 or math.inf


def _section(use: PropertyUse, card: Card, values, shear: tuple[float, float], centroid=(0.0, 0.0)) -> BeamSection:
    """Section by A, I1 (bending in plane 1), I2, I12, J, NSM, the shear factors K1, K2 and its centroid.

    Zeros stay zero: Nastran allows them, for bars without axial or bending stiffness; such a bar can be read, but not
    computed. Raises MeshError for negative values.
    """
    area, first, second, product, torsion, mass = values
    if 0.0 in (area, first, second, torsion):
        stated = f"A = {area:g}, I1 = {first:g}, I2 = {second:g}, J = {torsion:g}"
        use.deck.warn(card.where, f"{card.text(0)} has {stated}; they must be positive.")
    if area < 0.0:
        raise card.wrong(f"has the area {area:g}; give a positive A.")
    if min(first, second, torsion) < 0.0 or (product and first * second <= product**2):
        stated = f"I1 = {first:g}, I2 = {second:g}, I12 = {product:g}, J = {torsion:g}"
        raise card.wrong(f"has {stated}; these are not properties of a section.")
    if min(area, first, second, torsion) > 0.0:
        section = general_section(area, second, first, torsion, shear_factor=shear, Iyz=product, centroid=centroid)
    else:
        y, z = (math.sqrt(3.0 * inertia / area) if area else 0.0 for inertia in (first, second))
        outline = np.array([(-y, -z), (y, -z), (y, z), (-y, z)])
        section = BeamSection(area, second, first, torsion, outline, np.array([0.0, 1.0, 0.0]), *shear, centroid=centroid)
    return replace(section, nonstructural_mass=mass * use.deck.mass_factor, where=card.place)


def _pbeam(use: PropertyUse, card: Card, ratio: float) -> BeamSection:
    """PBEAM: its first line | C1 .. F2 | per station SO X/XB A I1 I2 I12 J NSM (| C1 .. F2) | the last two lines."""
    given = PBEAM.read(card)
    start = [getattr(given, name) for name in _OF_A_SECTION]
    at = 8 if _is_station(card, 8) else 16
    stations: list[tuple[float, list[float]]] = []
    while _is_station(card, at):
        values = [card.real(at + 2 + i, name.upper(), start[i]) for i, name in enumerate(_OF_A_SECTION)]
        stations.append((card.real(at + 1, "X/XB", 1.0), values))
        at += 16 if card.text(at) == "YES" else 8
    last = PBEAM_LAST.read(card, at)
    if last.s1 or last.s2:
        use.deck.warn(card.where, f"{card.text(0)}: the shear relief S1, S2 is ignored.")
    sections = []
    for values in (start, *(values for x, values in stations if x == 1.0)):
        section = _section(use, card, values, _shear_factors(card, last), (last.n1a, last.n2a))
        y, z = section.centroid
        sections.append(replace(section, shear_center=(-y, -z)))  # the line of a CBEAM is that of its shear centres
    if any(x != 1.0 and values != start for x, values in stations):
        use.deck.warn(card.where, f"{card.text(0)}: intermediate stations are ignored; the taper is linear.")
    if last.nsi_a or last.nsi_b:
        use.deck.warn(card.where, f"{card.text(0)}: the rotational mass NSI is ignored.")
    if len(sections) > 1 and stations[-1][1] != start:
        return replace(sections[0], end=sections[-1])
    return sections[0]


def _is_station(card: Card, at: int) -> bool:
    return card.text(at) in ("YES", "YESA", "NO")


def _profile(use: PropertyUse, card: Card, ratio: float) -> BeamSection:
    """PBARL: PID MID GROUP TYPE, 4 blanks, DIM1.. NSM; PBEAML: NSM SO X/XB DIM1.. NSM for more stations."""
    shape = card.text(3)
    if shape not in NASTRAN:
        raise card.wrong(f"has the cross section '{shape}'; known are {', '.join(NASTRAN)}.")
    count = len(NASTRAN[shape].names.split())
    line = "shear center" if card.name == "PBEAML" else "centroid"  # where the nodes of CBEAM and CBAR are

    def section(dimensions: list[float], mass_at: int) -> BeamSection:
        where = f"{card.where} {card.text(0)}"
        made = profile_section("nastran", shape, dimensions, poisson_ratio=ratio, where=where, line=line)
        mass = card.real(mass_at, "NSM", 0.0) * use.deck.mass_factor
        return replace(made, nonstructural_mass=mass, where=card.place)

    first = card.reals(8, count, "DIM", None)
    start, end = section(first, 8 + count), None
    at = 9 + count
    while card.name == "PBEAML" and card.text(at) in ("YES", "NO"):
        place = card.real(at + 1, "X/XB", 1.0)
        own = [card.real(at + 2 + i, "DIM", first[i]) for i in range(count)]
        if place == 1.0 and own != first:
            end = section(own, at + 2 + count)
        elif place != 1.0 and own != first:
            use.deck.warn(card.where, f"{card.text(0)}: intermediate stations are ignored; the taper is linear.")
        at += 3 + count
    return replace(start, end=end)


_MAKERS = {"PBAR": _pbar, "PBARL": _profile, "PBEAM": _pbeam, "PBEAML": _profile}
