"""Profiles of *BEAM SECTION and *BEAM GENERAL SECTION: Abaqus, and CalculiX where it differs.

Local y is the direction 1 (n1), local z the direction 2. Abaqus Analysis User's Guide, Beam cross-section library;
CalculiX CrunchiX User's Manual, Beam Section Types.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.sections.beam_sections import circle, ellipse, pipe, rectangle
from flexmbs.mesh.sections.profiles.profile import Profile, require, thin_walled_section
from flexmbs.mesh.sections.profiles.shapes import Shape, from_quadrilaterals, from_rectangles


def _rectangle(a, b=None):
    return rectangle(a, a if b is None else b)


def _circle(radius, second=None):
    if second is not None:  # Abaqus has one number, the radius; two are CalculiX's diameters
        return _diameters(radius, second)
    return lambda nu: circle(radius, poisson_ratio=nu)


def _diameters(along_1, along_2=None):
    if along_2 is None or along_1 == along_2:
        return lambda nu: circle(along_1 / 2.0, poisson_ratio=nu)
    return ellipse(along_1 / 2.0, along_2 / 2.0)


def _pipe(radius, thickness):
    require(**{"r__t": radius - thickness})
    return lambda nu: pipe(radius, thickness, poisson_ratio=nu)


def _box(a, b, t1, t2=None, t3=None, t4=None) -> Shape:
    # walls in the order right, top, left, bottom
    t2, t3, t4 = (t1 if t is None else t for t in (t2, t3, t4))
    require(**{"a__t1__t3": a - t1 - t3, "b__t2__t4": b - t2 - t4})
    right, top = a / 2.0, b / 2.0
    return from_rectangles(
        (right - t1, right, -top, top),
        (-right, right, top - t2, top),
        (-right, t3 - right, -top, top),
        (-right, right, -top, t4 - top),
    )


def _i(origin, h, b1, b2, t1, t2, t3) -> Shape:
    # 1 is the lower flange, 2 the upper one, 3 the web; a flange without width or thickness makes a T
    t1, t2 = (t if b > 0.0 else 0.0 for t, b in ((t1, b1), (t2, b2)))
    require(**{"h__t1__t2": h - t1 - t2})
    lower, upper = (-b1 / 2.0, b1 / 2.0, 0.0, t1), (-b2 / 2.0, b2 / 2.0, h - t2, h)
    flanges = [flange for flange, t in ((lower, t1), (upper, t2)) if t > 0.0]
    return replace(from_rectangles(*flanges, (-t3 / 2.0, t3 / 2.0, 0.0, h)), origin=(0.0, origin))


def _t(b, h, origin, flange, web) -> Shape:
    return _i(origin, h, 0.0, b, 0.0, flange, web)


def _l(a, b, t1, t2) -> Shape:
    # the origin is where the middle lines of the legs meet; t1 belongs to the leg along 1
    require(**{"a__t2": a - t2, "b__t1": b - t1})
    left, low = -t2 / 2.0, -t1 / 2.0
    return from_rectangles((left, left + a, low, low + t1), (left, left + t2, low, low + b))


def _trapezoid(a, b, c, origin) -> Shape:
    # a is the lower edge, c the upper one, b the height
    corners = [(-a / 2.0, 0.0), (a / 2.0, 0.0), (c / 2.0, b), (-c / 2.0, b)]
    return replace(from_quadrilaterals(corners), origin=(0.0, origin))


def _hexagon(radius, thickness) -> Shape:
    """Hollow: ``radius`` of the circle through the outer corners, wall ``thickness``."""
    inner = radius - thickness / math.cos(math.pi / 6.0)
    require(**{"inner_radius": inner})
    angles = math.pi / 3.0 * np.arange(7)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    return from_quadrilaterals(*[(radius * ring[i], radius * ring[i + 1], inner * ring[i + 1], inner * ring[i]) for i in range(6)])


def _arbitrary(*numbers):
    """Number of segments; y, z of the first point; then y, z of the next point and the segment's thickness, ..."""
    count = numbers[0]
    if count != int(count) or count < 1 or len(numbers) < 3 + 3 * count:
        raise MeshError(f"{count:g} segments need {3 + 3 * max(count, 1):g} numbers, {len(numbers)} are given.")
    rows = np.array(numbers[3 : 3 + 3 * int(count)]).reshape(-1, 3)
    return thin_walled_section(np.vstack([numbers[1:3], rows[:, :2]]), rows[:, 2])


ABAQUS = {
    "RECT": Profile("a b", _rectangle),
    "CIRC": Profile("r second", _circle, optional=1),
    "PIPE": Profile("r t", _pipe),
    "THICK PIPE": Profile("r t", _pipe),
    "ELBOW": Profile("r t", _pipe),
    "BOX": Profile("a b t1 t2 t3 t4", _box, optional=3),
    "I": Profile("l~ h b1? b2? t1? t2? t3", _i),
    "T": Profile("b h l~ tf tw", _t),
    "L": Profile("a b t1 t2", _l),
    "TRAPEZOID": Profile("a b c d~", _trapezoid),
    "HEX": Profile("d t", _hexagon),
    "ARBITRARY": Profile("segments~ y1~ z1~ y2~ z2~ t2~", _arbitrary, many=True, lengths=False),
}

CALCULIX = {
    "RECT": Profile("a b", _rectangle, optional=1),
    "CIRC": Profile("d1 d2", _diameters, optional=1),
    "PIPE": Profile("r t", _pipe),
    "BOX": Profile("a b t1 t2 t3 t4", _box, optional=3),
}
