"""Events of users against closed forms and another program: locks, latches, releases, variables."""

import math

import numpy as np
import pytest

import flexmbs as fm

GRAVITY = 9.81


def two_shafts():
    """Inertias 2 and 3 kg m2 on one axis, the first at 10 rad/s."""
    system = fm.System(gravity=(0, 0, 0))
    first = system.add(fm.RigidBody(1.0, (1, 1, 2.0)), "first")
    second = system.add(fm.RigidBody(1.0, (2, 2, 3.0)), "second")
    system.revolute(system.ground["origin"], first["origin"], name="shaft", rate=10.0)
    system.revolute(first["origin"], second["origin"], name="clutch", rate=-10.0)
    return system


def pendulum(**start):
    """1 kg at 1 m, 1.1 kg m2 about its pin; hangs at angle 0."""
    system = fm.System(gravity=(0, -GRAVITY, 0))
    bob = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), "bob")
    return system, system.revolute(system.ground["origin"], bob.marker("pivot", (0, 1, 0)), name="pin", **start)


def test_a_clutch_that_locks_conserves_angular_momentum_until_it_opens_at_an_angle():
    system = two_shafts()
    angle = system.sensor("coordinate", system.joints["shaft"])
    system.event(0.25, fm.Lock("clutch"))
    system.event(angle >= 5.0, fm.Free(system.joints["clutch"]))
    system.event(angle >= 6.0, fm.Stop("far enough"), name="end")
    result = system.simulate(2.0)
    assert result["shaft.angle.rate"][-1] == pytest.approx(4.0, rel=1e-12)  # 2 * 10 / (2 + 3)
    assert result["clutch.angle"][-1] == pytest.approx(-2.5, rel=1e-12)
    assert result.t[-1] == pytest.approx(0.25 + (6.0 - 2.5) / 4.0, rel=1e-13)
    assert result.status == "finished: stopped by event 'end' (far enough)"
    lock = next(event for event in result.events if event.kind == "lock")
    assert (lock.time, lock.name) == (0.25, "clutch.angle")
    assert lock.normal_impulse == pytest.approx(12.0, rel=1e-12)  # 3 * 4
    assert lock.energy_lost == pytest.approx(60.0, rel=1e-12)  # 100 - 5 * 4^2 / 2
    assert np.abs(result["energy.balance"]).max() < 1e-9


def test_a_latch_stops_a_pendulum_and_lets_it_go():
    system, pin = pendulum(angle=0.8)
    system.latch(pin, at=0.3, unlock=1.0, name="catch")
    result = system.simulate(1.5, rtol=1e-9)
    lock = next(event for event in result.events if event.kind == "lock")
    rate = math.sqrt(2.0 * GRAVITY * (math.cos(0.3) - math.cos(0.8)) / 1.1)
    assert lock.approach_speed == pytest.approx(-rate, rel=1e-8)
    assert lock.normal_impulse == pytest.approx(1.1 * rate, rel=1e-8)
    assert lock.energy_lost == pytest.approx(0.55 * rate**2, rel=1e-8)
    still = (result.t > lock.time) & (result.t < 1.0)
    assert np.abs(result["pin.angle"][still] - 0.3).max() < 1e-13
    assert result["pin.angle.acceleration"][result.t == 1.0][-1] == pytest.approx(-GRAVITY * math.sin(0.3) / 1.1)
    assert result["energy.kinetic"][-1] == pytest.approx(GRAVITY * (np.cos(result["pin.angle"][-1]) - math.cos(0.3)), rel=1e-7)


def test_a_latch_breaks_where_its_torque_is_too_large():
    system, pin = pendulum(angle=0.8)
    load = system.variable("load")
    pin.actuate(load)
    system.latch(pin, at=0.5, breaks_at=10.0, name="catch")
    system.event(1.0, fm.Set(load, -3.0))  # with the weight 7.7 N m
    system.event(1.2, fm.Set(load, -6.0))
    result = system.simulate(1.3)
    release = next(event for event in result.events if event.kind == "release")
    assert release.time == pytest.approx(1.2, rel=1e-14)


def test_a_compliant_latch_swings_about_its_place_without_a_jump():
    system, pin = pendulum(angle=0.1)
    system.gravity = (0, 0, 0)
    pin.start_rate["angle"] = -1.0
    system.latch(pin, at=0.0, stiffness=1100.0)
    result = system.simulate(1.0, rtol=1e-9)
    w = math.sqrt(1000.0)
    after = result.t > 0.1
    assert result["pin.angle"][after] == pytest.approx(-np.sin(w * (result.t[after] - 0.1)) / w, abs=1e-8)


