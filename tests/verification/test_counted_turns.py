"""Angles between markers beyond half a turn: springs, bushings, force elements, sensors, against closed forms."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.laws.force.spring import SpringLaw

INERTIA, STIFFNESS = 0.5, 6.0
W = np.sqrt(STIFFNESS / INERTIA)


def torsion_spring(system, a, b, joint):
    system.torsion_spring(a, b, STIFFNESS, name="spring")


def force_element(system, a, b, joint):
    system.force_element(a, b, SpringLaw(STIFFNESS, 0.0, 0.0), axis="z", name="spring")


def bushing(system, a, b, joint):
    system.bushing(a, b, (1e3, 1e3, 1e3, 40.0, 50.0, STIFFNESS), name="spring")


def sensor(system, a, b, joint):
    joint.actuate(lambda t, angle: -STIFFNESS * angle, [system.sensor("angle", b, relative_to=a, axis="z")])


def wheel(attach, cut=False, coordinates="reduced", **start):
    """A wheel on a hinge, with a spring between markers that are turned by -2.5 rad against those of the hinge."""
    system = fm.System(gravity=(0, 0, 0), coordinates=coordinates)
    body = system.add(fm.RigidBody(2.0, (INERTIA,) * 3), "wheel")
    hinge = system.revolute(system.ground["origin"], body["origin"], name="hinge", cut=cut, **start)
    markers = system.ground.marker("seat", rotation=(0, 0, -2.5)), body.marker("seat", rotation=(0, 0, -2.5))
    attach(system, *markers, hinge)
    return system, hinge


KINDS = pytest.mark.parametrize("attach", [torsion_spring, force_element, bushing, sensor])


@KINDS
@pytest.mark.parametrize("tree", [{}, {"cut": True}, {"coordinates": "absolute"}], ids=["tree", "cut", "absolute"])
@pytest.mark.parametrize("start", [3.3, -20.0])
def test_a_wheel_wound_up_beyond_half_a_turn_swings_as_the_linear_spring_says(attach, tree, start):
    result = wheel(attach, angle=start, **tree)[0].simulate(3.0, rtol=1e-9)
    assert np.abs(result["hinge.angle"] - start * np.cos(W * result.t)).max() < 2e-9 * abs(start)
    assert np.abs(result["energy.balance"]).max() < 1e-7 * STIFFNESS * start**2


@KINDS
@pytest.mark.parametrize("end", [8.0, -30.0])
def test_a_driven_wheel_needs_the_torque_of_all_its_turns(attach, end):
    system, hinge = wheel(attach)
    hinge.prescribe(fm.Step(0.0, 1.0, 0.0, end))
    result = system.simulate(1.2, max_step=0.02)
    assert result["hinge.angle.driving_force"][-1] == pytest.approx(STIFFNESS * end, rel=1e-12)
    still = system.kinematics(1.2, steps=40)
    assert still["hinge.angle.driving_force"][-1] == pytest.approx(STIFFNESS * end, rel=1e-12)


def test_markers_that_are_turned_by_the_hinge_the_other_way_round():
    system, _hinge = wheel(lambda system, a, b, hinge: system.torsion_spring(b, a, STIFFNESS, axis="-z"), angle=3.3)
    result = system.simulate(1.0, rtol=1e-9)
    assert np.abs(result["hinge.angle"] - 3.3 * np.cos(W * result.t)).max() < 1e-8


def floating(rate, **options):
    """A free body that a torsion spring holds: no joint counts its turns."""
    system = fm.System(gravity=(0, 0, 0))
    body = system.add(fm.RigidBody(2.0, (INERTIA,) * 3), "body", position=(0, 0, 0), angular_velocity=(0, 0, rate))
    system.torsion_spring(system.ground["origin"], body["origin"], STIFFNESS, name="spring")
    system.sensor("angle", body["origin"], relative_to=system.ground["origin"], name="angle")
    return system.simulate(**{"t_end": 3.0, "rtol": 1e-9, "integrator": "radau", **options})


@pytest.mark.parametrize("integrator", ["radau", "bdf", "generalised_alpha", "explicit"])
@pytest.mark.parametrize("rate", [60.0, -60.0])
def test_turns_of_a_free_body_are_counted_from_step_to_step(integrator, rate):
    result = floating(rate, integrator=integrator, rtol=1e-7)
    exact = rate / W * np.sin(W * result.t)
    assert np.abs(exact).max() > 4.0 * np.pi
    assert np.abs(result["spring.angle"] - exact).max() < 1e-3
    assert np.array_equal(result["angle"], result["spring.angle"])
    assert np.abs(result["energy.balance"]).max() < 1e-3


def test_turns_in_steps_of_fixed_length():
    result = floating(60.0, integrator=fm.Moreau(step=1e-3))
    assert np.abs(result["spring.angle"] - 60.0 / W * np.sin(W * result.t)).max() < 1e-3


def test_two_bodies_that_spin_fast_against_each_other():
    """Each may turn by nearly half a turn in a step, both together not."""
    system = fm.System(gravity=(0, 0, 0))
    one, two = (
        system.add(fm.RigidBody(2.0, (INERTIA,) * 3), name, position=(0, 0, 0), angular_velocity=(0, 0, rate))
        for name, rate in (("one", 100.0), ("two", -100.0))
    )
    system.sensor("angle", two["origin"], relative_to=one["origin"], name="angle")
    result = system.simulate(2.0, rtol=1e-3)
    assert result["angle"] == pytest.approx(-200.0 * result.t, abs=1e-6)


def test_a_shaft_that_a_clutch_sets_spinning_at_once():
    """No step behind the event, whose error would allow a second, is too long to count."""
    system = fm.System(gravity=(0, 0, 0))
    one, two = (system.add(fm.RigidBody(1.0, (1, 1, 1)), name) for name in ("one", "two"))
    system.revolute(system.ground["origin"], one["origin"], name="shaft", rate=1000.0)
    clutch = system.revolute(one["origin"], two["origin"], name="clutch", rate=-1000.0)
    system.sensor("angle", two["origin"], name="angle")
    system.event(1.0, fm.Lock(clutch), name="engage")
    assert system.simulate(2.0)["angle"][-1] == pytest.approx(500.0, rel=1e-9)


def test_a_run_that_is_interrupted_in_mid_turn_ends_with_the_same_digits(tmp_path):
    def interrupt(progress):
        if progress.time > 0.3:  # at 17 rad
            raise KeyboardInterrupt

    whole = floating(60.0)
    with pytest.raises(KeyboardInterrupt):
        floating(60.0, out=tmp_path / "cut", progress=interrupt)
    resumed = floating(60.0, out=tmp_path / "cut", resume=True)
    assert abs(fm.load(tmp_path / "cut")["spring.angle"]).max() > 17.0
    for name in ("spring.angle", "spring.torque", "angle", "energy.elastic"):
        assert np.array_equal(resumed[name], whole[name])


def test_a_start_from_a_saved_state_keeps_the_turns():
    first = floating(60.0, t_end=0.4)
    assert first["spring.angle"][-1] > 3.0 * np.pi
    result = floating(60.0, t_end=1.0, start=first.final_state, rtol=1e-8)
    assert np.abs(result["spring.angle"] - 60.0 / W * np.sin(W * result.t)).max() < 1e-6


def test_a_free_body_starts_within_half_a_turn():
    system = fm.System(gravity=(0, 0, 0))
    body = system.add(fm.RigidBody(2.0, (INERTIA,) * 3), "body", position=(0, 0, 0), rotation=(0, 0, 3.3))
    system.torsion_spring(system.ground["origin"], body["origin"], STIFFNESS, name="spring")
    assert system.simulate(0.01)["spring.angle"][0] == pytest.approx(3.3 - 2.0 * np.pi, abs=1e-12)


def test_kinematics_counts_turns_about_two_hinges():
    system = fm.System(gravity=(0, 0, 0))
    arms = [system.add(fm.RigidBody(1.0, (1, 1, 1)), name) for name in ("one", "two")]
    for name, a, b in (("first", system.ground, arms[0]), ("second", arms[0], arms[1])):
        system.revolute(a["origin"], b["origin"], name=name).prescribe(fm.Step(0.0, 1.0, 0.0, -9.0))
    system.sensor("angle", arms[1]["origin"], name="angle")
    result = system.kinematics(1.0, steps=50)
    assert result["angle"] == pytest.approx(result["first.angle"] + result["second.angle"], abs=1e-12)
    assert result["angle"][-1] == pytest.approx(-18.0)


def test_a_bushing_that_leaves_one_rotation_free_carries_a_spinning_body():
    """Its moment does not depend on how far the body has turned, and energy is kept."""
    system = fm.System(gravity=(0, -9.81, 0))
    body = system.add(fm.RigidBody(2.0, (0.5, 0.5, 0.5)), "body", position=(0, 0, 0), angular_velocity=(0, 0, 15.0))
    K = (2e4, 2e4, 2e4, 300.0, 300.0, 0.0)
    system.bushing(system.ground["origin"], body["origin"], K, (200, 200, 200, 0, 0, 0), preload=(0, 0, 0, 0, 0, -0.3), name="b")
    system.torque(body["origin"], (0.0, 6.0, 0.0))
    result = system.simulate(2.0, rtol=1e-8)
    assert result["b.rotation.z"][-1] == pytest.approx(15.0 * 2.0 + 0.5 * 0.3 / 0.5 * 2.0**2, rel=2e-3)
    tilt = np.array([result["b.rotation.x"], result["b.rotation.y"]])
    moment = np.array([result["b.moment.x"], result["b.moment.y"]])
    assert np.abs(tilt).max() > 0.02
    assert np.abs(moment + 300.0 * tilt).max() < 5e-2 * np.abs(moment).max()
    assert np.abs(result["energy.balance"]).max() < 1e-5


def test_a_bushing_that_turns_too_far_about_any_axis_is_named():
    def run(rate):
        system = fm.System(gravity=(0, 0, 0))
        body = system.add(fm.RigidBody(2.0, (INERTIA,) * 3), "body", position=(0, 0, 0), angular_velocity=(rate, 0, 0.3 * rate))
        system.bushing(system.ground["origin"], body["origin"], (1e3, STIFFNESS), name="mount")
        return system.simulate(2.0)

    with pytest.warns(fm.ResultWarning, match="bushing 'mount' passed half a turn at t = 0.40"):
        run(10.6)
    assert "half a turn" not in str(run(10.0).stats["warnings"])


@pytest.mark.parametrize("attach", [torsion_spring, force_element, sensor])
def test_an_axis_that_points_opposite_ways_in_both_markers_is_refused_by_name(attach):
    system, hinge = wheel(lambda *_arguments: None, angle=1.0)
    tipped = system.bodies["wheel"].marker("tipped", rotation=(np.pi, 0, 0))
    attach(system, system.ground["origin"], tipped, hinge)
    with pytest.raises(fm.MechanismError, match="'wheel.tipped' against 'ground.origin' .* opposite ways"):
        system.simulate(0.1)


@pytest.mark.parametrize("tilted", ["a", "b"])
def test_markers_of_which_one_is_tilted_against_the_hinge(tilted):
    """The hinge turns them about the axis as it sits in the other one: the angle changes as that of the hinge."""
    system, _hinge = wheel(lambda *_arguments: None, angle=7.0)
    seats = {"a": system.ground["origin"], "b": system.bodies["wheel"]["origin"]}
    body = {"a": system.ground, "b": system.bodies["wheel"]}[tilted]
    seats[tilted] = body.marker("tilted", rotation=(2.0, 0.3, 0.0))
    system.torsion_spring(seats["a"], seats["b"], STIFFNESS, name="spring")
    result = system.simulate(1.0, rtol=1e-9)
    assert result["hinge.angle"] == pytest.approx(7.0 * np.cos(W * result.t), abs=1e-8)
    assert result["spring.angle"] == pytest.approx(result["hinge.angle"], abs=1e-12)


def chain(angle=0.0, coordinates="reduced", fixed=False):
    """Two bodies on parallel hinges, or one on a hinge of a fixed bracket; a spring from ground to the last one."""
    system = fm.System(gravity=(0, 0, 0), coordinates=coordinates)
    one, two = (system.add(fm.RigidBody(1.0, (INERTIA,) * 3), name) for name in ("one", "two"))
    if fixed:
        system.fixed(system.ground["origin"], one["origin"], name="first")
    else:
        system.revolute(system.ground["origin"], one["origin"], name="first", angle=-0.4 * angle).spring(STIFFNESS, rest=0.0)
    system.revolute(one["origin"], two["origin"], name="second", angle=1.4 * angle)
    system.torsion_spring(system.ground["origin"], two["origin"], STIFFNESS, name="spring")
    return system


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("turned", [3.3, -20.0])
def test_hinges_in_a_row_count_together(coordinates, fixed, turned):
    angle = turned / (1.4 if fixed else 1.0)
    result = chain(angle, coordinates, fixed).simulate(1.0, rtol=1e-9)
    assert result["spring.angle"] == pytest.approx(turned * np.cos(W * result.t), abs=1e-8 * abs(turned))
    still = chain(angle, coordinates, fixed).linearize()
    assert np.abs(2.0 * np.pi * still.frequencies - W).min() < 1e-6


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("moment", [30.0, -200.0])
def test_static_load_beyond_half_a_turn(fixed, moment):
    system = chain(fixed=fixed)
    system.torque(system.bodies["two"]["origin"], (0, 0, moment))
    assert system.statics()["spring.angle"][-1] == pytest.approx(moment / STIFFNESS, rel=1e-9)
    result = system.simulate(0.5, from_equilibrium=True)
    assert result["spring.angle"] == pytest.approx(moment / STIFFNESS, rel=1e-9)


def test_a_start_in_another_system_keeps_the_turns_by_name():
    def system(*names):
        system = fm.System(gravity=(0, 0, 0))
        for name in names:
            rate = {"slow": 30.0, "fast": 60.0}[name]
            body = system.add(fm.RigidBody(2.0, (INERTIA,) * 3), name, position=(0, 0, 0), angular_velocity=(0, 0, rate))
            system.sensor("angle", body["origin"], name=f"{name} angle")
        return system

    first = system("slow", "fast").simulate(1.0)
    for names in (("fast", "slow"), ("fast",)):
        result = system(*names).simulate(1.5, start=first.final_state)
        for name in names:
            assert result[f"{name} angle"][0] == pytest.approx(first[f"{name} angle"][-1], abs=1e-12)


def test_hinges_that_an_event_may_let_go_count_where_they_start():
    def system(lets_go):
        system, hinge = wheel(torsion_spring, cut=True, angle=-20.0)
        if lets_go:
            system.event(5.0, fm.Free(hinge), name="let go")
        return system

    result = system(True).simulate(1.0, rtol=1e-9)
    assert result["spring.angle"] == pytest.approx(-20.0 * np.cos(W * result.t), abs=1e-7)
    first = system(False).simulate(0.2, rtol=1e-9)
    result = system(True).simulate(1.0, start=first.final_state, rtol=1e-9)
    assert result["spring.angle"] == pytest.approx(-20.0 * np.cos(W * result.t), abs=1e-7)
