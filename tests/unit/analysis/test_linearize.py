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


LIGHT = fm.RigidBody(1e-9, 1e-9 * np.ones(3))  # carries joints
UNIT = fm.RigidBody(1.0, np.ones(3))
POINT = fm.RigidBody(2.0, 1e-9 * np.ones(3))


def train(speed, gravity=(0.0, 0.0, 0.0), across=0.0):
    """A carriage driven along x, with a mass of 1 kg on a spring of 100 N/m, across or along."""
    system = fm.System(gravity=gravity)
    carriage, mass = system.add(UNIT, name="carriage"), system.add(UNIT, name="mass")
    system.prismatic(system.ground["origin"], carriage["origin"], axis="x", name="drive").prescribe(rate=speed)
    system.prismatic(carriage["origin"], mass["origin"], axis="y" if across else "x", name="sway").spring(100.0)
    return system, mass


def hoist(rate, length=3.0):
    """A mass on a rod that lengthens."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    hinge, load = system.add(LIGHT, name="hinge"), system.add(POINT, name="load")
    system.revolute(system.ground["origin"], hinge["origin"], axis="y", name="swing")
    rope = system.prismatic(hinge["origin"], load["origin"], axis="z", displacement=-length, name="rope")
    rope.prescribe(fm.Polynomial([-length, -rate]))
    return system


def winch(rate, length=3.0):
    """A trolley with a mass on a cable that lengthens: only the constraint moves it."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    trolley, load = system.add(LIGHT, name="trolley"), system.add(POINT, name="load")
    system.prismatic(system.ground["origin"], trolley["origin"], axis="x", name="x")
    system.prismatic(trolley["origin"], load["origin"], axis="z", displacement=-length, name="z")
    system.cable([system.ground["origin"], load["origin"]], fm.Polynomial([length, rate]), name="cable")
    return system


def crossing(rate, at=1.0):
    """A mass that runs along a hinged beam on a torsion spring."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam, car = system.add(UNIT, name="beam"), system.add(POINT, name="car")
    system.revolute(system.ground["origin"], beam["origin"], axis="y", name="bend").spring(300.0)
    run = system.prismatic(beam["origin"], car["origin"], axis="x", displacement=at, name="run")
    run.prescribe(fm.Polynomial([at, rate]))
    return system


def passing(speed, ahead=0.0):
    """A train with a spring to a point of the ground beside it: first order in the move, or second order where it is nearest."""
    system, mass = train(speed, across=True)
    system.spring_damper(system.ground.marker("post", (ahead, 1.0, 0.0)), mass["origin"], stiffness=100.0, length=0.5)
    return system


def outward(rate):
    """A pendulum on a slide that moves along an arm, which turns at 3 rad/s."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    arm, slide, mass = (system.add(body, name=name) for body, name in ((UNIT, "arm"), (LIGHT, "slide"), (UNIT, "mass")))
    system.revolute(system.ground["origin"], arm["origin"], name="spin").prescribe(rate=3.0)
    along = system.prismatic(arm["origin"], slide["origin"], axis="x", displacement=1.0, name="along")
    along.prescribe(fm.Polynomial([1.0, rate]))
    system.revolute(slide["origin"], mass.marker("hinge", (-0.3, 0.0, 0.0)), name="hinge")
    return system


@pytest.mark.parametrize(
    ("build", "speed", "named"),
    [
        (hoist, 0.3, r"\['swing.angle', 'swing.angle'\] goes from 18 .*'rope.displacement' \(-0.3 m/s\)"),  # m L^2
        (hoist, -1e-6, r"\['swing.angle', 'swing.angle'\] goes from 58.86 .*'rope.displacement' \(1e-06 m/s\)"),  # m g L
        (winch, 0.3, r"K\['x.displacement', 'x.displacement'\] goes from 6.54 .*'z.displacement' \(-0.3 m/s\)"),  # m g / L
        (crossing, 0.5, r"M\['bend.angle', 'bend.angle'\] goes from 3 .*'run.displacement' \(0.5 m/s\)"),  # J + m x^2
        (passing, -20.0, r"K\['sway.displacement', 'sway.displacement'\] goes from 200 .*'drive.displacement' \(-20 m/s\)"),
        (lambda v: passing(v, 0.3), 20.0, r"K\['sway.displacement', 'sway.displacement'\] goes from 190.8"),
        (outward, 0.1, r"\['hinge.angle', 'hinge.angle'\] .*'spin.angle' \(3 rad/s\), 'along.displacement' \(0.1 m/s\)"),
    ],
)
def test_equations_that_change_with_a_steady_translation_are_refused_by_name(build, speed, named):
    with pytest.raises(fm.SimulationError, match=rf"not constant and have no eigenvalues.*{named}.*moving or turning frame"):
        build(speed).linearize()
    build(0.0).linearize()


