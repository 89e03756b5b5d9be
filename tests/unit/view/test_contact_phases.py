"""Phases of contacts against what the motion is in closed form."""

import dataclasses

import numpy as np
import pytest
import sliding_ball as ball
import swinging_bar as bar

from flexmbs import ContactRecord, Result
from flexmbs.view.contact_phases import APPROACHING, FOLLOWING, FREE, IMPACT, LEAD, SLIDING, STICKING, ContactPhases


def phase_times(history):
    return {int(phase): history.spans(phase) for phase in np.unique(history.phases)}


def test_a_ball_approaches_slides_and_sticks():
    phases = ContactPhases(ball.result())
    found = phase_times(phases.history(0))
    assert found[FREE] == pytest.approx(np.array([[0.0, ball.LANDS - LEAD * ball.END]]))
    assert found[APPROACHING] == pytest.approx(np.array([[ball.LANDS - LEAD * ball.END, ball.LANDS]]))
    slower = ball.ROLLS - 0.01 * (ball.ROLLS - ball.LANDS)  # 1 % of the speed at the start, at a step or one later
    assert found[SLIDING] == pytest.approx(np.array([[ball.LANDS, slower]]), abs=0.0051)
    assert found[STICKING][0, 1] == ball.END and set(found) == {FREE, APPROACHING, SLIDING, STICKING}
    assert phases.occurring() == (APPROACHING, SLIDING, STICKING)
    assert [phases.history(1).at(time) for time in (0.0, 0.5, 1.0)] == [FREE] * 3


def test_phases_cover_the_run_without_gaps():
    history = ContactPhases(ball.result()).history(0)
    spans = np.sort(np.concatenate([history.spans(phase) for phase in np.unique(history.phases)]), axis=0)
    assert spans[0, 0] == 0.0 and spans[-1, 1] == ball.END and np.array_equal(spans[1:, 0], spans[:-1, 1])


def test_speed_below_which_a_contact_sticks_can_be_given():
    found = phase_times(ContactPhases(ball.result(), stick_speed=1.0).history(0))
    half = 0.5 * (ball.LANDS + ball.ROLLS)
    assert found[SLIDING] == pytest.approx(np.array([[ball.LANDS, half]]), abs=0.0051)


def without_friction(t, gap, start, end, name="floor"):
    """The ball's contact with another gap and no friction."""
    run = ball.trajectory()
    rows = np.searchsorted(run.t, np.clip(t, 0.0, ball.END))
    arrays = {key: value[np.minimum(rows, len(run.t) - 1)] for key, value in run.arrays().items()}
    force = np.maximum(-gap, 0.0)
    arrays |= {"t": t, "contact_gap": np.stack([gap, 1.0 + 0.0 * t], 1), "contact_force": np.stack([force, 0.0 * t], 1)}
    arrays |= {"contact_push": np.stack([arrays["contact_force"]] * 3, 2) * [0.0, 1.0, 0.0]}
    record = ContactRecord(name, start, end, float(force.max()), float(t[np.argmin(gap)]), 1.0, 0.0, None, 0.0)
    return Result(ball.structure(), dataclasses.replace(run, **arrays, contacts=(record,)))


def test_a_body_that_settles_hits_and_then_follows():
    t = np.linspace(0.0, 1.0, 2001)
    s = np.maximum(t - 0.2, 0.0)
    gap = np.where(t < 0.2, 0.2 - t, -1.0 + np.exp(-3.0 * s) * np.cos(40.0 * s))
    found = phase_times(ContactPhases(without_friction(t, gap, 0.2, np.nan)).history(0))
    widest = 0.2 + (2.0 * np.pi - np.arctan(3.0 / 40.0)) / 40.0
    assert found[IMPACT] == pytest.approx(np.array([[0.2, widest]]), abs=1e-3)
    assert found[FOLLOWING][0, 1] == 1.0


def test_a_body_that_lands_without_rebound_follows_when_it_has_settled():
    t = np.linspace(0.0, 1.0, 2001)
    gap = np.where(t < 0.2, 0.2 - t, np.exp(-20.0 * (t - 0.2)) - 1.0)
    found = phase_times(ContactPhases(without_friction(t, gap, 0.2, np.nan)).history(0))
    assert found[IMPACT][0] == pytest.approx([0.2, 0.2 + np.log(100.0) / 20.0], abs=2e-3)  # to 1 %


def test_a_single_hit_is_an_impact_from_start_to_end():
    t = np.linspace(0.0, 1.0, 2001)
    gap = np.where((t > 0.2) & (t < 0.3), -np.sin(10.0 * np.pi * (t - 0.2)), 0.01)
    found = phase_times(ContactPhases(without_friction(t, gap, 0.2, 0.3)).history(0))
    assert found[IMPACT] == pytest.approx(np.array([[0.2, 0.3]])) and FOLLOWING not in found


def test_results_without_contact_points_have_phases():
    result = Result(bar.structure(), bar.trajectory())
    assert phase_times(ContactPhases(result).history(0))[IMPACT] == pytest.approx(np.array([[0.51, 0.53]]))


def test_contacts_without_records_are_found_by_their_forces():
    result = without_friction(t := np.linspace(0.0, 1.0, 2001), 0.2 - t * (1.0 - t), 0.1, 0.2, name="another")
    found = phase_times(ContactPhases(result).history(0))
    closed = 0.5 - np.sqrt(0.05), 0.5 + np.sqrt(0.05)
    assert found[IMPACT] == pytest.approx(np.array([closed]), abs=1e-3)


def test_a_joint_with_clearance_says_itself_what_is_an_impact():
    class Known(Result):
        names = ("floor.phase",)

        def __getitem__(self, name):
            return np.where(self.t < 0.25, 1.0, 2.0) * (self.t >= ball.LANDS)

    found = phase_times(ContactPhases(Known(ball.structure(), ball.trajectory())).history(0))
    assert found[IMPACT] == pytest.approx(np.array([[ball.LANDS, 0.25]]))
    assert found[SLIDING][0, 0] == pytest.approx(0.25) and STICKING in found
