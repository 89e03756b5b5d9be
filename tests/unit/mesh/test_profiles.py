"""Profiles of FE programs: areas, moments, torsion and shear against closed forms and independent programs."""

import math

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.sections.profile_section import profile_section
from flexmbs.mesh.sections.profiles import FAMILIES
from flexmbs.mesh.sections.section_constants import from_quadrilaterals, from_rectangles, section_constants

# Dimensions of every profile, sized so that all make a shape.
NASTRAN = {
    "ROD": [0.5],
    "TUBE": [0.5, 0.4],
    "TUBE2": [0.5, 0.1],
    "BAR": [2, 1],
    "BOX": [4, 3, 0.375, 0.5],
    "BOX1": [4, 3, 0.375, 0.5, 0.25, 0.75],
    "DBOX": [8, 3, 3, 0.5, 0.625, 0.75, 0.375, 0.25, 0.5, 0.375],
    "I": [5, 2, 3, 0.25, 0.375, 0.5],
    "I1": [1, 0.75, 4, 5],
    "CHAN": [2, 4, 0.25, 0.5],
    "CHAN1": [0.75, 1, 3.5, 4],
    "CHAN2": [0.375, 0.5, 2, 4],
    "T": [3, 4, 0.375, 0.25],
    "T1": [3, 3.5, 0.375, 0.25],
    "T2": [3, 4, 0.375, 0.5],
    "CROSS": [1.5, 0.375, 3, 0.25],
    "H": [2, 0.75, 3.5, 0.25],
    "Z": [1.125, 0.5, 3.5, 4],
    "L": [3, 6, 0.375, 0.625],
    "HEXA": [0.5, 2, 1.5],
    "HAT": [1.25, 0.25, 1.5, 0.5],
    "HAT1": [4, 2, 1.5, 0.1875, 0.375],
}
# Areas by pyNastran 1.4.1, PBARL.Area().
PYNASTRAN_AREAS = {
    "ROD": 0.785398,
    "TUBE": 0.282743,
    "TUBE2": 0.282743,
    "BAR": 2.0,
    "BOX": 5.25,
    "BOX1": 5.625,
    "DBOX": 10.4375,
    "I": 3.28125,
    "I1": 4.75,
    "CHAN": 2.75,
    "CHAN1": 4.375,
    "CHAN2": 3.125,
    "T": 2.03125,
    "T1": 2.0,
    "T2": 2.9375,
    "CROSS": 1.5,
    "H": 3.125,
    "Z": 2.5625,
    "L": 4.640625,
    "HEXA": 2.25,
    "HAT": 1.125,
    "HAT1": 2.789063,
}
ABAQUS = {
    "RECT": [2, 1],
    "CIRC": [0.5],
    "PIPE": [0.5, 0.1],
    "THICK PIPE": [0.5, 0.1],
    "ELBOW": [0.5, 0.1, 3.0],
    "BOX": [4, 3, 0.25, 0.375, 0.75, 0.5],
    "I": [2.5, 5, 2, 3, 0.375, 0.5, 0.25],
    "T": [3, 4, 3.8, 0.375, 0.25],
    "L": [3, 6, 0.375, 0.625],
    "TRAPEZOID": [2, 1, 1, 0.5],
    "HEX": [1, 0.1],
    "ARBITRARY": [2, 0, 1, 0, 0, 0.1, 1, 0, 0.1],
}
ANSYS = {
    "RECT": [2, 1, 2, 2],
    "QUAD": [0, 0, 2, 0, 2, 1, 0, 1],
    "CSOLID": [0.5],
    "CTUBE": [0.4, 0.5],
    "CHAN": [2, 2, 4, 0.5, 0.5, 0.25],
    "I": [2, 3, 5, 0.375, 0.5, 0.25],
    "Z": [1.625, 1.625, 4, 0.25, 0.25, 0.5],
    "L": [3, 6, 0.375, 0.625],
    "T": [3, 4, 0.375, 0.5],
    "HREC": [4, 3, 0.75, 0.25, 0.5, 0.375],
    "ASEC": [2, 0.5, 0.1, 0.7, 0.0, 0.3, 0.1, 0.2],
}
CALCULIX = {"RECT": [2, 1], "CIRC": [1, 1], "PIPE": [0.5, 0.1], "BOX": [4, 3, 0.25, 0.375, 0.75, 0.5]}
ALL = [
    (family, name, sizes)
    for family, table in (("abaqus", ABAQUS), ("calculix", CALCULIX), ("nastran", NASTRAN), ("ansys", ANSYS))
    for name, sizes in table.items()
]


