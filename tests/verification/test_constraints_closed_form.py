"""Every coupling, rod, rolling constraint and driver against a motion that is known in closed form.

Runs have rtol 1e-10 in each of some hundred steps; 1e-8 leaves room for their sum.
"""

import numpy as np
import pytest
from closed_forms import BLOCK, CLOSE, DOWN, G, off, run
from scipy.special import ellipk

import flexmbs as fm

# couplings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_gears_share_a_torque_by_their_ratio(coordinates):
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
    one, two = (system.add(fm.RigidBody(1.0, (1.0, 1.0, inertia)), f"wheel {inertia}") for inertia in (0.6, 0.9))
    first = system.revolute(system.ground["origin"], one["origin"], angle=0.3, name="first")
    second = system.revolute(system.ground.marker("axle", (1, 0, 0)), two["origin"], name="second")
    system.gear(first, second, teeth=(20, 30), name="mesh")
    system.torque(one["origin"], (0.0, 0.0, 2.0))
    result = run(system)
    ratio = -20.0 / 30.0
    rate = 2.0 / (0.6 + 0.9 * ratio**2)
    assert off(result["first.angle"], 0.3 + 0.5 * rate * result.t**2) < CLOSE
    assert off(result["second.angle"], 0.5 * ratio * rate * result.t**2) < CLOSE
    assert off(result["mesh.reaction.force.x"], 0.9 * ratio * rate) < CLOSE  # torque on the second wheel


def test_rack_falls_on_its_pinion():
    radius, inertia = 0.2, 0.25
    system = fm.System(gravity=DOWN)
    pinion, rack = system.add(BLOCK, "pinion"), system.add(BLOCK, "rack")
    turn = system.revolute(system.ground["origin"], pinion["origin"], name="turn")
    move = system.prismatic(system.ground["origin"], rack["origin"], axis="z", name="move")
    system.rack_and_pinion(turn, move, radius)
    result = run(system)
    fall = -G * BLOCK.mass / (BLOCK.mass + inertia / radius**2)
    assert off(result["move.displacement"], 0.5 * fall * result.t**2) < CLOSE


def test_elastic_belt_swings_at_its_frequency():
    radii, inertias, k = (0.1, 0.3), (0.02, 0.5), 2000.0
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    joints = []
    for i, inertia in enumerate(inertias):
        pulley = system.add(fm.RigidBody(1.0, (1.0, 1.0, inertia)), f"pulley {i}")
        joints.append(system.revolute(system.ground["origin"], pulley["origin"], rate=1.0 - i, name=f"axle {i}"))
    system.belt(joints, radii, stiffness=k)
    result = run(system)
    stretch = radii[0] * result["axle 0.angle"] - radii[1] * result["axle 1.angle"]
    w = np.sqrt(2.0 * k * sum(r * r / inertia for r, inertia in zip(radii, inertias, strict=True)))
    assert off(stretch, 0.1 / w * np.sin(w * result.t)) < CLOSE
    assert off(result["energy.total"], 0.01) < CLOSE


def test_elastic_coupling_swings_about_its_rest():
    """Two wheels, a spring and damper on phi_1 + 2 phi_2 - 0.2: 1/m_e = 1/J1 + 4/J2, damped swing of the sum."""
    inertias, k, c, rest = (0.5, 2.0), 40.0, 0.6, 0.2
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    wheels = [system.add(fm.RigidBody(1.0, (1.0, 1.0, inertia)), f"wheel {i}") for i, inertia in enumerate(inertias)]
    axles = [system.revolute(system.ground["origin"], wheel["origin"], name=f"{wheel.name} axle") for wheel in wheels]
    system.couple_elastically((axles[0], 1.0), (axles[1], 2.0), stiffness=k, damping=c, rest=rest)
    result = run(system)
    compliance = 1.0 / inertias[0] + 4.0 / inertias[1]
    decay = 0.5 * c * compliance
    w = np.sqrt(k * compliance - decay**2)
    t = result.t
    expected = rest - rest * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    assert off(result["wheel 0 axle.angle"] + 2.0 * result["wheel 1 axle.angle"], expected) < CLOSE
    assert result["energy.elastic"][0] == pytest.approx(0.5 * k * rest**2, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stiffness": -1.0}, "elastic coupling 'spring': stiffness: -1.0 must be at least 0"),
        ({"stiffness": 1.0, "damping": float("nan")}, "damping: nan is not a finite number"),
        ({"stiffness": 1.0, "rest": "far"}, "rest: expected a number, got 'far'"),
    ],
)
def test_elastic_coupling_refuses(values, message):
    system = fm.System()
    axle = system.revolute(system.ground["origin"], system.add(BLOCK, "wheel")["origin"])
    with pytest.raises(fm.MechanismError, match=message):
        system.couple_elastically((axle, 1.0), name="spring", **values)


