"""The profiles of FE programs: names of their dimensions, and the shapes that these make.

Abaqus Analysis User's Guide, Beam cross-section library; CalculiX CrunchiX User's Manual, Beam Section Types; MSC and NX
Nastran Quick Reference Guide (PBARL, PBEAML); Ansys Mechanical APDL Command Reference (SECTYPE,,BEAM with SECDATA). HATS
of Ansys is left out: the manual's text does not say whether the brims are measured to the inner or the outer face of the
webs.

Rectangles are told as (left, right, low, high) in the manuals' pictures. Local y is the direction 1 (n1) of Abaqus, which
points to the right as section y of Ansys, and local z, the direction 2 of Abaqus, upwards; element y of Nastran points
upwards and its z to the right (``is_upright``). Where the origin of an Ansys section counts
(SECOFFSET,ORIGIN), it is the middle of RECT and of circles, the middle of the lower edge of I and T, and the lower left
corner of CHAN, L, Z (of its web) and HREC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import BeamSection
from flexmbs.mesh.sections.beam_sections import circle, ellipse, general_section, pipe, rectangle, thin_walled_section
from flexmbs.mesh.sections.section_constants import Shape, from_quadrilaterals, from_rectangles

# Sizes whose fourth powers are still numbers.
_SMALLEST, _LARGEST = 1e-60, 1e60
_TERM = re.compile(r"(-?) ?([\d.]*) ?\b([A-Za-z]\w*)")
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Profile:
    """One profile."""

    # names of the dimensions in the program's order, with blanks between. A name with "?" may be zero, one with "~" any
    # number; the others must be positive.
    names: str
    # dimensions -> list of rectangles, Shape, BeamSection, or a function of Poisson's ratio that returns one
    shape: Callable[..., list[Box] | Shape | BeamSection | Callable[[float], BeamSection]]
    positive: str = ""  # sums of dimensions that must be positive too, with commas between: "W1 - t3, inner width: B - 2 t"
    optional: int = 0  # so many of the last dimensions may be missing
    many: bool = False  # any number of dimensions, which ``shape`` checks itself
    lengths: bool = True  # all dimensions are lengths (and so are kept with the section, for display and for change of units)
    is_upright: bool = False  # local y points upwards in the picture

    def checked(self, dimensions: tuple[float, ...]) -> tuple[float, ...]:
        """The dimensions that the profile has; MeshError when one is missing or impossible."""
        names = self.names.split()
        plain = [name.strip("?~") for name in names]
        if len(dimensions) < len(names) - self.optional:
            raise MeshError(f"{len(dimensions)} dimensions are given, {len(names) - self.optional} are needed: {', '.join(plain)}.")
        used = dimensions if self.many else dimensions[: len(names)]
        for number, value in enumerate(used):
            name = names[number] if number < len(names) else "~value"
            if not math.isfinite(value) or abs(value) > _LARGEST:
                raise MeshError(f"{name.strip('?~')} = {value:g} must be a finite number.")
            if not ("~" in name or ("?" in name and value == 0.0) or value >= _SMALLEST):
                raise MeshError(f"{name.strip('?~')} = {value:g} must be positive.")
        values = dict(zip(plain, used, strict=False))
        for length in filter(None, self.positive.split(", ")):
            label, _, terms = length.rpartition(": ")
            _require(
                label or terms, sum((-1.0 if sign else 1.0) * float(n or 1) * values[key] for sign, n, key in _TERM.findall(terms))
            )
        return used

    def made(self, dimensions: tuple[float, ...], poisson_ratio: float) -> Shape | BeamSection:
        """What dimensions that were checked make."""
        shape = self.shape(*dimensions)
        if isinstance(shape, list):
            return from_rectangles(*(box[2:] + box[:2] if self.is_upright else box for box in shape))
        return shape(poisson_ratio) if callable(shape) else shape


def _require(what: str, length: float) -> None:
    if not length > 0.0:
        raise MeshError(f"{what} = {length:g} must be positive.")


def _disc(radius):
    return lambda nu: circle(radius, poisson_ratio=nu)


def _ring(outer, inner):
    return _disc(outer) if inner == 0.0 else _pipe(outer, outer - inner)


def _pipe(radius, thickness):
    return lambda nu: pipe(radius, thickness, poisson_ratio=nu)


def _i(height, lower, upper, web, t_lower, t_upper) -> list[Box]:
    return [
        (-lower / 2.0, lower / 2.0, 0.0, t_lower),
        (-upper / 2.0, upper / 2.0, height - t_upper, height),
        (-web / 2.0, web / 2.0, 0.0, height),
    ]


def _channel(lower, upper, height, t_lower, t_upper, web) -> list[Box]:
    return [(0.0, lower, 0.0, t_lower), (0.0, upper, height - t_upper, height), (0.0, web, 0.0, height)]


def _l(width, height, lower, left) -> list[Box]:
    return [(0.0, width, 0.0, lower), (0.0, left, 0.0, height)]


def _t(width, height, flange, web) -> list[Box]:
    return [(-width / 2.0, width / 2.0, 0.0, flange), (-web / 2.0, web / 2.0, 0.0, height)]


def _box(width, height, left, right, lower, upper) -> list[Box]:
    sides = [(0.0, left, 0.0, height), (width - right, width, 0.0, height)]
    return [*sides, (0.0, width, 0.0, lower), (0.0, width, height - upper, height)]


def _circle(radius, second=None):
    """Abaqus has one number, the radius; two are CalculiX's diameters."""
    return _disc(radius) if second is None else _diameters(radius, second)


