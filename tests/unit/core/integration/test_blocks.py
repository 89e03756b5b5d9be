"""Named numbers and rows of the blocks: what they mean in Python and in compiled code."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.core.layout import state as s
from flexmbs.core.layout.log_rows import TIME, LogRow, column_starts
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.method_table import METHODS
from flexmbs.core.stepping.step_loop import impose_start
from flexmbs.machine_code.blocks import SLOT, Block


class Sample(Block):
    fields = {"numbers": ("f8", 1), "rows": ("f8", 2), "planes": ("f8", 3), "size": ("f8", 0), "count": ("i8", 0)}
    parts = {"second": ("numbers", 1), "last": ("rows", 2), "middle": ("planes", 1)}


@pytest.fixture
def sample():
    return Sample(numbers=np.arange(3.0), rows=np.zeros((3, 2)), planes=np.zeros((2, 2, 2)), size=4.0, count=7)


def test_numbers_are_assigned_where_compiled_code_reads_them(sample):
    sample.second, sample.size, sample.count = 9.0, 5, 8
    assert sample.numbers.tolist() == [0.0, 9.0, 2.0]
    assert sample.arrays["size"] == 5.0 and sample.arrays["count"] == 8
    sample.count += 1
    assert sample.count == 9 and sample.arrays["count"].dtype == np.int64


def test_rows_are_views_and_cannot_be_replaced(sample):
    sample.last[:] = 3.0
    sample.middle[0, 1] = 2.0
    assert sample.rows[2].tolist() == [3.0, 3.0] and sample.planes[1, 0, 1] == 2.0
    with pytest.raises(AttributeError):
        sample.last = np.zeros(2)


def test_a_copy_has_numbers_of_its_own(sample):
    copy = sample.copy()
    copy.second, copy.size = -1.0, -1.0
    assert (sample.second, sample.size, copy.second) == (1.0, 4.0, -1.0)


def test_arrays_of_stated_lengths_are_zero_unless_they_are_given():
    class Shaped(Block):
        fields = {"table": ("f8", ("rows", 2)), "flags": ("i8", ("rows",)), "other": ("f8", 1), "count": ("i8", 0)}

    block = Shaped.zeros({"rows": 3}, other=[1.0], flags=[7, 8])
    assert (block.table.tolist(), block.flags.tolist(), block.other.tolist(), block.count) == ([[0.0, 0.0]] * 3, [7, 8], [1.0], 0)
    assert Shaped.fields["table"] == ("f8", 2)
    with pytest.raises(TypeError, match="other"):
        Shaped.zeros({"rows": 3})


def test_headers_have_room_for_the_lengths_of_all_arrays():
    for block in Block.__subclasses__():
        assert all(dimensions < SLOT for _dtype, dimensions in block.fields.values()), block.__name__


def test_every_part_names_a_place_that_is_there():
    for block in (s.State, s.Scratch, s.Log):
        places = list(block.parts.values())
        assert len(set(places)) == len(places)
        assert not set(block.parts) & set(block.fields)
        assert all(field in block.fields for field, _index in places)


def test_names_stand_in_the_order_of_saved_states():
    """Files hold these arrays without names."""
    assert s.State.parts["time"] == ("number", 0) and s.State.parts["rtol"] == ("number", 11)
    assert s.State.parts["tangent_status"] == ("flag", 0) and s.State.parts["short_steps"] == ("flag", 15)
    assert s.State.parts["steps_accepted"] == ("count", 0) and s.State.parts["events"] == ("count", 7)
    arrays = {"state.number": np.arange(12.0), "state.flag": np.arange(16)}
    assert (s.named(arrays, "step_size"), s.named(arrays, "order")) == (1.0, 8)


def test_records_are_saved_as_rows_of_numbers():
    records = np.zeros(2, dtype=s.EPISODE)
    numbers = tuple(map(float, range(len(s.EPISODE.names))))
    s.as_saved(records)[1] = numbers
    assert records[1].tolist() == numbers
    assert s.as_saved(np.zeros(0, dtype=s.EPISODE)).shape == (0, len(numbers))
    plain = np.zeros((2, 3))
    assert s.as_saved(plain) is plain


def test_compiled_code_reads_a_number_that_python_assigned():
    system = fm.System()
    drum = system.add(fm.RigidBody.rod(1.0, 1.0), name="drum")
    system.revolute(system.ground["origin"], drum["origin"], name="hinge").prescribe(lambda t: 3.0 * t)
    model = ready(system)
    state = s.make_state(model.tables, 0, METHODS["radau"].history_rows)
    state.time = 0.5
    impose_start(model.tables, state, make_workspace(model.tables))
    assert state.q[0] == pytest.approx(1.5, rel=1e-12)


def test_columns_of_log_rows_fill_the_row_without_gaps():
    row = LogRow(n=5, balls=2, contacts=3)
    columns = [TIME, *(k for part in (row.q, row.reference, row.v, row.a, row.active) for k in range(row.width)[part])]
    assert columns == list(range(row.width)) and row.width == 1 + 3 * 5 + 4 * 2 + 3
    assert column_starts(5, 2) == tuple(part.start for part in (row.q, row.reference, row.v, row.a, row.active))
