"""Profiles of SECTYPE,,BEAM with SECDATA (Ansys Mechanical APDL Command Reference).

Section y points to the right in the manual's pictures, z upwards. The origin, for SECOFFSET,ORIGIN, is the middle of
RECT and of circles, the middle of the lower edge of I and T, and the lower left corner of CHAN, L, Z (of its web) and
HREC. HATS is left out: the manual's text does not say whether the brims are measured to the inner or the outer face of
the webs.
"""

from __future__ import annotations

from flexmbs.mesh.sections.beam_sections import circle, general_section, pipe, rectangle
from flexmbs.mesh.sections.profiles.profile import Profile, require
from flexmbs.mesh.sections.profiles.shapes import Shape, from_quadrilaterals, from_rectangles


def _rectangle(b, h):
    return rectangle(b, h)


def _quadrilateral(*coordinates) -> Shape:
    return from_quadrilaterals(list(zip(coordinates[::2], coordinates[1::2], strict=True)))


def _circle(radius):
    return lambda nu: circle(radius, poisson_ratio=nu)


def _tube(inner, outer):
    require(**{"Ro__Ri": outer - inner})
    if inner == 0.0:
        return _circle(outer)
    return lambda nu: pipe(outer, outer - inner, poisson_ratio=nu)


def _channel(w1, w2, w3, t1, t2, t3) -> Shape:
    require(**{"W1__t3": w1 - t3, "W2__t3": w2 - t3, "W3__t1__t2": w3 - t1 - t2})
    return from_rectangles((0.0, w1, 0.0, t1), (0.0, w2, w3 - t2, w3), (0.0, t3, 0.0, w3))


def _i(w1, w2, w3, t1, t2, t3) -> Shape:
    require(**{"W3__t1__t2": w3 - t1 - t2})
    return from_rectangles((-w1 / 2.0, w1 / 2.0, 0.0, t1), (-w2 / 2.0, w2 / 2.0, w3 - t2, w3), (-t3 / 2.0, t3 / 2.0, 0.0, w3))


def _z(w1, w2, w3, t1, t2, t3) -> Shape:
    # the lower flange runs to the right of the web, the upper one to its left
    require(**{"W1__t3": w1 - t3, "W2__t3": w2 - t3, "W3__t1__t2": w3 - t1 - t2})
    return from_rectangles((0.0, w1, 0.0, t1), (t3 - w2, t3, w3 - t2, w3), (0.0, t3, 0.0, w3))


def _l(w1, w2, t1, t2) -> Shape:
    require(**{"W1__t2": w1 - t2, "W2__t1": w2 - t1})
    return from_rectangles((0.0, w1, 0.0, t1), (0.0, t2, 0.0, w2))


def _t(w1, w2, t1, t2) -> Shape:
    require(**{"W1__t2": w1 - t2, "W2__t1": w2 - t1})
    return from_rectangles((-w1 / 2.0, w1 / 2.0, 0.0, t1), (-t2 / 2.0, t2 / 2.0, 0.0, w2))


def _hollow_rectangle(w1, w2, t1, t2, t3, t4) -> Shape:
    # walls in the order left, right, lower, upper
    require(**{"W1__t1__t2": w1 - t1 - t2, "W2__t3__t4": w2 - t3 - t4})
    return from_rectangles((0.0, t1, 0.0, w2), (w1 - t2, w1, 0.0, w2), (0.0, w1, 0.0, t3), (0.0, w1, w2 - t4, w2))


def _integrals(area, Iyy, Iyz, Izz, Iw, torsion, center_y=0.0, center_z=0.0):
    return general_section(area, Iyy, Izz, torsion, Iyz=Iyz, centroid=(center_y, center_z))


ANSYS = {
    "RECT": Profile("B H", _rectangle),
    "QUAD": Profile("yI~ zI~ yJ~ zJ~ yK~ zK~ yL~ zL~", _quadrilateral),
    "CSOLID": Profile("R", _circle),
    "CTUBE": Profile("Ri? Ro", _tube),
    "CHAN": Profile("W1 W2 W3 t1 t2 t3", _channel),
    "I": Profile("W1 W2 W3 t1 t2 t3", _i),
    "Z": Profile("W1 W2 W3 t1 t2 t3", _z),
    "L": Profile("W1 W2 t1 t2", _l),
    "T": Profile("W1 W2 t1 t2", _t),
    "HREC": Profile("W1 W2 t1 t2 t3 t4", _hollow_rectangle),
    "ASEC": Profile("A Iyy Iyz~ Izz Iw~ J CGy~ CGz~", _integrals, optional=2, lengths=False),
}
