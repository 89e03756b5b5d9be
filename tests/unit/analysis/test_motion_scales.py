"""Errors measured by the motion of the bodies: which runs, at which points, and what becomes of the steps."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.analysis.run.auto_integrator import choose_integrator
from flexmbs.analysis.run.run_notes import vibrations_that_decide
from flexmbs.analysis.run.tolerances import measured_points, motion_scales

RTOL = 1e-4


@pytest.fixture(scope="module")
def pendulum():
    """The bar of the founding case without its stop: six bending modes, an axial one of 2.6 kHz, no damping."""
    case = fm.load_case("flexible_pendulum_impact").module
    return case.build(case.resolve(replace(case.Parameters(), stop=False, bending_modes=6)))


@pytest.fixture(scope="module")
def runs(pendulum):
    """Runs with errors by the motion, by each coordinate, and a converged one."""
    options = {"integrator": fm.Radau(max_order=5), "rtol": RTOL}
    own = {"atol": {"mode": 1e-3 * RTOL}}  # the default of one kind: it makes each coordinate count
    by_motion = pendulum.simulate(0.25, **options)
    with pytest.warns(fm.ResultWarning, match="undamped vibrations of 'pendulum' decide .*: damping helps") as said:
        by_coordinate = pendulum.simulate(0.25, **options, **own)
    assert [entry.filename for entry in said] == [__file__]
    return by_motion, by_coordinate, pendulum.simulate(0.25, rtol=1e-10, atol=1e-12, integrator="radau")


def tip(result):
    return (np.array([result[f"pendulum.tip.{what}.{axis}"][-1] for axis in "xy"]) for what in ("position", "velocity"))


def test_steps_follow_the_motion_and_not_each_coordinate(runs):
    """Far fewer steps, and the tip within the tolerance: of 1 m, and of its speed of some m/s."""
    by_motion, by_coordinate, exact = runs
    assert 3 * by_motion.stats["steps_accepted"] < by_coordinate.stats["steps_accepted"]
    for found, true, size in zip(tip(by_motion), tip(exact), (1.0, 5.0), strict=True):
        assert np.abs(found - true).max() < 3.0 * RTOL * size


def test_runs_name_what_decided_their_steps(runs):
    for result in runs[:2]:
        share = result.stats["step_size_decided_by"].split(",")[0]
        name, percent = share.rsplit(" ", 1)
        assert name in ("hinge.angle", *(f"pendulum.{label}" for label in pendulum_labels(result)))
        assert 0 < int(percent.rstrip("%")) <= 100


def pendulum_labels(result):
    return [name.removeprefix("pendulum.") for name in result.names if name.startswith("pendulum.bending")] + ["axial 1"]


def test_undamped_vibrations_that_decide_are_told(runs, pendulum):
    assert "undamped vibrations of 'pendulum' decide" in runs[1].stats["advice"]
    damped = replace(ready(pendulum).bodies["pendulum"], De=ready(pendulum).bodies["pendulum"].Ke)
    model = replace(ready(pendulum), bodies={"pendulum": damped})

    class Decided:
        decided = np.full(len(model.q), 10_000)

    assert vibrations_that_decide(model, Decided) == ""
    assert "damping helps" in vibrations_that_decide(ready(pendulum), Decided)


@pytest.mark.parametrize(
    ("given", "damps", "by_motion"),
    [(None, True, 1), ({"state": 1e-6}, True, 1), (1e-9, True, 0), ({"mode": 1e-9}, True, 0), (None, False, 0)],
)
def test_given_tolerances_make_each_coordinate_count(pendulum, given, damps, by_motion):
    assert motion_scales(ready(pendulum), given, damps)["by_motion"] == by_motion


def test_rigid_mechanisms_are_measured_by_their_coordinates():
    system = fm.System()
    part = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground.marker("hinge"), part["origin"])
    assert motion_scales(ready(system), None, True)["by_motion"] == 0


def test_points_tell_all_modes_apart(pendulum):
    """No combination of modes is invisible at them: their displacements have as many independent columns as modes."""
    body = ready(pendulum).bodies["pendulum"]
    points, Phi = measured_points(body)
    assert Phi.shape == (body.mode_count, len(points), 3)
    assert np.linalg.matrix_rank(Phi.reshape(body.mode_count, -1)) == body.mode_count


def test_auto_takes_radau_for_flexible_bodies(pendulum):
    method, reason = choose_integrator("auto", ready(pendulum))
    assert (method.name, reason) == ("radau", "flexible bodies (pendulum)")


def test_orders_of_radau_are_checked():
    with pytest.raises(fm.MechanismError, match="max_order = 7 must be 5, 9 or 13"):
        fm.Radau(max_order=7)
