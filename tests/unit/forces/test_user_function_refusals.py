"""User functions, sensors and states that are refused, with what is said of them."""

import numpy as np
import pytest
from sliders import slider

import flexmbs as fm


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, x: (x, x), "returned .* expected one number"),
        (lambda t, x: "much", "returned 'much'; expected one number"),
        (lambda t, x: np.inf, "returns inf at the start"),
        (lambda t, x: 1.0 / (x - 1.0), "fails at the start: ZeroDivisionError"),
        (lambda t: t, "fails at the start: TypeError"),
    ],
)
def test_function_is_tried_before_the_run(function, message):
    system, _body, joint = slider(displacement=1.0)
    joint.actuate(function, [system.sensor("coordinate", joint)])
    with pytest.raises(fm.MechanismError, match=message):
        system.simulate(1.0)


def test_function_that_numba_cannot_compile_is_refused_only_when_it_must():
    def force(t, x):
        return -x * eval("1.0")

    for compiled in (None, True):
        system, _body, joint = slider(displacement=1.0)
        joint.actuate(lambda t, x: force(t, x) * isinstance(t, float), [system.sensor("coordinate", joint)], compiled=compiled)
        if compiled is None:
            assert system.simulate(0.1)["slide.displacement"][-1] == pytest.approx(np.cos(0.1), abs=1e-6)
        else:
            with pytest.raises(fm.MechanismError, match="numba cannot compile it"):
                system.simulate(0.1)


def test_unknown_sensors_are_refused():
    system, body, joint = slider()
    with pytest.raises(fm.MechanismError, match="unknown sensor kind 'veloicty'; did you mean 'velocity'?"):
        system.sensor("veloicty", body["origin"])
    with pytest.raises(fm.MechanismError, match="needs one of its coordinates"):
        system.sensor("coordinate", joint, coordinate="angle")
    with pytest.raises(fm.MechanismError, match="measured on a joint"):
        system.sensor("rate", body["origin"])
    with pytest.raises(fm.MechanismError, match="component 'w' is unknown"):
        system.sensor("velocity", body["origin"], component="w")
    with pytest.raises(fm.MechanismError, match="expected a joint or constraint of this system"):
        system.sensor("reaction force", body["origin"])
    with pytest.raises(fm.MechanismError, match="measured relative to itself"):
        system.sensor("distance", body["origin"], body["origin"])
    with pytest.raises(fm.MechanismError, match="measured on a flexible body"):
        system.sensor("stress", body)
    other, _b, strange = slider()
    with pytest.raises(fm.MechanismError, match="expected a joint of this system"):
        system.sensor("coordinate", strange)
    assert system.sensors == {}


def test_other_bad_statements():
    system, body, joint = slider()
    x = system.sensor("coordinate", joint)
    cases = [
        (lambda: system.state("s", 3.0), "expected a function of time"),
        (lambda: system.state("s", lambda t, x: x, [1.0]), "is not a sensor"),
        (lambda: system.controller("c", lambda t: 0.0, [], period=0.0), r"period \(s\): 0.0 must be positive"),
        (lambda: system.lag("l", x, -1.0), r"time_constant \(s\): -1.0 must be positive"),
        (lambda: system.lag("l", system.sensor("position", body["origin"]), 1.0), "has 3 numbers; use one"),
        (lambda: system.function(lambda t: 0.0, outputs=0), "outputs = 0 must be a positive whole number"),
        (lambda: joint.actuate("much"), "expected a number"),
    ]
    for call, message in cases:
        with pytest.raises(fm.MechanismError, match=message):
            call()
    system.states.clear()
    idle = system.state("idle")
    with pytest.raises(fm.MechanismError, match="state 'idle' has no rate"):
        system.simulate(0.1)
    system.set_rate(idle, lambda t, x: 1.0)
    with pytest.raises(fm.MechanismError, match="its rate has already been given"):
        system.set_rate(idle, lambda t, x: 1.0)
    with pytest.raises(fm.MechanismError, match="as 'idle.integral', are not supported"):
        system.linearize()
