"""Numbers of text, and words in messages."""

import numpy as np
import pytest

from flexmbs.common.names_in_messages import few, listed, near_names
from flexmbs.mesh.reader_tools.numbering import row_labels
from flexmbs.mesh.reader_tools.text_numbers import integer, numbers_in, parse_format, read_table, real


@pytest.mark.parametrize(
    ("text", "values"), [(b"1 2.5\n-3e2\t4", [1, 2.5, -300, 4]), (b"", []), (b" \n", []), (b"1 two", None), (b"x", None)]
)
def test_numbers_between_blanks(text, values):
    found = numbers_in(text, float)
    assert (found if found is None else found.tolist()) == values


def test_whole_numbers_are_whole():
    assert numbers_in(b"1 2", np.int64).dtype == np.int64
    assert numbers_in(b"1 2.5", np.int64) is None


def test_fixed_columns_may_touch_and_be_blank():
    known = parse_format("(2i3,2e8.2)", "a.cdb:1: NBLOCK")
    integers, reals = read_table(["  1100 1.5E+02-2.5E-01", "  2", " -3  4    1.D0"], known, "a.cdb", 2, "NBLOCK")
    assert integers.tolist() == [[1, 100], [2, 0], [-3, 4]]
    assert reals.tolist() == [[150.0, -0.25], [0.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize(("text", "value"), [("1.5", 1.5), ("1.5D+3", 1500.0), ("1.5+3", 1500.0), ("-.5E1", -5.0)])
def test_reals_of_fortran(text, value):
    assert real(text) == value


@pytest.mark.parametrize("text", ["", "abc", "1e", "--1", "1_0", "nan", "9" * 500])
def test_no_reals(text):
    assert real(text) is None
    assert integer(text) is None


def test_equal_rows_have_equal_labels():
    labels = row_labels(np.array([[1, 2, 3], [1, 2, 4], [1, 2, 3], [0, 2, 3]]))
    assert labels[0] == labels[2]
    assert len(set(labels.tolist())) == 3


def test_long_lists_are_cut():
    assert few([]) == ""
    assert few(range(5)) == "0, 1, 2, 3, 4"
    assert few(range(6), 2) == "0, 1, ..."
    assert (listed(range(3), 3), listed(range(5), 3)) == ("0, 1, 2", "0, 1, 2 and 2 more")
    assert near_names("STEAL", ["STEEL", "ALU"]) == "Did you mean STEEL? There are: STEEL, ALU."
    assert near_names("x", [f"SET{k}" for k in range(100)]).endswith("SET28, SET29, ...")
    assert near_names("x", []) == "There are none."