def _diameters(along_1, along_2=None):
    return _disc(along_1 / 2.0) if along_2 in (None, along_1) else ellipse(along_1 / 2.0, along_2 / 2.0)


def _centred_box(a, b, t1, t2=None, t3=None, t4=None) -> list[Box]:
    """Walls in the order right, top, left, bottom."""
    t2, t3, t4 = (t1 if t is None else t for t in (t2, t3, t4))
    _require("a - t1 - t3", a - t1 - t3)
    _require("b - t2 - t4", b - t2 - t4)
    right, top = a / 2.0, b / 2.0
    sides = [(right - t1, right, -top, top), (-right, t3 - right, -top, top)]
    return [*sides, (-right, right, top - t2, top), (-right, right, -top, t4 - top)]


def _i_with_origin(origin, h, b1, b2, t1, t2, t3) -> Shape:
    """1 is the lower flange, 2 the upper one, 3 the web; a flange without width or thickness makes a T."""
    t1, t2 = (t if b > 0.0 else 0.0 for t, b in ((t1, b1), (t2, b2)))
    _require("h - t1 - t2", h - t1 - t2)
    lower, upper, web = _i(h, b1, b2, t3, t1, t2)
    return replace(from_rectangles(*[flange for flange, t in ((lower, t1), (upper, t2)) if t > 0.0], web), origin=(0.0, origin))


def _trapezoid(lower, height, upper, origin) -> Shape:
    corners = [(-lower / 2.0, 0.0), (lower / 2.0, 0.0), (upper / 2.0, height), (-upper / 2.0, height)]
    return replace(from_quadrilaterals(corners), origin=(0.0, origin))


def _hollow_hexagon(radius, thickness) -> Shape:
    """``radius`` of the circle through the outer corners, wall ``thickness``."""
    inner = radius - thickness / math.cos(math.pi / 6.0)
    _require("inner radius", inner)
    angles = math.pi / 3.0 * np.arange(7)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    return from_quadrilaterals(*[(radius * ring[i], radius * ring[i + 1], inner * ring[i + 1], inner * ring[i]) for i in range(6)])


def _arbitrary(*numbers) -> BeamSection:
    """Number of segments; y, z of the first point; then y, z of the next point and the segment's thickness, ..."""
    count = numbers[0]
    if count != int(count) or count < 1 or len(numbers) < 3 + 3 * count:
        raise MeshError(f"{count:g} segments need {3 + 3 * max(count, 1):g} numbers, {len(numbers)} are given.")
    rows = np.array(numbers[3 : 3 + 3 * int(count)]).reshape(-1, 3)
    return thin_walled_section(np.vstack([numbers[1:3], rows[:, :2]]), rows[:, 2])