def in_given_axes(section):
    """Iy, Iz, Iyz in the axes that the profile is stated in."""
    cos, sin = math.cos(section.principal_angle), math.sin(section.principal_angle)
    return (
        cos**2 * section.Iy + sin**2 * section.Iz,
        cos**2 * section.Iz + sin**2 * section.Iy,
        cos * sin * (section.Iz - section.Iy),
    )


def centroid_in_given_axes(section):
    cos, sin = math.cos(section.principal_angle), math.sin(section.principal_angle)
    y, z = section.centroid
    return cos * y - sin * z, sin * y + cos * z


def test_every_profile_of_the_tables_is_tried_here():
    tried = {family: {name for other, name, _ in ALL if other == family} for family in FAMILIES}
    assert tried == {family: set(table) for family, table in FAMILIES.items()}


@pytest.mark.parametrize(("family", "name", "sizes"), ALL)
def test_a_profile_scales_with_its_size_and_is_consistent(family, name, sizes):
    section = profile_section(family, name.lower(), sizes, (0.0, 0.0, 2.0))
    assert (section.profile, bool(section.dimensions)) == (name, name not in ("ASEC", "ARBITRARY"))
    assert section.y_axis.tolist() == [0.0, 0.0, 1.0]
    # no section twists stiffer than its polar moment; shear is never uniform
    assert 0.0 < section.torsion_constant <= (section.Iy + section.Iz) * (1 + 1e-9)
    assert 0.0 < min(section.shear_factor_y, section.shear_factor_z)
    assert max(section.shear_factor_y, section.shear_factor_z) <= 1.0
    assert abs(section.principal_angle) <= math.pi / 4 + 1e-12
    if name in ("ASEC", "ARBITRARY", "QUAD"):
        return
    # all of it inside the outline, in millimetres as in metres
    y, z = section.outline.T
    enclosed = abs(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1))) / 2
    assert section.area <= enclosed * 1.01  # circles are drawn with 32 corners
    small = profile_section(family, name, [1e-3 * size for size in sizes])
    assert small.area == pytest.approx(1e-6 * section.area, rel=1e-9)
    assert small.torsion_constant == pytest.approx(1e-12 * section.torsion_constant, rel=1e-6)
    assert small.shear_factor_z == pytest.approx(section.shear_factor_z, rel=1e-6)


@pytest.mark.parametrize("name", NASTRAN)
def test_areas_of_nastran_profiles(name):
    section = profile_section("nastran", name, NASTRAN[name])
    assert section.area == pytest.approx(PYNASTRAN_AREAS[name], rel=2e-6)  # the printed digits
    assert section.centroid == (0.0, 0.0)  # PBARL: the nodes are on the centroid


def test_moments_of_a_nastran_angle():
    # by hand from its two rectangles; I12 also as pyNastran has it (-3.03622)
    section = profile_section("nastran", "L", NASTRAN["L"])
    lower, left = (3.0 * 0.375, 0.1875, 1.5), (0.625 * 5.625, 0.375 + 5.625 / 2, 0.3125)
    area = lower[0] + left[0]
    y, z = (sum(part[0] * part[i] for part in (lower, left)) / area for i in (1, 2))
    around = sum(part[0] * (part[1] - y) * (part[2] - z) for part in (lower, left))
    I1 = 3.0 * 0.375**3 / 12 + 0.625 * 5.625**3 / 12 + sum(part[0] * (part[1] - y) ** 2 for part in (lower, left))
    Iy, Iz, Iyz = in_given_axes(section)
    assert (Iz, Iyz) == pytest.approx((I1, around), rel=1e-12)
    assert Iyz == pytest.approx(-3.03622, rel=1e-5)
    assert Iy + Iz == pytest.approx(section.Iy + section.Iz, rel=1e-12)


