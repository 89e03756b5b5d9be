"""Joints out of line: rigid motion first, the least elastic energy, what is warned of, what is refused, and the words.

Energies are those of beam theory: the bodies are Euler-Bernoulli beams whose static modes are exact.
"""

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from flexible_loops import HEIGHT, OUT_OF_LINE, ROD, SECTION, STEEL, WIDTH, beam, piston_place, slider_crank

import flexmbs as fm
from flexmbs import box_mesh
from flexmbs.app.cli.main import cli

E, G = STEEL.youngs_modulus, STEEL.youngs_modulus / 2.6
# Second-order terms of the bent shape: (offset / length)^2 = 2e-6, and numbers printed with four digits.
SECOND_ORDER = 1e-4


def solid_rod():
    mesh = box_mesh((ROD, HEIGHT, WIDTH), (6, 2, 2), STEEL)
    return fm.reduce(mesh, interfaces={"big": "ROOT", "small": "TIP"}, modes=fm.CraigBampton("big", count=4))


@pytest.mark.parametrize("angle", [0.0, 0.7, -0.7, 2.0])
def test_aligned_rod_is_placed_by_rigid_motion_alone(angle):
    """Without start values; in front of the crank from all angles at which the rod need not turn over."""
    for body, ends in ((solid_rod(), ("big", "small")), (beam(ROD), ("in", "out"))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = slider_crank(body, angle, ends=ends, speed=300.0).assemble()
        assert found["liner.displacement"][0] == pytest.approx(piston_place(angle), abs=1e-12)
        assert found["energy.elastic"][0] == 0.0
        assert found["constraint_error"][0] < 1e-12


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0])
def test_offset_bends_the_rod_with_the_energy_of_beam_theory(angle):
    """Both pins keep their axes: the rod is guided at both ends, U = 6 E I d^2 / L^3 (I across the plane)."""
    offset = 2e-4
    with pytest.warns(fm.MechanismWarning, match=OUT_OF_LINE) as told:
        found = slider_crank(beam(ROD), angle, offset, speed=300.0).assemble()
    assert len(told) == 1
    energy = 6.0 * E * SECTION.Iy * offset**2 / ROD**3
    assert found["energy.elastic"][0] == pytest.approx(energy, rel=SECOND_ORDER)
    assert found["liner.displacement"][0] == pytest.approx(piston_place(angle), abs=offset**2 / ROD)
    assert found["constraint_error"][0] < 1e-11
    message = str(told[0].message)
    for words in ("revolute 'wrist'", "'piston.origin' is off by 0.2 mm", "of marker 'rod.out'", f"{energy:.4g} J"):
        assert words in message
    assert told[0].filename == __file__


@pytest.mark.parametrize("offset", [1e-9, 1e-8])
def test_offsets_of_the_digits_of_a_mesh_are_not_warned_of(offset):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = slider_crank(beam(ROD), 0.7, offset, speed=300.0).assemble()
    assert found["constraint_error"][0] < 1e-11


def test_solid_rod_with_an_offset():
    """U = 6 E I d^2 / (L^3 (1 + f)), f = 12 E I / (5/6 G A L^2), to 5 %: bricks, held by the means of end faces.

    With 12 x 4 x 4 bricks means are 3.4 % softer than beam theory, rigid ends, which cannot contract, 2.5 % stiffer.
    """
    with pytest.warns(fm.MechanismWarning, match="0.2 mm along -z of marker 'rod.small'"):
        found = slider_crank(solid_rod(), 0.0, 2e-4, ends=("big", "small")).assemble()
    shear = 12.0 * E * SECTION.Iy / (5.0 / 6.0 * G * SECTION.area * ROD**2)
    energy = 6.0 * E * SECTION.Iy * 2e-4**2 / ROD**3 / (1.0 + shear)
    assert found["energy.elastic"][0] == pytest.approx(energy, rel=0.05)


