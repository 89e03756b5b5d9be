"""Cases of rigid contact run with their defaults, and one of their figures is right; wrong values are refused."""

import math

import pytest
from case_runs import balanced

from flexmbs import CaseError, run_case


def test_friction_oscillator():
    """The example of Siconos: it stops for ever at atan(6/13) + 7 pi, 15 - sqrt(205)."""
    figures = balanced("friction_oscillator").figures
    assert figures["t_stop"] == pytest.approx(math.atan2(6.0, 13.0) + 7.0 * math.pi, rel=1e-11)
    assert figures["x_stop"] == pytest.approx(15.0 - math.sqrt(205.0), rel=1e-10)


def test_stick_slip():
    """It slips when the spring pulls with the static friction, and sticks 2 (mu_s - mu_k) m g / (k v_belt) long."""
    figures = balanced("stick_slip").figures
    assert figures["x_slip_start"] == pytest.approx(0.4 * 9.81 / 100.0, rel=1e-11)
    assert figures["T_stick"] == pytest.approx(2.0 * 0.1 * 9.81 / (100.0 * 0.1), rel=1e-10)


def test_bouncing_ball():
    """Infinitely many bounces end at t1 (1 + e) / (1 - e)."""
    figures = balanced("bouncing_ball", {"restitution": 0.7, "height": 0.2}).figures
    assert figures["rest_time"] == pytest.approx(math.sqrt(0.4 / 9.81) * 1.7 / 0.3, rel=1e-9)
    assert figures["largest_penetration"] < 1e-14


def test_moving_table():
    """At rest a table is a floor: impacts in the ratio of the restitution."""
    figures = balanced("moving_table", {"amplitude": 0.0, "t_end": 0.6}).figures
    speeds = [hit["approach_speed"] for hit in figures["impacts"]]
    assert speeds[:3] == pytest.approx([math.sqrt(2.0 * 9.81 * 0.1) * 0.8**k for k in range(3)], rel=1e-12)


def test_sliding_to_rolling():
    """On level ground a sphere rolls with 5/7 of its speed."""
    figures = balanced("sliding_to_rolling").figures
    assert figures["then"] == "rolls"
    assert figures["v_rolling"] == pytest.approx(8.0 * 5.0 / 7.0, rel=1e-12)


def test_block_that_does_not_stop():
    figures = balanced("sliding_to_rolling", {"body": "block", "slope": 0.5, "block_friction": 0.2}).figures
    assert figures["t_stop"] is None
    assert figures["acceleration"] == pytest.approx(9.81 * (math.sin(0.5) - 0.2 * math.cos(0.5)), rel=1e-12)


def test_rod_on_wall():
    """It leaves the wall where cos(theta) is two thirds of that at the start."""
    assert balanced("rod_on_wall", {"start_angle": 0.6}).figures["cos_ratio"] == pytest.approx(2.0 / 3.0, rel=1e-10)


def test_spinning_ball_drop():
    """A hit that sticks leaves the contact point at rest, a smooth one changes no spin."""
    first = balanced("spinning_ball_drop", {"count": 1}).figures["impacts"][0]
    assert first["kind"] == "sticks (rolls off)"
    assert abs(first["vx_after"] - 0.05 * first["omega_after"]) < 1e-12
    smooth = balanced("spinning_ball_drop", {"count": 1, "friction": 0.0}).figures["impacts"][0]
    assert (smooth["kind"], smooth["omega_after"]) == ("slides", pytest.approx(60.0, rel=1e-12))


def test_newton_cradle():
    """Hits one after another hand the speed on to the last ball."""
    figures = balanced("newton_cradle").figures
    assert figures["velocities"] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    assert [hit["pair"] for hit in figures["first"]] == [[1, 2], [2, 3]]


def test_rocking_block():
    """Housner's ratio of angular speeds."""
    figures = balanced("rocking_block", {"count": 1}).figures
    assert figures["ratio"] == pytest.approx(1.0 - 1.5 * math.sin(math.atan(0.25)) ** 2, rel=1e-10)


@pytest.mark.parametrize(
    "values",
    [{}, {"what": "shake", "t_end": 1.0}, {"what": "tilt"}, {"height": 0.3, "length": 0.1, "push_height": 0.3, "t_end": 0.8}],
    ids=["push", "shake", "tilt", "tip"],
)
def test_box_on_table(values):
    """It slips or tips where the closed forms say, in one event; shaken it slips and sticks four times in a period."""
    figures = balanced("box_on_table", values).figures
    assert figures["first"] == pytest.approx(figures["expected"], abs=1e-8)
    assert figures["instants"] == (1 if "what" not in values or values["what"] == "tilt" else 6)


@pytest.mark.parametrize(
    ("case", "values", "message"),
    [
        ("sliding_to_rolling", {"body": "cube"}, "'body' must be round or block, not 'cube'"),
        ("sliding_to_rolling", {"direction": "left"}, "'direction' must be up or down"),
        ("rod_on_wall", {"start_angle": 1.6}, r"'start_angle' \[rad\] must be less than pi/2"),
        ("rocking_block", {"start_tilt": 0.3}, r"'start_tilt' \[rad\] must be less than 0.244979, where it topples"),
        ("box_on_table", {"what": "throw"}, "'what' must be push, shake or tilt, not 'throw'"),
        ("newton_cradle", {"masses": [1.0, 1.0], "speeds": [1.0]}, "as many numbers, two or more, not 2 and 1"),
    ],
)
def test_wrong_values(case, values, message):
    with pytest.raises(CaseError, match=message):
        run_case(case, values)
