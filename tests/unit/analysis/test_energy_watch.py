"""Energy that nothing supplied stops a run by name; energy that something supplied does not."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.recording.energy_books import EnergyBooks
from flexmbs.analysis.run.energy_watch import EnergyWatch


def pendulum(gravity=9.81, **start) -> fm.System:
    system = fm.System(gravity=(0.0, -gravity, 0.0))
    body = system.add(fm.RigidBody(1.0, 0.1 * np.eye(3), (0.5, 0.0, 0.0)), "bob")
    system.revolute(system.ground["origin"], body.marker("in"), axis="z", name="hinge", **start)
    body.marker("tip", position=(1.0, 0.0, 0.0))
    return system


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_energy_from_nothing_stops_the_run(coordinates, monkeypatch):
    """The energies of a run are falsified from 0.2 s on: kinetic energy grows a thousandfold in 10 ms."""
    take = EnergyWatch.take

    def falsified(self, model, rows, watched, arrays, events):
        late = np.maximum(arrays["t"] - 0.2, 0.0)
        energy = arrays["energy"].copy()
        energy[:, 0] *= np.exp(late / 0.01 * math.log(1000.0))
        return take(self, model, rows, watched, {**arrays, "energy": energy}, events)

    monkeypatch.setattr(EnergyWatch, "take", falsified)
    system = pendulum()
    system.coordinates = coordinates
    message = r"at t = 0\.2\d* s the mechanism has gained .* J that nothing supplied, .* in body 'bob'"
    with pytest.raises(fm.SimulationError, match=message) as caught:
        system.simulate(0.5, max_step=0.01)
    assert caught.value.result.status.startswith("stopped: at t = 0.2")
    assert caught.value.result.t[-1] > 0.1


def blow(t):
    return 500.0 * math.exp(-(((t - 0.1) / 1e-3) ** 2))


def hammered(system):
    system.force(system.bodies["bob"]["tip"], (0.0, blow, 0.0))


def motor(system):
    system.joints["hinge"].motor(((0.0, 100.0), (50.0, 0.0)))


def actuator(system):
    system.joints["hinge"].actuate(lambda t: 20.0 * math.sin(30.0 * t))


def follower(system):
    system.force(system.bodies["bob"]["tip"], (0.0, 30.0, 0.0), follower=True)


def torque(system):
    system.torque(system.bodies["bob"]["tip"], (0.0, 0.0, 30.0))


def crank(system):
    system.joints["hinge"].prescribe(fm.Ramp(0.0, 0.1, 300.0))


def stiff_damper(system):
    system.joints["hinge"].spring(damping=1e6)


def negative_damper(system):
    system.joints["hinge"].spring(damping=((-100.0, 100.0), (1000.0, -1000.0)))


def preloaded(system):
    system.joints["hinge"].spring(stiffness=1e6, rest=0.01)


def winch(system):
    anchor = system.ground.marker("anchor", position=(1.0, 2.0, 0.0))
    mass = system.add(fm.RigidBody.point(2.0), "load", position=(1.0, 1.0, 0.0))
    system.rod(anchor, mass["origin"], fm.Step(0.0, 0.3, 1.0, 0.2), name="rope")


SUPPLIES = (hammered, motor, actuator, follower, torque, crank, stiff_damper, negative_damper, preloaded, winch)


@pytest.mark.parametrize("supply", SUPPLIES, ids=lambda supply: supply.__name__)
@pytest.mark.parametrize("gravity", [9.81, 0.0])
def test_energy_that_is_supplied_is_no_reason_to_stop(supply, gravity):
    start = {} if supply is crank else {"rate": 1.0}
    system = pendulum(gravity, **start)
    supply(system)
    integrator = "radau" if supply is stiff_damper else "auto"
    for rtol in (1e-6, 1e-3):
        # long steps pass over the blow: test_a_blow_that_steps_pass_over
        step = 1e-3 if supply is hammered else math.inf
        assert system.simulate(0.5, rtol=rtol, integrator=integrator, max_step=step).status == "finished"


def hoist(system):
    load = system.add(fm.RigidBody.box(1000.0, (0.5, 0.1, 0.04)), "load")
    lift = system.prismatic(system.ground["origin"], load["origin"], axis="y", name="lift")
    lift.prescribe(fm.Step(1.0, 2.0, 0.0, 10.0))


def lever(system):
    system.joints["hinge"].prescribe(fm.Step(1.0, 1.002, 0.0, 1.0))


def balanced_rotor(system):
    rotor = system.add(fm.RigidBody.cylinder(7850.0, 0.1, 0.05, axis="z"), "rotor")
    axle = system.revolute(system.ground["origin"], rotor["origin"], name="axle")
    axle.prescribe(fm.Ramp(1.0, 1.001, 300.0))


def shaker(system):
    system.joints["hinge"].prescribe(fm.Harmonic(0.01, frequency=400.0))


@pytest.mark.parametrize("supply", (hoist, lever, balanced_rotor, shaker), ids=lambda supply: supply.__name__)
@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_drivers_that_are_quicker_than_the_steps(supply, coordinates):
    """Nothing has to follow them, so that steps grow over what they do, and show no power at their ends."""
    system = pendulum()
    system.coordinates = coordinates
    supply(system)
    for step in (None, 0.05):  # where some steps are left out too
        assert system.simulate(2.5 if supply is not shaker else 0.1, rtol=1e-4, output_step=step).status == "finished"


def test_steps_that_pass_over_a_driver_hide_nothing_behind_them(monkeypatch):
    """Energy from nothing, long after the hoist has stood still, stops the run still."""
    take = EnergyWatch.take

    def falsified(self, model, rows, watched, arrays, events):
        energy = arrays["energy"].copy()
        energy[:, 0] += 1e4 * np.maximum(arrays["t"] - 2.2, 0.0)
        return take(self, model, rows, watched, {**arrays, "energy": energy}, events)

    monkeypatch.setattr(EnergyWatch, "take", falsified)
    system = pendulum()
    hoist(system)
    with pytest.raises(fm.SimulationError, match="J that nothing supplied"):
        system.simulate(2.5)


def test_coarse_tolerance_that_makes_energy():
    """120 vibrations at rtol = 1e-2: the explicit method has added half of the energy at the start by then."""
    system = pendulum(rate=1.0)
    preloaded(system)
    with pytest.raises(fm.SimulationError, match=r"gained .* J that nothing supplied.*tighter tolerance \(rtol\)"):
        system.simulate(0.5, rtol=1e-2, integrator="explicit")


def test_mechanism_at_rest():
    system = pendulum(angle=-0.5 * math.pi)
    assert system.simulate(1.0).status == "finished"
    assert pendulum(0.0).simulate(1.0).status == "finished"


def run_up(t: float) -> float:
    """Rate of 10 rad/s from 0.8018 s on, within 1.4 ms."""
    x = min(max((t - 0.8004) / 0.0014, 0.0), 1.0)
    return 10.0 * x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def run_up_acceleration(t: float) -> float:
    x = min(max((t - 0.8004) / 0.0014, 0.0), 1.0)
    return 300.0 / 0.0014 * (x * (1.0 - x)) ** 2


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_driver_that_a_step_passes_over_is_told(coordinates):
    """Of a Python function in a run of 2 s no sample sees what lasts 1.4 ms; of one in 0.9 s all do."""

    def turned(t_end, **options):
        system = pendulum(gravity=0.0)
        system.coordinates = coordinates
        system.joints["hinge"].prescribe(rate=run_up, acceleration=run_up_acceleration)
        return system.simulate(t_end, **options)["hinge.angle"][-1]

    with pytest.warns(fm.ResultWarning, match=r"the step from t = .* skips a shorter motion of the driver of 'hinge"):
        turned(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert turned(2.0, max_step=2e-4) == pytest.approx(11.989, abs=1e-5)
        assert turned(0.9) == pytest.approx(0.989, abs=1e-5)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_driver_in_a_constraint_is_not_passed_over(coordinates):
    """A load hangs at rest until its rope is wound up, from 1 s on: steps are as long as the winding lasts by then."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    load = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), "load")
    system.prismatic(system.ground["origin"], load["origin"], axis="y", displacement=-1.0, name="guide")
    system.rod(system.ground["origin"], load["origin"], fm.Step(1.0, 1.5, 1.0, 0.5), name="rope")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = system.simulate(3.0)
    assert result["guide.displacement"][-1] == pytest.approx(-0.5, abs=1e-9)
    largest = np.abs(result["guide.displacement.acceleration"]).max()
    assert largest == pytest.approx(10.0 / np.sqrt(3.0) * 0.5 / 0.5**2, rel=1e-6)


