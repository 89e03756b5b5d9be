"""What drivers demand of a mechanism that they move alone, against closed forms: largest torque, torque between rows.

The torque on a body driven about its centre is J times the acceleration that the driver prescribes.
"""

import math
import warnings

import numpy as np
import pytest
from planar_four_bar import four_bar

import flexmbs as fm

INERTIA = 0.65  # kg m^2
SMOOTH = 10.0 / math.sqrt(3.0)  # largest second derivative of the polynomial of degree 5 from 0 to 1


def turned(driver, t_end: float = 2.0, **options) -> fm.Result:
    """The run of a body that is driven about its centre."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody(1.0, INERTIA * np.eye(3)), name="body")
    joint = system.revolute(system.ground["origin"], body["origin"], axis="z", name="hinge")
    joint.prescribe(**driver) if isinstance(driver, dict) else joint.prescribe(driver)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return system.simulate(t_end, **options)


def torque(result: fm.Result) -> np.ndarray:
    return result["hinge.angle.driving_force"]


def step(t: float) -> float:
    """A Python function: fm.Step(0.5, 1.0)."""
    x = min(max((t - 0.5) / 0.5, 0.0), 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def pulse(t: float) -> float:
    return 0.01 * math.exp(-(((t - 1.33) / 0.02) ** 2))


TIMES = np.linspace(0.0, 2.0, 41)
TURN = np.linspace(0.0, 0.4, 21)
DRIVERS = {
    "step": (fm.Step(0.5, 1.0), SMOOTH / 0.5**2),
    "short step": (fm.Step(1.9001, 1.9011), SMOOTH / 0.001**2),
    "ramp": (fm.Ramp(0.5, 1.0, 3.0), 3.0 * 1.875 / 0.5),
    "harmonic": (fm.Harmonic(0.3, 2.0), 0.3 * (4.0 * math.pi) ** 2),
    "sum": (2.0 * fm.Step(0.5, 1.0) + fm.Ramp(1.2, 1.3, 0.1), 2.0 * SMOOTH / 0.5**2),
    "table": (fm.Table(TIMES, np.sin(3.0 * TIMES)), None),
    "repeated table": (fm.Table(TURN, np.sin(5.0 * math.pi * TURN), beyond="repeat"), None),
    "function": (step, SMOOTH / 0.5**2),
    "pulse of a function": (pulse, 0.01 * 2.0 / 0.02**2),
    "pulse of a rate": ({"rate": pulse}, 0.01 * math.sqrt(2.0) * math.exp(-0.5) / 0.02),
    "pulse of an acceleration": ({"acceleration": pulse}, 0.01),
}


@pytest.mark.parametrize("name", DRIVERS)
def test_largest_torque(name):
    """Within rtol, whatever the duration of the motion is in the run; cubic tables are steepest in a knot."""
    driver, largest = DRIVERS[name]
    if largest is None:
        largest = max(abs(driver.acceleration(t)) for t in driver.times)
    assert np.abs(torque(turned(driver))).max() == pytest.approx(INERTIA * largest, rel=1e-6)


@pytest.mark.parametrize("integrator", ["radau", "bdf", "generalised_alpha", "explicit"])
@pytest.mark.parametrize("rtol", [1e-3, 1e-5])
def test_torque_between_rows(integrator, rtol):
    """Straight lines between the rows of a result are within rtol of the closed form, with every method."""
    driver = fm.Step(0.5, 1.0)
    result = turned(driver, rtol=rtol, integrator=integrator)
    t = np.linspace(0.0, 2.0, 7919)
    exact = INERTIA * np.array([driver.acceleration(x) for x in t])
    assert np.abs(np.interp(t, result.t, torque(result)) - exact).max() < 1.01 * rtol * INERTIA * SMOOTH / 0.5**2


def test_motion_of_constant_speed_takes_no_more_steps():
    assert len(turned(lambda t: 3.0 * t).t) < 20
    assert len(turned(fm.Polynomial([0.0, 3.0])).t) < 20


SPEED, OFF_CENTER = 2.0 * math.pi, 0.1  # rad/s, m
ROTORS = {"position": fm.Polynomial([0.0, SPEED]), "rate": SPEED, "acceleration": 0.0}


def rotor(level: str, gravity: tuple[float, float, float], off_center: float, t_end: float = 3.0, **options) -> fm.Result:
    """A rotor of 1 kg at constant speed about an axis that is oblique to the world's axes."""
    system = fm.System(gravity=gravity)
    shape = fm.RigidBody(1.0, np.diag([0.1, 0.12, 0.15]), center=(off_center, 0.0, 0.3))
    body = system.add(shape, name="rotor")
    axes = fm.EulerAngles("zyx", (30.0, 20.0, 0.0), degrees=True)
    ground = system.ground.marker("bearing", rotation=axes)
    start = {} if level == "position" else {"angle": 0.0} | ({"rate": SPEED} if level == "acceleration" else {})
    system.revolute(ground, body["origin"], name="hinge", **start).prescribe(**{level: ROTORS[level]})
    return system.simulate(t_end, **options)


