"""IFToMM benchmark A01: simple pendulum of 1 kg and 1 m from the horizontal, 10 s; Jacobi elliptic functions.

1e-6 at a tolerance of 1e-9: four periods, in which errors grow linearly.
"""

import numpy as np
import pytest

from flexmbs.app.verification.problems import pendulum_angle, pendulum_run


def test_ten_seconds():
    result = pendulum_run()
    theta = pendulum_angle(result.t)
    assert np.abs(result["hinge.angle"] - theta).max() < 1e-6
    assert theta[-1] == pytest.approx(-0.2786806735699831, abs=1e-10)  # published with the benchmark
    assert result["hinge.angle.rate"][-1] == pytest.approx(4.343160692864617, abs=1e-6)
    end = [result[f"bob.mass.position.{axis}"][-1] for axis in "xy"]
    assert end == pytest.approx([-0.275087462576117, -0.961419205099125], abs=1e-6)