def test_belt_over_three_pulleys_turns_them_alike():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    joints = [system.revolute(system.ground["origin"], system.add(BLOCK, f"b{i}")["origin"], name=f"j{i}") for i in range(3)]
    system.belt(joints, (0.1, 0.2, -0.05))
    joints[1].prescribe(rate=fm.Ramp(0.1, 0.5, 3.0))
    result = run(system)
    assert off(result["j0.angle"], 2.0 * result["j1.angle"]) < CLOSE
    assert off(result["j2.angle"], -4.0 * result["j1.angle"]) < CLOSE


def test_atwood_machine():
    masses, length = (3.0, 2.0), 4.0
    system = fm.System(gravity=DOWN)
    eye = system.ground.marker("eye")
    hooks = []
    for i, mass in enumerate(masses):
        bob = system.add(fm.RigidBody.point(mass), f"bob {i}")
        hooks.append(bob["origin"])
        system.prismatic(eye, bob["origin"], axis="z", displacement=-0.5 * length, name=f"slide {i}")
    system.cable([hooks[0], eye, hooks[1]], length, name="cable")
    result = run(system)
    fall = G * (masses[1] - masses[0]) / sum(masses)
    assert off(result["slide 0.displacement"], -0.5 * length + 0.5 * fall * result.t**2) < CLOSE
    tension = 2.0 * masses[0] * masses[1] / sum(masses) * G
    assert off(result["cable.reaction.force.z"], tension) < CLOSE


def test_particle_on_a_rod_is_a_pendulum():
    length = 1.3
    system = fm.System(gravity=DOWN)
    bob = system.add(fm.RigidBody.point(1.0), "bob", position=(length, 0.0, 0.0))
    system.rod(system.ground["origin"], bob["origin"], length, name="rod")
    result = run(system, ellipk(0.5) * np.sqrt(length / G))
    assert abs(result["bob.position.x"][-1]) < 1e-7
    assert result["rod.reaction.force.z"][-1] == pytest.approx(3.0 * G, rel=1e-7)  # weight and m v^2 / l


# rolling ---------------------------------------------------------------------------------------------------------

WHEEL = {"mass": 2.0, "radius": 0.3}
THIN = fm.RigidBody(2.0, (0.25 * 2.0 * 0.09, 0.25 * 2.0 * 0.09, 0.5 * 2.0 * 0.09))


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_disc_rolls_straight_down_a_slope(coordinates):
    r, slope = WHEEL["radius"], 0.2
    system = fm.System(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)), coordinates=coordinates)
    wheel = system.add(THIN, "wheel", position=(0.0, 0.0, r), rotation=(-np.pi / 2, 0.0, 0.0))
    system.rolling_disc(wheel["origin"], system.ground["origin"], r, name="rolling")
    result = run(system)
    fall = G * np.sin(slope) / 1.5
    assert off(result["wheel.position.x"], 0.5 * fall * result.t**2) < CLOSE
    assert off(result["rolling.reaction.force.x"], -WHEEL["mass"] * G * np.sin(slope) / 3.0) < CLOSE
    assert off(result["rolling.reaction.force.z"], WHEEL["mass"] * G * np.cos(slope)) < CLOSE