def test_the_same_shape_in_all_programs():
    # Abaqus has width along 1 = y; Nastran along z; Ansys along y
    pairs = [
        (("abaqus", "I"), ("ansys", "I")),
        (("abaqus", "L"), ("ansys", "L")),
        (("abaqus", "BOX"), ("ansys", "HREC")),
        (("calculix", "BOX"), ("abaqus", "BOX")),
        (("calculix", "CIRC"), ("abaqus", "CIRC")),
        (("ansys", "QUAD"), ("ansys", "RECT")),
    ]
    tables = {"abaqus": ABAQUS, "ansys": ANSYS, "calculix": CALCULIX}
    for (family, name), (other_family, other_name) in pairs:
        one = profile_section(family, name, tables[family][name], line="centroid")
        other = profile_section(other_family, other_name, tables[other_family][other_name], line="centroid")
        for field in ("area", "Iy", "Iz", "principal_angle"):
            assert getattr(one, field) == pytest.approx(getattr(other, field), rel=1e-9, abs=1e-12)
        assert one.torsion_constant == pytest.approx(other.torsion_constant, rel=1e-3)
    turned = profile_section("nastran", "I", NASTRAN["I"])
    upright = profile_section("ansys", "I", ANSYS["I"])
    assert (turned.Iz, turned.Iy) == pytest.approx((upright.Iy, upright.Iz), rel=1e-12)
    assert turned.shear_factor_y == pytest.approx(upright.shear_factor_z, rel=1e-9)


def test_torsion_of_solid_kinds():
    square = section_constants(from_rectangles((0, 1, 0, 1)))
    assert square.torsion_constant == pytest.approx(0.140577, rel=1e-3)  # Timoshenko and Goodier, art. 109
    assert square.shear_factor_y == pytest.approx(5 / 6, rel=1e-3)
    thin = section_constants(from_rectangles((0, 100, 0, 1)))
    assert thin.torsion_constant == pytest.approx(100 / 3 * (1 - 0.630 / 100), rel=1e-3)
    triangle = section_constants(from_quadrilaterals([(0, 0), (1, 0), (0.5, 3**0.5 / 2), (0.5, 3**0.5 / 2)]))
    assert triangle.torsion_constant == pytest.approx(3**0.5 / 80, rel=1e-3)  # exact, same book, art. 104


def test_torsion_shear_and_shear_center_of_thin_walls():
    thickness, width, height = 1e-3, 1.0, 2.0
    box = profile_section("abaqus", "BOX", [width + thickness, height + thickness] + [thickness] * 4)
    bredt = 4 * (width * height) ** 2 * thickness / (2 * (width + height))
    assert box.torsion_constant == pytest.approx(bredt, rel=1e-3)
    channel = from_rectangles((0, width, 0, thickness), (0, width, height - thickness, height), (0, thickness, 0, height))
    constants = section_constants(channel)
    middle = np.add(constants.shear_center, constants.centroid)
    # 3 b^2 / (h + 6 b) outside of the web, at half its height (Timoshenko, Strength of Materials, part I)
    assert middle == pytest.approx([-3 * width**2 / (height + 6 * width), height / 2], rel=5e-3)
    assert constants.torsion_constant == pytest.approx((2 * width + height) * thickness**3 / 3, rel=2e-3)


def test_a_thin_wall_needs_no_refinement_by_hand():
    thin = profile_section("nastran", "I", [1.0, 1.0, 1.0, 1e-4, 1e-4, 1e-4])
    assert thin.torsion_constant == pytest.approx(3.0 * 1e-12 / 3.0, rel=1e-3)
    with pytest.raises(MeshError, match="too small"):
        profile_section("nastran", "I", [1.0, 1.0, 1.0, 1e-6, 1e-6, 1e-6])


def test_where_the_line_of_the_element_runs():
    # Abaqus I: l below the origin; equal flanges have their centroid at half the height
    section = profile_section("abaqus", "I", [0.0, 4, 2, 2, 0.2, 0.2, 0.1])
    assert centroid_in_given_axes(section) == pytest.approx((0.0, 2.0), abs=1e-12)
    # an angle with its origin where the middle lines meet
    section = profile_section("abaqus", "L", [1.05, 1.05, 0.1, 0.1])
    assert centroid_in_given_axes(section) == pytest.approx((0.249375, 0.249375), rel=1e-9)  # 1.05 x 0.475 / 2
    # PBEAML: the shear centre of an angle is near where the middle lines meet
    section = profile_section("nastran", "L", [1.05, 1.05, 0.1, 0.1], line="shear center")
    assert centroid_in_given_axes(section) == pytest.approx((0.249375, 0.249375), abs=0.01)
    assert abs(section.principal_angle) == pytest.approx(math.pi / 4)
    # for its centre line the shear centre of a T is in its flange
    section = profile_section("nastran", "T", [1.0, 1.0, 0.01, 0.01], line="shear center")
    assert section.centroid == pytest.approx((-0.25, 0.0), abs=5e-3)


