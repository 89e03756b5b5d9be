"""Frequencies about a steady state, against closed forms."""

import numpy as np
import pytest
from planar_four_bar import four_bar

import flexmbs as fm

ROD = fm.RigidBody.rod(1.0, 1.0)


def test_pendulum_finds_its_rest_and_its_frequency():
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(ROD, name="rod")
    system.revolute(system.ground["origin"], rod["origin"], angle=-1.3, name="hinge")
    modes = system.linearize()
    assert modes.steady_state == pytest.approx([-np.pi / 2], abs=1e-10)
    assert 2.0 * np.pi * modes.frequencies == pytest.approx([np.sqrt(1.5 * 9.81)], rel=1e-8)


def test_damped_oscillator():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(fm.RigidBody(2.0, (1.0, 1.0, 1.0)), name="block")
    system.prismatic(system.ground["origin"], block["origin"], axis="x", name="slide").spring(200.0, damping=4.0)
    modes = system.linearize()
    # omega0 = 10 rad/s, damping ratio 4 / (2 * 2 * 10)
    assert modes.damping_ratios == pytest.approx([0.1], rel=1e-8)
    assert 2.0 * np.pi * modes.frequencies == pytest.approx([10.0 * np.sqrt(1.0 - 0.01)], rel=1e-8)


def test_pendulum_on_a_turning_hub():
    """Rod hinged at radius r to a hub that turns at Omega, in the plane of rotation: omega^2 = 3/2 Omega^2 r / L."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    hub, rod = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="hub"), system.add(ROD, name="rod")
    system.revolute(system.ground["origin"], hub["origin"], name="spin").prescribe(fm.Polynomial([0.0, 5.0]))
    system.revolute(hub.marker("rim", position=(0.4, 0.0, 0.0)), rod["origin"], angle=0.1, name="hinge")
    modes = system.linearize()
    assert modes.steady_state == pytest.approx([0.0], abs=1e-10)
    assert 2.0 * np.pi * modes.frequencies == pytest.approx([5.0 * np.sqrt(1.5 * 0.4)], rel=1e-7)


def test_nothing_left_to_vibrate():
    system = fm.System()
    rod = system.add(ROD, name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge").prescribe(0.0)
    with pytest.raises(fm.SimulationError, match="every coordinate is prescribed"):
        system.linearize()


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_four_bar_swings_with_the_frequency_of_its_motion(coordinates):
    still = four_bar().statics()
    system = four_bar(coordinates, angle=float(still["A.angle"][0]) + 1e-4)
    for name in "BD":  # of the two ways to close the loop the one of the equilibrium
        system.joints[name].start["angle"] = float(still[f"{name}.angle"][0])
    system.joints["A"].hold()
    frequencies = system.linearize().frequencies
    assert len(frequencies) == 1
    run = system.simulate(4.0, rtol=1e-9, atol=1e-12)
    swing = run["A.angle"] - still["A.angle"][0]
    down = np.flatnonzero((swing[:-1] > 0.0) & (swing[1:] <= 0.0))
    times = [np.interp(0.0, [-swing[k], -swing[k + 1]], [run.t[k], run.t[k + 1]]) for k in down]
    # the times of the zeros are interpolated linearly
    assert frequencies[0] == pytest.approx(1.0 / np.mean(np.diff(times)), rel=1e-4)


def test_loop_that_is_driven_has_no_steady_state():
    system = four_bar(speed=1.0)
    with pytest.raises(fm.SimulationError, match="no degree of freedom|no steady state: drivers move the loop"):
        system.linearize()


def hung_rod(aside=0.0):
    """A thin rod of 2 kg and 1 m on two vertical springs of 500 N/m at its ends, ``aside`` (m) of its axis."""
    system = fm.System()
    rod = system.add(fm.RigidBody.rod(2.0, 1.0), name="rod", position=(0.0, 0.0, -1.0))
    for end in (0.0, 1.0):
        place, eye = system.ground.marker(f"hook {end}", (end, 0.0, 0.0)), rod.marker(f"eye {end}", (end, aside, 0.0))
        system.spring_damper(place, eye, stiffness=500.0, length=0.9)
    return system


def test_thin_rod_on_springs():
    with pytest.warns(fm.MechanismWarning, match="left out.*body 'rod' has no inertia about its x axis"):
        found = hung_rod().linearize().eigenvalues.imag
    weight, k = 9.81, 500.0  # of each spring
    across = weight / (0.9 + weight / k)
    # sway in two directions, yaw, bounce, pitch; moment of inertia m L^2 / 12 = 1/6 kg m^2
    squares = [across, across, 3.0 * across, k, 3.0 * k]
    assert found == pytest.approx(np.sqrt(squares), rel=1e-8)


def test_free_thin_beam():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = fm.uniform_beam(
        length=1.0, bending_stiffness=100.0, mass_per_length=1.0, supports=("free", "free"), modes=2, markers={"end": 1.0}
    )
    system.add(beam, name="beam")
    with pytest.warns(fm.MechanismWarning, match="left out.*body 'beam' has no inertia about its x axis"):
        modes = system.linearize()
    assert modes.eigenvalues[-2:].imag == pytest.approx([10.0 * 4.7300407449**2, 10.0 * 7.8532046241**2], rel=1e-8)
    assert np.abs(modes.eigenvalues[:-2]).max() < 1e-6


def test_force_without_inertia_is_named():
    with pytest.raises(fm.MechanismError, match="linearize: the mass matrix is singular: body 'rod' .* x axis"):
        hung_rod(aside=0.1).linearize()


@pytest.mark.parametrize("time", ["now", np.nan, None])
def test_time_that_is_no_number(time):
    with pytest.raises(fm.MechanismError, match=r"linearize: time \(s\)"):
        hung_rod().linearize(time=time)
