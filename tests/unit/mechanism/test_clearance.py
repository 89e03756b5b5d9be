"""What a joint with clearance is made of, and what it refuses."""

import numpy as np
import pytest

import flexmbs as fm

LAW = fm.Hertz(1e9)
PLAY = {"radial": 5e-4, "law": LAW}


@pytest.fixture
def ends():
    """A system with a block, and the markers to join."""
    system = fm.System()
    block = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), name="block")
    return system, system.ground.marker("bore"), block["origin"]


@pytest.mark.parametrize(
    ("kind", "given", "coordinates", "points"),
    [
        ("revolute", {}, "u v angle", ""),
        ("revolute", {"axial": 1e-4}, "u v w angle", "pin|shoulder -|shoulder +"),
        ("revolute", {"tilting": True, "length": 0.02, "radius": 0.01}, "u v tilt_u tilt_v angle", "end 1|end 2"),
        ("spherical", {}, "x y z rotation", ""),
        ("cylindrical", {}, "u v displacement angle", ""),
        ("cylindrical", {"tilting": True, "length": 0.02, "radius": 0.01}, "u v tilt_u tilt_v displacement angle", "end 1|end 2"),
        ("prismatic", {"length": 0.1, "section": 0.04, "normal": "z"}, "displacement u tilt", "--|-+|+-|++"),
    ],
)
def test_coordinates_and_points(ends, kind, given, coordinates, points):
    system, a, b = ends
    joint = getattr(system, kind)(a, b, name="hinge", clearance=fm.Clearance(**PLAY, **given))
    assert joint.coordinates == tuple(coordinates.split())
    names = tuple(f"hinge[{label}]" for label in points.split("|")) if points else ("hinge",)
    assert system.contacts["hinge"].point_names == names


def test_slider_in_space_has_two_rails_at_each_corner(ends):
    system, a, b = ends
    joint = system.prismatic(a, b, name="guide", clearance=fm.Clearance(**PLAY, length=0.1, section=(0.04, 0.03)))
    assert joint.coordinates == ("displacement", "u", "v", "tilt_u", "tilt_v", "roll")
    assert len(system.contacts["guide"].points) == 16


def test_centred_unless_stated(ends):
    system, a, b = ends
    given = {"offset": (1e-4, -2e-4), "velocity": (0.0, 0.1)}
    joint = system.revolute(a, b, name="hinge", clearance=fm.Clearance(**PLAY, **given))
    assert (joint.start["u"], joint.start["v"], joint.start_rate["v"]) == (1e-4, -2e-4, 0.1)
    assert {"u", "v"} <= joint.given and {"u", "v"} <= joint.given_rates
    result = system.assemble()
    assert result["hinge.eccentricity"][0] == pytest.approx(np.hypot(1e-4, 2e-4), rel=1e-12)
    assert result["hinge.contact_angle"][0] == pytest.approx(np.arctan2(-2.0, 1.0), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"radial": -1e-4, "law": LAW}, r"clearance: radial \(m\): -0.0001 must be positive"),
        ({"radial": 0.0, "law": LAW}, "radial .* must be positive"),
        ({"radial": 1e-4, "axial": -1e-4, "law": LAW}, "axial .* must be positive"),
        ({"axial": 1e-4, "law": LAW}, r"radial= \(m\) is missing besides axial="),
        ({"law": LAW}, "radial= .m. is missing: without it"),
        ({"radial": 1e-4}, "law= must be a contact law"),
        ({"radial": "wide", "law": LAW}, "radial .m.: expected a number"),
        ({**PLAY, "film": 3.0}, "film= must be a JournalFilm"),
        ({**PLAY, "profile": [1.0] * 9}, "profile= must be a BoreProfile"),
        ({**PLAY, "film": fm.JournalFilm(0.05, 1e-3)}, "least_thickness of the film 0.001 m must be below the radial"),
        ({**PLAY, "section": (0.1, -0.1)}, "section .m.: -0.1 must be positive"),
    ],
)
def test_refused_clearances(given, message):
    with pytest.raises(fm.MechanismError, match=message):
        fm.Clearance(**given)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("spherical", {"axial": 1e-4}, "axial= is for joints of type revolute, not spherical"),
        ("revolute", {"section": 0.1}, "section= is for joints of type prismatic, not revolute"),
        ("cylindrical", {"film": fm.JournalFilm(0.05, 1e-6)}, "film= is for joints of type revolute, not cylindrical"),
        ("revolute", {"tilting": True}, r"a pin that tilts needs length= \(m\)"),
        ("revolute", {"tilting": True, "length": 0.1}, r"a pin that tilts needs radius="),
        ("revolute", {"film": fm.JournalFilm(0.05, 1e-6)}, r"a film needs radius="),
        ("revolute", {"profile": fm.BoreProfile(np.zeros(8))}, r"a worn bore needs radius="),
        ("revolute", {"offset": (0.0, 0.0, 0.0)}, "offset has 3 numbers, but only u, v are free"),
        ("revolute", {"friction": fm.Coulomb(0.2)}, r"friction needs radius="),
        ("spherical", {"friction": 0.2, "radius": 0.01}, "friction must be a friction law"),
        ("prismatic", {}, "a slider needs length="),
        ("prismatic", {"length": 0.1}, "a slider needs section=, two widths"),
        ("prismatic", {"length": 0.1, "section": 0.1, "normal": "x"}, "normal= must be across the axis"),
        ("universal", {}, "a universal joint cannot have clearance; revolute, spherical, prismatic, cylindrical can"),
    ],
)
def test_refused_for_a_joint(ends, kind, given, message):
    system, a, b = ends
    with pytest.raises(fm.MechanismError, match=f"joint 'hinge': .*{message}"):
        system.joint(kind, a, b, "hinge", clearance=fm.Clearance(**PLAY, **given))
    assert "hinge" not in system.joints and "hinge" not in system.contacts


