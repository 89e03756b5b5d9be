"""Friction that sticks in joints against closed forms and independent integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexmbs as fm

G = 9.81
# angle, dynamic and static coefficient, speed; time and place of the stop
INCLINES = {
    "stays": (0.3490658503988659, 0.35, 0.45, 3.0, 0.4558125984102808, 0.6837188976154213),
    "slides back": (0.6108652381980153, 0.3, 0.4, 4.0, 0.4976641320934844, 0.9953282641869688),
    "down": (0.2617993877991494, 0.4, 0.4, -2.0, 1.5983656903865433, -1.5983656903865433),
}


def block(normal_force, static, dynamic, gravity, rate=0.0, displacement=0.0, mass=1.0):
    system = fm.System(gravity=gravity)
    body = system.add(fm.RigidBody(mass, (0.01, 0.01, 0.01)), name="block")
    joint = system.prismatic(system.ground["origin"], body["origin"], name="x", axis="x", displacement=displacement, rate=rate)
    joint.friction(fm.DryFriction(static, dynamic), normal_force=normal_force)
    return system


@pytest.mark.parametrize("from_reaction", [False, True])
@pytest.mark.parametrize("name", INCLINES)
def test_block_on_an_incline_stops_where_and_when_it_must(name, from_reaction):
    """Closed form (impact_friction_basics of the reference cases: block_up_incline_..., block_down_incline)."""
    angle, dynamic, static, speed, stops, distance = INCLINES[name]
    normal = "reaction" if from_reaction else G * np.cos(angle)
    system = block(normal, static, dynamic, (-G * np.sin(angle), 0.0, -G * np.cos(angle)), rate=speed)
    found = system.simulate(2.0, rtol=1e-9)
    rate, place = found["x.displacement.rate"], found["x.displacement"]
    at = int(np.argmax(np.abs(rate) < 1e-11))
    assert found.t[at] == pytest.approx(stops, rel=1e-10)
    assert place[at] == pytest.approx(distance, rel=1e-10)
    if name == "slides back":
        fall = 2.0 - stops
        assert place[-1] == pytest.approx(distance - 0.5 * 3.216020374261259 * fall**2, rel=1e-9)
    else:
        assert np.abs(place[at:] - distance).max() < 1e-12
    assert np.abs(found["energy.balance"]).max() < 1e-10


def test_pendulum_rests_for_100_s_without_creep():
    mass, arm, radius, angle = 2.0, 0.5, 0.05, 0.02
    system, _rod = pendulum(mass, arm, angle, 0.3, 0.2, radius)
    found = system.simulate(100.0)
    assert np.ptp(found["hinge.angle"]) * arm < 1e-12
    needed = mass * G * arm * np.sin(angle)
    assert found["hinge.angle.friction.effort"][-1] == pytest.approx(needed, rel=1e-9)


def pendulum(mass, arm, angle, static, dynamic, radius, spherical=False, inertia=0.02, normal="reaction"):
    system = fm.System(gravity=(0.0, -G, 0.0))
    rod = system.add(fm.RigidBody(mass, (inertia,) * 3), name="rod")
    rod.marker("pin", position=(-arm * np.sin(angle), arm * np.cos(angle), 0.0))
    ground = system.ground["origin"]
    if spherical:
        joint = system.spherical(ground, rod["pin"], name="hinge")
    else:
        joint = system.revolute(ground, rod["pin"], name="hinge", axis="z")
    joint.friction(fm.DryFriction(static, dynamic), normal_force=normal, radius=radius)
    return system, rod


def swing(mass, arm, angle, mu, radius, t_end, inertia=0.02):
    """Angle from the vertical of a pendulum with bearing friction until it is back at rest, and when; by DOP853."""
    about = inertia + mass * arm**2

    def acceleration(x, rate):
        push, alpha = -np.sign(rate) if rate != 0.0 else np.sign(x), 0.0
        for _ in range(60):
            across, along = arm * alpha + G * np.sin(x), arm * rate**2 + G * np.cos(x)
            alpha = (-mass * G * arm * np.sin(x) + push * mu * radius * mass * np.hypot(across, along)) / about
        return alpha

    def stops(_t, y):
        return y[1]

    stops.terminal, stops.direction = True, 1.0
    solved = solve_ivp(
        lambda t, y: (y[1], acceleration(*y)),
        (0.0, t_end),
        (angle, -1e-14),
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        events=stops,
        first_step=1e-4,
    )
    return solved.t[-1], solved.y[0, -1]


@pytest.mark.parametrize("spherical", [False, True])
def test_pendulum_with_the_reaction_of_the_same_instant(spherical):
    """Against DOP853, with the normal force solved for together with the acceleration."""
    mass, arm, angle, mu, radius = 2.0, 0.5, 1.2, 0.25, 0.1
    when, where = swing(mass, arm, angle, mu, radius, 3.0)
    system, rod = pendulum(mass, arm, angle, mu, mu, radius, spherical)
    found = system.simulate(when + 0.05, rtol=1e-9)
    x = found["rod.position.x"] / arm
    at = int(np.argmin(x))
    assert found.t[at] == pytest.approx(when, abs=1e-8)
    assert np.arcsin(x[at]) == pytest.approx(where, abs=1e-8)
    assert np.abs(found["energy.balance"]).max() < 1e-8


def test_energy_per_swing_with_a_constant_normal_force():
    mass, arm, angle, mu, radius, normal = 2.0, 0.5, 1.0, 0.3, 0.02, 50.0
    torque = mu * normal * radius
    system, _rod = pendulum(mass, arm, angle, mu, mu, radius, normal=normal)
    found = system.simulate(1.1, rtol=1e-9)
    turn = brentq(lambda x: mass * G * arm * (np.cos(x) - np.cos(angle)) - torque * (angle + x), 0.5, angle)
    swung = found["hinge.angle"] + angle
    assert swung.min() == pytest.approx(-turn, rel=1e-9)


@pytest.mark.parametrize(("static", "jams"), [(0.99, False), (1.01, True)])
def test_drawer_on_two_guides_jams(static, jams):
    """Pushed at an offset b it jams for every force if mu > L / (2 b), with guides L apart."""
    length, offset, push = 0.2, 0.4, 50.0
    critical = length / (2.0 * offset)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    drawer = system.add(fm.RigidBody(2.0, (0.1, 0.1, 0.1)), name="drawer")
    drawer.marker("handle", position=(0.0, offset, 0.0))
    guide = system.prismatic(system.ground["origin"], drawer["origin"], name="guide", axis="x")
    guide.friction(fm.DryFriction(static * critical), normal_force="reaction", bearing_length=length)
    system.force(drawer["handle"], (push, 0.0, 0.0))
    found = system.simulate(0.5)
    slid = 0.0 if jams else 0.5 * push * (1.0 - static) / 2.0 * 0.5**2
    assert found["guide.displacement"][-1] == pytest.approx(slid, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(("part", "locks"), [(0.98, False), (1.02, True)])
def test_screw_locks_itself(part, locks):
    """It does if tan(lead angle) < mu; if not, the nut falls as its thread allows."""
    mass, inertia, radius, pitch, t_end = 1.5, 1e-4, 0.01, 0.006, 0.2
    advance = pitch / (2.0 * np.pi)
    lead = np.arctan(advance / radius)
    mu = part * np.tan(lead)
    system = fm.System(gravity=(0.0, 0.0, -G))
    nut = system.add(fm.RigidBody(mass, (inertia,) * 3), name="nut")
    thread = system.screw(system.ground["origin"], nut["origin"], pitch, name="thread", axis="z")
    thread.friction(fm.DryFriction(mu), normal_force="reaction", radius=radius)
    found = system.simulate(t_end, rtol=1e-9)
    s, c = np.sin(lead), np.cos(lead)
    fall = G / (1.0 + inertia * (c + mu * s) / (mass * advance * radius * (s - mu * c)))
    moved = 0.0 if locks else -0.5 * fall * t_end**2
    assert found["nut.position.z"][-1] == pytest.approx(moved, rel=1e-7, abs=1e-12)


def test_friction_in_all_joints_of_a_slider_crank_balances_its_energy():
    """Revolute, cylindrical, spherical and prismatic joints at once, with dead centres where no friction can hold."""
    r, length, at = 0.1, 0.3, 0.7
    system = fm.System(gravity=(0.0, 0.0, -G))
    crank = system.add(fm.RigidBody(1.0, (1e-2,) * 3), name="crank")
    crank.marker("end", position=(r, 0.0, 0.0))
    rod = system.add(fm.RigidBody(0.5, (5e-3,) * 3), name="rod")
    rod.marker("big", position=(-0.5 * length, 0.0, 0.0))
    rod.marker("small", position=(0.5 * length, 0.0, 0.0))
    slider = system.add(fm.RigidBody(0.8, (1e-3,) * 3), name="slider")
    ground, tilt = system.ground["origin"], np.arcsin(r * np.sin(at) / length)
    main = system.revolute(ground, crank["origin"], name="main", axis="y", angle=-at, rate=-8.0)
    pin = system.cylindrical(crank["end"], rod["big"], name="pin", axis="y", angle=at + tilt)
    place = r * np.cos(at) + length * np.cos(tilt)
    guide = system.prismatic(ground, slider["origin"], name="guide", axis="x", displacement=place)
    wrist = system.spherical(rod["small"], slider["origin"], name="wrist")
    for joint, radius in ((main, 0.02), (pin, 0.01), (wrist, 0.01), (guide, None)):
        joint.friction(fm.DryFriction(0.15, 0.1), normal_force="reaction", radius=radius)
    found = system.simulate(0.6, rtol=1e-7)
    assert found["main.angle"][-1] < -np.pi  # beyond a dead centre
    assert found["energy.loss"][-1] > 0.1
    assert np.abs(found["energy.balance"]).max() < 1e-6


def refused(text, **changed):
    system = fm.System()
    arm = system.add(fm.RigidBody.rod(2.0, 0.5), name="arm")
    hinge = system.revolute(system.ground["origin"], arm["origin"], name="hinge")
    with pytest.raises(fm.MechanismError, match=text):
        hinge.friction(fm.DryFriction(0.3, 0.2), **{"normal_force": 5.0, "radius": 0.01, **changed})


def test_bad_input_is_refused():
    refused("needs radius=", radius=None)
    refused("are not for fm.DryFriction", transition=1e-3)
    refused("axial_radius= is for", axial_radius=0.02)
    refused("normal_force", normal_force="reactions")
    with pytest.raises(fm.MechanismError, match="must not be below the kinetic one"):
        fm.DryFriction(0.2, 0.3)


def test_two_that_stick_on_one_coordinate_are_refused():
    system = block(5.0, 0.3, 0.2, (0.0, 0.0, -G))
    with pytest.raises(fm.MechanismError, match="share no load"):
        system.joints["x"].friction(fm.DryFriction(0.3), normal_force=1.0)


# mass, stiffness, dynamic and static coefficient, start, speed of the belt; times and places of some transitions
OSCILLATORS = {
    "static above dynamic": (
        (1.5, 60.0, 0.2, 0.35, 0.5, 0.0),
        ((0.496729413289805, -0.4019), (1.490188239869415, -0.2057), (2.4836470664490253, -0.0095)),
    ),
    "belt": (
        (1.0, 40.0, 0.25, 0.4, 0.25, 0.3),
        (
            (0.5369087101621469, -0.12131546241608236),
            (0.8221007044084166, -0.0013095375839176499),
            (1.1534658296881422, 0.0981),
            (2.968432473379549, 0.024525),
        ),
    ),
}


@pytest.mark.parametrize("from_reaction", [False, True])
@pytest.mark.parametrize("name", OSCILLATORS)
def test_transitions_of_the_friction_oscillator(name, from_reaction):
    """Exact, in closed form between transitions (friction_oscillator of the reference cases)."""
    (mass, stiffness, dynamic, static, start, speed), transitions = OSCILLATORS[name]
    system = fm.System(gravity=(0.0, 0.0, -G))
    ground = system.ground["origin"]
    belt = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01)), name="belt")
    body = system.add(fm.RigidBody(mass, (0.01, 0.01, 0.01)), name="block")
    system.prismatic(ground, belt["origin"], name="drive", axis="x").prescribe(rate=speed)
    joint = system.prismatic(belt["origin"], body["origin"], name="x", axis="x", displacement=start, rate=-speed)
    system.bushing(ground, body["origin"], stiffness=np.diag([stiffness, 0.0, 0.0, 0.0, 0.0, 0.0]), name="spring")
    joint.friction(fm.DryFriction(static, dynamic), normal_force="reaction" if from_reaction else mass * G)
    found = system.simulate(3.0, rtol=1e-9)
    for time, place in transitions:
        at = int(np.argmin(np.abs(found.t - time)))
        assert found.t[at] == pytest.approx(time, rel=1e-8)
        assert found["block.position.x"][at] == pytest.approx(place, rel=1e-6)
    if speed == 0.0:
        assert np.ptp(found["block.position.x"][found.t > 2.5]) < 1e-12
    assert np.abs(found["energy.balance"]).max() < 1e-7


def test_reversals_of_an_oscillator_with_a_single_coefficient():
    """Each half swing is shorter by 4 mu g / w^2: amplitudes in closed form."""
    mu, stiffness, start = 0.2, 60.0, 0.5
    system = block(G, mu, mu, (0.0, 0.0, -G), displacement=start)
    system.joints["x"].spring(stiffness=stiffness)
    half, lost = np.pi / np.sqrt(stiffness), 2.0 * mu * G / stiffness
    found = system.simulate(4.2 * half, rtol=1e-10)
    for k in range(1, 5):
        at = int(np.argmin(np.abs(found.t - k * half)))
        assert found.t[at] == pytest.approx(k * half, rel=1e-9)
        assert found["x.displacement"][at] == pytest.approx((-1) ** k * (start - k * lost), rel=1e-8)
