"""Drivers that contradict the stated start, their own derivatives, or that jump; and fast ones that do not."""

import math
import warnings

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.mechanism.signal_jumps import find_jump, find_kink


def arm(**start) -> tuple[fm.System, object]:
    """Two arms in a plane, the first of which is to be driven."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    first, second = (system.add(fm.RigidBody(1.0, 0.1 * np.eye(3), (0.3, 0.0, 0.0)), name) for name in ("arm", "forearm"))
    crank = system.revolute(system.ground["origin"], first["origin"], axis="z", name="crank", **start)
    system.revolute(first.marker("end", position=(0.5, 0.0, 0.0)), second["origin"], axis="z", name="elbow")
    return system, crank


STATED = {
    "position": ({"angle": 0.0}, {"position": 1.0}, "value of 'angle' is given as 0 rad.* 1 rad at t = 0.* of 1 rad"),
    "rate": ({"rate": 0.0}, {"position": lambda t: 3.0 * t}, "rate of 'angle' is given as 0 rad/s.* 3 rad/s at t = 0"),
    "prescribed rate": ({"rate": 1.0}, {"rate": 3.0}, "rate of 'angle' is given as 1 rad/s.* 3 rad/s.* of 2 rad/s"),
}


@pytest.mark.parametrize("case", STATED)
def test_stated_start_that_the_driver_contradicts(case):
    start, given, message = STATED[case]
    for analysis in ("simulate", "statics"):
        system, crank = arm(**start)
        crank.prescribe(**given)
        with pytest.raises(fm.MechanismError, match="joint 'crank': the start " + message):
            system.simulate(0.1) if analysis == "simulate" else system.statics()


def test_stated_start_that_agrees():
    system, crank = arm(angle=0.5, rate=3.0)
    crank.prescribe(lambda t: 0.5 + math.sin(3.0 * t))
    result = system.simulate(0.01)
    assert result["crank.angle"][0] == pytest.approx(0.5) and result["crank.angle.rate"][0] == pytest.approx(3.0)


def test_rough_pose_of_a_loop_gives_way_with_a_warning():
    """Two cranks joined by a rod: start values in loops are rough poses, unless they are held."""
    for held in (False, True):
        system = fm.System()
        ends = []
        for i in range(2):
            body = system.add(fm.RigidBody(1.0, np.eye(3)), f"crank {i}")
            at = system.ground.marker(f"o{i}", position=(2.0 * i, 0.0, 0.0))
            joint = system.revolute(at, body["origin"], axis="z", angle=1.0, name=f"joint {i}")
            ends.append(body.marker("end", position=(1.0, 0.0, 0.0)))
        system.rod(*ends, 2.0)
        joint.prescribe(1.1)
        if held:
            joint.hold()
            with pytest.raises(fm.MechanismError, match="joint 'joint 1': the start value of 'angle' .* 1.1 rad"):
                system.assemble()
        else:
            with pytest.warns(
                fm.MechanismWarning, match="'joint 1'.* given as 1 rad.* 1.1 rad at t = 0 s; the value of the driver is"
            ):
                system.assemble()


JUMPS = {
    "behind the start": ({"position": lambda t: 1.0 if t > 0.0 else 0.0}, "position jumps by 1 rad at t = 0 s"),
    "at the start": ({"position": lambda t: 1.0 if t >= 0.0 else 0.0}, "position jumps by 1 rad at t = 0 s"),
    "later": ({"position": lambda t: 1.0 if t >= 0.3 else 0.0}, r"position jumps by 1 rad at t = 0.3 s \(from 0 to 1"),
    "beside a motion": ({"position": lambda t: math.sin(10.0 * t) - (t > 0.3)}, "position jumps by -1 rad at t = 0.3 s"),
    "of the rate": ({"rate": lambda t: 1.0 if t > 0.2 else 0.0}, "velocity jumps by 1 rad/s at t = 0.2 s"),
    "at the end of a table": (
        {"position": fm.Table([0.0, 0.2, 0.4], [0.0, 0.1, 0.4], beyond="hold")},
        "velocity jumps by -2 rad/s at t = 0.4",
    ),
}


JUMPS |= {
    "of the slope": (
        {"position": lambda t: 0 if t < 0.3 else 2 * (t - 0.3)},
        r"velocity jumps by 2 rad/s at t = 0.3\d* s \(from 0 to 2",
    ),
    "of the slope at the start": ({"position": lambda t: 2.0 * max(t, 0.0)}, "velocity jumps by 2 rad/s at t = 0 s"),
    "straight lines": (
        {"position": lambda t: float(np.interp(t, [-1.0, 0.4, 0.7], [0.0, 1.4, 1.4]))},
        "velocity jumps by -1 rad/s at t = 0.4",
    ),
    "of the slope of a part": (
        {"position": fm.Harmonic(0.1, 2.0) + (lambda t: abs(t - 0.25))},
        "velocity jumps by 2 rad/s at t = 0.2",
    ),
}


@pytest.mark.parametrize("case", JUMPS)
def test_jump_is_refused_before_the_run(case):
    given, message = JUMPS[case]
    system, crank = arm()
    crank.prescribe(**given)
    with pytest.raises(fm.MechanismError, match=f"joint 'crank', prescribed angle: the prescribed {message}"):
        system.simulate(1.0)


def test_jump_of_a_rod_is_refused():
    system, _crank = arm()
    hand = system.bodies["forearm"].marker("hand", position=(0.5, 0.0, 0.0))
    system.rod(system.ground["origin"], hand, lambda t: 0.8 if t < 0.5 else 0.9, name="ram")
    with pytest.raises(fm.MechanismError, match="'ram'.* position jumps by 0.1 m at t = 0.5 s"):
        system.simulate(1.0)


def test_jump_between_the_samples_stops_the_run_by_name():
    """A millirad in 150 vibrations a second: no sample shows it, the steps do."""
    w = 2.0 * math.pi * 150.0
    system, crank = arm()
    crank.prescribe(lambda t: 0.5 * math.sin(w * t) + 1e-3 * (t > 0.02003), lambda t: 0.5 * w * math.cos(w * t))
    message = "joint 'crank', prescribed angle: the prescribed position jumps by 0.001 rad at t = 0.02003 s"
    with pytest.raises(fm.SimulationError, match=message) as caught:
        system.simulate(0.05)
    assert caught.value.result.status.startswith("stopped")


def test_kink_between_the_samples_stops_the_run_by_name():
    """Samples 0.2 s apart show neither the vibration nor the kinks of a triangle in it; steps meet the first one."""
    system, crank = arm()
    crank.prescribe(lambda t: 0.1 * math.sin(10.3 * math.pi * t) + 2.0 * max(0.01 - abs(t - 50.1), 0.0))
    with pytest.raises(
        fm.SimulationError, match=r"'crank', prescribed angle: the prescribed velocity jumps by -?[24]\.?\d* rad/s at t = 50\."
    ) as caught:
        system.simulate(200.0, rtol=1e-3)
    assert caught.value.result.status.startswith("stopped") and caught.value.result.t[-1] > 50.0


def test_jump_of_velocity_stops_no_function_with_a_rate_of_its_own():
    """The rate that is given jumps and is refused; one that is continuous runs, with a jump of acceleration."""
    system, crank = arm()
    crank.prescribe(lambda t: max(t - 0.1, 0.0) ** 2, lambda t: 2.0 * max(t - 0.1, 0.0))
    assert system.simulate(0.2)["crank.angle.rate"][-1] == pytest.approx(0.2)


@pytest.mark.parametrize("place", [0.123456789, 0.5, 0.77])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_kink_is_found_where_it_is(place, offset):
    found = find_kink(lambda t: offset + math.sin(5.0 * t) + 0.5 * abs(t - place), 0.0, 1.0)
    assert found.t == pytest.approx(place, abs=1e-9)
    assert found.before == pytest.approx(5.0 * math.cos(5.0 * place) - 0.5, abs=1e-6)
    assert found.after == pytest.approx(5.0 * math.cos(5.0 * place) + 0.5, abs=1e-6)


def test_repeated_table_goes_on_with_its_slope():
    table = fm.Table([0.0, 0.1, 0.5, 0.6], [0.0, 1.0, 0.3, 0.0], beyond="repeat")
    assert table.rate(0.6 - 1e-12) == pytest.approx(table.rate(0.6 + 1e-12), rel=1e-9)
    assert table.acceleration(0.6 - 1e-12) == pytest.approx(table.acceleration(0.6 + 1e-12), rel=1e-9)


def test_derivative_that_is_none():
    system, crank = arm()
    crank.prescribe(lambda t: t**2, lambda t: t)
    with pytest.raises(fm.MechanismError, match="'crank'.*rate= is not the derivative of the position: at t = .* s it"):
        system.simulate(1.0)


FAST = {
    "200 Hz": lambda t: 0.01 * math.sin(2.0 * math.pi * 200.0 * t),
    "1 MHz": lambda t: math.sin(2.0 * math.pi * 1e6 * t),
    "tanh in a microsecond": lambda t: math.tanh((t - 0.4) / 1e-6),
    "tanh in a nanosecond": lambda t: math.tanh((t - 0.4) / 1e-9),
    "smooth step in 100 ns": fm.Step(0.4, 0.4 + 1e-7, 0.0, 1.0),
    "kink": lambda t: abs(t - 0.3),
    "interpolated": lambda t: float(np.interp(t, [0.0, 0.3, 0.30001, 1.0], [0.0, 0.0, 1.0, 1.0])),
    "root": lambda t: math.sqrt(abs(t - 0.25)),
    "digits of a table": lambda t: round(1e3 * t, 6),
    "large angle": lambda t: 1e5 * t,
}


@pytest.mark.parametrize("case", FAST)
def test_fast_function_does_not_jump(case):
    assert find_jump(FAST[case], 0.0, 1.0) is None


SMOOTH = [name for name in FAST if name not in ("kink", "interpolated", "root")]
CURVED = {
    "parabola": lambda t: max(t - 0.3, 0.0) ** 2,
    "power 1.5": lambda t: max(t - 0.3, 0.0) ** 1.5,
    "small motion": lambda t: 0.9 + 1e-3 * math.sin(7.0 * t),
    "constant": lambda t: 0.7,
}


@pytest.mark.parametrize("case", [*SMOOTH, *CURVED])
def test_curved_function_has_no_kink(case):
    assert find_kink((FAST | CURVED)[case], 0.0, 1.0) is None


def test_fast_smooth_motion_runs():
    system, crank = arm()
    crank.prescribe(fm.Step(0.01, 0.0101, 0.0, 1.0))
    result = system.simulate(0.02)
    assert result.status == "finished" and result["crank.angle"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize(("place", "size"), [(0.123456789, 1.0), (0.5, -2e-3), (0.9999, 1e-2)])
def test_jump_is_found_where_it_is(place, size):
    found = find_jump(lambda t: math.sin(5.0 * t) + size * (t >= place), 0.0, 1.0)
    assert found.t == pytest.approx(place, abs=1e-11)
    assert found.after - found.before == pytest.approx(size, rel=1e-6)


def test_jump_against_the_slope_is_found():
    """Half as large as the change between two samples, and opposite to it."""
    found = find_jump(lambda t: 5.0 * t - 2.5e-3 * (t >= 0.4321), 0.0, 1.0)
    assert found.t == pytest.approx(0.4321, abs=1e-11) and found.after - found.before == pytest.approx(-2.5e-3, rel=1e-6)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_motion_too_quick_for_its_differences_is_told(coordinates):
    """At 400 Hz differences over 3 ms show 48 % of the rate: that of sixth order with h = 1 ms is
    (1.5 sin x - 0.3 sin 2x + sin 3x / 30) / x of the true one, x = 2 pi 400 Hz 1 ms."""
    x = 2.0 * math.pi * 0.4
    part = (1.5 * math.sin(x) - 0.3 * math.sin(2.0 * x) + math.sin(3.0 * x) / 30.0) / x
    system, crank = arm()
    system.coordinates = coordinates
    crank.prescribe(lambda t: 1e-4 * math.sin(2.0 * math.pi * 400.0 * t))
    with pytest.warns(fm.MechanismWarning, match="'crank'.*changes too quickly for derivatives by finite differences") as told:
        system.simulate(2e-3)
    numbers = str(told[0].message).split("they give ")[1].split(" instead of ")
    assert float(numbers[0]) / float(numbers[1].split(". ")[0]) == pytest.approx(part, rel=1e-3)


@pytest.mark.parametrize(
    "motion",
    [
        lambda t: 0.5 * math.sin(2.0 * math.pi * 40.0 * t),
        lambda t: 1000.0 * t,
        lambda t: 0.7,
        lambda t: 0.3 * math.tanh((t - 0.01) / 0.01),
        fm.Harmonic(1e-4, frequency=400.0),
    ],
)
def test_motion_slow_enough_for_its_differences_is_not_warned_of(motion):
    system, crank = arm()
    crank.prescribe(motion)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.simulate(0.02)
