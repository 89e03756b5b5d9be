"""The time-line of contacts, and phases behind histories."""

import dataclasses

import numpy as np
import pytest
import sliding_ball as ball
from made_up_run import nothing

from flexmbs import ContactRecord, FlexmbsError, Result
from flexmbs.result.structure import ContactPair
from flexmbs.view.contact_phases import FREE, PHASES, ContactPhases
from flexmbs.view.plot_curves import contact_of
from flexmbs.view.plots import plot_histories


def many(count, rng=None):
    """Hits of ``count`` contacts and one that never closes; forces over five decades."""
    rng = rng or np.random.default_rng(1)
    pairs = tuple(ContactPair(f"ball {k}", 1, 0) for k in range(count + 1))
    contacts = []
    for k in range(count):
        for start in rng.uniform(0.0, 0.9, size=3):
            end = np.nan if rng.random() < 0.1 else start + 10.0 ** rng.uniform(-6.0, -1.5)
            contacts.append(ContactRecord(f"ball {k}", start, end, 10.0 ** rng.uniform(-1.0, 4.0), start, 1.0, 0.0, None, 0.0))
    run = ball.trajectory()
    still = {**nothing(len(run.t), 3, count + 1), "contact_gap": np.ones((len(run.t), count + 1))}
    still |= {"contact_force": 0.0 * still["contact_gap"]}
    run = dataclasses.replace(run, **still, contacts=tuple(contacts))
    return Result(dataclasses.replace(ball.structure(), contacts=pairs), run)


def test_a_bar_for_each_contact_from_start_to_end():
    result = many(5)
    figure = result.plot_contacts()
    axis = figure.axes[0]
    (bars,) = axis.collections
    boxes = np.array([path.vertices for path in bars.get_paths()])
    names = [label.get_text() for label in axis.get_yticklabels()]
    found = {
        (names[round(box[:, 1].mean())], box[:, 0].min(), box[:, 0].max(), force)
        for box, force in zip(boxes[:, :4], bars.get_array(), strict=True)
    }
    expected = {
        (record.name, record.start, 1.0 if np.isnan(record.end) else record.end, record.peak_force) for record in result.contacts
    }
    assert found == expected
    firsts = [min(record.start for record in result.contacts if record.name == name) for name in names]
    assert firsts == sorted(firsts)
    assert axis.get_title() == "15 contacts at 5 contact points; 1 never closed"
    assert axis.get_xlabel() == "time [s]" and figure.axes[1].get_ylabel() == "peak force [N]"


def test_a_hundred_contacts_are_legible():
    figure = many(100).plot_contacts()
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    assert len(boxes) == 100
    assert all(above.y0 >= below.y1 for above, below in zip(boxes, boxes[1:], strict=False))  # names do not overlap
    assert min(box.height for box in boxes) >= 7  # pixels
    assert figure.get_size_inches()[1] < 18.0


def test_more_contacts_than_names_fit():
    axis = many(400).plot_contacts().axes[0]
    assert 50 < len(axis.get_yticklabels()) <= 110 and len(axis.collections[0].get_paths()) == 1200


def test_contacts_can_be_chosen_and_written(tmp_path):
    result = many(5)
    figure = result.plot_contacts("ball 3", "ball 1", title="Two")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["ball 3", "ball 1"]
    assert figure.axes[0].get_title() == "Two"
    assert result.plot_contacts(save=tmp_path / "contacts.png") is None
    assert (tmp_path / "contacts.png").stat().st_size > 5000


def test_wrong_contacts_are_named():
    with pytest.raises(FlexmbsError, match="no contact named 'ball'; contacts: ball 0, ball 1"):
        many(2).plot_contacts("ball")
    with pytest.raises(FlexmbsError, match="no contact closed in this run; contacts: ball 0"):
        many(0).plot_contacts()


def shades(axis):
    return {shade.get_label(): shade for shade in axis.collections}


def test_phases_are_shaded_behind_histories_of_a_contact():
    result = ball.result()
    axis = result.plot("floor.force").axes[0]
    found, history = shades(axis), ContactPhases(result).history(0)
    assert set(found) == {"approaching", "sliding", "sticking"}
    for number, phase in enumerate(PHASES):
        if number != FREE and len(history.spans(number)):
            times = np.array([path.vertices[:, 0] for path in found[phase.name].get_paths()])
            assert np.stack([times.min(axis=1), times.max(axis=1)], axis=1) == pytest.approx(history.spans(number))
    assert {text.get_text() for text in axis.get_legend().get_texts()} == set(found)
    low, high = axis.get_ylim()
    assert low < 0.0 < ball.PEAK < high < 1.2 * ball.PEAK  # the shades do not count


def test_each_phase_is_explained_once():
    axes = plot_histories(ball.result(), ["floor.force", "floor.slip", "floor.gap"]).axes
    assert all(shades(axis) for axis in axes)
    assert [axis.get_legend() is not None for axis in axes] == [True, False, False]


def test_no_phases_where_they_would_be_of_several_contacts_or_are_not_wanted():
    result = ball.result()
    assert not shades(result.plot("floor.force", "side.force", contacts=False).axes[0])
    assert not shades(result.plot("floor.force", phases=False).axes[0])
    assert list(shades(result.plot("floor.force", "side.force").axes[0])) == ["contact floor closed, once"]
    assert contact_of(result, ["floor.point.x", "floor.force"]) == 0
    assert contact_of(result, ["energy.kinetic"]) is None
