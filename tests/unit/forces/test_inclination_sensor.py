"""The inclination of a marker, against the angle of a hinge and the arc cosine of a product of axes."""

import numpy as np
import pytest
from plain_state import PlainState, two_bodies

import flexmbs as fm
from flexmbs.core.sensors.inclination import inclination


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.6, 0.0, 0.8)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_angle_between_the_axes_of_two_markers(axis, seed):
    system, (a, b) = two_bodies()
    system.sensor("inclination", b, a, axis=axis, name="tilt")
    state = PlainState(system, seed)
    q, v, acceleration = state.move()
    found = inclination.function(state.tables, 0, q, v, acceleration, state.work)
    one, two = (frame.R_WM @ np.array(axis) for frame in (state.work.marker[0], state.work.marker[1]))
    assert found == pytest.approx(np.arccos(one @ two), abs=1e-12)


def test_a_pendulum_that_turns_over():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rod = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], axis="z", rate=2.0, name="hinge")
    system.sensor("inclination", rod["origin"], axis="y", name="tilt")
    result = system.simulate(3.0, rtol=1e-8)
    angle = 2.0 * result.t
    assert result["tilt"] == pytest.approx(np.where(angle <= np.pi, angle, 2.0 * np.pi - angle), abs=1e-7)
    assert result.unit("tilt") == "rad"
