"""Friction, rolling and pivoting resistance of contacts, against closed forms and a direct integration of LuGre."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

import flexmbs as fm

G, MASS, RADIUS, STIFFNESS = 9.81, 2.0, 0.1, 1e7
WEIGHT = MASS * G
DEPTH = WEIGHT / STIFFNESS  # of a sphere at rest
INERTIA = 0.4 * MASS * RADIUS**2
# Friction acts half way between the undeformed surfaces.
ARM = RADIUS - 0.5 * DEPTH
DAMPED = fm.LinearContact(STIFFNESS, 1.4 * np.sqrt(STIFFNESS * MASS))


def placed(friction, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), slope=0.0, radius=RADIUS) -> fm.System:
    """A sphere (``radius`` 0: a block that does not turn) in touch with a floor, which it presses at once."""
    system = fm.System(gravity=(-G * np.sin(slope), 0.0, -G * np.cos(slope)))
    ball = system.add(
        fm.RigidBody(MASS, (INERTIA,) * 3), name="ball", position=(0.0, 0.0, radius), velocity=velocity, angular_velocity=spin
    )
    shape = fm.Sphere(ball["origin"], radius) if radius else fm.Point(ball["origin"])
    floor = fm.Plane(system.ground.frame, normal=(0.0, 0.0, 1.0))
    system.contact(shape, floor, law=DAMPED, friction=friction, name="floor")
    return system


@pytest.mark.parametrize(
    "friction",
    [
        fm.Coulomb(0.3, transition=1e-5),
        fm.Threlfall(0.3, transition=1e-5),
        fm.Stribeck(0.3, 0.3, 1.0, transition=1e-5),
        fm.LuGre(0.3, 0.3, 0.01, stiffness=1e6, damping=300.0),
    ],
)
def test_a_block_stops_on_an_incline(friction):
    slope, speed = 0.2, 0.5
    deceleration = G * (np.sin(slope) + 0.3 * np.cos(slope))
    result = placed(friction, (speed, 0.0, 0.0), slope=slope, radius=0.0).simulate(0.2, rtol=1e-7, progress=False)
    before = 0.5 * speed / deceleration
    assert result.at(before)["ball.origin.velocity.x"] == pytest.approx(0.5 * speed, rel=1e-4)
    # it then sticks, as tan(slope) < 0.3; regularised friction lets it creep by less than 1e-5 m/s, and bristles of
    # LuGre that deflect by 3e-7 m let it swing back by about ten times that
    assert result["ball.position.x"][-1] == pytest.approx(0.5 * speed**2 / deceleration, rel=2e-4)
    assert abs(result["ball.origin.velocity.x"][-1]) < 1e-5
    assert result["floor.friction"][-1] == pytest.approx(WEIGHT * np.sin(slope), rel=1e-6)


def test_a_block_slows_down_by_stribeck_friction():
    """v' = -g (mu + c v) without a static coefficient: v = (v0 + mu / c) exp(-g c t) - mu / c."""
    friction, t = fm.Stribeck(0.1, 0.1, 1.0, viscous=0.2, transition=1e-5), 0.2
    result = placed(friction, (1.0, 0.0, 0.0), radius=0.0).simulate(t, rtol=1e-7, progress=False)
    expected = 1.5 * np.exp(-G * 0.2 * t) - 0.5
    assert result["ball.origin.velocity.x"][-1] == pytest.approx(expected, rel=1e-5)


def test_a_sliding_sphere_begins_to_roll():
    """5/7 of its speed is left (here with the arm of friction half a depth shorter), after 2 v / (7 mu g)."""
    result = placed(fm.Coulomb(0.2, transition=1e-6), (1.0, 0.0, 0.0)).simulate(0.3, rtol=1e-8, progress=False)
    rolling = 1.0 / (1.0 + INERTIA / (MASS * ARM**2))
    assert rolling == pytest.approx(5.0 / 7.0, rel=1e-5)
    starts = (1.0 - rolling) / (0.2 * G)
    assert result.at(0.5 * starts)["ball.origin.velocity.x"] == pytest.approx(1.0 - 0.5 * (1.0 - rolling), rel=1e-6)
    # 1e-6: the normal force reaches the weight within a millisecond, with the same impulse
    assert result["ball.origin.velocity.x"][-1] == pytest.approx(rolling, rel=1e-6)
    assert result["ball.position.x"][-1] == pytest.approx(0.5 * (1.0 + rolling) * starts + rolling * (0.3 - starts), rel=1e-5)
    assert result["floor.slip"][-1] < 1e-6
    # what friction takes is what is missing, 1/7 m v^2
    taken = simpson(result["floor.friction_power"], x=result.t)
    assert -taken == pytest.approx(0.5 * MASS * (1.0 - rolling), rel=1e-3)


