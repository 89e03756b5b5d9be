"""Energy that nothing supplied stops a run by name; energy that something supplied does not."""

import math
import warnings

import numpy as np
import pytest

import flexmbs as fm
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

    def falsified(self, model, rows, arrays, lost):
        late = np.maximum(rows[:, 0] - 0.2, 0.0)
        energy = arrays["energy"].copy()
        energy[:, 0] *= np.exp(late / 0.01 * math.log(1000.0))
        return take(self, model, rows, {**arrays, "energy": energy}, lost)

    monkeypatch.setattr(EnergyWatch, "take", falsified)
    system = pendulum()
    system.coordinates = coordinates
    message = r"at t = 0\.2\d* s the mechanism has gained .* J that nothing supplied: kinetic .* in body 'bob'"
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
        assert system.simulate(0.5, rtol=rtol, integrator=integrator).status == "finished"


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
    assert system.simulate(2.5 if supply is not shaker else 0.1, rtol=1e-4).status == "finished"


def test_steps_that_pass_over_a_driver_hide_nothing_behind_them(monkeypatch):
    """Energy from nothing, long after the hoist has stood still, stops the run still."""
    take = EnergyWatch.take

    def falsified(self, model, rows, arrays, lost):
        energy = arrays["energy"].copy()
        energy[:, 0] += 1e4 * np.maximum(rows[:, 0] - 2.2, 0.0)
        return take(self, model, rows, {**arrays, "energy": energy}, lost)

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


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_driver_that_a_step_passes_over_is_told(coordinates):
    """A rate of 10 rad/s from 0.102 s on turns by 1.99 rad until 0.3 s; the step from rest does not see it begin."""

    def turned(**options):
        system = pendulum(gravity=0.0)
        system.coordinates = coordinates
        system.joints["hinge"].prescribe(rate=fm.Step(0.1, 0.102, 0.0, 10.0))
        return system.simulate(0.3, **options)["hinge.angle"][-1]

    with pytest.warns(fm.ResultWarning, match=r"the step from t = .* skips a shorter motion of the driver of 'hinge"):
        turned()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert turned(max_step=2e-4) == pytest.approx(1.99, abs=1e-5)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_stop_where_a_step_passes_over_a_driver_is_told(coordinates):
    """A load hangs at rest until its rope is wound up, from 1 s on: by then steps are longer than the winding lasts."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    load = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), "load")
    system.prismatic(system.ground["origin"], load["origin"], axis="y", displacement=-1.0, name="guide")
    system.rod(system.ground["origin"], load["origin"], fm.Step(1.0, 1.5, 1.0, 0.5), name="rope")
    with pytest.raises(fm.SimulationError, match="skips a shorter motion of the driver of 'rope'.* Set max_step"):
        system.simulate(3.0)
    assert system.simulate(3.0, max_step=0.05)["guide.displacement"][-1] == pytest.approx(-0.5, abs=1e-9)