@pytest.mark.parametrize("level", ROTORS)
@pytest.mark.parametrize("rtol", [1e-3, 1e-5])
def test_torque_of_an_unbalanced_rotor_at_constant_speed(level, rtol):
    """Nothing accelerates, but the weight turns against the rotor: a harmonic torque, straight between rows within rtol."""
    result = rotor(level, (0.0, 0.0, -9.81), OFF_CENTER, rtol=rtol)
    t = np.linspace(0.0, 3.0, 7919)
    torques = np.interp(t, result.t, torque(result))
    phase = np.array([np.cos(SPEED * t), np.sin(SPEED * t)])
    factors = np.linalg.lstsq(phase.T, torques, rcond=None)[0]
    assert np.linalg.norm(factors) == pytest.approx(9.81 * OFF_CENTER * math.sin(math.radians(20.0)), rel=1e-3)
    assert np.abs(torques - factors @ phase).max() < 1.1 * rtol * np.linalg.norm(factors)
    assert len(result.t) / 3.0 < 1.1 * math.pi / math.sqrt(2.0 * rtol)


@pytest.mark.parametrize("level", ROTORS)
def test_balanced_rotor_takes_no_more_steps(level):
    """Its torque is rounding of the weight's moment, which no step length resolves."""
    for t_end in (3.0, 3000.0):
        assert len(rotor(level, (1.0, -9.81, 2.0), 0.0, t_end).t) < 40


