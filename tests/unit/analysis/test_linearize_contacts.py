"""Linear vibration of what rests on contacts and stops, in closed form; states that are not steady are refused."""

import warnings

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import MechanismWarning, rectangle
from flexmbs.analysis.evaluation.derivatives import derivatives

GRAVITY = 9.81
STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
BALL = fm.RigidBody.sphere(7850.0, 0.01)


def on_plane(height, stiffness, body=BALL, coordinates="reduced"):
    """A ball of 10 mm radius, its centre at ``height`` over the plane, free to move."""
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY), coordinates=coordinates)
    ball = system.add(body, name="ball")
    system.free(system.ground["origin"], ball["origin"], position=(0.0, 0.0, height), name="flight")
    plane = fm.Plane(system.ground["origin"], normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], radius=0.01), plane, law=fm.Hertz(stiffness), name="floor")
    return system


def resting_frequency(mass, stiffness, weight):
    """Hz of a mass on a Hertz contact pressed by a weight: k_t = 3/2 weight / depth."""
    depth = (weight / stiffness) ** (2.0 / 3.0)
    return np.sqrt(1.5 * weight / depth / mass) / (2.0 * np.pi)


@pytest.mark.parametrize("height", [0.01, 0.012, 0.01 - 1e-9, 0.0099])
def test_ball_resting_on_a_plane(height):
    """Laid on the plane, 2 mm above it, pressed in too little and too much."""
    stiffness = fm.Hertz.from_materials(0.01, STEEL, STEEL).stiffness
    modes = on_plane(height, stiffness).linearize()
    expected = resting_frequency(BALL.mass, stiffness, BALL.mass * GRAVITY)
    assert modes.frequencies[-1] == pytest.approx(expected, rel=1e-6)
    assert modes.frequencies[:-1] == pytest.approx(0.0, abs=1e-4 * expected)  # rolling and sliding are free
    assert modes.touching == ("floor",)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_one_kilogram_on_a_plane(coordinates):
    expected = resting_frequency(1.0, 1e9, GRAVITY)
    assert expected == pytest.approx(285.0, abs=0.5)
    body = fm.RigidBody(1.0, (4e-5, 4e-5, 4e-5))
    modes = on_plane(0.01, 1e9, body, coordinates).linearize()
    assert modes.frequencies[-1] == pytest.approx(expected, rel=1e-6)


def test_contact_that_does_not_touch_is_open():
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    block = system.add(fm.RigidBody(2.0, (1.0, 1.0, 1.0)), name="block")
    system.prismatic(system.ground["origin"], block["origin"], axis="z", name="slide").spring(200.0)
    floor = fm.Plane(system.ground.marker("floor", position=(0.0, 0.0, -1.0)), normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(block["origin"], radius=0.01), floor, law=fm.Hertz(1e9))
    modes = system.linearize()
    assert 2.0 * np.pi * modes.frequencies == pytest.approx([10.0], rel=1e-8)
    assert modes.touching == ()


def test_flexible_beam_resting_on_a_ball():
    """A cantilever whose tip lies on a soft contact of the first power vibrates as one on a spring does."""
    mesh = fm.line_mesh(1.0, 8, rectangle(0.02, 0.01), STEEL)
    body = fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=fm.CraigBampton("root", count=4))

    def cantilever():
        system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
        beam = system.add(body, name="beam")
        system.fixed(system.ground["origin"], beam["root"])
        return system, beam

    system, beam = cantilever()
    below = fm.Plane(system.ground["origin"], normal=(0.0, 0.0, 1.0))
    system.contact(fm.Point(beam["tip"]), below, law=fm.PowerLaw(5e3, 1.0), name="rest")
    resting = system.linearize()
    assert resting.touching == ("rest",)
    system, beam = cantilever()
    anchor = system.ground.marker("far", position=(1.0, 0.0, -100.0))  # so far that its pull stays vertical
    system.spring_damper(beam["tip"], anchor, stiffness=5e3, length=100.0)
    expected = system.linearize().frequencies
    assert resting.frequencies[:4] == pytest.approx(expected[:4], rel=1e-4)


def test_block_on_a_stop_is_pressed_in_by_less_than_the_step_of_differences():
    """Depth 1e-6 m where the steps begin at 1e-5 m: omega^2 = p g / depth for a force k depth^p."""
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    block = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="block")
    slide = system.prismatic(system.ground["origin"], block["origin"], axis="z", name="slide")
    slide.limit(lower=0.0, stiffness=GRAVITY / 1e-6**1.5, exponent=1.5)
    slide.start["displacement"] = -2e-6
    frequency = system.linearize().frequencies[-1]
    assert 2.0 * np.pi * frequency == pytest.approx(np.sqrt(1.5 * GRAVITY / 1e-6), rel=1e-6)


