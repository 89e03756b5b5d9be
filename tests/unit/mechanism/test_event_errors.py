"""Events, latches and variables that cannot be are refused by name."""

import re

import pytest

import flexmbs as fm


def pendulum(**start):
    system = fm.System()
    bob = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), "bob")
    return system, system.revolute(system.ground["origin"], bob.marker("pivot", (0, 0, 1)), name="pin", axis="y", **start)


def refused(text: str):
    return pytest.raises(fm.MechanismError, match=re.escape(text))


@pytest.mark.parametrize(
    ("do", "text"),
    [
        (fm.Lock("pim"), "event 'e': there is no joint 'pim'. Did you mean pin?"),
        (fm.Lock(("pin", "angel")), "joint 'pin' (revolute) has no coordinate 'angel'. Did you mean angle?"),
        (fm.Set("brak", 1.0), "event 'e': there is no variable 'brak'. Did you mean brake?"),
        (fm.Arm("f"), "event 'e': there is no event 'f'. There are: e."),
        (fm.Restart("contrller"), "there is no state or controller 'contrller'. Did you mean controller?"),
        (fm.Free(("pin", "angle")), "nothing locks 'angle' of joint 'pin'"),
        (fm.Lock(3), "expected a joint, (joint, 'coordinate') or the name of a joint, got 3"),
    ],
)
def test_rules_that_change_what_does_not_exist(do, text):
    system, _pin = pendulum()
    system.variable("brake")
    system.controller("controller", lambda t: 0.0, (), period=0.1)
    system.event(1.0, do, name="e")
    with refused(text):
        system.simulate(0.1)


def test_conditions():
    system, pin = pendulum()
    angle = system.sensor("coordinate", pin)
    with refused("say which value it crosses"):
        system.event(angle, fm.Stop())
    with refused("expected a crossing such as sensor >= 0.3"):
        system.event("soon", fm.Stop())
    with refused("direction = 'up'; expected one of rising, falling, both"):
        fm.Crossing(angle, 0.0, "up")
    with refused("it has 3 numbers; use one of them"):
        fm.Crossing(system.sensor("position", system.bodies["bob"]["pivot"]), 1.0)
    with refused("has no value before a run"):
        bool(angle >= 0.3)
    with refused("its value must be a number, not a sensor"):
        fm.Crossing(angle, angle)
    with refused("expected one or a list of fm.Lock"):
        system.event(1.0, "stop")
    with refused("the name 'twice' is taken"):
        system.event(1.0, fm.Stop(), name="twice")
        system.event(2.0, fm.Stop(), name="twice")


def test_latches_that_have_been_passed_or_contradict_drivers():
    system, pin = pendulum(angle=0.5)
    with refused("'angle' of joint 'pin' starts at 0.5, which has passed the latch at 0.2 (rising)"):
        system.latch(pin, at=0.2, direction="rising")
    with refused("starts at its latch (0.5)"):
        system.latch(pin, at=0.5)
    pin.prescribe(rate=1.0)
    with refused("a lock would contradict its driver"):
        system.latch(pin, at=1.0)
    system.event(0.1, fm.Lock(pin))
    with refused("a lock would contradict its driver"):
        system.simulate(0.2)


def test_a_ball_is_not_locked():
    system = fm.System()
    bob = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), "bob")
    system.event(0.1, fm.Lock(system.spherical(system.ground["origin"], bob["origin"], name="ball")))
    with refused("ends with a ball, whose rotation cannot be locked"):
        system.simulate(0.2)


def test_a_lock_of_what_a_driver_moves_stops_the_run_by_name():
    system, pin = pendulum()
    wheel = system.add(fm.RigidBody(1.0, (0.1, 0.1, 0.1)), "wheel")
    axle = system.revolute(system.ground["origin"], wheel["origin"], name="axle", axis="y")
    system.gear(pin, axle, ratio=2.0)
    pin.prescribe(rate=1.0)
    system.event(0.1, fm.Lock(axle))
    with pytest.raises(fm.SimulationError, match=r"'axle\.angle' cannot be locked at t = 0\.1 s"):
        system.simulate(0.2)


def test_an_event_that_happens_for_ever_stops_the_run_by_name():
    system, _pin = pendulum()
    x = system.variable("x")
    system.event(x >= 0.5, fm.Set(x, 0.0), name="down")
    system.event(x <= 0.5, fm.Set(x, 1.0), name="up")
    system.event(0.3, fm.Set(x, 1.0))
    with pytest.raises(fm.SimulationError, match=r"event 'down' happens for ever at t = 0\.3 s"):
        system.simulate(1.0)


def test_explicit_methods_have_no_locks():
    system, pin = pendulum()
    system.event(0.1, fm.Lock(pin))
    with refused("events lock or free pin.angle; use 'radau'"):
        system.simulate(0.2, integrator="explicit")


def test_a_coordinate_that_starts_beyond_its_stop():
    system, pin = pendulum(angle=0.5)
    pin.limit(upper=0.3, restitution=0.0)
    with refused("'pin.angle.limit.upper': the coordinate starts at 0.5, beyond its stop at 0.3"):
        system.simulate(0.1)
