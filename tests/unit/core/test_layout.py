"""Records are made by the names of their fields."""

import numpy as np
import pytest

from flexmbs.core.layout import tables as t
from flexmbs.core.layout.frames import BODY_FRAME, MARKER_FRAME
from flexmbs.core.layout.records import NONE, make_record, make_records, record_type, table_of


def test_fields_that_are_not_given_have_their_defaults():
    found = make_record(t.AXIS, kind=t.ROTATION, coordinate=3, direction=(0.0, 0.6, 0.8))
    assert (found["ball"], found["second"], found["at"], found["factor"]) == (NONE, NONE, NONE, 1.0)
    assert (found["kind"], found["coordinate"], found["offset"]) == (t.ROTATION, 3, 0.0)
    assert found["direction"].tolist() == [0.0, 0.6, 0.8]
    assert np.array_equal(make_record(t.MARKER)["R_BM"], np.eye(3))


def test_a_field_that_is_not_there_is_refused():
    with pytest.raises(TypeError, match="unknown fields factr, sx; the record has coordinate, factor"):
        make_record(t.TERM, coordinate=1, factr=2.0, sx=3)


def test_columns_make_many_records_at_once():
    found = make_records(t.MARKER, 3, body=[2, 0, 1], flexible=1)
    assert found["body"].tolist() == [2, 0, 1]
    assert found["fields_at"].tolist() == [NONE] * 3 and found["flexible"].tolist() == [1] * 3


def test_a_record_that_was_made_can_be_changed_and_is_no_other():
    one, two = make_record(t.TERM, coordinate=4), make_record(t.TERM)
    one["factor"] = 2.5
    table = table_of(t.TERM, [one, make_records(t.TERM, 2, coordinate=[7, 8]), two])
    assert table["coordinate"].tolist() == [4, 7, 8, 0] and table["factor"].tolist() == [2.5, 0.0, 0.0, 0.0]
    assert len(table_of(t.TERM, [])) == 0


def test_two_types_cannot_share_fields_with_different_defaults():
    fields = [("only_here", "i8")]
    record_type(fields, only_here=3)
    with pytest.raises(TypeError, match="different defaults"):
        record_type(fields, only_here=4)


@pytest.mark.parametrize("kind, pair", [(BODY_FRAME, "WB"), (MARKER_FRAME, "WM")])
def test_a_frame_is_24_numbers(kind, pair):
    names = [f"{name}_{pair}" for name in ("R", "p", "w", "v", "alpha", "a")]
    assert kind.itemsize == 24 * 8 and list(kind.names) == names
    frame = np.arange(24.0).view(kind).view(np.recarray)[0]
    assert frame[names[0]].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]
    assert frame[names[5]].tolist() == [21.0, 22.0, 23.0]
