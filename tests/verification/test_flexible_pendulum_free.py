"""The pendulum of Sheng, Liu and Yu (2006) without stop, released horizontally, three bending modes and one axial mode.

1e-4 rad and 1e-4 m are what is asked for; the reference is good to 1e-10.
"""

import numpy as np

from flexmbs import run_case


def test_trajectory(reference):
    rows = np.array(reference("flexible_pendulum_free")["rows"])
    result = run_case("flexible_pendulum_impact", {"stop": False, "t_end": 2.0}).result.resampled(rows[:, 0])
    assert np.abs(result["hinge.angle"] - rows[:, 1]).max() < 1e-4
    assert np.abs(result["pendulum.tip.displacement.y"] - rows[:, 2]).max() < 1e-4
    assert np.abs(result["pendulum.tip.displacement.x"] - rows[:, 3]).max() < 1e-4