def test_what_is_let_go_falls():
    system = fm.System()
    body = system.add(fm.RigidBody(2.0, (0.1, 0.1, 0.1)), "body")
    hook = system.fixed(system.ground["origin"], body["origin"], name="hook")
    system.event(0.5, fm.Free(hook))
    result = system.simulate(1.0)
    assert result["body.position.z"][-1] == pytest.approx(-GRAVITY * 0.125, rel=1e-9)
    assert result["hook.reaction.force.z"][[0, -1]] == pytest.approx([2.0 * GRAVITY, 0.0], abs=1e-9)


def test_a_reaction_is_a_condition():
    system, pin = pendulum(angle=1.5)
    system.event(system.sensor("reaction force", pin, component="y") >= 15.0, fm.Stop())
    result = system.simulate(3.0)
    assert result["pin.reaction.force.y"][-1] == pytest.approx(15.0, rel=1e-12)
    assert result.t[-1] < 1.0


@pytest.mark.parametrize("integrator", ["explicit", "radau"])
def test_crossings_are_counted_though_steps_are_long(integrator):
    system, pin = pendulum(angle=0.1)
    count = system.variable("count")
    more = system.function(lambda t, n: n + 1.0, (count,))
    system.event(fm.Crossing(system.sensor("coordinate", pin), 0.0, "both"), fm.Set(count, more))
    result = system.simulate(5.0, rtol=1e-3, integrator=integrator)
    assert result["count"][-1] == 5.0  # period 2.105 s


def test_events_of_one_instant_are_in_order_and_cause_others():
    system = two_shafts()
    a, b = system.variable("a"), system.variable("b")
    system.event(b >= 0.5, [fm.Set(a, 7.0), fm.Disarm("never")], name="caused")
    system.event(1.0, fm.Set(a, 1.0), name="one")
    system.event(1.0, [fm.Set(a, 2.0), fm.Set(b, 1.0), fm.Arm("later")], name="two")
    system.event(1.5, fm.Set(a, 100.0), name="never")
    system.event(2.0, fm.Restart(b), name="later", armed=False)
    result = system.simulate(3.0)
    assert [event.name for event in result.events] == ["one", "two", "caused", "later"]
    assert (result["a"][-1], result["b"][-1]) == (7.0, 0.0)


def test_dependent_locks_share_the_load_of_a_four_bar():
    def rate_and_loss(*locked):
        system = fm.System(gravity=(0, 0, 0))
        names, last = ("left", "top", "right"), system.ground["origin"]
        for name, angle in zip(names, (1.2, -0.9, -1.1), strict=True):
            bar = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), name)
            ends = bar.marker("a", (-0.5, 0, 0)), bar.marker("b", (0.5, 0, 0))
            joint = system.revolute(last, ends[0], name=f"pin {name}", angle=angle)
            if name == "left":
                joint.start_rate["angle"] = 2.0
                joint.given_rates.add("angle")
            last = ends[1]
        system.inline(system.ground.marker("rail", (1.2, -0.3, 0)), last, name="slider", axis="x")
        for name in locked:
            system.event(0.1, fm.Lock(f"pin {name}"))
        result = system.simulate(0.2)
        return result["energy.kinetic"][-1], sum(event.energy_lost for event in result.events)

    everything, lost = rate_and_loss("left", "top", "right")
    two, as_much = rate_and_loss("left", "top")
    assert abs(everything) < 1e-15 and abs(two) < 1e-15
    assert lost == pytest.approx(as_much, rel=1e-10) and lost > 0.01


def test_a_run_goes_on_from_a_state_with_a_closed_lock():
    def system(damping):
        system, pin = pendulum(angle=0.8)
        pin.spring(damping=damping)  # other numbers: the run starts anew from the state
        system.event(0.1, fm.Lock(pin), name="shut")
        system.event(1.0, fm.Free(pin), name="open")
        return system

    first = system(0.0).simulate(0.5)
    second = system(0.1).simulate(1.2, start=first.final_state)
    held = second.t < 1.0
    assert np.abs(second["pin.angle"][held] - first["pin.angle"][-1]).max() < 1e-13
    assert [(event.kind, event.name) for event in second.events] == [("event", "open"), ("release", "pin.angle")]
    assert abs(second["pin.angle.rate"][-1]) > 0.1


