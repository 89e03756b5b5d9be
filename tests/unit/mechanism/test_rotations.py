"""Rotations in all their forms: each form gives the same rotation back, also at gimbal lock."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as ScipyRotation

import flexmbs as fm
from flexmbs.mechanism.geometry.rotations import as_matrix

SEQUENCES = ["".join(axes) for axes in itertools.product("xyz", repeat=3) if axes[0] != axes[1] != axes[2]]
LOCKED = [
    (sequence, angle)
    for sequence in SEQUENCES
    for angle in ((0.0, np.pi) if sequence[0] == sequence[2] else (0.5 * np.pi, -0.5 * np.pi))
]


def elementary(axis, angle):
    """Rotation matrix about one axis, written out."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(3)
    matrix[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
    return matrix


def test_there_are_twelve_sequences():
    assert len(SEQUENCES) == 12


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_are_products_of_elementary_rotations(sequence):
    angles = (0.4, -1.1, 2.3)
    first, second, third = (elementary(axis, angle) for axis, angle in zip(sequence, angles, strict=True))
    intrinsic, extrinsic = fm.EulerAngles(sequence, angles), fm.EulerAngles(sequence, angles, extrinsic=True)
    assert intrinsic.matrix == pytest.approx(first @ second @ third, abs=1e-15)
    assert extrinsic.matrix == pytest.approx(third @ second @ first, abs=1e-15)
    numbers = sequence.translate(str.maketrans("xyz", "123"))
    assert np.array_equal(fm.EulerAngles(numbers, angles).matrix, intrinsic.matrix)
    assert fm.EulerAngles(sequence, np.degrees(angles), degrees=True).matrix == pytest.approx(intrinsic.matrix, abs=1e-15)


@pytest.mark.parametrize("extrinsic", [False, True])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_in_their_ranges_come_back(sequence, extrinsic):
    angles = np.array([-2.8, 1.2, 2.9])  # the second lies in both ranges
    turned = fm.rotation(fm.EulerAngles(sequence, angles, extrinsic=extrinsic))
    assert turned.euler(sequence, extrinsic=extrinsic) == pytest.approx(angles, abs=1e-14)
    assert turned.euler(sequence, extrinsic=extrinsic, degrees=True) == pytest.approx(np.degrees(angles), abs=1e-12)


@pytest.mark.parametrize(("sequence", "second"), LOCKED)
@pytest.mark.parametrize("extrinsic", [False, True])
@pytest.mark.filterwarnings("error")
def test_at_gimbal_lock_the_third_angle_is_zero(sequence, second, extrinsic):
    turned = fm.rotation(fm.EulerAngles(sequence, (0.3, second, 0.5), extrinsic=extrinsic))
    angles = turned.euler(sequence, extrinsic=extrinsic)
    assert angles[2] == 0.0
    assert angles[1] == pytest.approx(second, abs=1e-15)
    assert fm.EulerAngles(sequence, angles, extrinsic=extrinsic).matrix == pytest.approx(turned.matrix, abs=1e-15)


@pytest.mark.parametrize("sequence", ["zxz", "xyz"])
@pytest.mark.parametrize("distance", [1e-5, 1e-6, 1e-7, 1e-8, 1e-10])
def test_near_gimbal_lock_the_rotation_comes_back(sequence, distance):
    second = distance if sequence == "zxz" else 0.5 * np.pi - distance
    turned = fm.rotation(fm.EulerAngles(sequence, (0.3, second, 0.5)))
    back = fm.EulerAngles(sequence, turned.euler(sequence)).matrix
    # within 2e-7 rad of lock the third angle is set to zero, which costs up to that distance
    assert back == pytest.approx(turned.matrix, abs=1e-15 if distance > 2e-7 else distance)


def test_all_forms_of_one_rotation_agree():
    rng = np.random.default_rng(5)
    for vector in (*rng.normal(size=(20, 3)), np.zeros(3), [np.pi, 0.0, 0.0]):
        one = fm.rotation(vector)
        assert one.vector == pytest.approx(vector, abs=1e-14) or np.linalg.norm(vector) >= np.pi
        for form in (one, one.matrix, one.quaternion, one.vector, fm.EulerAngles("yxz", one.euler("yxz"))):
            assert fm.rotation(form).matrix == pytest.approx(one.matrix, abs=1e-14)
        assert one.quaternion[0] >= 0.0
        assert np.linalg.norm(one.quaternion) == pytest.approx(1.0, abs=1e-15)


def test_rotations_compose_and_invert():
    a, b = fm.rotation((0.2, -0.4, 0.9)), fm.rotation(fm.EulerAngles("313", (10.0, 20.0, 30.0), degrees=True))
    points = np.arange(6.0).reshape(2, 3)
    assert (a @ b).matrix == pytest.approx(a.matrix @ b.matrix)
    assert (a @ b) @ points == pytest.approx(a @ (b @ points))
    assert a.inverse @ (a @ points) == pytest.approx(points)
    assert as_matrix(ScipyRotation.from_matrix(a.matrix), "here") == pytest.approx(a.matrix, abs=1e-15)
    assert fm.rotation().matrix == pytest.approx(np.eye(3))


def test_a_body_is_added_by_euler_angles():
    system = fm.System()
    angles = fm.EulerAngles("zxz", (0.1, 0.2, 0.3))
    top = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "top", rotation=angles)
    assert fm.rotation(top.pose[1]).euler("zxz") == pytest.approx([0.1, 0.2, 0.3], abs=1e-14)
    assert top.marker("tilted", rotation=angles).rotation == pytest.approx(angles.matrix)


@pytest.mark.parametrize("sequence", ["zz", "xxy", "xyy", "abc", "3134", "314", "", 0, None])
def test_wrong_sequences_are_refused(sequence):
    with pytest.raises(fm.MechanismError, match="not a valid sequence; give three of x, y, z"):
        fm.EulerAngles(sequence, (0.0, 0.0, 0.0))
    with pytest.raises(fm.MechanismError, match="not a valid sequence"):
        fm.rotation().euler(sequence)


@pytest.mark.parametrize("angles", [(1.0, 2.0), 1.0, (1.0, 2.0, np.nan), (1.0, "a", 2.0), None])
def test_wrong_angles_are_refused(angles):
    with pytest.raises(fm.MechanismError, match="Euler angles 'zxz': expected three finite angles"):
        fm.EulerAngles("zxz", angles)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2.0 * np.eye(3), "not orthogonal"),
        (np.diag([1.0, 1.0, -1.0]), "determinant .1"),
        ((1.0, 1.0, 0.0, 0.0), "not of length 1"),
        ((np.nan, 0.0, 0.0), "not finite"),
        ((1.0, 2.0), "must be a 3x3 matrix, a rotation vector"),
        ("zxz", "must be a 3x3 matrix, a rotation vector"),
    ],
)
def test_what_is_no_rotation_is_refused(value, message):
    with pytest.raises(fm.MechanismError, match=message):
        fm.rotation(value)
