"""Histories, fields and interpolation of a result whose motion is known in closed form."""

import dataclasses

import numpy as np
import pytest
import swinging_bar as bar

import flexmbs as fm
from flexmbs import BodyError, Result, load
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors


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
    assert np.allclose(result["pendulum.tip.displacement.x"], -(np.pi**2) / 16.0 * q**2, rtol=1e-13)


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


def test_body_frames_between_steps():
    errors = []
    for steps in (16, 31):
        result = Result(bar.structure(), bar.trajectory(steps=steps))
        times = np.linspace(0.0, 0.75, 200)
        angle = bar.motion(times)[0][:, 0] - 0.5 * np.pi
        cosine = result.resampled(times).trajectory.body_rotation[:, 1, 0, 0]
        errors.append(np.abs(cosine - np.cos(angle)).max())
    assert errors[0] > 12.0 * errors[1]  # cubic Hermite falls by 16


def test_state_at_a_time(result):
    state = result.at(0.3333)
    assert state["hinge.angle"] == pytest.approx(bar.motion(np.array([0.3333]))[0][0, 0], abs=1e-9)
    assert state.t == 0.3333


def tip_velocity(t):
    """(nt, 2) of the tip in closed form: along = 1 - pi^2/16 q^2 and across = q turn with the angle."""
    (angle, q), (rate, dq) = (part.T for part in bar.motion(t)[:2])
    along, across, dalong = 1.0 - np.pi**2 / 16.0 * q**2, q, -(np.pi**2) / 8.0 * q * dq
    x = np.sin(angle) * dalong + np.cos(angle) * rate * along + np.cos(angle) * dq - np.sin(angle) * rate * across
    y = -np.cos(angle) * dalong + np.sin(angle) * rate * along + np.sin(angle) * dq + np.cos(angle) * rate * across
    return np.stack([x, y], axis=1)


def test_every_history_has_a_value_between_steps_and_at_them(result):
    step = 40
    at_step, between = result.at(float(result.t[step])), result.at(0.2013)
    for name in result.names:
        assert at_step[name] == pytest.approx(result[name][step], rel=1e-11, abs=1e-11), name  # rounding only
        # smooth histories (the force acts later): within the range of the steps around, give or take a thousandth
        around = result[name][39:43]
        slack = 1e-3 * np.ptp(around) + 1e-12
        assert around.min() - slack <= between[name] <= around.max() + slack, name


def test_velocity_of_a_marker_between_steps():
    errors = []
    for steps in (31, 61):
        sampled = Result(bar.structure(), bar.trajectory(steps=steps)).resampled(np.linspace(0.0, 0.75, 200))
        found = np.stack([sampled[f"pendulum.tip.velocity.{axis}"] for axis in "xy"], axis=1)
        errors.append(np.abs(found - tip_velocity(sampled.t)).max())
    # the rate of a cubic Hermite is of third order: 8 per halving, less what is lost before it is reached
    assert errors[0] > 6.0 * errors[1]
    assert errors[1] < 2e-3


def test_frame_velocities_are_the_rates_of_the_frames_in_space():
    """A frame that moves along a curve and turns as exp(a t) exp(b t): spin a + exp(a t) b."""
    a, b = np.array([0.7, -0.2, 0.4]), np.array([0.1, 0.9, -0.3])
    run = bar.trajectory(steps=4)
    position, rotation = np.zeros((4, 2, 3)), np.tile(np.eye(3), (4, 2, 1, 1))
    velocity, spin = np.zeros((4, 2, 3)), np.zeros((4, 2, 3))
    for k, t in enumerate(run.t):
        position[k, 1], velocity[k, 1] = [np.sin(t), t**2, np.cos(t)], [np.cos(t), 2.0 * t, -np.sin(t)]
        first = matrices_of_vectors(a * t)
        rotation[k, 1], spin[k, 1] = first @ matrices_of_vectors(b * t), a + first @ b
    names = ("body_position", "body_rotation", "body_velocity", "body_angular_velocity")
    arrays = dict(zip(names, (position, rotation, velocity, spin), strict=True))
    result = Result(bar.structure(), dataclasses.replace(run, **arrays))
    time, h = 0.31, 1e-5
    before, here, after = (result.resampled([time + k * h]).trajectory for k in (-1, 0, 1))
    turned = (after.body_rotation[0, 1] - before.body_rotation[0, 1]) / (2.0 * h) @ here.body_rotation[0, 1].T
    axial = np.array([turned[2, 1], turned[0, 2], turned[1, 0]])
    # central differences: error h^2 and rounding 1e-16/h
    assert here.body_angular_velocity[0, 1] == pytest.approx(axial, abs=1e-9)
    moved = (after.body_position[0, 1] - before.body_position[0, 1]) / (2.0 * h)
    assert here.body_velocity[0, 1] == pytest.approx(moved, abs=1e-9)
    # against the exact motion: third order of a step of 0.25 s
    assert here.body_angular_velocity[0, 1] == pytest.approx(a + matrices_of_vectors(a * time) @ b, abs=2e-3)


