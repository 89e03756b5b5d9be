"""Histories, fields and interpolation of a result whose motion is known in closed form."""

import numpy as np
import pytest
import swinging_bar as bar

from flexmbs.result import Result


@pytest.fixture(scope="module")
def result():
    return Result(bar.structure(), bar.trajectory())


def test_histories_have_their_names(result):
    assert np.array_equal(result["hinge.angle"], result.trajectory.q[:, 0])
    assert np.array_equal(result["hinge.angle.rate"], result.trajectory.v[:, 0])
    assert np.array_equal(result["stop.force"], result.trajectory.contact_force[:, 0])
    assert np.allclose(result["energy.total"], result.trajectory.energy.sum(axis=1), rtol=1e-15)
    assert {"pendulum.bending y 1", "pendulum.tip.position.x", "pendulum.hinge.displacement.y"} <= set(result.names)


def test_unknown_name_suggests_a_near_one(result):
    with pytest.raises(KeyError, match="hinge.angle"):
        result["hinge.angel"]


def test_tip_displacement_contains_the_second_order_term(result):
    q = result.trajectory.q[:, 1]
    # the mode is 1 at the tip; its shortening is -1/2 int (pi/2 sin(pi x/2))^2 dx = -pi^2/16
    assert np.allclose(result["pendulum.tip.displacement.y"], q, rtol=1e-14)
    assert np.allclose(result["pendulum.tip.displacement.x"], -np.pi**2 / 16.0 * q**2, rtol=1e-13)


def test_tip_position_is_the_rotated_deformed_point(result):
    angle, q = result.trajectory.q[40]
    along, across = 1.0 - np.pi**2 / 16.0 * q**2, q
    expected = [np.sin(angle) * along + np.cos(angle) * across, -np.cos(angle) * along + np.sin(angle) * across]
    assert result["pendulum.tip.position.x"][40] == pytest.approx(expected[0], abs=1e-14)
    assert result["pendulum.tip.position.y"][40] == pytest.approx(expected[1], abs=1e-14)


def test_coordinates_between_steps_are_of_sixth_order():
    errors = []
    for steps in (16, 31):
        result = Result(bar.structure(), bar.trajectory(steps=steps))
        times = np.linspace(0.0, 0.75, 200)
        errors.append(np.abs(result.resampled(times).trajectory.q - bar.motion(times)[0]).max())
    # quintic Hermite: halving the step divides the error by 2^6 = 64; 40 leaves room for the last digits
    assert errors[0] > 40.0 * errors[1]
    assert errors[1] < 1e-7


@pytest.mark.parametrize(("velocities", "ratio"), [(True, 12.0), (False, 3.0)])
def test_body_frames_between_steps(velocities, ratio):
    errors = []
    for steps in (16, 31):
        result = Result(bar.structure(), bar.trajectory(steps=steps, velocities=velocities))
        times = np.linspace(0.0, 0.75, 200)
        angle = bar.motion(times)[0][:, 0] - 0.5 * np.pi
        cosine = result.resampled(times).trajectory.body_rotation[:, 1, 0, 0]
        errors.append(np.abs(cosine - np.cos(angle)).max())
    # cubic Hermite falls by 16, interpolation about a fixed axis by 4
    assert errors[0] > ratio * errors[1]


def test_state_at_a_time(result):
    state = result.at(0.3333)
    assert state["hinge.angle"] == pytest.approx(bar.motion(np.array([0.3333]))[0][0, 0], abs=1e-9)
    assert state.t == 0.3333


def test_time_outside_of_the_run(result):
    with pytest.raises(ValueError, match="outside of the run, which covers 0 to 0.75 s"):
        result.at(0.8)


def test_nodal_points_and_stress(result):
    q = result.modal("pendulum", 0.31)[0]
    displacement = result.displacement("pendulum", 0.31)
    assert displacement[-1] == pytest.approx([-np.pi**2 / 16.0 * q**2, q, 0.0], abs=1e-14)
    stress = result.stress("pendulum", 0.31)
    # at the root: sigma = E y q (pi/2)^2, outer fibre 2 mm
    assert abs(stress[0, 0]) == pytest.approx(bar.YOUNGS_MODULUS * 0.002 * abs(q) * (np.pi / 2) ** 2, rel=1e-12)
    assert result.von_mises("pendulum", 0.31) == pytest.approx(np.abs(stress[:, 0]), rel=1e-12)


def test_rigid_bodies_have_no_stress(result):
    with pytest.raises(KeyError, match="rigid"):
        result.stress("ground", 0.1)


def test_to_pandas(result):
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.columns) == list(result.names)
    assert frame.index.name == "t" and len(frame) == len(result.t)