def test_constraint_of_rates_is_not_passed_over():
    """Its value is nobody's statement, so that no step can miss a change of it."""
    system = pendulum()
    system.couple((system.joints["hinge"], 1.0), rate=lambda t: math.cos(3.0 * t))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert system.simulate(1.0)["hinge.angle"][-1] == pytest.approx(math.sin(3.0) / 3.0, abs=1e-4)


def test_a_blow_that_steps_pass_over():
    """A step of 0.03 s goes over most of a blow of 1 ms: the rate at the end is then -5.20 rad/s in place of -3.42."""
    system = pendulum(rate=1.0)
    hammered(system)
    message = r"has gained .* It arose between t = 0\.07\d* and 0\.10\d* s, in proportion to the work of the load of 'force 1'"
    with pytest.raises(fm.SimulationError, match=message) as caught:
        system.simulate(0.5)
    assert caught.value.result.t[-1] > 0.1  # all finished steps are kept
    with pytest.warns(fm.ResultWarning, match=message):
        result = system.simulate(0.5, stop_on_imbalance=False)
    assert result.status == "finished" and result.t[-1] == 0.5
    assert any("J that nothing" in text for text in result.stats["warnings"])


@dataclass(frozen=True)
class Hardening(fm.ForceLaw):
    """-k x^3, whose energy may be wrong by a factor."""

    stiffness: float
    factor: float

    kind = "hardening"
    is_passive = True

    def parameters(self):
        return [self.stiffness, self.factor]

    @staticmethod
    def force(parameters, x, rate, given):
        return -parameters[0] * x**3

    @staticmethod
    def energy(parameters, x):
        return parameters[1] * parameters[0] * x**4 / 4.0