def test_derivatives_find_their_step():
    smooth = derivatives(lambda x: np.array([np.sin(1.0 + x[0]), x[0] * x[1] + x[1]]), 2, 1e-5)
    assert smooth == pytest.approx(np.array([[np.cos(1.0), 0.0], [0.0, 1.0]]), rel=1e-9, abs=1e-10)
    for depth in (1e-4, 1e-6, 1e-8):  # the force of a contact, none where it opens
        found = derivatives(lambda x, d=depth: np.maximum(d + x, 0.0) ** 1.5, 1, 1e-5)
        assert found[0, 0] == pytest.approx(1.5 * depth**0.5, rel=1e-6)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_a_falling_mass_is_refused_with_its_acceleration(coordinates):
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY), coordinates=coordinates)
    system.free(system.ground["origin"], system.add(BALL, name="ball")["origin"], name="flight")
    with pytest.raises(fm.SimulationError, match=r"'(flight|ball\.free)\.z' accelerates by -9\.81 m/s2"):
        system.linearize()


def test_a_ball_beside_its_plane_falls():
    system = fm.System(gravity=(0.0, 0.0, GRAVITY))  # upward, away from the floor
    ball = system.add(BALL, name="ball")
    system.free(system.ground["origin"], ball["origin"], position=(0.0, 0.0, 0.02), name="flight")
    plane = fm.Plane(system.ground["origin"], normal=(0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], radius=0.01), plane, law=fm.Hertz(1e9))
    with pytest.raises(fm.SimulationError, match=r"'flight\.z' accelerates by 9\.81 m/s2"):
        system.linearize()


def test_a_pushed_rotor_is_refused():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rotor = system.add(fm.RigidBody(1.0, (1.0, 1.0, 0.5)), name="rotor")
    system.revolute(system.ground["origin"], rotor["origin"], name="axle").actuate(2.0)
    with pytest.raises(fm.SimulationError, match=r"'axle\.angle' accelerates by 4 rad/s2"):
        system.linearize()


def test_neutral_states_are_steady():
    """Free in space, and lying on a plane: nothing accelerates."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    system.free(system.ground["origin"], system.add(BALL, name="ball")["origin"], name="flight")
    assert system.linearize().frequencies == pytest.approx(0.0)


def test_a_driver_that_accelerates_is_refused():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    hub, rod = system.add(BALL, name="hub"), system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], hub["origin"], name="spin").prescribe(fm.Polynomial([0.0, 0.0, 3.0]))
    system.revolute(hub["origin"], rod["origin"], name="hinge").spring(10.0)
    with pytest.raises(fm.SimulationError, match=r"driver of 'spin\.angle' accelerates by 6"):
        system.linearize()


def test_a_rotor_that_turns_by_itself_is_warned_of_and_a_pendulum_in_motion_is_not():
    system = fm.System(gravity=(0.0, -GRAVITY, 0.0))
    rotor = system.add(fm.RigidBody(1.0, (1.0, 1.0, 0.5)), name="rotor")
    system.revolute(system.ground["origin"], rotor["origin"], rate=50.0, name="axle")
    with pytest.warns(MechanismWarning, match=r"'axle\.angle' moves steadily at 50 .* prescribe it"):
        system.linearize()
    system = fm.System(gravity=(0.0, -GRAVITY, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], angle=-np.pi / 2, rate=2.0, name="hinge")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frequencies = system.linearize().frequencies
    assert 2.0 * np.pi * frequencies == pytest.approx([np.sqrt(1.5 * GRAVITY)], rel=1e-8)


def test_frequencies_of_a_whirling_mass_are_those_of_the_turning_frame():
    """A mass on equal springs, 10 rad/s in the stationary frame, on a hub that turns at 3 rad/s: 10 - 3 and 10 + 3."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    hub, link, mass = (
        system.add(fm.RigidBody(m, (1e-9, 1e-9, 1e-9)), name=name) for name, m in (("hub", 1.0), ("link", 1e-9), ("mass", 2.0))
    )
    system.revolute(system.ground["origin"], hub["origin"], name="spin").prescribe(fm.Polynomial([0.0, 3.0]))
    for before, after, axis in ((hub, link, "x"), (link, mass, "y")):
        system.prismatic(before["origin"], after["origin"], axis=axis, name=axis).spring(200.0)
    modes = system.linearize()
    assert 2.0 * np.pi * modes.frequencies == pytest.approx([7.0, 13.0], rel=1e-6)
    assert modes.turning == {"spin.angle": pytest.approx(3.0)}
    assert "'spin.angle' at 3 rad/s" in modes.frame and "frequencies in the stationary frame differ" in modes.frame


def test_a_pendulum_held_out_finds_its_rest():
    """At the horizontal its stiffness is zero; the nearest steady state is where it falls to."""
    system = fm.System(gravity=(0.0, -GRAVITY, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge")
    modes = system.linearize()
    assert modes.steady_state == pytest.approx([-np.pi / 2], abs=1e-10)
    assert 2.0 * np.pi * modes.frequencies == pytest.approx([np.sqrt(1.5 * GRAVITY)], rel=1e-8)


def test_at_rest_the_frame_is_the_stationary_one():
    system = fm.System(gravity=(0.0, -GRAVITY, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge")
    assert system.linearize().frame == "the stationary frame"