def test_extremes_of_what_the_stored_steps_do_not_resolve_are_those_of_the_stored_steps():
    """A mass on a spring, 100 Hz, amplitude 10 mm, stored every 13 ms: the interpolation overshoots to 17 mm."""
    system = fm.System()
    mass = system.add(fm.RigidBody.point(1.0), name="mass")
    slide = system.prismatic(system.ground["origin"], mass["origin"], name="slide", displacement=0.01)
    slide.spring(stiffness=(2.0 * np.pi * 100.0) ** 2, damping=0.0)
    result = system.simulate(1.0, output_step=0.013)
    times = np.linspace(0.0, 1.0, 20_001)
    assert np.abs(result.resampled(times)["slide.displacement"]).max() > 0.015
    assert abs(result.extreme("slide.displacement")[1]) == pytest.approx(0.01, rel=1e-3)


def test_extreme_velocity_is_found_between_steps(result):
    time, value = result.extreme("pendulum.tip.velocity.x")
    times = np.linspace(0.0, 0.75, 20001)
    exact = tip_velocity(times)[:, 0]
    best = int(np.argmax(np.abs(exact)))
    assert value == pytest.approx(exact[best], rel=1e-4)
    assert time == pytest.approx(times[best], abs=1e-3)  # flat at its peak: the time is less sharp than the value


def test_time_outside_of_the_run(result):
    expected = r"^time 0\.8 s is outside the run, which covers 0 to 0\.75 s$"
    for time in (0.8, np.float64(0.8)):
        with pytest.raises(ValueError, match=expected):
            result.at(time)
    with pytest.raises(ValueError, match=r"^time 0\.75000001 s"):  # not rounded to a time inside
        result.at(0.75000001)


def test_short_description(result):
    histories = len(result.names)
    assert repr(result) == (f"<Result finished: t = 0 to 0.75 s in 150 steps; bodies: pendulum; 1 contact; {histories} histories>")


def test_nodal_points_and_stress(result):
    q = result.modal("pendulum", 0.31)[0]
    displacement = result.displacement("pendulum", 0.31)
    assert displacement[-1] == pytest.approx([-(np.pi**2) / 16.0 * q**2, q, 0.0], abs=1e-14)
    stress = result.stress("pendulum", 0.31)
    # at the root: sigma = E y q (pi/2)^2, outer fibre 2 mm
    assert abs(stress[0, 0]) == pytest.approx(bar.YOUNGS_MODULUS * 0.002 * abs(q) * (np.pi / 2) ** 2, rel=1e-12)
    assert result.von_mises("pendulum", 0.31) == pytest.approx(np.abs(stress[:, 0]), rel=1e-12)


def test_stress_fields_and_section_forces(result, tmp_path):
    field = result.stress_field("pendulum", 0.31)
    assert np.array_equal(field.stress, result.stress("pendulum", 0.31))
    assert field.principal[:, 0] - field.principal[:, 2] == pytest.approx(field.von_mises, rel=1e-12)  # one axis only
    with pytest.raises(BodyError, match="has stress at its surface only"):
        result.stress_field("pendulum", 0.31, at="nodes")
    with pytest.raises(BodyError, match="has no beams or bars"):
        result.section_forces("pendulum", 0.31)
    moments = SectionForceModes(np.array([7]), np.zeros((1, 2, 3)), np.eye(3)[None], np.arange(12.0).reshape(1, 1, 2, 6))
    ground, pendulum = result.structure.bodies
    flexible = dataclasses.replace(bar.bar(), section_force_modes=moments)
    bodies = (ground, dataclasses.replace(pendulum, flexible=flexible))
    beam = Result(dataclasses.replace(result.structure, bodies=bodies), result.trajectory)
    beam.save(tmp_path)
    for one in (beam, load(tmp_path)):
        found = one.section_forces("pendulum", 0.31)
        assert found.M[0, 1, 1] == pytest.approx(11.0 * result.modal("pendulum", 0.31)[0], rel=1e-12)
        assert found.element_ids == [7]


def test_rigid_bodies_have_no_stress(result):
    with pytest.raises(KeyError, match="rigid"):
        result.stress("ground", 0.1)


def test_to_pandas(result):
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.columns) == list(result.names)
    assert frame.index.name == "t" and len(frame) == len(result.t)
    sampled = result.resampled([0.1, 0.2013]).to_pandas()
    assert list(sampled.columns) == list(result.names)
    assert bool(np.isfinite(sampled.to_numpy()).all())
