"""Rotations in space: the heavy top of Bruls, Cardona and Arnold (2012), Euler's free body and the Dzhanibekov motion.

References: quaternion equations and elliptic functions, 7e-10 or better; 1e-6 is what is asked for.
"""

import numpy as np
import pytest

import flexmbs as fm


def end_rotation(result, joint):
    """Quaternion and angular velocity (body axes) of a ball at the end of the run."""
    parts = np.array([result[f"{joint}.quaternion.{part}"][-1] for part in "wxyz"])
    return parts, np.array([result[f"{joint}.omega.{axis}"][-1] for axis in "xyz"])


def same_rotation(found, expected, tolerance):
    """Quaternions of both signs are the same rotation."""
    expected = np.asarray(expected)
    return min(np.abs(found - expected).max(), np.abs(found + expected).max()) < tolerance


def heavy_top(spin):
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    top = fm.RigidBody(15.0, (0.234375, 0.46875, 0.234375), center=(0.0, 1.0, 0.0))
    part = system.add(top, name="top")
    part.marker("center", position=(0.0, 1.0, 0.0))
    system.spherical(system.ground.marker("tip"), part["origin"], angular_velocity=spin, name="ball")
    return system


@pytest.mark.parametrize("speed", ["fast", "slow"])
@pytest.mark.parametrize(("time", "key"), [(0.2, "t0p2"), (1.0, "t1"), (2.0, "t2")])
def test_heavy_top(reference, speed, time, key):
    data = reference("rigid_heavy_top")[speed]
    # the fast top turns by 300 rad: 1e-10 a step leaves 1e-6 of the position
    result = heavy_top(data["Omega0"]).simulate(time, rtol=1e-10, atol=1e-12)
    place = [result[f"top.center.position.{axis}"][-1] for axis in "xyz"]
    assert place == pytest.approx(data[f"pos_{key}"], abs=1e-6)
    quaternion, omega = end_rotation(result, "ball.rotation")
    if f"quat_{key}" in data:
        assert same_rotation(quaternion, data[f"quat_{key}"], 1e-6)
    if f"omega_{key}" in data:
        assert omega == pytest.approx(data[f"omega_{key}"], abs=1e-5)  # of 150 rad/s


@pytest.mark.parametrize("motion", ["general", "dzhanibekov"])
@pytest.mark.parametrize("time", [10, 50])
def test_free_body(reference, motion, time):
    data = reference("rigid_free_body")[motion]
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    system.add(fm.RigidBody(1.0, (1.0, 2.0, 3.0)), name="body", angular_velocity=data["omega0"])
    quaternion, omega = end_rotation(system.simulate(time, rtol=1e-10, atol=1e-12), "body.free.rotation")
    # the unstable motion amplifies errors a thousand times in 50 s
    assert omega == pytest.approx(data[f"omega_t{time}"], abs=1e-6)
    assert same_rotation(quaternion, data[f"quat_t{time}"], 1e-6)
