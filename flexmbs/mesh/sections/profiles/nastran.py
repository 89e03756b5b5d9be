"""Profiles of PBARL and PBEAML (MSC and NX Nastran Quick Reference Guide).

The guide's pictures have element y upwards and element z to the right; the shapes here are told in the same way:
(left, right, low, high).
"""

from __future__ import annotations

from flexmbs.mesh.sections.beam_sections import circle, pipe, rectangle
from flexmbs.mesh.sections.profiles.profile import Profile, require
from flexmbs.mesh.sections.profiles.shapes import Shape, from_quadrilaterals, from_rectangles


def _picture(*boxes) -> Shape:
    return from_rectangles(*[(low, high, left, right) for left, right, low, high in boxes])


def _rod(radius):
    return lambda nu: circle(radius, poisson_ratio=nu)


def _tube(outer, inner):
    require(**{"DIM1__DIM2": outer - inner})
    if inner == 0.0:
        return _rod(outer)
    return lambda nu: pipe(outer, outer - inner, poisson_ratio=nu)


def _tube2(outer, thickness):
    require(**{"DIM1__DIM2": outer - thickness})
    return lambda nu: pipe(outer, thickness, poisson_ratio=nu)


def _bar(width, height):
    return rectangle(height, width)


def _box(width, height, top, side) -> Shape:
    return _box1(width, height, top, top, side, side)


def _box1(width, height, top, bottom, right, left) -> Shape:
    require(inner_width=width - left - right, inner_height=height - top - bottom)
    return _picture(
        (0.0, width, 0.0, bottom), (0.0, width, height - top, height), (0.0, left, 0.0, height), (width - right, width, 0.0, height)
    )


def _double_box(width, height, middle, left, center, right, top1, bottom1, top2, bottom2) -> Shape:
    # ``middle`` is from the left side to the middle of the wall between the boxes
    first, second = middle - center / 2.0, middle + center / 2.0
    require(left_inner_width=first - left, right_inner_width=width - right - second)
    require(left_inner_height=height - top1 - bottom1, right_inner_height=height - top2 - bottom2)
    return _picture(
        (0.0, left, 0.0, height),
        (first, second, 0.0, height),
        (width - right, width, 0.0, height),
        (0.0, middle, 0.0, bottom1),
        (0.0, middle, height - top1, height),
        (middle, width, 0.0, bottom2),
        (middle, width, height - top2, height),
    )


def _i(height, lower, upper, web, low_thickness, high_thickness) -> Shape:
    require(web_height=height - low_thickness - high_thickness)
    return _picture(
        (-lower / 2.0, lower / 2.0, 0.0, low_thickness),
        (-upper / 2.0, upper / 2.0, height - high_thickness, height),
        (-web / 2.0, web / 2.0, 0.0, height),
    )


def _i1(flanges, web, inner, height) -> Shape:
    require(**{"DIM4__DIM3": height - inner})
    width, flange = flanges + web, (height - inner) / 2.0
    return _i(height, width, width, web, flange, flange)


def _channel(width, height, web, flange) -> Shape:
    require(**{"DIM1__DIM3": width - web, "DIM2__2_DIM4": height - 2.0 * flange})
    return _picture((0.0, web, 0.0, height), (0.0, width, 0.0, flange), (0.0, width, height - flange, height))


def _channel1(flange_width, web, inner, height) -> Shape:
    require(**{"DIM4__DIM3": height - inner})
    return _channel(flange_width + web, height, web, (height - inner) / 2.0)


def _channel2(leg, web, height, width) -> Shape:
    require(**{"DIM4__2_DIM1": width - 2.0 * leg, "DIM3__DIM2": height - web})
    return _picture((0.0, width, 0.0, web), (0.0, leg, 0.0, height), (width - leg, width, 0.0, height))


def _t(width, height, flange, web) -> Shape:
    require(**{"DIM1__DIM4": width - web, "DIM2__DIM3": height - flange})
    return _picture((-width / 2.0, width / 2.0, -flange, 0.0), (-web / 2.0, web / 2.0, -height, 0.0))


def _t1(height, web_length, flange, web) -> Shape:
    require(**{"DIM1__DIM4": height - web})
    return _picture((0.0, flange, -height / 2.0, height / 2.0), (-web_length, 0.0, -web / 2.0, web / 2.0))


