"""The table of a study, made of records one at a time."""

import sys

import numpy as np
import pytest

from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.study.evaluation.collect import collect
from flexmbs.study.run_record import RunFailure, RunRecord

LENGTH = {"length": ("m", "length of the rod")}


def finished(key, figures, seconds=0.1, warnings=()):
    return RunRecord(key, "finished", {}, figures, seconds, warnings=warnings)


def failed(key, message, figures=None):
    return RunRecord(key, "failed", {}, figures or {}, 0.2, failure=RunFailure("SimulationError", message))


ROWS = [
    (0, {"length": 1.0}, finished("a", {"force": 10.5, "contacts": 2})),
    (1, {"length": 1.5}, failed("b", "diverged at t = 0.25 s", {"force": 3.0})),
    (2, {"length": 2.0}, finished("c", {"force": float("nan"), "contacts": 3, "ending": "stopped"})),
    (3, {"length": 2.5}, None),
]


def test_a_failed_run_is_a_row_of_nan():
    table = collect(ROWS, LENGTH)
    assert len(table) == 3
    assert table["length"].tolist() == [1.0, 1.5, 2.0]
    assert np.array_equal(table["force"], [10.5, np.nan, np.nan], equal_nan=True)  # not the 3.0 of a part of the run
    assert np.array_equal(table["contacts"], [2, np.nan, 3], equal_nan=True)
    assert table["ending"].tolist() == ["", "", "stopped"]
    assert (table.failed, table.not_run, table.finished.tolist()) == (1, 1, [True, False, True])
    assert table.keys.tolist() == [b"a", b"b", b"c"]
    assert table.index.tolist() == [0, 1, 2]
    assert table.seconds.tolist() == [0.1, 0.2, 0.1]


def test_failed_runs_are_skipped_but_counted():
    table = collect(ROWS, LENGTH, on_error="skip")
    assert table.index.tolist() == [0, 2]
    assert table.failed == 1
    assert table.failures[0].message == "diverged at t = 0.25 s"
    with pytest.raises(StudyError, match="'nan' or 'skip'"):
        collect(ROWS, LENGTH, on_error="ignore")


def test_parameters_come_first_and_figures_have_the_units_of_the_case():
    table = collect(ROWS, LENGTH, units={"force": "N"})
    assert table.parameters == ("length",)
    assert table.figures == ("force", "contacts", "ending")
    assert [table.column(name).label for name in ("length", "force")] == ["length [m]", "force [N]"]
    assert table.column("contacts").whole and not table.column("force").whole


def test_units_of_figures_that_do_not_exist_are_reported():
    with pytest.warns(StudyWarning, match="peak"):
        collect(ROWS, LENGTH, units={"peak": "N"})


def test_lists_become_columns_when_asked_for():
    rows = [(0, {}, finished("a", {"peaks": [5.0]})), (1, {}, finished("b", {"peaks": [6.0, 7.0], "other": [1, 2]}))]
    plain = collect(rows, {})
    assert plain.figures == ()
    assert plain.left_out == ("peaks", "other")
    table = collect(rows, {}, lists=["peaks"], units={"peaks": "N"})
    assert table["peaks[0]"].tolist() == [5.0, 6.0]
    assert np.array_equal(table["peaks[1]"], [np.nan, 7.0], equal_nan=True)
    assert table.column("peaks[1]").unit == "N"
    with pytest.raises(StudyError, match="Did you mean peaks"):
        collect(rows, {}, lists=["peak"])


def test_components_of_list_parameters():
    parameters = {"axis[1]": ("", "hinge axis"), "mesh": ("", "mesh file")}
    table = collect([(0, {"axis": (0.0, 0.5, 1.0), "mesh": "a.inp"}, finished("a", {}))], parameters)
    assert table["axis[1]"].tolist() == [0.5]
    assert table["mesh"].tolist() == ["a.inp"]


def test_numbers_and_text_in_one_column_become_text():
    rows = [(k, {"end": value}, finished("a", {})) for k, value in enumerate([1, None, "open", 2.5])]
    assert collect(rows, {"end": ("", "")})["end"].tolist() == ["1", "", "open", "2.5"]