_PIPE, _BOX = Profile("r t", _pipe, "r - t"), Profile("a b t1 t2 t3 t4", _centred_box, optional=3)
ABAQUS = {
    "RECT": Profile("a b", rectangle),
    "CIRC": Profile("r second", _circle, optional=1),
    "PIPE": _PIPE,
    "THICK PIPE": _PIPE,
    "ELBOW": _PIPE,
    "BOX": _BOX,
    "I": Profile("l~ h b1? b2? t1? t2? t3", _i_with_origin),
    "T": Profile("b h l~ tf tw", lambda b, h, origin, flange, web: _i_with_origin(origin, h, 0.0, b, 0.0, flange, web)),
    # the origin is where the middle lines of the legs meet; t1 belongs to the leg along 1
    "L": Profile(
        "a b t1 t2",
        lambda a, b, t1, t2: [
            (-t2 / 2.0, a - t2 / 2.0, -t1 / 2.0, t1 - t1 / 2.0),
            (-t2 / 2.0, t2 - t2 / 2.0, -t1 / 2.0, b - t1 / 2.0),
        ],
        "a - t2, b - t1",
    ),
    "TRAPEZOID": Profile("a b c d~", _trapezoid),
    "HEX": Profile("d t", _hollow_hexagon),
    "ARBITRARY": Profile("segments~ y1~ z1~ y2~ z2~ t2~", _arbitrary, many=True, lengths=False),
}
CALCULIX = {
    "RECT": Profile("a b", lambda a, b=None: rectangle(a, a if b is None else b), optional=1),
    "CIRC": Profile("d1 d2", _diameters, optional=1),
    "PIPE": _PIPE,
    "BOX": _BOX,
}
ANSYS = {
    "RECT": Profile("B H", rectangle),
    "QUAD": Profile("yI~ zI~ yJ~ zJ~ yK~ zK~ yL~ zL~", lambda *yz: from_quadrilaterals(list(zip(yz[::2], yz[1::2], strict=True)))),
    "CSOLID": Profile("R", _disc),
    "CTUBE": Profile("Ri? Ro", lambda inner, outer: _ring(outer, inner), "Ro - Ri"),
    "CHAN": Profile("W1 W2 W3 t1 t2 t3", _channel, "W1 - t3, W2 - t3, W3 - t1 - t2"),
    "I": Profile("W1 W2 W3 t1 t2 t3", lambda w1, w2, w3, t1, t2, t3: _i(w3, w1, w2, t3, t1, t2), "W3 - t1 - t2"),
    # the lower flange runs to the right of the web, the upper one to its left
    "Z": Profile(
        "W1 W2 W3 t1 t2 t3",
        lambda w1, w2, w3, t1, t2, t3: [(0.0, w1, 0.0, t1), (t3 - w2, t3, w3 - t2, w3), (0.0, t3, 0.0, w3)],
        "W1 - t3, W2 - t3, W3 - t1 - t2",
    ),
    "L": Profile("W1 W2 t1 t2", _l, "W1 - t2, W2 - t1"),
    "T": Profile("W1 W2 t1 t2", _t, "W1 - t2, W2 - t1"),
    "HREC": Profile("W1 W2 t1 t2 t3 t4", _box, "W1 - t1 - t2, W2 - t3 - t4"),
    "ASEC": Profile(
        "A Iyy Iyz~ Izz Iw~ J CGy~ CGz~",
        lambda A, Iyy, Iyz, Izz, Iw, J, y=0.0, z=0.0: general_section(A, Iyy, Izz, J, Iyz=Iyz, centroid=(y, z)),
        optional=2,
        lengths=False,
    ),
}


def _double_box(width, height, middle, left, center, right, top1, bottom1, top2, bottom2) -> list[Box]:
    """``middle`` is from the left side to the middle of the wall between the boxes."""
    return [
        (0.0, left, 0.0, height),
        (middle - center / 2.0, middle + center / 2.0, 0.0, height),
        (width - right, width, 0.0, height),
        (0.0, middle, 0.0, bottom1),
        (0.0, middle, height - top1, height),
        (middle, width, 0.0, bottom2),
        (middle, width, height - top2, height),
    ]


def _h(inner, flanges, height, web) -> list[Box]:
    """``flanges`` is the thickness of both together."""
    half, flange, top = (inner + flanges) / 2.0, flanges / 2.0, height / 2.0
    return [(-half, flange - half, -top, top), (half - flange, half, -top, top), (-half, half, -web / 2.0, web / 2.0)]


def _z(flange, web, inner, height) -> list[Box]:
    """The upper flange runs to the left, the lower one to the right."""
    t, half = (height - inner) / 2.0, web / 2.0
    return [(-half, half, 0.0, height), (-half - flange, half, height - t, height), (-half, half + flange, 0.0, t)]


def _hexagon(side, width, height) -> Shape:
    """``side`` is the width of the triangles left and right of the rectangle."""
    lower = [(0.0, side), (0.0, width - side), (height / 2.0, width), (height / 2.0, 0.0)]
    upper = [(height / 2.0, 0.0), (height / 2.0, width), (height, width - side), (height, side)]
    return from_quadrilaterals(lower, upper)


def _hat(height, t, top, brim) -> list[Box]:
    half = top / 2.0
    return [
        (-half, half, height - t, height),
        (-half, t - half, 0.0, height),
        (half - t, half, 0.0, height),
        (-half - brim, t - half, 0.0, t),
        (half - t, half + brim, 0.0, t),
    ]