@pytest.mark.parametrize("tilt", [0.6, 1.1])
def test_thin_disc_rolls_steadily_in_a_circle(tilt):
    """Angle ``tilt`` of the axle from the vertical, its centre at distance X from the axis of a precession W:

    W^2 sin(tilt) ((C + m r^2) X / r + A cos(tilt)) = m r g cos(tilt), from the moments about the centre.
    """
    m, r, X = WHEEL["mass"], WHEEL["radius"], 0.8
    A, C = 0.25 * m * r * r, 0.5 * m * r * r
    s, c = np.sin(tilt), np.cos(tilt)
    W = np.sqrt(m * r * G * c / (s * ((C + m * r * r) * X / r + A * c)))
    # body axes: z the axle (s, 0, c), y along the world's; the spin about the axle is - W X / r
    spin = (-W * s, 0.0, -W * X / r)
    system = fm.System(gravity=DOWN)
    wheel = system.add(
        THIN, "wheel", position=(X, 0.0, r * s), rotation=(0.0, tilt, 0.0), velocity=(0.0, W * X, 0.0), angular_velocity=spin
    )
    system.rolling_disc(wheel["origin"], system.ground["origin"], r, name="rolling")
    result = run(system, 2.0)
    assert off(result["wheel.position.x"], X * np.cos(W * result.t)) < 1e-7
    assert off(result["wheel.position.y"], X * np.sin(W * result.t)) < 1e-7
    assert off(result["wheel.position.z"], r * s) < CLOSE
    assert off(result["rolling.reaction.force.z"], m * G) < 1e-7


def test_wobbling_disc_keeps_its_energy():
    system = fm.System(gravity=DOWN)
    turn = {"rotation": (1.3, 0.2, 0.0), "angular_velocity": (0.0, 1.0, 5.0)}
    wheel = system.add(THIN, "wheel", position=(0.0, 0.0, 0.3), **turn)
    system.rolling_disc(wheel["origin"], system.ground["origin"], WHEEL["radius"])
    result = run(system, 3.0)
    total = result["energy.total"]
    assert np.abs(total - total[0]).max() < CLOSE * result["energy.kinetic"].max()
    assert result["constraint_error"].max() < 1e-11


def test_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate():
    """R. Weltner, Am. J. Phys. 47 (1979) 984: v' = 2/7 W z × v for a uniform ball, whatever the start."""
    W, r = 3.0, 0.1
    system = fm.System(gravity=DOWN)
    table = system.add(fm.RigidBody(5.0, (1.0, 1.0, 2.0)), "table")
    system.revolute(system.ground["origin"], table["origin"], name="axle").prescribe(rate=W)
    inertia = 0.4 * 0.5 * r * r
    ball = system.add(
        fm.RigidBody(0.5, (inertia,) * 3),
        "ball",
        position=(1.0, 0.0, r),
        velocity=(0.2, 0.5, 0.0),
        angular_velocity=(-(0.5 - W) / r, 0.2 / r, 0.7),
    )
    system.rolling_ball(ball["origin"], table["origin"], r)
    result = run(system, 2.0)
    w = 2.0 / 7.0 * W
    velocity = (0.2 + 0.5j) * np.exp(1j * w * result.t)
    place = 1.0 + (velocity - velocity[0]) / (1j * w)
    assert off(result["ball.position.x"], place.real) < CLOSE
    assert off(result["ball.position.y"], place.imag) < CLOSE


# drivers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [False, True])
def test_drivers_at_three_levels(cut):
    system = fm.System(gravity=DOWN)
    names = ("position", "rate", "acceleration")
    wave = fm.Harmonic(0.5, 0.8, phase=0.4, offset=0.2)
    for i, name in enumerate(names):
        body = system.add(BLOCK, name)
        start = {} if name == "position" else {"angle": wave(0.0), "rate": wave.rate(0.0)}
        at = system.ground.marker(f"m{i}", (i, 0, 0))
        joint = system.revolute(at, body["origin"], name=f"{name} hinge", cut=cut, **start)
        level = [wave, wave.rate, wave.acceleration][i]
        joint.prescribe(**{name: level if i == 0 else (lambda t, f=level: f(t))})
    result = run(system)
    for name in names:
        assert off(result[f"{name} hinge.angle"], [wave(t) for t in result.t]) < CLOSE
        torque = [BLOCK.inertia[2, 2] * wave.acceleration(t) for t in result.t]
        # of Python functions derivatives are differences
        assert off(result[f"{name} hinge.angle.driving_force"], torque) < 1e-7