def test_whole_numbers_beyond_those_of_floats_keep_every_digit():
    rows = [(k, {"seed": value}, finished("a", {})) for k, value in enumerate([7, 2**53 + 1])]
    assert collect(rows, {"seed": ("", "")})["seed"].tolist() == ["7", "9007199254740993"]


def test_a_figure_named_as_a_parameter():
    table = collect([(0, {"length": 1.0}, finished("a", {"length": 1.01}))], LENGTH)
    assert (table["length"][0], table["figures.length"][0]) == (1.0, 1.01)


def test_messages_that_differ_in_numbers_are_one_reason():
    rows = [(k, {}, failed(f"key{k}", f"diverged at t = {0.1 * k} s")) for k in range(5)]
    rows += [(5, {}, failed("key5", "no contact")), (6, {}, finished("key6", {}, warnings=("thin walls: 3", "other")))]
    table = collect(rows, {})
    assert [(reason.count, reason.message, reason.first_run) for reason in table.failures] == [
        (5, "diverged at t = 0.0 s", 0),
        (1, "no contact", 5),
    ]
    assert {reason.message: reason.count for reason in table.warnings} == {"thin walls: 3": 1, "other": 1}


def test_unknown_names_get_near_ones():
    table = collect(ROWS, LENGTH)
    with pytest.raises(KeyError, match="Did you mean force"):
        table["forces"]
    with pytest.raises(StudyError, match="Did you mean length"):
        table.select(["lenght"])
    with pytest.raises(StudyError, match="ending is text"):
        table.numbers("ending")


def test_select_columns_and_rows():
    table = collect(ROWS, LENGTH)
    part = table.select(["length"], rows=table["length"] > 1.2)
    assert part["length"].tolist() == [1.5, 2.0]
    assert part.keys.tolist() == [b"b", b"c"]
    assert list(part.columns) == ["length"]
    with pytest.raises(StudyError, match="mask"):
        table.select(rows=[True])


def test_text_of_a_table():
    table = collect([(k, {"length": float(k)}, finished(f"{k}", {"force": 2.0 * k})) for k in range(101)], LENGTH)
    text = str(table)
    assert text.count("length [m]") == 2 and "..." in text  # in both tables, not taken for a style of rich
    statistics = next(line.split() for line in text.splitlines() if line.split()[:1] == ["force"])
    # values, missing, min, 5 %, median, 95 %, max, mean
    assert statistics[1:9] == ["101", "0", "0", "10", "100", "190", "200", "100"]
    assert text.rstrip().endswith("101 finished runs")


def test_an_empty_table_has_text():
    assert str(collect([], LENGTH)).strip() == "0 finished runs"


def test_a_run_takes_few_bytes():
    """8 bytes a number and 4 a text while rows come in, beside the key: a million runs fit."""
    names = [f"p{k}" for k in range(20)]
    rows = ((k, dict.fromkeys(names, float(k)), finished(f"{k:032x}", {"mesh": "rod.inp"})) for k in range(5000))
    table = collect(rows, {name: ("", "") for name in names})
    arrays = [column.values for column in table.columns.values()]
    bytes_per_run = sum(array.nbytes for array in (*arrays, table.keys, table.index, table.finished, table.seconds)) / 5000
    assert bytes_per_run <= 20 * 8 + 8 + 32 + 8 + 1 + 8
    assert sys.getrefcount(table["mesh"][0]) > 5000  # one text for all


def test_the_error_of_modal_bodies_has_a_column():
    records = [
        RunRecord(key, "finished", {}, {"force": 1.0}, 0.1, stats={"deformation_error": e}) for key, e in (("a", 0.02), ("b", 0.3))
    ]
    table = collect([(i, {"length": 1.0}, record) for i, record in enumerate(records)], LENGTH)
    assert table["deformation_error"].tolist() == [0.02, 0.3]
    assert "deformation_error" in table.figures
