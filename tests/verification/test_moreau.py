"""Moreau's time stepping: order on smooth and nonsmooth problems, energy, many contacts, the hand-over to it."""

import numpy as np
import pytest

import flexmbs as fm

GRAVITY = 9.81


def bouncing_ball(restitution=0.5, height=1.0):
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.05), name="ball")
    system.prismatic(system.ground["origin"], ball["origin"], name="fall", axis="z", displacement=height)
    floor = fm.Plane(system.ground["origin"], normal=(0, 0, 1))
    system.contact(fm.Point(ball["origin"]), floor, law=fm.Rigid(restitution=restitution), name="floor")
    return system


def block_on_spring(friction=0.1):
    """m = k = mu g = 1: the friction oscillator of Siconos' examples."""
    system = fm.System(gravity=(0.0, 0.0, -10.0))
    block = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="block")
    base = block["origin"]
    motion = system.planar(system.ground["origin"], base, normal="y", v=12.0, v_rate=6.0, name="motion")
    motion.prescribe(0.0, coordinate="angle")
    motion.spring(1.0, coordinate="v")
    plane = fm.Plane(system.ground["origin"], (0, 0, 1))
    system.contact(fm.Point(base), plane, law=fm.Rigid(friction=friction), name="surface")
    return system


def order(errors, ratio):
    return np.log(errors[0] / errors[-1]) / np.log(ratio)


def test_it_is_of_second_order_without_contacts():
    def pendulum():
        system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
        bar = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.02), center=(0.5, 0.0, 0.0)), name="bar")
        tip = bar.marker("tip", position=(1.0, 0.0, 0.0))
        end = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.02), center=(0.5, 0.0, 0.0)), name="end")
        system.revolute(system.ground["origin"], bar["origin"], axis="y", name="first")
        system.spherical(tip, end["origin"], name="second", cut=True)
        return system

    exact = pendulum().simulate(0.5, rtol=1e-11, atol=1e-13, progress=False)
    errors = []
    for step in (4e-3, 1e-3):
        found = pendulum().simulate(0.5, integrator=fm.Moreau(step), progress=False)
        errors.append(abs(found["first.angle"][-1] - exact["first.angle"][-1]))
    assert order(errors, 4.0) == pytest.approx(2.0, abs=0.2)


def test_bounces_are_of_first_order():
    """At 0.6 s, after the first bounce of a ball that falls 1 m: the time of the bounce is known to within a step."""
    fall = np.sqrt(2.0 / GRAVITY)
    t = 0.6 - fall
    exact = 0.5 * GRAVITY * fall * t - 0.5 * GRAVITY * t * t
    steps = np.array([1e-2, 1e-3, 1e-4])
    errors = []
    for step in steps:
        found = bouncing_ball().simulate(0.6, integrator=fm.Moreau(step), progress=False)
        errors.append(abs(found["fall.displacement"][-1] - exact))
        assert np.diff(found["energy.total"]).max() <= 1e-12
    assert np.all(errors <= 1.5 * GRAVITY * fall * steps)
    assert found["floor.force"].max() == pytest.approx(1.5 * GRAVITY * fall * 1000.0 * 4.0 / 3.0 * np.pi * 0.05**3 / 1e-4, rel=1e-3)


def test_friction_stops_the_oscillator_where_it_should():
    """Reversals at atan(6 / 13) + k pi, rest at x = 15 - sqrt(205): closed form."""
    errors = []
    for step in (1e-1, 1e-2):
        found = block_on_spring().simulate(25.0, integrator=fm.Moreau(step), progress=False)
        rate, x = found["motion.v.rate"], found["motion.v"]
        errors.append(abs(x[-1] - (15.0 - np.sqrt(205.0))))
        assert abs(rate[-1]) < 1e-9
        # in a step in which the slip turns over, friction is that against the end of the step
        assert np.diff(0.5 * rate**2 + 0.5 * x**2).max() <= 7.0 * step**2
    assert errors[1] < 0.2 * errors[0] and errors[1] < 2e-2