@pytest.mark.parametrize("level", ROTORS)
def test_rounding_of_loads_that_cancel_takes_no_more_steps(level):
    """Two springs from the axis hold each other: joint and driver transmit their rounding, which no step length resolves."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body, axis = system.add(fm.RigidBody(1.0, np.diag([0.1, 0.1, 0.2])), name="rotor"), np.array([0.1, 0.3, 0.5])
    for side in (-1.0, 1.0):
        end = body.marker(f"end {side}", 0.2 * axis + side * np.array([0.3, 0.1, -0.12]))
        system.spring_damper(system.ground.marker(f"hook {side}", 0.2 * axis), end, stiffness=1e6, length=0.1)
    start = {} if level == "position" else {"angle": 0.0} | ({"rate": SPEED} if level == "acceleration" else {})
    hinge = system.revolute(system.ground["origin"], body["origin"], axis=axis, name="hinge", **start)
    hinge.prescribe(**{level: ROTORS[level]})
    assert len(system.simulate(1.0).t) < 60


@pytest.mark.parametrize("seed", range(6))
def test_driving_forces_between_rows_of_arms(seed):
    """Arms of two to four bodies, driven in every joint: straight lines between rows are within rtol of inverse dynamics."""
    result, exact = driven_arm(seed).simulate(2.0, rtol=1e-5), driven_arm(seed).kinematics(2.0, steps=1777)
    for name in driven_arm(seed).joints:
        force = next(history for history in result.names if history.startswith(f"{name}.") and history.endswith(".driving_force"))
        off = np.abs(np.interp(exact.t, result.t, result[force]) - exact[force]).max()
        assert off < 1.5e-5 * np.abs(exact[force]).max()


def driven_arm(seed: int) -> fm.System:
    random = np.random.default_rng(seed)
    system = fm.System(gravity=random.normal(size=3) * 5.0)
    last, count = system.ground["origin"], random.integers(2, 5)
    for i in range(count):
        shape = fm.RigidBody(random.uniform(0.2, 3.0), 0.1 * np.eye(3), center=random.normal(size=3) * 0.3)
        body = system.add(shape, name=f"body {i}")
        join = system.revolute if random.random() < 0.7 else system.prismatic
        amount, speed = random.normal(), random.uniform(0.5, 8.0)
        drivers = fm.Step(0.3, 1.1, 0.0, amount), fm.Polynomial([0.1, amount]), fm.Harmonic(0.3 * amount, speed / 6.0)
        join(last, body["origin"], axis=random.normal(size=3), name=f"joint {i}").prescribe(drivers[random.integers(3)])
        last = body.marker("tip", random.normal(size=3) * 0.4)
    return system


def test_motion_whose_period_is_that_of_samples_is_resolved_and_told():
    """One vibration in each thousandth of the run: the motion is the same at equal times apart, not where it is looked at."""
    result = turned(fm.Harmonic(0.3, 1.0), 1000.0, rtol=1e-3)
    assert np.abs(torque(result)).max() == pytest.approx(INERTIA * 0.3 * (2.0 * math.pi) ** 2, rel=1e-3)
    assert result.stats["step_size_decided_by"] == "functions of time: drivers and loads"


def test_knots_of_a_table_are_rows():
    for k, driver in enumerate((fm.Table(TURN, np.sin(5.0 * math.pi * TURN), beyond="repeat"), fm.Step(0.3, 1.1))):
        times = turned(driver).t
        knots = np.add.outer(0.4 * np.arange(5), TURN).ravel() if k == 0 else np.array([0.3, 1.1])
        assert np.abs(times[:, None] - knots[None, :]).min(axis=0).max() < 1e-12


def test_jump_of_a_prescribed_acceleration():
    """From rest to 2 rad/s^2 at 0.3 s: the steps end there, and the turn until 1 s is 0.49 rad."""
    driver = {
        "position": lambda t: max(t - 0.3, 0.0) ** 2,
        "rate": lambda t: 2.0 * max(t - 0.3, 0.0),
        "acceleration": lambda t: 2.0 if t > 0.3 else 0.0,
    }
    result = turned(driver, 1.0)
    assert result["hinge.angle"][-1] == pytest.approx(0.49, abs=1e-12)
    jump = np.flatnonzero(np.diff(torque(result)) > INERTIA)
    assert len(jump) == 1 and result.t[jump[0]] == pytest.approx(0.3, abs=1e-8)
    assert result.t[jump[0] + 1] == pytest.approx(0.3, abs=1e-8)


def test_rate_with_kinks_runs_without_warning():
    """Differences smear the jumps of acceleration over 6 ms, where work and kinetic energy disagree: no fault of the run."""
    result = turned({"rate": lambda t: min(max(t - 0.3, 0.0), 0.5)})
    assert result["hinge.angle"][-1] == pytest.approx(0.725, abs=1e-6)
    assert result["hinge.angle.rate"][-1] == 0.5


@pytest.mark.parametrize("integrator", ["radau", "explicit"])
@pytest.mark.parametrize("driver", [fm.Step(0.5, 1.0), fm.Harmonic(0.3, 2.0)])
def test_driven_body_beside_a_pendulum(driver, integrator):
    """The method controls the error of the pendulum alone, which takes 50 steps; the driven torque is within 1 % nevertheless."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    body, rod = system.add(fm.RigidBody(1.0, INERTIA * np.eye(3)), "body"), system.add(fm.RigidBody.rod(1.0, 1.0), "rod")
    system.revolute(system.ground["origin"], body["origin"], name="hinge").prescribe(driver)
    system.revolute(system.ground["origin"], rod["origin"], angle=0.3, name="pivot")
    result = system.simulate(2.0, integrator=integrator)
    t = np.linspace(0.0, 2.0, 2003)
    exact = np.array([driver.acceleration(x) for x in t])
    found = np.interp(t, result.t, torque(result)) / INERTIA
    assert np.abs(found - exact).max() < 0.011 * np.abs(exact).max()
    assert len(result.t) < 120


def test_run_that_goes_on_until_a_driver_begins():
    """The first run has no motion to resolve; the second one, from its end, has."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody(1.0, INERTIA * np.eye(3)), name="body")
    system.revolute(system.ground["origin"], body["origin"], axis="z", name="hinge").prescribe(fm.Step(5.0, 6.0))
    result = system.simulate(8.0, start=system.simulate(3.0))
    assert np.abs(torque(result)).max() == pytest.approx(INERTIA * SMOOTH, rel=1e-6)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_driven_loop(coordinates):
    """A four-bar whose crank is driven: the largest torque is that of the exact kinematics at the same driver."""

    def linkage():
        system = four_bar(coordinates)
        system.joints["A"].prescribe(fm.Step(0.2, 0.3, 0.9, 1.4))
        return system

    forces = np.abs(linkage().kinematics(0.4, steps=1000)["A.angle.driving_force"])
    before, there, after = forces[np.argmax(forces) + np.arange(-1, 2)]
    exact = there - (after - before) ** 2 / (8.0 * (after - 2.0 * there + before))  # top of a parabola
    found = np.abs(linkage().simulate(0.4)["A.angle.driving_force"]).max()
    assert found == pytest.approx(exact, rel=2e-6)
