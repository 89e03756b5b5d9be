"""Runs that cannot start or cannot end: the message names the reason, and what was finished is kept."""

import math
import signal

import numpy as np
import pytest

import flexmbs as fm

BLOCK = fm.RigidBody(1.0, (1.0, 1.0, 1.0))


def slider(force=0.0):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(BLOCK, name="block")
    system.prismatic(system.ground["origin"], block["origin"], axis="x", name="slide")
    system.force(block["origin"], (force, 0.0, 0.0), name="push")
    return system


def arm_and_load(driver):
    """A driven arm with a free one on it."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    arm, load = (system.add(fm.RigidBody.rod(1.0, 1.0), name=name) for name in ("arm", "load"))
    system.revolute(system.ground["origin"], arm["origin"], name="motor").prescribe(driver)
    system.revolute(arm.marker("end", position=(1.0, 0.0, 0.0)), load["origin"], name="elbow")
    return system


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_end": 0.0}, "t_end = 0.0 must be a positive"),
        ({"t_end": -1.0}, "t_end = -1.0 must be a positive"),
        ({"t_end": math.nan}, "t_end = nan"),
        ({"t_end": math.inf}, "t_end = inf"),
        ({"rtol": 0.0}, "rtol = 0.0 must be positive|rtol = 0.0 must be a positive"),
        ({"rtol": 1e-17}, "rtol = 1e-17 is below the limit of double precision"),
        ({"atol": math.nan}, "atol = nan"),
        ({"max_step": 0.0}, "max_step = 0.0 s must be positive"),
    ],
)
def test_settings(options, message):
    with pytest.raises(fm.MechanismError, match=message):
        slider().simulate(**{"t_end": 1.0} | options)


def test_initial_penetration():
    system = fm.System()
    ball = system.add(BLOCK, name="ball", position=(0.0, 0.05, 0.0))
    system.contact(fm.Sphere(ball["origin"], 0.1), fm.Plane(system.ground["origin"]), fm.Hertz(1e9), name="floor")
    with pytest.raises(fm.MechanismError, match="contact 'floor' starts with a penetration of 0.05 m"):
        system.simulate(1.0)


def test_coordinate_without_inertia():
    system = fm.System()
    dot = system.add(fm.RigidBody.point(1.0), name="dot")
    system.revolute(system.ground["origin"], dot["origin"], name="spin")
    with pytest.raises(fm.MechanismError, match="mass matrix is singular: body 'dot' has no inertia about its z axis"):
        system.simulate(1.0)


def test_motion_that_diverges():
    message = "at t = 0.5 s .* coordinate 'slide.displacement' of joint 'slide'"
    with pytest.raises(fm.SimulationError, match=message) as caught:
        slider(lambda t: 1.0 / (0.5 - t) ** 3).simulate(1.0)
    # the pole is at 0.5 s
    assert caught.value.result.t[-1] == pytest.approx(0.5, abs=1e-3)
    assert caught.value.result.status.startswith("stopped: ")


TABLE = {"level": 2.0, "start": 0.0}


def from_a_table(t):
    """numba cannot compile a dictionary of mixed use such as this: a Python callback."""
    return TABLE.get("level", str(t)) * t


def numba_stumbles(t):
    """Makes numba raise an error of another kind than its own."""
    return 2.0 * t + 0.0 * len(str(t)) if t < 1e9 else float(str(t))


class Ramp:
    def __call__(self, t):
        return 2.0 * t


def ramps():
    import functools

    from scipy.interpolate import CubicSpline

    yield pytest.param(lambda t: 2.0 * t, id="compiled")
    yield pytest.param(from_a_table, id="dictionary")
    yield pytest.param(numba_stumbles, id="numba stumbles")
    yield pytest.param(lambda t: {"a": TABLE}["a"]["level"] * t, id="nested dictionary")
    yield pytest.param(functools.partial(lambda level, t: level * t, 2.0), id="partial")
    yield pytest.param(Ramp(), id="callable object")
    yield pytest.param(Ramp().__call__, id="bound method")
    yield pytest.param(CubicSpline([0.0, 1.0, 2.0], [0.0, 2.0, 4.0]), id="spline")
    yield pytest.param(lambda t: np.interp(t, [-1.0, 1.0], [-2.0, 2.0]), id="numpy")


@pytest.mark.parametrize("ramp", list(ramps()))
def test_any_function_of_time_is_a_force(ramp):
    # x'' = 2 t
    assert slider(ramp).simulate(1.0)["slide.displacement"][-1] == pytest.approx(1.0 / 3.0, rel=1e-9)


@pytest.mark.parametrize("ramp", list(ramps()))
def test_any_function_of_time_drives_a_joint(ramp):
    result = arm_and_load(ramp).simulate(0.2)
    assert result["motor.angle"][-1] == pytest.approx(0.4, rel=1e-12)
    # sixth-order differences of the function
    assert result["motor.angle.rate"][-1] == pytest.approx(2.0, rel=1e-9)


def raises_late(t):
    if t > 0.5:
        raise ValueError("no data beyond 0.5 s")
    return 1.0


def raises_late_in_python(t):
    if t > 0.5:
        raise ValueError("no data beyond 0.5 s" + str(TABLE.get("note", "")))
    return 1.0


def divides_by_zero_late(t):
    return 1.0 if t < 0.5 else 1.0 / (t - t)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raises_late, "no data beyond 0.5 s"),
        (raises_late_in_python, "no data beyond 0.5 s"),
        (divides_by_zero_late, "push|division"),
        (lambda t: 1.0 if t < 0.5 else math.nan, "'push' is not finite"),
    ],
)
def test_function_of_time_that_fails_during_the_run(function, message, tmp_path):
    with pytest.raises(fm.SimulationError, match=message) as caught:
        slider(function).simulate(1.0, out=tmp_path)
    assert caught.value.result.t[-1] == pytest.approx(0.5, abs=0.01)
    kept = fm.load(tmp_path)
    assert kept.status.startswith("stopped: ") and kept.t[-1] == caught.value.result.t[-1]


@pytest.mark.parametrize("build", [arm_and_load, lambda driver: driven_alone(driver)], ids=["with load", "alone"])
@pytest.mark.parametrize("function", [raises_late_in_python, lambda t: t if t < 0.5 else math.nan])
def test_driver_that_fails_during_the_run(build, function):
    with pytest.raises(fm.SimulationError) as caught:
        build(function).simulate(1.0)
    assert np.all(np.isfinite(caught.value.result.trajectory.q))


def driven_alone(driver):
    system = fm.System()
    system.revolute(system.ground["origin"], system.add(BLOCK, name="block")["origin"], name="motor").prescribe(driver)
    return system


def test_function_of_time_that_raises_at_the_start_is_named():
    with pytest.raises(fm.MechanismError, match="force 'push'.*division by zero"):
        slider(lambda t: 1.0 / t)


def test_function_of_time_that_gives_no_number_is_named():
    with pytest.raises(fm.MechanismError, match="force 'push'"):
        slider(lambda t: None)


@pytest.mark.parametrize(("driver", "t_end"), [(0.0, 1e4), (lambda t: 0.05 * from_a_table(t), 5000.0)])
def test_ctrl_c_keeps_the_steps(driver, t_end, tmp_path):
    """Also while a Python function of time runs, where Python sees the signal first."""

    begun = []

    def interrupt(*_):
        """Comes every 0.2 s; interrupts at the third time that it finds the run begun, however slow the machine is."""
        begun.extend([True] * any(tmp_path.glob("*.h5")))
        if len(begun) == 3:
            raise KeyboardInterrupt

    system = arm_and_load(driver)
    system.simulate(0.01)  # kernels are loaded
    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            system.simulate(t_end, out=tmp_path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
    kept = fm.load(tmp_path)
    assert kept.status == "stopped: interrupted by the user"
    assert 0.1 < kept.t[-1] < t_end and np.all(np.diff(kept.t) > 0.0)


def test_ctrl_c_in_the_progress_callback_keeps_the_steps(tmp_path):
    def interrupt(progress):
        if progress.time > 1.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arm_and_load(lambda t: 0.1 * t).simulate(1e6, out=tmp_path, progress=interrupt)
    assert fm.load(tmp_path).t[-1] > 1.0


def test_spring_of_no_free_length_may_start_with_no_length():
    """A linear spring that pulls one point to another: k x, whatever the direction."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    block = system.add(BLOCK, name="block")
    system.spring_damper(system.ground["origin"], block["origin"], stiffness=100.0, name="coil")
    result = system.simulate(0.3, rtol=1e-9, atol=1e-12)
    sink = 9.81 / 100.0
    assert result["block.free.y"][-1] == pytest.approx(sink * (np.cos(10.0 * 0.3) - 1.0), rel=1e-6)