@pytest.mark.parametrize("friction", [fm.Coulomb, fm.Threlfall])
def test_a_spinning_sphere_is_stopped_by_pivoting_resistance(friction):
    spin, radius = 5.0, 0.01
    law = friction(0.3, pivoting=radius, transition=1e-7)
    rate = 0.3 * WEIGHT * radius / INERTIA
    result = placed(law, spin=(0.0, 0.0, spin)).simulate(0.8, rtol=1e-8, progress=False)
    name = "ball.free.rotation.omega.z"
    assert result.at(0.5 * spin / rate)[name] == pytest.approx(0.5 * spin, rel=1e-6)
    assert abs(result[name][-1]) < 1e-4


def test_rolling_resistance_stops_a_sphere():
    """rho N acts against w, friction keeps it rolling: (I + m R^2) w' = -rho m g, the distance is v^2 / (2 R w')."""
    law = fm.Coulomb(0.5, rolling=1e-3, transition=1e-5, rolling_rate=1e-3)
    speed = 0.2
    result = placed(law, (speed, 0.0, 0.0), (0.0, speed / RADIUS, 0.0)).simulate(4.0, rtol=1e-7, progress=False)
    deceleration = 1e-3 * WEIGHT * RADIUS / (INERTIA + MASS * RADIUS**2)
    # with full resistance only from 1e-3 rad/s on, and an arm that is 1e-5 shorter
    assert result["ball.position.x"][-1] == pytest.approx(0.5 * speed**2 / deceleration, rel=5e-5)
    assert result.at(0.5 * speed / deceleration)["ball.origin.velocity.x"] == pytest.approx(0.5 * speed, rel=2e-5)


def test_lugre_in_a_contact_follows_its_equations():
    """A pin that is moved to and fro while it is pressed with a changing force, against a direct integration."""
    law = fm.LuGre(0.4, 0.3, 0.01, stiffness=1e4, damping=5.0, viscous=0.1)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    frame = system.add(fm.RigidBody(1.0, (1.0,) * 3), name="frame")
    pin = system.add(fm.RigidBody(1.0, (1.0,) * 3), name="pin")
    amplitude, w, press = 2e-4, 30.0, 1e-5
    system.prismatic(system.ground.frame, frame["origin"], axis="x").prescribe(fm.Harmonic(amplitude, w / (2.0 * np.pi)))
    height = system.prismatic(frame["origin"], pin["origin"], axis="z")
    height.prescribe(fm.Polynomial([1e-6, -2e-4, 5e-5]))
    floor = fm.Plane(system.ground.frame, normal=(0.0, 0.0, 1.0))
    system.contact(fm.Point(pin["origin"]), floor, law=fm.LinearContact(1e6, 0.0), friction=law, name="floor")
    # The absolute tolerance of a bristle is 1e-3 m times rtol: 2.5e-9 of its deflection a step.
    result = system.simulate(0.5, rtol=1e-10, progress=False)
    (contact,) = result.contacts
    x, v, depth = (result[name] for name in ("pin.position.x", "pin.origin.velocity.x", "floor.gap"))
    speed = np.max(np.abs(v))  # the phase of the harmonic is read from the motion
    assert np.max(np.abs(x)) == pytest.approx(amplitude, rel=1e-3) and -depth.min() > press
    phase = np.arctan2(v[0] / w, x[0])

    def slip(t):
        return np.hypot(v[0], w * x[0]) * np.sin(phase - w * t)

    def rate(t, z):
        u = slip(t)
        return u - 1e4 * abs(u) / (0.3 + 0.1 * np.exp(-((u / 0.01) ** 2))) * z

    assert speed <= np.hypot(v[0], w * x[0]) * (1.0 + 1e-6)
    times = np.linspace(contact.start, 0.5, 40)[1:]
    # From one time or reversal (a kink) to the next: a step across a kink can be off by 1e-6 unnoticed.
    reversals = (phase + np.pi * np.arange(10)) / w
    ends = np.unique([*times, *reversals[(reversals > contact.start) & (reversals < 0.5)]])
    z, direct = [0.0], {}
    for begin, end in pairwise([contact.start, *ends]):
        z = direct[end] = solve_ivp(rate, (begin, end), z, "DOP853", rtol=1e-13, atol=1e-18).y[:, -1]
    z = np.array([direct[t][0] for t in times])
    expected = -np.array([result.at(t)["floor.force"] for t in times]) * (
        1e4 * z + 5.0 * np.array([rate(t, s) for t, s in zip(times, z, strict=True)]) + 0.1 * slip(times)
    )
    found = np.array([[result.at(t)["floor.bristle.x"], result.at(t)["floor.friction.x"]] for t in times])
    np.testing.assert_allclose(found[:, 0], z, rtol=0.0, atol=2e-9 * np.abs(z).max())
    # histories of forces are interpolated between steps
    np.testing.assert_allclose(found[:, 1], expected, atol=1e-2 * np.abs(expected).max())


