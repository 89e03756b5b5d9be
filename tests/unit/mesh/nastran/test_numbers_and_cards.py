"""Fields, continuations and replication of bulk data."""

import re

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.readers.nastran.card import Batch, real
from flexmbs.mesh.readers.nastran.deck import read_ranges
from flexmbs.mesh.readers.nastran.lexer import Lexer


def column(*fields):
    return Batch("GRID", np.array(fields, "S8")[:, None], "deck", np.arange(1, len(fields) + 1))


def cards(*lines, in_batches=()):
    numbered = [("deck", number, line) for number, line in enumerate(lines, start=1)]
    return list(Lexer(frozenset(in_batches), lambda line: None).cards(numbered))


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5", 1.5), (".5", 0.5), ("7.E3", 7e3), ("2.D-3", 2e-3), ("1.5+6", 1.5e6), ("1.-3", 1e-3), ("-.5-3", -5e-4), ("3", 3.0)],
)
def test_reals_as_nastran_writes_them(text, value):
    assert real(text) == value
    np.testing.assert_array_equal(column(text.encode(), b"", b" 1. ").reals(0, "X1", 9.0), [value, 9.0, 1.0])


@pytest.mark.parametrize("text", ["1.5.", "abc", "nan", "inf", "1e400", "1.+", "1_0", "+"])
def test_what_is_no_real(text):
    assert real(text) is None
    with pytest.raises(MeshError, match=f"deck:2: GRID: X1 .field 2. is '{re.escape(text.upper())}'; give a number"):
        column(b"1.", text.encode()).reals(0, "X1", 0.0)


def test_small_large_free_and_tabbed_fields_say_the_same():
    wanted = ["1", "", "2.5", "-3.", "4."]
    for lines in (
        ["GRID           1             2.5     -3.      4."],
        ["GRID*                  1                             2.5             -3.", "*                     4."],
        ["GRID,1,,2.5,-3.,4."],
        ["grid\t1\t\t2.5\t-3.\t4."],
        ["GRID,1,,2.5,-3.,4. $ a remark"],
    ):
        (card,) = cards(*lines)
        assert card.name == "GRID"
        assert [card.text(i) for i in range(5)] == wanted


def test_continuations_by_blank_plus_and_name_in_any_order():
    (plain,) = cards("SPC1    1       123     1       2       3       4       5       6", "        7")
    assert plain.text(8) == "7"
    first, second = cards(
        "SPC1    1       123     1       2       3       4       5       6       +B",
        "SPC1    2       123     1       2       3       4       5       6       XA",
        "+A      70",
        "+B      71",
    )
    assert (first.text(0), first.text(8)) == ("1", "71")
    assert (second.text(0), second.text(8)) == ("2", "70")


def test_continuation_without_a_card_is_refused():
    with pytest.raises(MeshError, match="deck:1: .*continuation"):
        cards("        1       2")
    with pytest.raises(MeshError, match="deck:2: continuation line 'Z'"):
        cards("SPC1    1       123     1                                               +A", "+Z      2")


def test_a_line_that_is_no_card_is_refused():
    with pytest.raises(MeshError, match="deck:2: '12GRID' is not the name"):
        cards("GRID,1", "12GRID  1")


def test_replication_makes_cards_with_increments():
    made = cards("GRID,1,,0.,1.5,0.", "=,*(1),=,*(.5),==", "=(2)")
    assert [card.text(0) for card in made] == ["1", "2", "3", "4"]
    assert [float(card.text(2)) for card in made] == [0.0, 0.5, 1.0, 1.5]
    assert made[-1].text(3) == "1.5"


def test_replication_is_bounded():
    with pytest.raises(MeshError, match="deck:3: .*repeated cards; at most"):
        cards("GRID,1,,0.,1.5,0.", "=,*(1),==", "=(999999999)")


def test_many_cards_come_as_columns():
    (batch,) = cards(*[f"GRID    {i:8d}        1.+1" for i in range(1, 20)], in_batches=["GRID"])
    assert isinstance(batch, Batch)
    np.testing.assert_array_equal(batch.integers(0, "ID"), np.arange(1, 20))
    np.testing.assert_array_equal(batch.reals(2, "X1"), 10.0)
    with pytest.raises(MeshError, match="deck:1: GRID: X1 .field 4. is '1.[+]1'; give an integer"):
        batch.integers(2, "X1")


def test_ranges_are_no_longer_than_what_exists():
    ranges = read_ranges("1 THRU 1000000000 BY 2 EXCEPT 5 7".split(), "deck:1: SET", "member")
    np.testing.assert_array_equal(ranges.select(np.array([1, 2, 3, 5, 7, 9])), [0, 2, 5])
    with pytest.raises(MeshError, match="deck:1: SET: member 5 THRU 1 is decreasing"):
        read_ranges("5 THRU 1".split(), "deck:1: SET", "member")
    with pytest.raises(MeshError, match="deck:1: SET: member 'THRU' is not a number"):
        read_ranges("5 THRU".split(), "deck:1: SET", "member")
