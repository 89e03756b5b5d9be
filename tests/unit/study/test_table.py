"""The table of a study: made of records one at a time, shown, and written to files."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas
import pytest
from study_tables import pendulum_like, table_of

from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.study.run_record import RunFailure, RunRecord
from flexmbs.study.table import collect, export, finished, label, numbers, statistics, table_text

LENGTH = {"length": ("m", "length of the rod")}


def done(key, figures, **options):
    return RunRecord(key, "finished", {}, figures, 0.1, **options)


def failed(key, message, figures=None):
    return RunRecord(key, "failed", {}, figures or {}, 0.2, failure=RunFailure("SimulationError", message))


ROWS = [
    (2, {"length": 2.0}, done("c", {"force": float("nan"), "contacts": 3, "ending": "stopped"})),
    (0, {"length": 1.0}, done("a", {"force": 10.5, "contacts": 2, "rests": True})),
    (1, {"length": 1.5}, failed("b", "diverged at t = 0.25 s", {"force": 3.0})),
    (3, {"length": 2.5}, None),
]


def test_a_failed_run_is_a_row_of_nan_or_skipped_but_counted():
    table = collect(ROWS, LENGTH, units={"force": "N"})
    expected = {
        "length": [1.0, 1.5, 2.0],
        "force": [10.5, np.nan, np.nan],  # not the 3.0 of a part of the run
        "contacts": [2.0, np.nan, 3.0],
        "ending": pandas.Categorical([None, None, "stopped"]),
        "rests": [1.0, np.nan, np.nan],
        "run.status": pandas.Categorical(["finished", "failed", "finished"]),
        "run.reason": pandas.Categorical([None, "SimulationError: diverged at t = 0.25 s", None]),
        "run.seconds": [0.1, 0.2, 0.1],
        "run.key": pandas.array(["a", "b", "c"], "str"),
    }
    expected = pandas.DataFrame(expected, pandas.Index([0, 1, 2], name="run"))
    pandas.testing.assert_frame_equal(table, expected, check_categorical=False)
    assert [table.attrs[name] for name in ("parameters", "failed", "not_run")] == [["length"], 1, 1]
    assert table.attrs["helps"] == {"length": "length of the rod"} and label(table, "force") == "force [N]"
    table = collect(ROWS, LENGTH, on_error="skip")
    assert table.index.tolist() == [0, 2] and table.attrs["failed"] == 1 and table["contacts"].dtype == np.int64
    table = collect(ROWS[2:3], LENGTH, ["force"])
    assert table["force"].isna().all() and "0 finished runs, 1 failed" in table_text(table)


def test_lists_become_columns_when_asked_for():
    rows = [(0, {}, done("a", {"peaks": [5.0], "none": []})), (1, {}, done("b", {"peaks": [6.0, 7.0], "other": [1, [2, 3]]}))]
    plain = collect(rows, {})
    assert plain.attrs["figures"] == [] and plain.attrs["left_out"] == ["peaks", "none", "other"]
    table = collect(rows, {}, lists=["peaks", "other", "none"], units={"peaks": "N"})
    assert table["peaks[0]"].tolist() == [5.0, 6.0] and label(table, "peaks[1]") == "peaks[1] [N]"
    assert np.array_equal(table["peaks[1]"], [np.nan, 7.0], equal_nan=True)
    assert table["other[1]"][1] == "[2, 3]" and table["none[0]"].isna().all()


def test_values_keep_their_kind():
    parameters = {name: ("", "") for name in ("axis[1]", "mesh", "end", "seed")}
    ends, seeds = [1, None, "open", 2.5], [7, 2**53 + 1, 8, 9]
    values = [{"axis": (0.0, 0.5, 1.0), "mesh": [1, 2], "end": e, "seed": s} for e, s in zip(ends, seeds, strict=True)]
    figures, stats = {"mesh": 1.5, "run.status": 1}, {"deformation_error": 0.3, "steps": 5}  # the error of modal bodies is a figure
    table = collect([(k, v, done("a", figures, stats=stats)) for k, v in enumerate(values)], parameters)
    assert table["axis[1]"].tolist() == [0.5] * 4 and table["mesh"][0] == "1 2" and table["figures.mesh"][0] == 1.5
    assert table["end"].astype(object).where(table["end"].notna(), None).tolist() == ["1", None, "open", "2.5"]
    assert table["seed"].tolist() == ["7", "9007199254740993", "8", "9"]  # float64 would lose a digit
    assert table["deformation_error"][0] == 0.3
    assert table.attrs["figures"] == ["deformation_error", "figures.mesh", "figures.run.status"]


def test_messages_that_differ_in_numbers_are_one():
    rows = [(k, {}, failed(f"{k}", f"diverged at t = {0.1 * k} s")) for k in range(5)] + [(5, {}, failed("5", "no contact"))]
    rows += [(6, {}, done("6", {}, warnings=("walls: 3", "other"))), (7, {}, done("7", {}, warnings=("walls: 4", "walls: 5")))]
    table = collect(rows, {})
    reasons = {"SimulationError: diverged at t = 0.0 s": 5, "SimulationError: no contact": 1}
    assert table["run.reason"].value_counts().to_dict() == reasons
    assert table.attrs["warnings"] == [["walls: 3", 2, 6], ["other", 1, 6]]
    many = collect([(k, {}, failed(f"{k}", "x" * k)) for k in range(500)], {})
    assert len(many["run.reason"].cat.categories) <= 201  # memory stays bounded


WRONG = [
    (lambda: collect(ROWS, LENGTH, on_error="ignore"), "'nan' or 'skip'"),
    (lambda: collect(ROWS, LENGTH, ["forces"]), "Did you mean force"),
    (lambda: collect(ROWS, LENGTH, ["length"]), "no figure 'length'"),
    (lambda: collect(ROWS, LENGTH, lists=["peak"]), "no run has returned a list 'peak'"),
    (lambda: numbers(collect(ROWS, LENGTH), "forces"), "Did you mean force"),
    (lambda: numbers(collect(ROWS, LENGTH), "ending"), "ending is text"),
    (lambda: export(pendulum_like(5), Path("table.xlsx")), r"\.csv, \.jsonl or \.parquet"),
]


@pytest.mark.parametrize(("wish", "message"), WRONG)
def test_wrong_wishes(wish, message):
    with pytest.raises(StudyError, match=message):
        wish()


def test_text_and_statistics_are_of_finite_values():
    rows = [(k, {"length": float(k)}, done(f"{k}", {"force": 2.0 * k})) for k in range(101)]
    with pytest.warns(StudyWarning, match="peak"):
        table = collect([*rows, (101, {"length": 3.0}, done("i", {"force": float("inf")}))], LENGTH, units={"peak": "N"})
    assert statistics(table).loc["force"].tolist()[:-1] == [101, 1, 0, 10, 100, 190, 200, 100]
    text = table_text(table)
    assert text.count("length [m]") == 2 and "..." in text and text.endswith("102 finished runs")
    assert table_text(collect([], LENGTH)) == "0 finished runs"


def test_a_run_takes_few_bytes():
    names = [f"p{k}" for k in range(20)]
    rows = ((k, dict.fromkeys(names, float(k)), done(f"{k:032x}", {"mesh": "rod.inp"})) for k in range(5000))
    table = collect(rows, {name: ("", "") for name in names})
    assert table.memory_usage(deep=True).sum() / 5000 <= 22 * 8 + 3 + 8 + 100  # numbers, categories, index, key


def test_files_have_every_digit(tmp_path):
    table = pendulum_like(60, failing=0.1)
    for ending in ("csv", "jsonl", "parquet"):
        export(table, tmp_path / f"table.{ending}")
    read = pandas.read_parquet(tmp_path / "table.parquet")
    pandas.testing.assert_frame_equal(read, table, check_exact=True)
    assert read.attrs == table.attrs
    exact = dict.fromkeys(("stiffness [Pa]", "force [N]"), lambda text: float(text or "nan"))
    read = pandas.read_csv(tmp_path / "table.csv", index_col="run", converters=exact)
    assert list(read)[:3] == ["length [m]", "stiffness [Pa]", "modes"] and read["modes"].tolist() == table["modes"].tolist()
    assert read["stiffness [Pa]"].tolist() == table["stiffness"].tolist()
    assert np.array_equal(read["force [N]"], table["force"], equal_nan=True)
    lines = (tmp_path / "table.jsonl").read_text().splitlines()
    rows = [json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON")) for line in lines]
    lost, infinite = int(np.flatnonzero(~finished(table))[0]), int(np.flatnonzero(np.isinf(table["force"]))[0])
    assert rows[lost]["force"] is None and rows[lost]["run.status"] == "failed" and rows[infinite]["force"] == "inf"
    assert rows[5]["run"] == 5 and rows[5]["length"] == table["length"][5]


def test_csv_holds_no_formulas(tmp_path):
    texts = ['=HYPERLINK("x")', "+SUM(A1)", "-2+3", "@x", "\tx", "\rx", "-.5e3", "plain = x"]
    export(table_of({"=p": texts}, {"force": -np.arange(8.0)}, {"=p": "m"}), tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header[:3] == ["run", "'=p [m]", "force"] and rows[1][2] == "-1.0"  # a number
    assert [row[1] for row in rows] == [*(f"'{text}" for text in texts[:6]), *texts[6:]]
