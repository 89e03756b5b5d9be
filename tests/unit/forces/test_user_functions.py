"""Sensors, user functions and user states: exact responses of filters and controllers, and what goes wrong."""

import warnings

import numpy as np
import pytest
from sliders import slider

import flexmbs as fm

TIGHT = dict(rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("compiled", [True, False])
def test_force_of_sensors_is_a_spring(compiled):
    system, body, joint = slider(2.0, displacement=0.1)
    seen = (system.sensor("position", body["origin"], component="x"), system.sensor("velocity", body["origin"]))

    def force(t, x, velocity):
        return -50.0 * x, 0.0 * t, 0.0 * velocity[2]

    system.force(body["origin"], force, inputs=seen, compiled=compiled)
    result = system.simulate(1.0, **TIGHT)
    assert result["slide.displacement"] == pytest.approx(0.1 * np.cos(5.0 * result.t), abs=1e-8)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_effort_function_of_the_joints_own_coordinate(coordinates):
    system, _body, joint = slider(2.0, coordinates, displacement=0.1)
    x = system.sensor("coordinate", joint)
    joint.actuate(lambda t, x: -50.0 * x, [x])
    result = system.simulate(1.0, **TIGHT)
    assert result["slide.displacement"] == pytest.approx(0.1 * np.cos(5.0 * result.t), abs=1e-8)
    effort = result["slide.displacement.actuator.effort"]
    assert effort == pytest.approx(-50.0 * result["slide.displacement"], abs=1e-10)


def test_first_order_filter_of_a_harmonic():
    """x' = (sin(w t) - x) / T from x = 0, as a user state and as a lag."""
    T, w = 0.1, 20.0
    system, _body, joint = slider(rate=0.0)
    system.state("filter", lambda t, x: (np.sin(w * t) - x) / T)
    system.lag("lag", lambda t: np.sin(w * t), T)
    result = system.simulate(1.0, **TIGHT)
    t, c = result.t, 1.0 + (w * T) ** 2
    exact = (np.sin(w * t) - w * T * np.cos(w * t) + w * T * np.exp(-t / T)) / c
    assert np.abs(result["filter"] - exact).max() < 1e-8
    assert np.abs(result["lag"] - exact).max() < 1e-8
    assert result["filter.rate"] == pytest.approx((np.sin(w * t) - exact) / T, abs=1e-6)


def test_states_that_depend_on_each_other():
    system, _body, _joint = slider()
    first = system.state("first", start=1.0)
    second = system.state("second", lambda t, y, x: -3.0 * x, [first])
    system.set_rate(first, lambda t, x, y: 3.0 * y, [second])
    result = system.simulate(2.0, **TIGHT)
    assert result["first"] == pytest.approx(np.cos(3.0 * result.t), abs=1e-7)
    assert result["second"] == pytest.approx(-np.sin(3.0 * result.t), abs=1e-7)


def test_vector_state():
    A = np.array([[0.0, 1.0], [-4.0, -0.4]])
    system, _body, _joint = slider()
    state = system.state("oscillator", lambda t, x: A @ x, start=(1.0, 0.0))
    assert state.size == 2
    result = system.simulate(2.0, **TIGHT)
    values, vectors = np.linalg.eig(A)
    exact = (vectors * np.linalg.solve(vectors, [1.0, 0.0])) @ np.exp(np.outer(values, result.t))
    assert result["oscillator.0"] == pytest.approx(exact[0].real, abs=1e-8)
    assert result["oscillator.1"] == pytest.approx(exact[1].real, abs=1e-8)


def test_continuous_pid_controller_exactly():
    """m x'' = -P x - I int x - D x' from x = 1: roots of m s^3 + D s^2 + P s + I."""
    m, P, integral, D = 1.0, 30.0, 20.0, 4.0
    system, _body, joint = slider(m, displacement=1.0)
    x, v = system.sensor("coordinate", joint), system.sensor("rate", joint)
    error = system.state("integral", lambda t, e, x: x, [x])
    joint.actuate(lambda t, x, v, e: -P * x - D * v - integral * e, [x, v, error])
    result = system.simulate(3.0, **TIGHT)
    roots = np.roots([m, D, P, integral])
    # x = sum c_k exp(s_k t) with x(0) = 1, x'(0) = 0, x''(0) = -P / m
    c = np.linalg.solve(np.vander(roots, increasing=True).T, [1.0, 0.0, -P / m])
    exact = (c @ np.exp(np.outer(roots, result.t))).real
    assert np.abs(result["slide.displacement"] - exact).max() < 1e-8


def test_state_drives_a_force_directly():
    """A decaying actuator force on a free mass."""
    system, _body, joint = slider(2.0)
    force = system.state("actuator", lambda t, F: -5.0 * F, start=10.0)
    joint.actuate(force)
    result = system.simulate(1.0, **TIGHT)
    assert result["slide.displacement.rate"] == pytest.approx(1.0 - np.exp(-5.0 * result.t), abs=1e-8)


def test_chain_of_functions_and_named_sensors_are_histories():
    system, _body, joint = slider(rate=2.0)
    v = system.sensor("rate", joint, name="speed")
    square = system.function(lambda t, v: v * v, [v], name="square")
    both = system.function(lambda t, s, v: (s + v, t), [square, v], outputs=2, name="both")
    joint.actuate(both[0] * -0.5)
    result = system.simulate(0.5, **TIGHT)
    speed = result["slide.displacement.rate"]
    assert result["speed"] == pytest.approx(speed, abs=0.0)
    assert result["square"] == pytest.approx(speed**2, rel=1e-14)
    assert result["both.0"] == pytest.approx(speed**2 + speed, rel=1e-14)
    assert result["both.1"] == pytest.approx(result.t, abs=1e-15)
    assert result["slide.displacement.actuator.effort"] == pytest.approx(-0.5 * (speed**2 + speed), rel=1e-13)
    assert result.unit("speed") == "m/s"
    # v' = -(v^2 + v) / 2
    c = 2.0 / 3.0
    assert speed == pytest.approx(c * np.exp(-result.t / 2) / (1.0 - c * np.exp(-result.t / 2)), abs=1e-8)


def test_force_of_an_acceleration_is_an_added_mass():
    system, body, joint = slider(2.0)
    a = system.sensor("acceleration", body["origin"], component="x")
    joint.actuate(lambda t, a: 6.0 - 1.0 * a, [a])
    result = system.simulate(1.0, **TIGHT)
    assert result["slide.displacement.acceleration"] == pytest.approx(2.0, rel=1e-10)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_function_of_a_reaction_cuts_the_joint_and_says_so(coordinates):
    """A pendulum's pivot force is m g (3 cos - 2 cos(start)) when it swings from rest."""
    g, length, start = 9.81, 0.7, 1.0
    system = fm.System(gravity=(0.0, -g, 0.0), coordinates=coordinates)
    bob = system.add(fm.RigidBody.point(2.0), name="bob")
    hinge = system.revolute(
        system.ground["origin"], bob.marker("pivot", position=(0.0, length, 0.0)), axis="z", angle=start, name="hinge"
    )
    force = system.sensor("reaction force", hinge, name="pivot")
    with pytest.warns(fm.MechanismWarning, match="joint 'hinge': function 'size' .*sensor 'pivot'.* is cut"):
        size = system.function(lambda t, f: np.sqrt(f[0] ** 2 + f[1] ** 2), [force], name="size")
    assert size.size == 1
    result = system.simulate(1.0, **TIGHT)
    expected = 2.0 * g * (3.0 * np.cos(result["hinge.angle"]) - 2.0 * np.cos(start))
    assert result["size"] == pytest.approx(np.abs(expected), rel=1e-7, abs=1e-7)
    assert result["pivot.x"] == pytest.approx(result["hinge.reaction.force.x"], abs=1e-12)


@pytest.mark.parametrize("cut", [False, True])
def test_reaction_sensor_leaves_the_joint_as_it_is(cut):
    """A named sensor is only recorded: the joint stays in the tree, or cut if it was stated so, without a warning."""
    g, length, start = 9.81, 0.7, 1.0
    system = fm.System(gravity=(0.0, -g, 0.0))
    bob = system.add(fm.RigidBody.point(2.0), name="bob")
    pivot = bob.marker("pivot", position=(0.0, length, 0.0))
    hinge = system.revolute(system.ground["origin"], pivot, axis="z", angle=start, name="hinge", cut=cut)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.sensor("reaction force", hinge, name="pivot")
        system.sensor("reaction moment", hinge, component="y", name="twisting")
        if cut:
            system.function(lambda t, f: f, [system.sensor("reaction force", hinge, component="x")])
    result = system.simulate(0.5, **TIGHT)
    assert (len(result.structure.coordinate_names) > 1) == cut
    angle, rate = result["hinge.angle"], result["hinge.angle.rate"]
    pull = 2.0 * (g * np.cos(angle) + length * rate**2)  # along the string, towards the pivot
    for axis in "xyz":
        assert np.array_equal(result[f"pivot.{axis}"], result[f"hinge.reaction.force.{axis}"])
    assert result["pivot.x"] == pytest.approx(-pull * np.sin(angle), rel=1e-9, abs=1e-9)
    assert result["pivot.y"] == pytest.approx(pull * np.cos(angle), rel=1e-9, abs=1e-9)
    assert np.array_equal(result["twisting"], result["hinge.reaction.moment.y"])


def test_recorded_reactions_of_a_redundant_mechanism_are_those_of_least_norm():
    """A door on two hinges: the sensor's history is completed with the reactions, also at other times."""
    system = fm.System()
    door = system.add(fm.RigidBody.box(500.0, (1.0, 0.1, 2.0), center=(0.5, 0.0, 1.0)), name="door")
    for name, height in (("lower", 0.0), ("upper", 2.0)):
        place = (0.0, 0.0, height)
        system.revolute(system.ground.marker(name, place), door.marker(name, place), name=name)
    system.sensor("reaction force", system.joints["lower"], component="z", name="weight")
    result = system.simulate(0.1)
    assert result["weight"] == pytest.approx(0.5 * 9.81 * 100.0, rel=1e-6)
    assert result.resampled([0.05])["weight"] == pytest.approx(0.5 * 9.81 * 100.0, rel=1e-6)


def test_sensors_of_motion_agree_with_the_histories():
    rng = np.random.default_rng(3)
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    body = system.add(
        fm.RigidBody(mass=1.0, inertia=np.diag([0.1, 0.2, 0.25])),
        name="body",
        velocity=(1.0, 0.5, 2.0),
        angular_velocity=(3.0, -1.0, 0.5),
        position=(0.1, 0.2, 0.3),
    )
    tip = body.marker("tip", position=(0.2, -0.1, 0.3), rotation=rng.normal(size=3))
    eye = system.ground.marker("eye", position=(0.3, 0.1, 0.0), rotation=rng.normal(size=3))
    for kind in ("position", "velocity", "acceleration", "rotation", "angular velocity", "angular acceleration"):
        system.sensor(kind, tip, eye, name=kind)
    system.sensor("specific force", tip, name="felt")
    system.sensor("distance", tip, eye, name="distance")
    system.sensor("distance rate", tip, eye, name="distance rate")
    for kind in ("kinetic energy", "gravity energy", "total energy", "time"):
        system.sensor(kind, name=kind)
    result = system.simulate(0.5, rtol=1e-10, atol=1e-12)
    get = lambda name: np.array([result[f"{name}.{x}"] for x in "xyz"])  # noqa: E731
    world = np.array([result[f"body.tip.position.{x}"] for x in "xyz"])
    assert get("position") == pytest.approx(eye.rotation.T @ (world - eye.position[:, None]), abs=1e-12)
    speed = np.array([result[f"body.tip.velocity.{x}"] for x in "xyz"])
    assert get("velocity") == pytest.approx(eye.rotation.T @ speed, abs=1e-12)
    # differences of the histories over steps of about 2 ms
    pairs = (("position", "velocity"), ("velocity", "acceleration"), ("angular velocity", "angular acceleration"))
    for value, rate in pairs:
        slope = np.gradient(get(value), result.t, axis=1)[:, 3:-3]
        assert slope == pytest.approx(get(rate)[:, 3:-3], abs=2e-2 * np.abs(get(rate)).max())
    felt = result.trajectory.body_rotation[:, 1] @ tip.rotation
    gravity = np.array([0.0, 0.0, -9.81])
    acceleration = (eye.rotation @ get("acceleration")).T
    assert get("felt").T == pytest.approx(np.einsum("tij,ti->tj", felt, acceleration - gravity), abs=1e-10)
    assert result["distance"] == pytest.approx(np.linalg.norm(get("position"), axis=0), abs=1e-12)
    ratio = np.einsum("it,it->t", get("position"), get("velocity")) / result["distance"]
    assert result["distance rate"] == pytest.approx(ratio, abs=1e-11)
    for kind in ("kinetic", "gravity", "total"):
        assert result[f"{kind} energy"] == pytest.approx(result[f"energy.{kind}"], abs=1e-12)
    assert result["time"] == pytest.approx(result.t, abs=0.0)
    turn = eye.rotation.T @ felt[-1]
    vector = fm.rotation(turn).vector
    assert get("rotation")[:, -1] == pytest.approx(vector, abs=1e-10)


class Memory:
    """A discrete PI controller with its own memory."""

    def __init__(self):
        self.total, self.calls = 0.0, []

    def __call__(self, t, x, v):
        self.total += x
        self.calls.append(t)
        return -8.0 * x - 3.0 * v - 0.4 * self.total


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_sampled_controller_is_the_exact_discrete_system(coordinates):
    T, m = 0.05, 1.0
    system, _body, joint = slider(m, coordinates, displacement=1.0)
    law = Memory()
    seen = (system.sensor("coordinate", joint), system.sensor("rate", joint))
    command = system.controller("pi", law, seen, period=T)
    joint.actuate(command)
    result = system.simulate(2.0, **TIGHT)
    x, v, total, u = 1.0, 0.0, 0.0, []
    for k in range(40):
        total += x
        u.append(-8.0 * x - 3.0 * v - 0.4 * total)
        at = np.flatnonzero(result.t == k * T)
        assert len(at) == 2  # before and after the sample, exactly on it
        assert result["slide.displacement"][at] == pytest.approx(x, abs=2e-9)
        assert result["pi"][at[1]] == pytest.approx(u[-1], abs=1e-8)
        x, v = x + T * v + 0.5 * T * T * u[-1] / m, v + T * u[-1] / m
    assert result["slide.displacement"][-1] == pytest.approx(x, abs=2e-9)
    assert law.calls == pytest.approx(T * np.arange(40), abs=0.0)  # once a sample, not at the end


def test_two_controllers_with_different_periods_and_a_late_start():
    system, _body, joint = slider()
    clock = system.sensor("time")
    system.controller("fast", lambda t, s: s, [clock], period=0.1)
    system.controller("slow", lambda t, s: (s, -s), [clock], period=0.25, outputs=2, start=7.0, first_sample=0.05)
    result = system.simulate(1.0, max_step=0.013)
    for t, fast, slow, minus in zip(result.t, result["fast"], result["slow.0"], result["slow.1"], strict=True):
        if np.min(np.abs(t - 0.1 * np.arange(11))) > 1e-9:
            assert fast == pytest.approx(0.1 * np.floor(t / 0.1), abs=1e-12)
        if np.min(np.abs(t - 0.05 - 0.25 * np.arange(5))) > 1e-9:
            assert slow == pytest.approx(0.05 + 0.25 * np.floor((t - 0.05) / 0.25) if t > 0.05 else 7.0, abs=1e-12)
            assert minus == pytest.approx(-slow if t > 0.05 else 7.0)


# what goes wrong


def test_exception_in_a_user_force_shows_its_traceback_and_keeps_the_run(tmp_path):
    def force(t, x):
        if t > 0.5:
            raise ZeroDivisionError("the valve is shut")
        return -x

    system, body, joint = slider(displacement=1.0)
    joint.actuate(force, [system.sensor("coordinate", joint)], compiled=False)
    with pytest.raises(fm.SimulationError) as caught:
        system.simulate(1.0, out=tmp_path)
    text = str(caught.value)
    assert "joint 'slide', effort raised an exception" in text
    assert "the valve is shut" in text and "test_user_functions.py" in text and "raise ZeroDivisionError" in text
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    saved = fm.load(tmp_path)
    assert 0.4 < saved.t[-1] <= 0.5
    assert saved.status.startswith("stopped")


def test_exception_in_a_function_of_time_is_told_with_the_name_of_its_force():
    def law(t):
        return {}[t] if t > 0.5 else 1.0

    system, body, _joint = slider()
    system.force(body["origin"], (law, 0.0, 0.0), name="gust")
    with pytest.raises(fm.SimulationError) as caught:
        system.simulate(1.0)
    text = str(caught.value)
    assert "force 'gust' raised an exception at t = 0." in text
    assert "KeyError" in text and "test_user_functions.py" in text
    assert isinstance(caught.value.__cause__, KeyError)


def test_exception_in_a_compiled_function_is_told_with_its_inputs():
    def force(t, x):
        if t > 0.5:
            raise ValueError("too late")
        return -x

    system, _body, joint = slider(displacement=1.0)
    joint.actuate(force, [system.sensor("coordinate", joint)], compiled=True)
    with pytest.raises(fm.SimulationError, match="too late") as caught:
        system.simulate(1.0)
    assert caught.value.result.t[-1] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("compiled", [True, False])
def test_function_that_returns_nan_is_named_with_what_it_was_given(compiled):
    system, _body, joint = slider(displacement=1.0)
    x = system.sensor("coordinate", joint)
    joint.actuate(lambda t, x: np.nan if t > 0.3 else -x, [x], compiled=compiled)
    with pytest.raises(fm.SimulationError, match=r"joint 'slide', effort returned nan with inputs \["):
        system.simulate(1.0)


def test_controller_that_returns_nan():
    system, _body, joint = slider(displacement=1.0)
    x = system.sensor("coordinate", joint)
    joint.actuate(system.controller("bang", lambda t, x: np.nan if t > 0.29 else -x, [x], period=0.1))
    with pytest.raises(fm.SimulationError, match="controller 'bang' returned a number that is not finite") as caught:
        system.simulate(1.0)
    assert caught.value.result.t[-1] == pytest.approx(0.3)


def test_controller_that_returns_too_many_numbers():
    system, _body, joint = slider(displacement=1.0)
    x = system.sensor("coordinate", joint)
    joint.actuate(system.controller("bang", lambda t, x: (x, x) if t > 0.19 else x, [x], period=0.1))
    with pytest.raises(fm.SimulationError, match="returned .* expected one number"):
        system.simulate(1.0)


def test_statics_keeps_states_and_describe_does_not_count_them():
    system, _body, joint = slider()
    joint.spring(10.0)
    held = system.state("held", lambda t, x: 1.0, start=5.0)
    joint.actuate(held)
    assert system.statics()["slide.displacement"][0] == pytest.approx(0.5)
    found = system.describe()
    assert found.mobility.freedoms == 1 and found.mobility.gruebler == 1
    assert "displacement (spring, actuator)" in str(found)
    with pytest.raises(fm.MechanismError, match="kinematics: 'held.integral', as all states"):
        system.kinematics(1.0)