def test_load_that_grows_with_a_steady_translation_is_refused_by_name():
    """A bushing to ground takes the mass back ever more: K is constant, but nothing stays where it is."""
    system, mass = train(1.0)
    system.bushing(system.ground["origin"], mass["origin"], (50.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(
        fm.SimulationError, match=r"the load of 'sway.displacement' goes from 0 to .*'drive.displacement' \(1 m/s\)"
    ):
        system.linearize()


@pytest.mark.parametrize("speed", [-80.0, 1e-5, 2.0])
def test_what_moves_along_keeps_its_frequency(speed):
    gravity, k = (0.0, 0.0, -9.81), 100.0
    system, mass = train(speed, gravity, across=True)
    rotor = system.add(fm.RigidBody(1.0, (1.0, 1.0, 2.0), (0.01, 0.0, 0.0)), name="rotor")
    system.revolute(mass["origin"], rotor["origin"], name="spin").prescribe(rate=30.0)
    assert system.linearize().eigenvalues.imag == pytest.approx([np.sqrt(k / 2.0)], rel=1e-7)
    system, mass = train(speed, gravity)
    pendulum = system.add(fm.RigidBody(1.0, 1e-9 * np.ones(3), (0.0, 0.0, -2.0)), name="pendulum")
    system.revolute(system.bodies["carriage"]["origin"], pendulum["origin"], axis="y", name="swing")
    system.bushing(system.ground["origin"], mass["origin"], 0.0, (3.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # drag
    exact = [-1.5 + 1j * np.sqrt(k - 1.5**2), 1j * np.sqrt(9.81 / 2.0)]
    assert np.sort_complex(system.linearize().eigenvalues) == pytest.approx(exact, rel=1e-7, abs=1e-8)


def test_what_a_rack_and_a_screw_move_along_keeps_its_frequency():
    system, _mass = train(0.7)
    pinion = system.add(UNIT, name="pinion")
    bearing = system.revolute(system.ground.marker("bearing", (0.0, 0.2, 0.0)), pinion["origin"], name="bearing")
    system.rack_and_pinion(bearing, system.joints["drive"], 0.2)
    nut, mass = system.add(UNIT, name="nut"), system.add(UNIT, name="other mass")
    system.screw(system.ground["origin"], nut["origin"], 0.01, name="screw").prescribe(rate=5.0, coordinate="angle")
    system.prismatic(nut["origin"], mass["origin"], axis="z", name="on the nut").spring(49.0)
    modes = system.linearize()
    assert modes.eigenvalues.imag == pytest.approx([7.0, 10.0], rel=1e-7)
    assert modes.turning == pytest.approx({"bearing.angle": 3.5, "screw.angle": 5.0})


@pytest.mark.parametrize("at", [0.001, 1.0, 1.999])
@pytest.mark.parametrize("rate", [-1.0, 1.0])
def test_car_near_the_end_of_its_track_or_its_stop(at, rate):
    """The equations are those of here until it gets there."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    car, mass = system.add(UNIT, name="car"), system.add(UNIT, name="mass")
    track = system.follow_curve(system.ground["origin"], car["origin"], fm.Curve.line((0, 0, 0), (2.0, 0, 0)), s=at, name="track")
    track.prescribe(fm.Polynomial([at, rate]))
    track.limit(0.0, 2.0, stiffness=1e7)
    system.prismatic(car["origin"], mass["origin"], axis="y", name="sway").spring(49.0)
    assert system.linearize().eigenvalues.imag == pytest.approx([7.0], rel=1e-7)
