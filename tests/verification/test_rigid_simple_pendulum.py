"""IFToMM benchmark A01: simple pendulum of 1 kg and 1 m from the horizontal, 10 s; Jacobi elliptic functions.

1e-6 at a tolerance of 1e-9: four periods, in which errors grow linearly.
"""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import flexmbs as fm


def test_ten_seconds():
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    bob = system.add(fm.RigidBody.point(1.0, (0.0, -1.0, 0.0)), name="bob")
    bob.marker("mass", position=(0.0, -1.0, 0.0))
    system.revolute(system.ground.marker("pivot"), bob["origin"], axis="z", angle=-np.pi / 2, name="hinge")
    result = system.simulate(10.0, rtol=1e-9, atol=1e-11)
    # theta = -2 asin(k sn(K - w t, k)), k = sin(45 deg)
    sn, cn, dn, _ = ellipj(ellipk(0.5) - np.sqrt(9.81) * result.t, 0.5)
    theta = -2.0 * np.arcsin(np.sqrt(0.5) * sn)
    assert np.abs(result["hinge.angle"] - theta).max() < 1e-6
    assert theta[-1] == pytest.approx(-0.2786806735699831, abs=1e-10)  # published with the benchmark
    assert result["hinge.angle.rate"][-1] == pytest.approx(4.343160692864617, abs=1e-6)
    end = [result[f"bob.mass.position.{axis}"][-1] for axis in "xy"]
    assert end == pytest.approx([-0.275087462576117, -0.961419205099125], abs=1e-6)
