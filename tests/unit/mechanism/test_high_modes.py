"""Modes above a frequency: damped as stated, or condensed to their static deflection."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import BodyError, MechanismError, line_mesh, rectangle
from flexmbs.mechanism.high_modes import in_eigenvectors

LENGTH, WIDTH, THICKNESS, YOUNG = 0.5, 0.02, 0.004, 210e9
BENDING = YOUNG * WIDTH * THICKNESS**3 / 12.0  # N m2


def bar(modes, **options):
    """A steel bar along x; bends in its xy plane, thin along y."""
    return fm.reduce(
        line_mesh(LENGTH, 20, rectangle(THICKNESS, WIDTH), fm.Material("steel", YOUNG, 0.3, 7850.0)),
        interfaces={"root": "ROOT", "tip": "TIP"},
        modes=modes,
        beam_theory="euler-bernoulli",
        **options,
    )


@pytest.fixture(scope="module")
def cantilever():
    return bar(fm.ClampedFree(at="root", bending=(6, 0)), second_order="none")


@pytest.fixture(scope="module")
def craig_bampton():
    return bar(fm.CraigBampton(at="root", count=4))


def clamped(body, gravity=(0.0, 0.0, 0.0), **options):
    system = fm.System(gravity=gravity)
    part = system.add(body, name="bar", **options)
    system.fixed(system.ground.marker("wall"), part["root"], name="wall")
    return system, part


@pytest.mark.parametrize("mode", range(6))
def test_damped_modes_decay_as_a_damped_oscillator(cantilever, mode):
    """Free vibration of one mode of a clamped bar without second-order fields is linear: the exact solution."""
    above, ratio, start = 0.5 * sum(cantilever.frequencies[2:4]), 0.07, 1e-5
    q = np.zeros(6)
    q[mode] = start
    system, _ = clamped(cantilever, high_modes=fm.DampedModes(above, ratio), modal_coordinates=q)
    w, d = 2.0 * np.pi * cantilever.frequencies[mode], ratio if mode > 2 else 0.0
    result = system.simulate(5.0 * 2.0 * np.pi / w, rtol=1e-9, atol=1e-15)
    root = np.sqrt(1.0 - d * d)
    exact = start * np.exp(-d * w * result.t) * (np.cos(root * w * result.t) + d / root * np.sin(root * w * result.t))
    found = result[f"bar.{cantilever.mode_labels[mode]}"]
    assert np.abs(found - exact).max() < 1e-6 * start  # global error of rtol 1e-9 over five periods


def test_damped_modes_are_those_of_the_body_not_its_coordinates(craig_bampton):
    """Craig-Bampton coordinates are coupled; the eigenvectors above the frequency get the ratio, others nothing."""
    system, _ = clamped(craig_bampton, high_modes=fm.DampedModes(above=1000.0, ratio=0.3))
    found = system.linearize()
    undamped = clamped(craig_bampton)[0].linearize().frequencies
    natural = np.abs(found.eigenvalues) / (2.0 * np.pi)
    order = np.argsort(natural)
    assert np.count_nonzero(natural < 1000.0) >= 3
    np.testing.assert_allclose(natural[order], undamped, rtol=1e-6)  # differences of linearize
    expected = np.where(natural > 1000.0, 0.3, 0.0)
    np.testing.assert_allclose(found.damping_ratios, expected, atol=1e-6)


def test_eigenvector_coordinates_describe_the_same_body(craig_bampton):
    body, turn = in_eigenvectors(craig_bampton)
    y = 1e-3 * np.random.default_rng(2).normal(size=body.mode_count)
    q = turn @ y
    for name, before in craig_bampton.markers.items():
        after = body.markers[name]
        for linear, second in (("Phi", "Zu"), ("Psi", "Zr")):
            expected = q @ getattr(before, linear) + craig_bampton.quadratic_coordinates(q) @ getattr(before, second)
            found = y @ getattr(after, linear) + body.quadratic_coordinates(y) @ getattr(after, second)
            np.testing.assert_allclose(found, expected, atol=1e-13 * max(1e-3, np.abs(expected).max()))
    old, new = craig_bampton.inertia, body.inertia
    expected = np.tensordot(q, old.P, 1) + np.tensordot(craig_bampton.quadratic_coordinates(q), old.Z, 1)
    found = np.tensordot(y, new.P, 1) + np.tensordot(body.quadratic_coordinates(y), new.Z, 1)
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(y @ body.Ke @ y, q @ craig_bampton.Ke @ q, rtol=1e-10)
    np.testing.assert_allclose(body.stress(y).stress, craig_bampton.stress(q).stress, atol=1e-9 * 1e9)


def test_eigenvector_coordinates_of_a_body_with_forms():
    """Few second-order fields with quadratic forms keep their fields; the forms are rewritten."""
    second = fm.SecondOrder(field_tolerance=1e-3)
    given = bar(fm.CraigBampton(at="root", count=8), second_order=second)
    assert given.forms is not None
    body, turn = in_eigenvectors(given)
    y = 1e-3 * np.random.default_rng(3).normal(size=body.mode_count)
    expected = given.quadratic_coordinates(turn @ y)
    np.testing.assert_allclose(body.quadratic_coordinates(y), expected, atol=1e-11 * np.abs(expected).max())


def test_condensed_bar_has_its_static_deflection_at_once(craig_bampton):
    """All modes condensed: the tip stands at F L^3 / (3 E I) from the first instant."""
    linear = bar(fm.CraigBampton(at="root", count=4), second_order="none")
    system, part = clamped(linear, high_modes=fm.QuasiStatic(above=1.0))
    system.force(part["tip"], (0.0, 0.01, 0.0), name="pull")
    tip = system.simulate(0.1)["bar.tip.displacement.y"]
    np.testing.assert_allclose(tip, 0.01 * LENGTH**3 / (3.0 * BENDING), rtol=1e-9)


def test_condensed_bar_with_geometric_stiffness_stands_where_statics_says(craig_bampton):
    system, part = clamped(craig_bampton, high_modes=fm.QuasiStatic(above=200.0), gravity=(0.0, -9.81, 0.0))
    system.force(part["tip"], (-4.0, 8.0, 0.0), name="push")
    still = system.statics()["bar.tip.displacement.y"][0]
    tip = system.simulate(0.05, from_equilibrium=True, atol=1e-12)["bar.tip.displacement.y"]
    assert abs(still) > 0.02 * LENGTH
    np.testing.assert_allclose(tip, still, rtol=1e-8)


def slow_load_error(body, w, above, t_end):
    """Tip of the condensed bar under F (1 - cos wt): from its own exact solution, and from that of all modes."""
    system, part = clamped(body, high_modes=fm.QuasiStatic(above))
    system.force(part["tip"], (0.0, lambda t: 0.05 * (1.0 - np.cos(w * t)), 0.0), name="pull")
    result = system.simulate(t_end, rtol=1e-9, atol=1e-13)
    t, phi = result.t, body.markers["tip"].Phi[:, 1]
    own = every = 0.0
    for k, omega in enumerate(2.0 * np.pi * body.frequencies):
        static = phi[k] ** 2 * 0.05 / body.Ke[k, k]
        moving = static * (1.0 - np.cos(omega * t) - (np.cos(w * t) - np.cos(omega * t)) / (1.0 - (w / omega) ** 2))
        every = every + moving
        own = own + (moving if omega < 2.0 * np.pi * above else static * (1.0 - np.cos(w * t)))
    tip = result["bar.tip.displacement.y"]
    return np.abs(tip - own).max() / np.abs(tip).max(), np.abs(tip - every).max() / np.abs(tip).max()


def test_condensed_modes_follow_a_slow_load_to_second_order_of_the_frequency_ratio(cantilever):
    above = 0.5 * sum(cantilever.frequencies[:2])
    errors = []
    for divisor in (8.0, 16.0):
        w = 2.0 * np.pi * cantilever.frequencies[1] / divisor
        solver, model = slow_load_error(cantilever, w, above, 2.0 * np.pi / w)
        assert solver < 1e-6  # global error at rtol 1e-9
        errors.append(model)
    assert errors[0] < 3.0 / 8.0**2
    assert errors[1] < 0.4 * errors[0]


def pendulum(body, high_modes=None, coordinates="reduced", ball=False):
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    rod = system.add(body, name="rod", high_modes=high_modes)
    hanging = system.ground.marker("hook", rotation=[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    system.revolute(hanging, rod["root"], axis="z", rate=6.0, name="hinge")
    if ball:
        weight = system.add(fm.RigidBody.point(0.02), name="weight")
        system.fixed(rod["tip"], weight["origin"], name="weld")
    return system


@pytest.fixture(scope="module")
def rod():
    return bar(fm.ClampedFree(at="root", bending=(6, 0), axial=1))


def test_condensed_pendulum_takes_fewer_steps_keeps_energy_and_deflects_alike(rod):
    full = pendulum(rod).simulate(0.3, rtol=1e-6)
    few = pendulum(rod, fm.QuasiStatic(above=500.0)).simulate(0.3, rtol=1e-6)
    times = np.linspace(0.0, 0.3, 61)
    exact, found = full.resampled(times), few.resampled(times)
    swing = np.ptp(full["hinge.angle"])
    assert few.stats["steps_accepted"] < 0.25 * full.stats["steps_accepted"]
    assert np.abs(found["hinge.angle"] - exact["hinge.angle"]).max() < 1e-4 * swing
    deflection = np.abs(exact["rod.tip.displacement.y"]).max()
    assert np.abs(found["rod.tip.displacement.y"] - exact["rod.tip.displacement.y"]).max() < 0.02 * deflection
    assert np.ptp(few["energy.total"]) < 1e-5 * np.ptp(few["energy.kinetic"])


def test_condensed_pendulum_with_a_weight_at_its_tip(rod):
    """The weight moves with the static deflection of the condensed modes."""
    full = pendulum(rod, ball=True).simulate(0.2, rtol=1e-6)
    few = pendulum(rod, fm.QuasiStatic(above=500.0), ball=True).simulate(0.2, rtol=1e-6)
    assert few["hinge.angle"][-1] == pytest.approx(full["hinge.angle"][-1], rel=1e-4)


def test_reduced_and_absolute_coordinates_agree(rod):
    ends = [
        pendulum(rod, fm.QuasiStatic(above=500.0), coordinates).simulate(0.1, rtol=1e-8).at(0.1)
        for coordinates in ("reduced", "absolute")
    ]
    assert ends[1]["hinge.angle"] == pytest.approx(ends[0]["hinge.angle"], rel=1e-7)
    assert ends[1]["rod.tip.displacement.y"] == pytest.approx(ends[0]["rod.tip.displacement.y"], rel=1e-4)


def test_constraints_at_markers_that_move_with_condensed_modes_are_refused(rod):
    system = pendulum(rod, fm.QuasiStatic(above=500.0), "absolute", ball=True)
    with pytest.raises(MechanismError, match="constraint 'weld.*use DampedModes"):
        system.simulate(0.1)


def test_start_values_are_those_of_the_body_that_was_added(craig_bampton):
    q = 1e-4 * np.arange(1.0, craig_bampton.mode_count + 1)
    system, part = clamped(craig_bampton, high_modes=fm.QuasiStatic(above=1e9), modal_coordinates=q)
    plain, _ = clamped(craig_bampton, modal_coordinates=q)
    start = [each.assemble()["bar.tip.position.y"][0] for each in (system, plain)]
    assert start[0] == pytest.approx(start[1], rel=1e-12)
    assert not np.any(part.condensed)


@pytest.mark.parametrize("build", [lambda: fm.QuasiStatic(above=0.0), lambda: fm.DampedModes(10.0, ratio=-1.0)])
def test_values_that_mean_nothing_are_refused(build):
    with pytest.raises(BodyError, match="must be a positive finite number"):
        build()


def test_high_modes_belong_to_flexible_bodies(cantilever):
    system = fm.System()
    with pytest.raises(MechanismError, match="this one is rigid"):
        system.add(fm.RigidBody.point(1.0), name="ball", high_modes=fm.QuasiStatic(100.0))
    with pytest.raises(MechanismError, match="expected QuasiStatic"):
        system.add(cantilever, name="bar", high_modes=100.0)


def test_a_spring_at_a_condensed_marker_sees_the_static_flexibility_of_the_bar():
    """Bar and spring carry the load side by side: F / (k + 3 E I / L^3)."""
    linear = bar(fm.CraigBampton(at="root", count=4), second_order="none")
    system, part = clamped(linear, high_modes=fm.QuasiStatic(above=1.0))
    own = 3.0 * BENDING / LENGTH**3
    support = system.ground.marker("support", position=(LENGTH, -1.0, 0.0))
    system.spring_damper(support, part["tip"], stiffness=2.0 * own, length=1.0, name="spring")
    system.force(part["tip"], (0.0, 1e-4, 0.0), name="pull")
    tip = system.simulate(0.1)["bar.tip.displacement.y"]
    # the spring lies along y; its line turns with the square of what the tip moves along x, which is nothing here
    np.testing.assert_allclose(tip, 1e-4 / (3.0 * own), rtol=1e-8)


def test_sensors_see_no_rate_and_no_acceleration_of_condensed_modes():
    """Condensed values stand among the accelerations; neither sensors nor sampled controllers take them for such."""
    few = bar(fm.ClampedFree(at="root", bending=(6, 0)), second_order="none")
    system, part = clamped(few, high_modes=fm.QuasiStatic(above=1.0))
    system.force(part["tip"], (0.0, lambda t: 0.1 * np.sin(20.0 * t), 0.0), name="pull")
    place = system.sensor("position", part["tip"], component="y", name="place")
    accelerometer = system.sensor("acceleration", part["tip"], component="y", name="accelerometer")
    system.controller("held", lambda t, y, a: (y, a), (place, accelerometer), period=0.01, outputs=2)
    result = system.simulate(0.2)
    for deflection, acceleration in (("place", "accelerometer"), ("held.0", "held.1")):
        assert np.abs(result[deflection]).max() > 1e-5
        assert not np.any(result[acceleration])
    assert not np.any(result["bar.tip.velocity.y"])
    assert not np.any(result["bar.bending y 1.acceleration"])


def soft_impact(rod, high_modes):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    part = system.add(rod, name="rod", high_modes=high_modes)
    system.revolute(system.ground.marker("hook"), part["root"], axis="z", rate=-1.0, name="hinge")
    rest = system.ground.marker("rest", position=(LENGTH, -0.05, 0.0))
    system.contact(fm.Point(part["tip"]), fm.Plane(rest, normal=(0.0, 1.0, 0.0)), fm.PowerLaw(2000.0), name="stop")
    result = system.simulate(0.15, rtol=1e-7)
    return result, result.contacts[0]


def test_impact_that_is_slow_for_the_condensed_modes(rod):
    full, expected = soft_impact(rod, None)
    few, found = soft_impact(rod, fm.QuasiStatic(above=700.0))
    assert expected.duration > 5.0 / 700.0
    assert found.start == pytest.approx(expected.start, rel=1e-6)
    # measured: 3e-5, 1.4e-6, 2.5e-5
    assert found.duration == pytest.approx(expected.duration, rel=1e-4)
    assert found.impulse == pytest.approx(expected.impulse, rel=1e-5)
    assert found.peak_force == pytest.approx(expected.peak_force, rel=1e-4)
    assert few.stats["steps_accepted"] < full.stats["steps_accepted"]


@pytest.mark.parametrize("integrator", ["bdf", "generalised_alpha"])
def test_other_implicit_integrators_condense_alike(rod, integrator):
    """Within twenty times the tolerance of what Radau finds: rates count against the speed, not the deflection."""
    ends = [
        pendulum(rod, fm.QuasiStatic(above=50.0)).simulate(0.05, rtol=5e-6, integrator=method) for method in ("radau", integrator)
    ]
    for name in ("hinge.angle", "rod.tip.displacement.y"):
        assert ends[1][name][-1] == pytest.approx(ends[0][name][-1], abs=1e-4 * np.abs(ends[0][name]).max())