def test_a_mass_bounces_on_a_rigid_stop_until_it_rests_and_is_pulled_off():
    system = fm.System(gravity=(0, 0, -10.0))
    body = system.add(fm.RigidBody(2.0, (0.1, 0.1, 0.1)), "body")
    slide = system.prismatic(system.ground["origin"], body["origin"], name="slide", axis="z", displacement=1.0)
    slide.limit(lower=0.0, restitution=0.5)
    pull = system.variable("pull")
    slide.actuate(pull)
    system.event(2.0, fm.Set(pull, 30.0), name="pull now")
    result = system.simulate(2.5)
    hits = [event for event in result.events if event.kind == "lock"]
    falls = np.cumsum([math.sqrt(0.2)] + [2.0 * math.sqrt(0.2) * 0.5**k for k in range(1, 11)])
    assert [hit.time for hit in hits[:11]] == pytest.approx(falls, rel=1e-10)
    assert [hit.energy_lost for hit in hits[:4]] == pytest.approx([20.0 * 0.75 * 0.25**k for k in range(4)], rel=1e-10)
    assert sum(hit.energy_lost for hit in hits) == pytest.approx(20.0, rel=1e-10)
    assert hits[-1].mode == "locked" and hits[-1].time == pytest.approx(3.0 * math.sqrt(0.2), rel=1e-6)
    assert result.events[-1].kind == "release" and result.events[-1].time == 2.0
    assert [event.name for event in result.events if event.kind == "event"] == ["pull now"]  # each hit is listed once
    assert result["slide.displacement"].min() > -1e-12
    assert result["slide.displacement"][-1] == pytest.approx(0.5 * 5.0 * 0.25, rel=1e-9)


def test_a_compliant_stop_ends_steps_where_it_is_met_and_left():
    system = fm.System(gravity=(0, 0, 0))
    body = system.add(fm.RigidBody(2.0, (0.1, 0.1, 0.1)), "body")
    slide = system.prismatic(system.ground["origin"], body["origin"], name="slide", rate=1.0)
    slide.limit(lower=-0.1, upper=0.1, stiffness=1e4)
    result = system.simulate(0.5)
    half = math.pi / math.sqrt(5e3)
    times = [0.1, 0.1 + half, 0.3 + half, 0.3 + 2.0 * half]
    assert [event.time for event in result.events] == pytest.approx(times, rel=1e-7)
    assert result.events[-1].name == "slide.displacement.limit.lower"


# Stiffness, damping, preload and start of each hinge; impulses below: own equations of the wing, DOP853 at rtol 1e-12
HINGES = ((0.4, 0.2, 0.1, -math.pi / 2), (0.15, 0.1, 0.0, math.pi), (0.15, 0.1, 0.0, -math.pi))


def test_three_coupled_hinges_of_a_solar_wing_latch_together():
    system = fm.System(gravity=(0, 0, 0))
    hub = system.add(fm.RigidBody(200.0, (80.0, 80.0, 80.0)), "hub")
    system.planar(system.ground["origin"], hub["origin"], name="free")
    last, joints = hub.marker("hinge", (0.6, 0.1, 0)), []
    for i, (stiffness, damping, preload, start) in enumerate(HINGES, 1):
        panel = system.add(fm.RigidBody(8.0, (1.5, 1.5, 1.5)), f"panel {i}")
        joint = system.revolute(last, panel.marker("a", (-0.75, 0, 0)), name=f"hinge {i}", angle=start)
        joint.spring(stiffness, damping, preload=math.copysign(preload, start))
        system.latch(joint)
        joints.append(joint)
        last = panel.marker("b", (0.75, 0, 0))
    system.couple((joints[0], 2.0), (joints[1], 1.0))
    system.couple((joints[1], 1.0), (joints[2], 1.0))
    result = system.simulate(20.0, rtol=1e-11)
    locks = [event for event in result.events if event.kind == "lock"]
    assert [lock.time for lock in locks] == pytest.approx([11.4410182684] * 3, rel=1e-10)
    impulses = [-5.67329692888, -0.907051019946, -0.861075982955]
    assert [lock.normal_impulse for lock in locks] == pytest.approx(impulses, rel=1e-9)
    assert sum(lock.energy_lost for lock in locks) == pytest.approx(1.73789209754, rel=1e-9)
    assert result["free.angle"][-1] == pytest.approx(-0.33720273639, rel=1e-9)