def test_calculix_takes_diameters_and_abaqus_a_radius():
    # CalculiX 2.20: EVOL of a beam with SECTION=CIRC, 0.1, 0.2 is pi / 4 x 0.1 x 0.2 times its length
    assert profile_section("calculix", "CIRC", [0.1, 0.2]).area == pytest.approx(math.pi / 4 * 0.02)
    assert profile_section("abaqus", "CIRC", [0.1, 0.2]).area == pytest.approx(math.pi / 4 * 0.02)
    assert profile_section("abaqus", "CIRCULAR", [0.1]).area == pytest.approx(math.pi * 0.01)
    assert profile_section("abaqus", "THICKPIPE", [0.1, 0.02]).profile == "THICK PIPE"
    wide = profile_section("calculix", "CIRC", [0.2, 0.1])
    assert wide.Iz == pytest.approx(math.pi / 4 * 0.1**3 * 0.05) and wide.Iz == pytest.approx(4 * wide.Iy)


def test_arbitrary_thin_walls():
    # an open square tube of side 1 and wall 0.01, then the same one closed
    open_tube = [3, 0, 0, 1, 0, 0.01, 1, 1, 0.01, 0, 1, 0.01]
    section = profile_section("abaqus", "ARBITRARY", open_tube)
    assert section.area == pytest.approx(0.03) and section.torsion_constant == pytest.approx(1e-6)
    closed = profile_section("abaqus", "ARBITRARY", [4, *open_tube[1:], 0, 0, 0.01])
    assert closed.torsion_constant == pytest.approx(0.01 + 4e-6 / 3)
    assert closed.centroid == pytest.approx((0.5, 0.5))
    assert closed.Iy == pytest.approx(0.01 * (2 * 0.25 + 2 / 12))
    with pytest.raises(MeshError, match="on one line"):
        profile_section("abaqus", "ARBITRARY", [1, 0, 0, 1, 0, 0.01])
    with pytest.raises(MeshError, match="7 segments need 24 numbers, 6 are given"):
        profile_section("abaqus", "ARBITRARY", [7, 0, 0, 1, 0, 0.01])


@pytest.mark.parametrize(
    ("family", "name", "sizes", "message"),
    [
        ("nastran", "I", [1, 2], r"deck.bdf:7: PBARL: profile I: 2 dimensions are given, 6 are needed: DIM1, DIM2"),
        ("nastran", "TUBE", [0.4, 0.5], r"DIM1 - DIM2 = -0.1 must be positive"),
        ("nastran", "BOX", [4, 3, 2, 0.5], r"inner height = -1 must be positive"),
        ("nastran", "ROD", [0.0], r"DIM1 = 0 must be positive"),
        ("nastran", "BAR", [1.0, math.nan], r"DIM2 = nan must be a finite number"),
        ("nastran", "TRIANGLE", [1], r"profile TRIANGLE is unknown.*There are: ROD, TUBE"),
        ("abaqus", "PIPE", [0.1, 0.2], r"r - t = -0.1 must be positive"),
        ("abaqus", "I", [0, 1, 0, 1, 0.6, 1.2, 0.1], r"h - t1 - t2 = -0.2 must be positive"),
        ("abaqus", "HEX", [1, 0.9], r"inner radius"),
        ("ansys", "HATS", [1] * 9, r"profile HATS is unknown"),
        ("ansys", "QUAD", [0, 0, 1, 1, 1, 0, 0, 1], r"in order around it"),
        ("ansys", "QUAD", [0, 0, 1, 0, 2, 0, 3, 0], r"no area"),
        ("ansys", "ASEC", [1, 0.1, 0.2, 0.1, 0, 1], r"Iyz = 0.2 must be less"),
        ("ansys", "RECT", [1e200, 1.0], r"must be a finite number"),
    ],
)
def test_impossible_dimensions_are_refused_by_name(family, name, sizes, message):
    with pytest.raises(MeshError, match=message):
        profile_section(family, name, sizes, where="deck.bdf:7: PBARL")


def test_a_direction_without_length_is_refused():
    with pytest.raises(MeshError, match=r"a.inp:3: profile RECT: .*not all zero; got \[0.0, 0.0, 0.0\]"):
        profile_section("abaqus", "RECT", [1, 2], (0, 0, 0), where="a.inp:3")