def test_bristles_turn_with_their_body():
    """A block on a turntable: its bristles lean inwards with it, and it does not creep."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    table = system.add(fm.RigidBody(1.0, (1.0,) * 3), name="table")
    system.revolute(system.ground.frame, table["origin"], axis="z").prescribe(fm.Polynomial([0.0, 3.0]))
    block = system.add(
        fm.RigidBody(MASS, (INERTIA,) * 3),
        name="block",
        position=(0.2, 0.0, 0.0),
        velocity=(0.0, 0.6, 0.0),
        angular_velocity=(0.0, 0.0, 3.0),
    )
    law = fm.LuGre(0.5, 0.4, 0.01, stiffness=1e4, damping=100.0)
    plane = fm.Plane(table["origin"], normal=(0.0, 0.0, 1.0))
    system.contact(fm.Point(block["origin"]), plane, law=DAMPED, friction=law, name="seat")
    result = system.simulate(1.5, rtol=1e-7, progress=False)
    radius = np.hypot(result["block.position.x"], result["block.position.y"])
    half = np.searchsorted(result.t, 0.75)
    assert abs(radius[-1] - radius[half]) < 1e-8
    assert result["seat.friction"][-1] == pytest.approx(MASS * 9.0 * radius[-1], rel=1e-5)
    assert result["seat.bristle.x"][-1] == pytest.approx(9.0 * radius[-1] / (G * 1e4), rel=1e-4)
    assert abs(result["seat.bristle.y"][-1]) < 1e-9


def test_a_bouncing_ball_with_lugre_starts_each_contact_with_upright_bristles():
    system = fm.System(gravity=(0.0, 0.0, -G))
    ball = system.add(
        fm.RigidBody(MASS, (INERTIA,) * 3), name="ball", position=(0.0, 0.0, RADIUS + 1e-3), velocity=(0.5, 0.0, -0.3)
    )
    floor = fm.Plane(system.ground.frame, normal=(0.0, 0.0, 1.0))
    law = fm.LuGre(0.3, 0.2, 0.01, stiffness=1e5, damping=1.0, pivoting=1e-3)
    system.contact(fm.Sphere(ball["origin"], RADIUS), floor, law=fm.Hertz(1e9), friction=law, name="floor")
    result = system.simulate(0.15, rtol=1e-7, progress=False)
    assert len(result.contacts) >= 2
    starts = np.searchsorted(result.t, [contact.start for contact in result.contacts])
    bristle, touching = result["floor.bristle.x"], result["floor.force"] > 0.0
    assert np.all(bristle[~touching & (result["floor.gap"] > 1e-12)] == 0.0)
    assert np.abs(bristle[starts]).max() < 1e-12 and np.abs(bristle[touching]).max() > 1e-7
    # friction has turned some sliding into rolling, and taken energy
    assert result["ball.free.rotation.omega.y"][-1] > 0.0
    assert result["energy.total"][-1] < result["energy.total"][0]