def _hat_on_plate(width, height, top, t, plate) -> list[Box]:
    half, base = top / 2.0, plate + t
    return [
        (-width / 2.0, width / 2.0, 0.0, plate),
        (-width / 2.0, t - half, plate, base),
        (half - t, width / 2.0, plate, base),
        (-half, t - half, plate, height),
        (half - t, half, plate, height),
        (-half, half, height - t, height),
    ]


def _upright(names: int | str, shape: Callable, positive: str = "") -> Profile:
    names = names if isinstance(names, str) else " ".join(f"DIM{i + 1}" for i in range(names))
    return Profile(names, shape, positive, is_upright=True)


NASTRAN = {
    "ROD": _upright(1, _disc),
    "TUBE": _upright("DIM1 DIM2?", _ring, "DIM1 - DIM2"),
    "TUBE2": _upright(2, _pipe, "DIM1 - DIM2"),
    "BAR": _upright(2, lambda width, height: rectangle(height, width)),
    "BOX": _upright(
        4, lambda w, h, top, side: _box(w, h, side, side, top, top), "inner width: DIM1 - 2 DIM4, inner height: DIM2 - 2 DIM3"
    ),
    "BOX1": _upright(
        6,
        lambda w, h, top, bottom, right, left: _box(w, h, left, right, bottom, top),
        "inner width: DIM1 - DIM6 - DIM5, inner height: DIM2 - DIM3 - DIM4",
    ),
    "DBOX": _upright(
        10,
        _double_box,
        "left inner width: DIM3 - 0.5 DIM5 - DIM4, right inner width: DIM1 - DIM6 - DIM3 - 0.5 DIM5,"
        " left inner height: DIM2 - DIM7 - DIM8, right inner height: DIM2 - DIM9 - DIM10",
    ),
    "I": _upright(6, _i, "web height: DIM1 - DIM5 - DIM6"),
    "I1": _upright(
        4,
        lambda flanges, web, inner, h: _i(h, flanges + web, flanges + web, web, (h - inner) / 2.0, (h - inner) / 2.0),
        "DIM4 - DIM3",
    ),
    "CHAN": _upright(4, lambda w, h, web, flange: _channel(w, w, h, flange, flange, web), "DIM1 - DIM3, DIM2 - 2 DIM4"),
    "CHAN1": _upright(
        4,
        lambda flange, web, inner, h: _channel(flange + web, flange + web, h, (h - inner) / 2.0, (h - inner) / 2.0, web),
        "DIM4 - DIM3",
    ),
    "CHAN2": _upright(
        4, lambda leg, web, h, w: [(0.0, w, 0.0, web), (0.0, leg, 0.0, h), (w - leg, w, 0.0, h)], "DIM4 - 2 DIM1, DIM3 - DIM2"
    ),
    "T": _upright(
        4,
        lambda w, h, flange, web: [(-w / 2.0, w / 2.0, -flange, 0.0), (-web / 2.0, web / 2.0, -h, 0.0)],
        "DIM1 - DIM4, DIM2 - DIM3",
    ),
    "T1": _upright(
        4, lambda h, length, flange, web: [(0.0, flange, -h / 2.0, h / 2.0), (-length, 0.0, -web / 2.0, web / 2.0)], "DIM1 - DIM4"
    ),
    "T2": _upright(4, _t, "DIM1 - DIM4, DIM2 - DIM3"),
    "CROSS": _upright(
        4,
        lambda arms, stem, h, arm: [
            (-(arms + stem) / 2.0, (arms + stem) / 2.0, -arm / 2.0, arm / 2.0),
            (-stem / 2.0, stem / 2.0, -h / 2.0, h / 2.0),
        ],
        "DIM3 - DIM4",
    ),
    "H": _upright(4, _h, "DIM3 - DIM4"),
    "Z": _upright(4, _z, "DIM4 - DIM3"),
    "L": _upright(4, _l, "DIM1 - DIM4, DIM2 - DIM3"),
    "HEXA": _upright(3, _hexagon, "DIM2 - 2 DIM1"),
    "HAT": _upright(4, _hat, "DIM1 - 2 DIM2, DIM3 - 2 DIM2"),
    "HAT1": _upright(5, _hat_on_plate, "DIM1 - DIM3, DIM3 - 2 DIM4, DIM2 - 2 DIM4 - DIM5"),
}
FAMILIES = {"abaqus": ABAQUS, "calculix": CALCULIX, "nastran": NASTRAN, "ansys": ANSYS}
