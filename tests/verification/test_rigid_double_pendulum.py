"""Planar double pendulum of rods (1 kg, 1 m), of point masses, and of rods with torsion springs of 50 N m/rad.

Reference: closed-form Lagrange equations, 1e-10 at 5 s. The motion amplifies errors some hundred times in 5 s: 1e-6 at
a tolerance of 1e-10.
"""

import numpy as np
import pytest

import flexmbs as fm

HANGING = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # x points down


def double_pendulum(link, angles, stiffness=0.0):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    at = system.ground.marker("hinge", rotation=HANGING)
    before = 0.0
    for i, angle in enumerate(angles):
        part = system.add(link, name=f"link{i}")
        joint = system.revolute(at, part["origin"], axis="z", angle=angle - before, name=f"hinge{i}")
        if stiffness:
            joint.spring(stiffness=stiffness)
        at, before = part.marker("end", position=(1.0, 0.0, 0.0)), angle
    return system


@pytest.mark.parametrize(
    ("name", "link", "stiffness"),
    [
        ("point_horizontal", fm.RigidBody.point(1.0, (1.0, 0.0, 0.0)), 0.0),
        ("rods_horizontal", fm.RigidBody.rod(1.0, 1.0), 0.0),
        ("rods_45_30", fm.RigidBody.rod(1.0, 1.0), 0.0),
        ("rods_springs_k50", fm.RigidBody.rod(1.0, 1.0), 50.0),
    ],
)
def test_angles_and_rates(reference, name, link, stiffness):
    data = reference("rigid_double_pendulum")[name]
    result = double_pendulum(link, data["z0"][:2], stiffness).simulate(5.0, rtol=1e-10, atol=1e-12)
    at = result.resampled([1.0, 2.0, 5.0])
    first, between = at["hinge0.angle"], at["hinge1.angle"]
    rate, rate_between = at["hinge0.angle.rate"], at["hinge1.angle.rate"]
    found = np.stack([first, first + between, rate, rate + rate_between], axis=1)
    assert found == pytest.approx(np.array([data[time] for time in ("t1", "t2", "t5")]), abs=1e-6)
