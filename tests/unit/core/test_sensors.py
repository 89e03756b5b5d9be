"""What sensors measure, as Python, against differences and closed forms."""

import numpy as np
import pytest
from plain_state import PlainState, derivative, record, two_bodies
from scipy.spatial.transform import Rotation

from flexmbs.core.laws.force.measure import about_axis
from flexmbs.core.layout import force_tables as f
from flexmbs.core.sensors import kinds
from flexmbs.core.sensors.sensors import normal_load
from flexmbs.core.sensors.user_functions import add_states

SEEDS = (0, 1)
KINDS = {kind.keyword: kind for kind in kinds.KINDS if kind.on == f.MARKERS}


@pytest.fixture(params=SEEDS)
def state(request):
    system, markers = two_bodies()
    found = PlainState(system, request.param)
    found.ends = [found.model.marker_index[(marker.body, marker.name)] for marker in markers]
    return found


def measured(state, kind, s=0.0):
    """Three components of what marker b does against marker a."""
    q, v, a = state.move(s)
    values = []
    for component in range(3):
        one = record(f.SENSOR, a=state.ends[0], b=state.ends[1], component=component, axis=(0.6, 0.0, 0.8))
        state.tables.sensors = np.array([one], f.SENSOR).view(np.recarray)
        values.append(KINDS[kind].value.function(state.tables, 0, q, v, a, state.work))
    return np.array(values)


@pytest.mark.parametrize(
    "kind, rate",
    [
        ("position", "velocity"),
        ("velocity", "acceleration"),
        ("distance", "distance rate"),
        ("angular velocity", "angular acceleration"),
    ],
)
def test_rates_are_what_an_observer_on_the_first_marker_sees(state, kind, rate):
    slope = derivative(lambda s: measured(state, kind, s))
    assert measured(state, rate) == pytest.approx(slope, abs=1e-8)


def test_the_rotation_vector_turns_the_first_marker_into_the_second(state):
    vector = measured(state, "rotation")
    one, two = state.work.marker[0], state.work.marker[1]
    assert one.R_WM @ Rotation.from_rotvec(vector).as_matrix() == pytest.approx(two.R_WM, abs=1e-12)


def test_an_angle_is_that_of_a_rotation_about_its_axis():
    """Marker b turned against a about the axis by any angle, and its rate by the angular velocity about it."""
    system, (a, b) = two_bodies()
    state = PlainState(system)
    state.ends = [state.model.marker_index[(marker.body, marker.name)] for marker in (a, b)]
    axis = np.array([0.6, 0.0, 0.8])
    state.move()
    one, two = state.work.marker[0], state.work.marker[1]
    measured(state, "position")
    for angle in (-3.0, -0.4, 0.0, 1.2, 3.1):
        two["R_WM"] = one.R_WM @ Rotation.from_rotvec(angle * axis).as_matrix()
        two["w_WM"] = one.w_WM + 1.7 * one.R_WM @ axis
        found, rate, *_direction = about_axis(one, two, axis)
        assert (found, rate) == pytest.approx((angle, 1.7))


def test_specific_force_is_in_the_axes_of_the_second_marker(state):
    found = measured(state, "specific force")
    two = state.work.marker[1]
    assert found == pytest.approx(two.R_WM.T @ two.a_WM)


@pytest.mark.parametrize("component", [0, 1])
def test_bearings_carry_the_force_and_the_moment_across_the_axis(component):
    system, (a, b) = two_bodies()
    system.fixed(a, b, name="joint")
    state = PlainState(system)
    q, v, acceleration = state.move()
    row = len(state.tables.bodies)
    reaction, axis = state.work.reaction[row], np.array([0.0, 0.6, 0.8])
    reaction.force[:], reaction.moment[:] = (3.0, -4.0, 12.0), (0.5, 2.0, -1.0)
    number = state.model.marker_index[(a.body, a.name)]
    one = record(f.SENSOR, kind=f.NORMAL_LOAD, a=row, b=number, component=component, axis=axis, arm=1.5)
    found = normal_load(state.tables, one, q, v, acceleration, state.work)
    n = state.work.marker[0].R_WM @ axis
    force = reaction.force - (n @ reaction.force) * n if component == 0 else reaction.force
    moment = reaction.moment - (n @ reaction.moment) * n
    assert found == pytest.approx(np.linalg.norm(force) + 1.5 * np.linalg.norm(moment))


@pytest.mark.parametrize("lag", [0.0, 0.25])
def test_a_state_follows_its_rate_or_lags_behind(lag):
    system, _markers = two_bodies()
    state = PlainState(system)
    tables = state.tables
    tables.states = np.zeros(1, f.USER_STATE).view(np.recarray)
    tables.states[0] = (2, 0, lag)
    state.work.signal[0, 0] = 3.0
    add_states(tables, state.v, state.a, state.work, state.residual)
    rate = (3.0 - state.v[2]) / lag if lag else 3.0
    assert state.residual[2] == pytest.approx(state.a[2] - rate)