def test_refused_use(ends):
    system, a, b = ends
    with pytest.raises(fm.MechanismError, match="joint 'hinge': clearance= must be a Clearance, such as .* not 0.001"):
        system.revolute(a, b, name="hinge", clearance=1e-3)
    with pytest.raises(fm.MechanismError, match="start angle: expected a number"):
        system.revolute(a, b, angle="much", name="hinge", clearance=fm.Clearance(**PLAY))
    assert "hinge" not in system.joints and "hinge" not in system.contacts
    joint = system.revolute(a, b, name="hinge", clearance=fm.Clearance(**PLAY))
    with pytest.raises(fm.MechanismError, match="'u' is free by its clearance, so that only contact stops it"):
        joint.prescribe(0.0, coordinate="u")
    joint.prescribe(0.0)  # the angle is not


def test_start_outside_of_the_bore(ends):
    system, a, b = ends
    system.revolute(a, b, name="hinge", clearance=fm.Clearance(**PLAY, offset=(6e-4, 0.0)))
    with pytest.raises(fm.MechanismError, match="contact 'hinge' starts with a penetration of 0.0001 m"):
        system.simulate(1e-3, progress=False)


def test_profiles():
    one = fm.BoreProfile(np.linspace(0.0, 7.0, 8))
    assert (one + 2.0 * one).depth == pytest.approx(3.0 * one.depth)
    assert one.spline(np.pi) == one.spline(-np.pi) == 0.0
    slope = one.spline.derivative()
    assert slope(np.pi - 1e-9) == pytest.approx(slope(-np.pi + 1e-9), abs=1e-6)
    with pytest.raises(fm.MechanismError, match="8 or more finite numbers"):
        fm.BoreProfile([0.0, 1.0])
    with pytest.raises(fm.MechanismError, match="8 and 9 angles cannot be added"):
        one + fm.BoreProfile(np.zeros(9))
    with pytest.raises(fm.MechanismError, match=r"film: viscosity \(Pa s\): 0.0 must be positive"):
        fm.JournalFilm(0.0, 1e-6)


def test_wear_says_what_it_needs(ends):
    system, a, b = ends
    system.revolute(a, b, name="hinge", clearance=fm.Clearance(**PLAY))
    result = system.simulate(1e-3, progress=False)
    good = {"coefficient": 1e-4, "hardness": 1e9, "width": 0.02}
    for joint, given, message in (
        ("axle", {}, "wear of 'axle': not a revolute or cylindrical joint with clearance; such joints: hinge"),
        ("hinge", {}, "no radius= .m., so nothing slides"),
        ("hinge", {"hardness": 0.0}, "hardness 0.0 must be positive"),
        ("hinge", {"width": None}, "give width= .m. of the bearing, or length= of the clearance"),
    ):
        with pytest.raises(fm.SimulationError, match=message):
            result.wear(joint, **(good | given))