def swing(factor, **options):
    """A pendulum with springs and damper, three swings; the energy of one spring is wrong by ``factor``."""
    system = pendulum(rate=3.0)
    anchor = system.ground.marker("anchor", (1.0, 0.5, 0.0))
    system.spring_damper(anchor, system.bodies["bob"]["tip"], stiffness=2.0, damping=0.1, length=0.3, name="damper")
    system.joints["hinge"].force(Hardening(5.0, factor), name="spring")
    return system.simulate(3.0, **options)


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11])
@pytest.mark.parametrize("integrator", ["radau", "bdf", "explicit"])
def test_what_is_right_is_not_warned_of(rtol, integrator):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert swing(1.0, rtol=rtol, integrator=integrator).status == "finished"


def test_an_element_whose_energy_is_wrong_is_named():
    """By 0.3 %: far beyond rtol, and too little to stop the run."""
    message = r"has (gained|lost) .* J that nothing .* in proportion to the work of the force of 'hinge.angle.spring'"
    with pytest.warns(fm.ResultWarning, match=message):
        assert swing(1.003).status == "finished"
    for options in ({"output_step": 0.1}, {"store_every": 50}):  # some of the steps are looked at, which may not tell the element
        with pytest.warns(fm.ResultWarning, match="J that nothing"):
            swing(1.003, **options)
    with warnings.catch_warnings():  # at this tolerance it could be the error of the integration
        warnings.simplefilter("error")
        swing(1.003, rtol=1e-3)


def test_an_element_whose_energy_is_very_wrong_stops_the_run():
    message = r"^at t = .* has (gained|lost) .* J that nothing .* the force of 'hinge.angle.spring'"
    with pytest.raises(fm.SimulationError, match=message) as caught:
        swing(1.5)
    assert caught.value.result.status.startswith("stopped: at t = ") and caught.value.result.t[-1] > 1.0
    with pytest.warns(fm.ResultWarning, match="J that nothing"):
        assert swing(1.5, stop_on_imbalance=False).t[-1] == 3.0


def test_impacts_whose_losses_are_not_booked_are_named(monkeypatch):
    monkeypatch.setattr(EnergyBooks, "_book_losses", lambda *_: None)
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.05), name="ball", position=(0.0, 0.0, 0.3))
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball.frame, 0.05), floor, law=fm.Rigid(restitution=0.995), name="floor")
    first = math.sqrt(2.0 * 0.25 / 9.81)
    with pytest.warns(fm.ResultWarning, match=rf"J of it arose in the impact of 'floor', first at t = {first:.6g} s"):
        system.simulate(1.0)
