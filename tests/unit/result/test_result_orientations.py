"""Orientation of bodies, markers and joints over time, of a motion that is known in closed form."""

import dataclasses

import numpy as np
import pytest
import swinging_bar as bar
from made_up_run import nothing
from scipy.spatial.transform import Rotation as ScipyRotation

import flexmbs as fm
from flexmbs import Result, load
from flexmbs.reduction.flexible_body import PointFields
from flexmbs.result.structure import BodyRecord, JointRecord, MarkerRecord, Structure
from flexmbs.result.trajectory import Trajectory

T = np.linspace(0.0, 4.0, 81)
ANGLES = np.column_stack([1.3 * T, 0.7 + 0.2 * np.sin(T), 2.1 * T])  # precession, nutation, spin
TILT = fm.rotation(fm.EulerAngles("xyz", (0.2, -0.4, 0.6))).matrix


def spinning_top():
    """A top in 3-1-3 angles beside a base that turns about z; marker 'tip' of the top is tilted."""
    steps = len(T)
    top = ScipyRotation.from_euler("ZXZ", ANGLES).as_matrix()
    base = ScipyRotation.from_rotvec(-0.3 * T[:, None] * [0.0, 0.0, 1.0]).as_matrix()
    rotation = np.stack([np.broadcast_to(np.eye(3), (steps, 3, 3)), base, top], axis=1)
    structure = Structure(
        bodies=(BodyRecord("ground"), BodyRecord("base"), BodyRecord("top")),
        coordinate_names=(),
        rate_names=(),
        markers=(MarkerRecord("seat", "base", rotation=TILT), MarkerRecord("tip", "top", rotation=TILT.T)),
        joints=(JointRecord("ball", 0, 1),),
    )
    empty = np.zeros((steps, 0))
    run = Trajectory(
        t=T,
        q=empty,
        v=empty,
        a=empty,
        energy=np.zeros((steps, 3)),
        contact_gap=empty,
        contact_force=empty,
        body_position=np.zeros((steps, 3, 3)),
        body_rotation=rotation,
        **nothing(steps, 3),
    )
    return Result(structure, run), top, base


def test_euler_angles_of_a_body_over_time():
    result, _, _ = spinning_top()
    assert result.euler("top", "zxz", unwrap=True) == pytest.approx(ANGLES, abs=1e-13)
    assert np.degrees(ANGLES) == pytest.approx(result.euler("top", "313", degrees=True, unwrap=True), abs=1e-11)
    wrapped = result.euler("top", "zxz")
    assert np.abs(wrapped).max() <= np.pi
    assert np.cos(wrapped - ANGLES) == pytest.approx(np.ones_like(ANGLES), abs=1e-13)
    # extrinsic angles of the reversed sequence are the same three in reverse
    assert result.euler("top", "zxz", extrinsic=True)[:, ::-1] == pytest.approx(wrapped, abs=1e-13)


def test_quaternions_do_not_jump_and_vectors_are_principal():
    result, top, _ = spinning_top()
    quaternion, vector = result.quaternion("top"), result.rotation_vector("top")
    assert quaternion[0, 0] >= 0.0 and quaternion[:, 0].min() < 0.0  # it turns through
    assert np.linalg.norm(np.diff(quaternion, axis=0), axis=1).max() < 0.2
    assert np.linalg.norm(vector, axis=1).max() <= np.pi
    for k in range(len(T)):
        assert fm.rotation(quaternion[k]).matrix == pytest.approx(top[k], abs=1e-14)
        assert fm.rotation(vector[k]).matrix == pytest.approx(top[k], abs=1e-14)


def test_markers_and_joints():
    result, top, base = spinning_top()
    assert result.rotation("top.tip") == pytest.approx(top @ TILT.T, abs=1e-15)
    assert result.rotation("top", "base") == pytest.approx(base.transpose(0, 2, 1) @ top, abs=1e-15)
    across = (base @ TILT).transpose(0, 2, 1) @ top @ TILT.T
    assert result.rotation("ball") == pytest.approx(across, abs=1e-15)
    assert result.rotation("top.tip", relative_to="base.seat") == pytest.approx(across, abs=1e-15)
    assert result.euler("ball", "xyz") == pytest.approx(ScipyRotation.from_matrix(across).as_euler("XYZ"), abs=1e-13)


def test_markers_of_a_flexible_body_turn_with_it():
    result = Result(bar.structure(), bar.trajectory())
    tip = result.flexible("pendulum").markers["tip"]
    slope = tip.Psi[0, 2] * result.trajectory.q[:, 1]  # about z, as the swing
    swing = result.euler("pendulum", "zyx", unwrap=True)[:, 0]
    assert result.euler("pendulum.tip", "zyx", unwrap=True)[:, 0] == pytest.approx(swing + slope, abs=1e-13)
    assert result.rotation_vector("pendulum.tip", "pendulum")[:, 2] == pytest.approx(slope, abs=1e-14)


def test_joints_are_stored(tmp_path):
    result, _, _ = spinning_top()
    result.save(tmp_path)
    again = load(tmp_path)
    assert again.structure.joints == result.structure.joints
    assert np.array_equal(again.quaternion("ball"), result.quaternion("ball"))


def test_wrong_names_are_refused():
    result, _, _ = spinning_top()
    with pytest.raises(KeyError, match="no body, marker or joint named 'topp'; near names: top"):
        result.euler("topp", "zxz")
    with pytest.raises(KeyError, match="named 'seat'"):
        result.rotation("top", relative_to="seat")
    with pytest.raises(KeyError, match="joint 'ball': relative_to is not allowed"):
        result.rotation("ball", "base")
    with pytest.raises(fm.MechanismError, match="not a valid sequence"):
        result.euler("top", "zzx")


def test_a_node_without_rotation_is_refused():
    structure = bar.structure()
    node = PointFields(np.zeros(3), np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 3)), False)
    pin = MarkerRecord("pin", "pendulum", node)
    result = Result(dataclasses.replace(structure, markers=(*structure.markers, pin)), bar.trajectory())
    with pytest.raises(KeyError, match="'pendulum.pin' is a single node of a solid and has no rotation"):
        result.rotation("pendulum.pin")