def _t2(width, height, flange, web) -> Shape:
    require(**{"DIM1__DIM4": width - web, "DIM2__DIM3": height - flange})
    return _picture((-width / 2.0, width / 2.0, 0.0, flange), (-web / 2.0, web / 2.0, 0.0, height))


def _cross(arms, stem, height, arm) -> Shape:
    require(**{"DIM3__DIM4": height - arm})
    half = (arms + stem) / 2.0
    return _picture((-half, half, -arm / 2.0, arm / 2.0), (-stem / 2.0, stem / 2.0, -height / 2.0, height / 2.0))


def _h(inner, flanges, height, web) -> Shape:
    # ``flanges`` is the thickness of both together
    require(**{"DIM3__DIM4": height - web})
    half, flange, top = (inner + flanges) / 2.0, flanges / 2.0, height / 2.0
    return _picture((-half, flange - half, -top, top), (half - flange, half, -top, top), (-half, half, -web / 2.0, web / 2.0))


def _z(flange, web, inner, height) -> Shape:
    # the upper flange runs to the left, the lower one to the right
    require(**{"DIM4__DIM3": height - inner})
    thickness, half = (height - inner) / 2.0, web / 2.0
    return _picture(
        (-half, half, 0.0, height), (-half - flange, half, height - thickness, height), (-half, half + flange, 0.0, thickness)
    )


def _l(width, height, lower, left) -> Shape:
    require(**{"DIM1__DIM4": width - left, "DIM2__DIM3": height - lower})
    return _picture((0.0, width, 0.0, lower), (0.0, left, 0.0, height))


def _hexagon(side, width, height) -> Shape:
    # ``side`` is the width of the triangles left and right of the rectangle
    require(**{"DIM2__2_DIM1": width - 2.0 * side})
    lower = [(0.0, side), (0.0, width - side), (height / 2.0, width), (height / 2.0, 0.0)]
    upper = [(height / 2.0, 0.0), (height / 2.0, width), (height, width - side), (height, side)]
    return from_quadrilaterals(lower, upper)


def _hat(height, thickness, top, brim) -> Shape:
    require(**{"DIM1__2_DIM2": height - 2.0 * thickness, "DIM3__2_DIM2": top - 2.0 * thickness})
    half = top / 2.0
    return _picture(
        (-half, half, height - thickness, height),
        (-half, thickness - half, 0.0, height),
        (half - thickness, half, 0.0, height),
        (-half - brim, thickness - half, 0.0, thickness),
        (half - thickness, half + brim, 0.0, thickness),
    )


def _hat1(width, height, top, thickness, plate) -> Shape:
    # a hat on a plate
    require(**{"DIM1__DIM3": width - top, "DIM3__2_DIM4": top - 2.0 * thickness})
    require(**{"DIM2__2_DIM4__DIM5": height - 2.0 * thickness - plate})
    half, base = top / 2.0, plate + thickness
    return _picture(
        (-width / 2.0, width / 2.0, 0.0, plate),
        (-width / 2.0, thickness - half, plate, base),
        (half - thickness, width / 2.0, plate, base),
        (-half, thickness - half, plate, height),
        (half - thickness, half, plate, height),
        (-half, half, height - thickness, height),
    )


def _dims(count: int) -> str:
    return " ".join(f"DIM{i + 1}" for i in range(count))


NASTRAN = {
    "ROD": Profile(_dims(1), _rod),
    "TUBE": Profile("DIM1 DIM2?", _tube),
    "TUBE2": Profile(_dims(2), _tube2),
    "BAR": Profile(_dims(2), _bar),
    "BOX": Profile(_dims(4), _box),
    "BOX1": Profile(_dims(6), _box1),
    "DBOX": Profile(_dims(10), _double_box),
    "I": Profile(_dims(6), _i),
    "I1": Profile(_dims(4), _i1),
    "CHAN": Profile(_dims(4), _channel),
    "CHAN1": Profile(_dims(4), _channel1),
    "CHAN2": Profile(_dims(4), _channel2),
    "T": Profile(_dims(4), _t),
    "T1": Profile(_dims(4), _t1),
    "T2": Profile(_dims(4), _t2),
    "CROSS": Profile(_dims(4), _cross),
    "H": Profile(_dims(4), _h),
    "Z": Profile(_dims(4), _z),
    "L": Profile(_dims(4), _l),
    "HEXA": Profile(_dims(3), _hexagon),
    "HAT": Profile(_dims(4), _hat),
    "HAT1": Profile(_dims(5), _hat1),
}