def test_tilt_about_the_rod_twists_it():
    """At dead centre a pin that is tilted by a about the rod twists it: U = G J a^2 / (2 L)."""
    tilt = np.radians(0.2)
    with pytest.warns(fm.MechanismWarning, match="turned by 0.2 degrees"):
        found = slider_crank(beam(ROD), 0.0, tilt=(tilt, 0.0, 0.0)).assemble()
    energy = 0.5 * G * SECTION.torsion_constant * tilt**2 / ROD
    assert found["energy.elastic"][0] == pytest.approx(energy, rel=1e-3)  # of it (tilt)^2 from the bent shape


def test_stated_deformation_is_no_misalignment():
    """Energy and warning count what is added to the modal coordinates that were stated."""
    body = beam(ROD)
    system = slider_crank(body, 0.3)
    bent = fm.System(gravity=(0.0, 0.0, 0.0))
    stated = np.zeros(body.mode_count)
    stated[-1] = 1e-5  # a mode with both ends held
    system.bodies["rod"].modal_coordinates = stated
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = system.assemble()
    assert found["energy.elastic"][0] == pytest.approx(0.5 * stated @ body.Ke @ stated, rel=1e-12)
    assert bent.describe().closing.joints == ()


@pytest.mark.parametrize(
    ("body", "geometry", "words"),
    [
        ("rigid", {"offset": 2e-4}, ("no flexible body", "off by 0.2 mm along -z of marker 'rod.out'")),
        ("rigid", {"tilt": (np.radians(5.0), 0.0, 0.0)}, ("turned by 5 degrees", "axis of 'shaft' is 5 degrees from")),
        ("beam", {"offset": 5e-3}, ("more than 1 % of the size", "off by 5 mm along -z")),
        ("beam", {"tilt": (0.0, np.radians(5.0), 0.0)}, ("2 degrees", "turned by 5 degrees")),
        ("short beam", {"offset": 9e-4}, ("straining bodies beyond 0.5 %", "off by 0.9 mm", "J of elastic energy")),
    ],
)
def test_what_is_refused_with_numbers(body, geometry, words):
    system = slider_crank(None if body == "rigid" else beam(ROD if body == "beam" else 0.06), **geometry)
    for analysis in (system.assemble, lambda: system.simulate(0.01)):
        with pytest.raises(fm.MechanismError) as told:
            analysis()
        for word in words:
            assert word in str(told.value)
    assert told.value.closing.joints[0].joint == "wrist"


def closed_four_bar(tilt: float) -> fm.System:
    """Closed as stated; the axis of 'C' is tilted in both bodies, so that nothing is open and nothing can move."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    places = np.array([[0.0, 0.0, 0.0], [0.2, 0.5, 0.0], [1.1, 0.8, 0.0], [1.0, 0.0, 0.0]])
    markers = [system.ground.marker(name, position=places[k]) for name, k in (("A", 0), ("D", 3))]
    parts = [system.add(fm.RigidBody.box(1000.0, (0.5, 0.02, 0.02)), name) for name in ("crank", "coupler", "rocker")]
    turned = (0.0, tilt, 0.0)
    system.revolute(markers[0], parts[0].marker("in", position=places[0]), name="A")
    system.revolute(parts[0].marker("out", position=places[1]), parts[1].marker("in", position=places[1]), name="B")
    system.revolute(
        parts[1].marker("out", position=places[2], rotation=turned),
        parts[2].marker("out", position=places[2], rotation=turned),
        name="C",
    )
    system.revolute(markers[1], parts[2].marker("in", position=places[3]), name="D")
    return system


def test_axes_that_lock_a_closed_loop():
    words = "axis of 'C' is 5 degrees from those of .* which are parallel; with rigid bodies this locks the loop"
    with pytest.warns(fm.MechanismWarning, match=words):
        closed_four_bar(np.radians(5.0)).assemble()
    driven = closed_four_bar(np.radians(5.0))
    driven.joints["A"].prescribe(fm.Polynomial([0.0, 3.0]))
    with pytest.raises(fm.MechanismError, match=words):
        driven.simulate(0.1)
    elsewhere = closed_four_bar(np.radians(5.0))
    elsewhere.joints["A"].prescribe(0.7)
    with pytest.raises(fm.MechanismError, match=OUT_OF_LINE):
        elsewhere.assemble()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert closed_four_bar(0.0).assemble()["constraint_error"][0] < 1e-12


def cantilever(deflection: float) -> fm.System:
    """A beam whose tip a driver lifts; along the beam it may slide, and turn."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(beam(1.0), "beam")
    system.fixed(system.ground["origin"], part["in"], name="clamp")
    tip = system.planar(system.ground.marker("stop", position=(1.0, 0.0, 0.0)), part["out"], name="tip", cut=True)
    tip.prescribe(deflection, coordinate="v")
    return system


