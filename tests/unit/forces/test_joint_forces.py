"""Springs, friction, stops and motors inside joints against closed forms."""

import numpy as np
import pytest

import flexmbs as fm

TIGHT = dict(rtol=1e-10, atol=1e-12)


def slider(mass=2.0, gravity=(0.0, 0.0, 0.0), coordinates="reduced", **start):
    """A mass on a prismatic joint along x."""
    system = fm.System(gravity=gravity, coordinates=coordinates)
    body = system.add(fm.RigidBody(mass=mass, inertia=np.eye(3)), name="mass")
    return system, system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide", **start)


def rotor(inertia=0.5, **start):
    """A wheel on a revolute joint about z."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody(mass=1.0, inertia=inertia * np.eye(3)), name="wheel")
    return system, system.revolute(system.ground["origin"], body["origin"], axis="z", name="hinge", **start)


def damped(x0, m, k, c, t):
    """Free motion of a damped oscillator from rest at x0."""
    decay, w = c / (2.0 * m), np.sqrt(k / m - (c / (2.0 * m)) ** 2)
    return x0 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
@pytest.mark.parametrize("table", [False, True])
def test_spring_and_damper_in_tree_and_cut_joints(coordinates, table):
    m, k, c, rest = 2.0, 50.0, 1.5, 0.3
    system, joint = slider(m, coordinates=coordinates, displacement=0.5)
    if table:  # straight characteristics through uneven points, beyond the first and last too
        joint.spring(([-0.05, 0.0, 0.1], [-0.05 * k, 0.0, 0.1 * k]), ([-0.1, 0.2], [-0.1 * c, 0.2 * c]), rest=rest)
    else:
        joint.spring(k, c, rest=rest)
    result = system.simulate(2.0, **TIGHT)
    expected = rest + damped(0.2, m, k, c, result.t)
    # the error of 500 steps at rtol 1e-10
    assert np.abs(result["slide.displacement"] - expected).max() < 2e-9
    x, v = result["slide.displacement"] - rest, result["slide.displacement.rate"]
    assert result["slide.displacement.spring.effort"] == pytest.approx(-(k * x + c * v), abs=1e-9)
    assert result["slide.displacement.spring.power"] == pytest.approx(-(k * x + c * v) * v, abs=1e-9)
    assert result["energy.elastic"] == pytest.approx(0.5 * k * x * x, abs=1e-9)
    assert result.unit("slide.displacement.spring.effort") == "N"


def test_several_springs_on_one_coordinate_add_up():
    system, joint = slider(1.0, displacement=0.1)
    joint.spring(30.0).spring(70.0)
    result = system.simulate(1.0, **TIGHT)
    assert result["slide.displacement"] == pytest.approx(0.1 * np.cos(10.0 * result.t), abs=1e-8)
    assert "slide.displacement.spring 2.effort" in result.names


def test_hardening_spring_keeps_its_energy():
    x = np.linspace(-1.0, 1.0, 21)
    system, joint = slider(1.0, displacement=0.8)
    joint.spring(fm.Characteristic(x, 10.0 * x + 40.0 * x**3, kind="cubic"))
    result = system.simulate(3.0, rtol=1e-9, atol=1e-11)
    assert np.ptp(result["energy.total"]) < 1e-7 * result["energy.total"][0]
    # a cubic spline is exact for a cubic
    assert result["energy.elastic"][0] == pytest.approx(5.0 * 0.8**2 + 10.0 * 0.8**4, rel=1e-12)


def test_friction_stops_a_slider_after_its_stopping_distance():
    mu, normal, m, v0, transition = 0.3, 20.0, 2.0, 1.0, 1e-4
    system, joint = slider(m, rate=v0)
    joint.friction(mu, normal_force=normal, transition=transition)
    result = system.simulate(1.0, rtol=1e-8, atol=1e-10)
    a = mu * normal / m
    stop = v0 / a
    sliding = result.t < 0.99 * stop
    assert result["slide.displacement"][sliding] == pytest.approx((v0 * result.t - 0.5 * a * result.t**2)[sliding], abs=1e-8)
    # the last bit below the transition speed takes longer, but at most transition * time further
    assert result["slide.displacement"][-1] == pytest.approx(0.5 * v0 * v0 / a, abs=transition)
    assert abs(result["slide.displacement.rate"][-1]) < transition
    work = result["slide.displacement.friction.power"]
    assert np.all(work <= 0.0)


def test_static_friction_holds_below_its_limit_and_creeps_slower_than_the_transition():
    transition = 1e-4
    for share, held in ((0.9, True), (1.1, False)):
        system, joint = slider(1.0)
        joint.friction(0.5, 0.4, normal_force=10.0, transition=transition).actuate(share * 5.0)
        result = system.simulate(1.0, rtol=1e-8, atol=1e-11)
        moved = result["slide.displacement"][-1]
        if held:
            assert 0.0 < moved < transition
        else:  # breaks away and slides with the dynamic coefficient
            assert moved == pytest.approx(0.5 * (1.1 * 5.0 - 4.0), rel=0.02)


def test_friction_of_a_hinge_acts_at_its_radius():
    system, joint = rotor(inertia=0.5, rate=10.0)
    joint.friction(0.2, normal_force=lambda t: 100.0 + 50.0 * t, radius=0.05, transition=1e-3)
    result = system.simulate(2.0, rtol=1e-9, atol=1e-11)
    t = result.t
    expected = 10.0 - 0.2 * 0.05 / 0.5 * (100.0 * t + 25.0 * t**2)
    assert result["hinge.angle.rate"] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_friction_from_the_joints_own_reaction(coordinates):
    """A block on a slope: the normal force is what the joint carries, m g cos(slope) = 16.99 N."""
    slope, mu, m, g = 0.5, 0.3, 2.0, 9.81
    system, joint = slider(m, (g * np.sin(slope), 0.0, -g * np.cos(slope)), coordinates)
    joint.friction(mu, normal_force="reaction", transition=1e-3, lag=1e-3)
    result = system.simulate(1.0, rtol=1e-8, atol=1e-10)
    load = result["slide.displacement.friction.normal_force"]
    assert load == pytest.approx(m * g * np.cos(slope), rel=1e-8)
    a = g * (np.sin(slope) - mu * np.cos(slope))
    # while it starts, friction is below its full size for transition / a seconds
    assert result["slide.displacement"][-1] == pytest.approx(0.5 * a, abs=1e-3)
    assert result["slide.displacement.acceleration"][-1] == pytest.approx(a, rel=1e-8)


def test_friction_of_a_pendulum_takes_the_same_angle_from_every_swing():
    """Small swings with a constant friction torque lose 2 T / (m g l) of amplitude in each half swing."""
    g, length, torque = 9.81, 1.0, 0.02
    system = fm.System(gravity=(0.0, -g, 0.0))
    bob = system.add(fm.RigidBody.point(1.0), name="bob")
    arm = bob.marker("pivot", position=(0.0, length, 0.0))
    hinge = system.revolute(system.ground["origin"], arm, axis="z", angle=0.1, name="hinge")
    hinge.friction(0.2, normal_force=torque / 0.2 / 0.01, radius=0.01, transition=1e-5)
    half = np.pi / np.sqrt(g / length)
    result = system.simulate(8.2 * half, rtol=1e-8, atol=1e-11)
    for i in range(1, 9):
        _, peak = result.resampled(np.linspace((i - 0.5) * half, (i + 0.2) * half, 400)).extreme("hinge.angle")
        expected = 0.1 - 2.0 * i * torque / (g * length)
        # sin(x) = x to x^2 / 6 = 1.7e-3 of the amplitude
        assert abs(peak) == pytest.approx(expected, rel=3e-3)


def test_stick_slip_on_a_belt():
    """Block on a belt at 0.1 m/s: limit cycle of Coulomb friction with a static coefficient (closed form)."""
    m, k, belt, mu_s, mu_d, g = 1.0, 100.0, 0.1, 0.4, 0.3, 9.81
    slip, a = mu_s * m * g / k, (mu_s - mu_d) * m * g / k
    middle, w = mu_d * m * g / k, np.sqrt(k / m)
    amplitude = np.hypot(a, belt / w)
    t_slip = 2.0 * (np.pi - np.arctan2(a * w, belt)) / w
    period = t_slip + 2.0 * a / belt
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    carrier = system.add(fm.RigidBody.point(1.0), name="belt")
    block = system.add(fm.RigidBody.point(m), name="block")
    drive = system.prismatic(system.ground["origin"], carrier["origin"], axis="x", name="drive")
    drive.prescribe(fm.Polynomial([0.0, belt]))
    contact = system.prismatic(carrier["origin"], block["origin"], axis="x", name="contact")
    contact.friction(mu_s, mu_d, normal_force=m * g, transition=1e-6, full_slip=1e-5)
    wall = system.ground.marker("wall", position=(-1.0, 0.0, 0.0))
    system.spring_damper(wall, block["origin"], stiffness=k, length=1.0, name="spring")
    result = system.simulate(4.0, rtol=1e-7, atol=1e-10, integrator="radau")  # the transition of friction is stiff
    late = result.t > 1.0
    x = result["block.position.x"]
    # leaving and meeting the belt, friction passes its transition: the cycle errs by about the root of transition over
    # speed
    assert x[late].max() == pytest.approx(middle + amplitude, rel=3e-3)
    assert x[late].min() == pytest.approx(middle - amplitude, rel=3e-3)
    rising = np.flatnonzero((np.diff(np.sign(x - middle)) > 0) & late[1:])
    share = (middle - x[rising]) / (x[rising + 1] - x[rising])
    times = result.t[rising] + share * (result.t[rising + 1] - result.t[rising])
    assert np.diff(times) == pytest.approx(period, rel=3e-3)
    assert slip > middle


def test_stop_stores_and_returns_energy():
    k, m, v0 = 1e4, 2.0, 1.0
    system, joint = slider(m, rate=v0)
    joint.limit(lower=-0.1, upper=0.1, stiffness=k)
    result = system.simulate(1.0, rtol=1e-9, atol=1e-12)
    depth = v0 * np.sqrt(m / k)
    assert np.abs(result["slide.displacement"]).max() == pytest.approx(0.1 + depth, rel=1e-4)
    assert np.ptp(result["energy.total"]) < 1e-6 * 0.5 * m * v0**2


def test_damped_stop_never_pulls():
    system, joint = slider(1.0, rate=1.0)
    joint.limit(upper=0.05, stiffness=1e4, damping=150.0, depth=1e-4)
    result = system.simulate(0.3, rtol=1e-8, atol=1e-11)
    effort = result["slide.displacement.limit.effort"]
    assert effort.max() <= 0.0 and effort.min() < -50.0
    rebound = result["slide.displacement.rate"][-1]
    assert -1.0 < rebound < -0.01


def test_motor_runs_up_to_the_speed_where_its_curve_meets_the_load():
    """Linear curve T = T0 (1 - w/w0) against a viscous load: exponential run-up."""
    T0, w0, c, J = 4.0, 200.0, 0.01, 0.5
    system, joint = rotor(J)
    joint.motor(([0.0, w0], [T0, 0.0])).spring(damping=c)
    result = system.simulate(60.0, rtol=1e-9, atol=1e-9)
    slope = T0 / w0 + c
    expected = T0 / slope * (1.0 - np.exp(-slope / J * result.t))
    assert result["hinge.angle.rate"] == pytest.approx(expected, abs=1e-5)
    assert result["hinge.angle.motor.effort"][0] == pytest.approx(T0)


def test_motor_backwards_mirrors_its_curve():
    ends = []
    for command in (0.5, -0.5):
        system, joint = rotor(0.5)
        joint.motor(([-10.0, 0.0, 50.0, 100.0], [5.0, 4.0, 3.5, 0.0]), command)
        ends.append(system.simulate(5.0, rtol=1e-9)["hinge.angle"][-1])
    assert ends[0] > 1.0
    assert ends[1] == pytest.approx(-ends[0], rel=1e-9)


def test_characteristic_is_straight_beyond_its_ends_and_integrates():
    """The packed pieces, read as the kernels do."""
    from flexmbs.core.laws.force.table import table_integral, table_value

    x, y = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([-3.0, 0.0, 4.0, 5.0])
    for kind in ("pchip", "cubic", "linear"):
        packed = fm.Characteristic(x, y, kind).packed()
        assert [table_value(packed, 0, float(z)) for z in x] == pytest.approx(y.tolist(), abs=1e-13)
        assert table_integral(packed, 0, 0.0) == pytest.approx(0.0, abs=1e-14)
        for z in (-4.0, -1.0, -0.3, 0.2, 1.9, 2.0, 7.0):
            h = 1e-3
            difference = (table_integral(packed, 0, z + h) - table_integral(packed, 0, z - h)) / (2.0 * h)
            assert difference == pytest.approx(table_value(packed, 0, z), abs=1e-5)
        for first, second, third in ((-5.0, -4.0, -3.0), (3.0, 4.0, 5.0)):
            values = [table_value(packed, 0, z) for z in (first, second, third)]
            assert values[2] - values[1] == pytest.approx(values[1] - values[0], abs=1e-12)