def heap(count, radius=0.05, side=4):
    """Spheres above each other in a box, slightly out of line."""
    rng = np.random.default_rng(1)
    system, shapes = fm.System(gravity=(0.0, 0.0, -GRAVITY)), []
    pitch, width = 2.4 * radius, 2.4 * radius * side
    for k in range(count):
        place = np.array([(k % side + 0.5) * pitch, (k // side % side + 0.5) * pitch, 0.0])
        place += rng.uniform(-0.1, 0.1, 3) * radius
        place[2] = radius * (1.05 + 2.2 * (k // side**2))
        ball = system.add(fm.RigidBody.sphere(1000.0, radius), name=f"ball {k}", position=place)
        shapes.append(fm.Sphere(ball["origin"], radius))
    walls = [
        ((0, 0, 0), (0, 0, 1)),
        ((0, 0, 0), (1, 0, 0)),
        ((width, 0, 0), (-1, 0, 0)),
        ((0, 0, 0), (0, 1, 0)),
        ((0, width, 0), (0, -1, 0)),
    ]
    for k, (place, normal) in enumerate(walls):
        shapes.append(fm.Plane(system.ground.marker(f"wall {k}", position=place), normal=normal))
    return system, shapes


def places(result, count, index=-1):
    return np.array([[result[f"ball {k}.origin.position.{axis}"][index] for axis in "xyz"] for k in range(count)])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*impulses of the contacts:flexmbs.ResultWarning")
def test_two_hundred_spheres_come_to_rest_in_a_box():
    count, radius, step = 200, 0.05, 2e-3
    system, shapes = heap(count, radius)
    system.contact_all(shapes, law=fm.Rigid(friction=0.3), name="heap", grouped=True)
    result = system.simulate(4.0, integrator=fm.Moreau(step, tolerance=1e-6, max_sweeps=300), progress=False)
    check_heap(result, count, radius, step)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*impulses of the contacts:flexmbs.ResultWarning")
def test_some_spheres_come_to_rest_in_a_box():
    count, radius, step = 32, 0.05, 4e-3
    system, shapes = heap(count, radius)
    system.contact_all(shapes, law=fm.Rigid(friction=0.3), name="heap", grouped=True)
    result = system.simulate(2.5, integrator=fm.Moreau(step, tolerance=1e-6, max_sweeps=300), progress=False)
    check_heap(result, count, radius, step)


def check_heap(result, count, radius, step):
    """None through another by more than they move in a step, none gains energy, all come to rest."""
    from scipy.spatial.distance import pdist

    energy = result["energy.total"]
    reach = step * np.sqrt(2.0 * (energy.max() - energy.min()) / count / (1000.0 * 4.0 / 3.0 * np.pi * radius**3))
    for index in range(0, len(result.t), 10):
        p = places(result, count, index)
        assert pdist(p).min() > 2.0 * radius - 2.0 * reach and p[:, 2].min() > radius - 2.0 * reach
    # slip that turns over within a step, and impulses to 1e-6
    assert np.diff(energy).max() <= 1e-4 * np.ptp(energy)
    assert result["energy.kinetic"][-1] < 1e-5 * np.ptp(energy)


def test_a_group_of_rigid_contacts_asks_for_it():
    system, shapes = heap(4)
    system.contact_all(shapes, law=fm.Rigid(), name="heap", grouped=True)
    with pytest.raises(fm.MechanismError, match=r"fm\.Moreau\(step=\.\.\.\)"):
        system.simulate(0.1, progress=False)


def test_what_it_cannot_step_through():
    system = bouncing_ball()
    system.contact(
        fm.Point(system.bodies["ball"]["origin"]),
        fm.Plane(system.ground["origin"], normal=(1, 0, 0)),
        law=fm.Hertz(1e9),
        name="wall",
    )
    with pytest.raises(fm.MechanismError, match="'wall' has an elastic law"):
        system.simulate(0.1, integrator=fm.Moreau(1e-3), progress=False)
    for step in (0.0, -1.0, np.nan, "fast", True):
        with pytest.raises(fm.MechanismError, match="Moreau: step"):
            fm.Moreau(step)
    with pytest.raises(fm.MechanismError, match=r"fm\.Moreau\(step=\.\.\.\)"):
        bouncing_ball().simulate(0.1, integrator="moreau", progress=False)


def test_more_contacts_than_slots_go_on_in_steps_and_say_so(monkeypatch):
    """Three balls on a floor, of which only two may be closed at once with located events."""
    from flexmbs.analysis.run import run_model
    from flexmbs.model import compile_switches

    monkeypatch.setattr(compile_switches, "MOST_SLOTS", 2)
    monkeypatch.setattr(run_model, "MAX_CLOSED", 2)
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    floor = fm.Plane(system.ground["origin"], normal=(0, 0, 1))
    for k in range(3):
        ball = system.add(fm.RigidBody.sphere(1000.0, 0.05), name=f"ball {k}")
        system.prismatic(system.ground["origin"], ball["origin"], name=f"fall {k}", axis="z", displacement=0.1 * (k + 1))
        system.contact(fm.Point(ball["origin"]), floor, law=fm.Rigid(), name=f"floor {k}")
    with pytest.warns(fm.ResultWarning, match="more than 2 rigid contacts are closed at once"):
        result = system.simulate(1.0, progress=False)
    assert "Moreau's time steps" in result.stats["integrator_reason"]
    assert result.stats["integrator"] == "moreau"
    assert result.t[-1] == 1.0
    for k in range(3):
        assert abs(result[f"fall {k}.displacement"][-1]) < 5e-3
        assert result[f"fall {k}.displacement.rate"][-1] == pytest.approx(0.0, abs=1e-12)
        weight = 1000.0 * 4.0 / 3.0 * np.pi * 0.05**3 * GRAVITY
        assert result[f"floor {k}.force"][-1] == pytest.approx(weight, rel=1e-9)