def test_bending_that_drivers_demand():
    """U = 3 E I d^2 / (2 L^3) to second order in d / L: a part (6/5 d^2 / L^2) of it comes from the shortening."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cantilever(0.02).assemble()
    energy = 1.5 * E * SECTION.Iz * 0.02**2
    assert found["energy.elastic"][0] == pytest.approx(energy, rel=1e-3)
    with pytest.warns(fm.MechanismWarning, match="drivers of 'tip.v' the loops close only by bending"):
        cantilever(0.3).assemble()
    with pytest.raises(fm.MechanismError, match="straining bodies beyond 10 %.*Start the drivers"):
        cantilever(5.0).assemble()


def test_describe_shows_misalignments():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said in the description, not twice
        found = slider_crank(beam(ROD), 0.0, 2e-4).describe()
    assert found.problem == "" and found.mobility.freedoms_without_drivers > 0
    (joint,), (body,) = found.closing.joints, found.closing.bodies
    assert np.linalg.norm(joint.gap) == pytest.approx(2e-4, rel=1e-6)
    # the strain is the mean along the first of four elements, where the moment falls to a half of that at the end
    assert body.stress == pytest.approx(E * body.strain / 0.75, rel=1e-3)
    text = str(found)
    for words in ("Misaligned joints", "wrist  rod.out  piston.origin  0.2", "Bent to close loops", "strain [%]"):
        assert words in text
    refused = slider_crank(None, 0.0, tilt=(np.radians(5.0), 0.0, 0.0)).describe()
    plain = json.loads(json.dumps(refused.as_dict()))
    assert plain["mobility"] is None and OUT_OF_LINE in plain["problem"]
    assert plain["closing"]["misaligned_joints"][0]["angle_degrees"] == pytest.approx(5.0)
    assert plain["closing"]["axes"][0]["joint"] == "shaft"


CASE = '''
"""A door whose upper hinge is out of line."""
from dataclasses import dataclass
import flexmbs as fm

@dataclass(frozen=True)
class Parameters:
    offset: float = fm.parameter(3e-4, "m", "of the upper hinge")
    t_end: float = fm.parameter(1.0, "s", "end time")

def build(p):
    system = fm.System()
    door = system.add(fm.RigidBody.box(500.0, (0.8, 0.02, 2.0)), name="door")
    system.revolute(system.ground["origin"], door["origin"], name="lower")
    upper = system.ground.marker("upper", position=(p.offset, 0.0, 1.8))
    system.revolute(upper, door.marker("upper", position=(0.0, 0.0, 1.8)), name="upper")
    return system

def figures(result, p):
    return {}
'''


def test_command_shows_misalignments(tmp_path):
    path = tmp_path / "door.py"
    path.write_text(CASE)
    shown = CliRunner().invoke(cli, ["describe", str(path)])
    assert shown.exit_code == 0, shown.output
    assert "Misaligned joints" in shown.output and "0.3" in shown.output and OUT_OF_LINE in shown.output
    shown = CliRunner().invoke(cli, ["describe", str(path), "--json"])
    assert json.loads(shown.output)["closing"]["misaligned_joints"][0]["gap_m"] == pytest.approx(3e-4)
