"""Tables as files and as tables of other libraries."""

import csv
import json
import math
import sys

import numpy as np
import pytest
from study_tables import pendulum_like, table_of

from flexmbs.common.errors import StudyError


@pytest.fixture
def table():
    return pendulum_like(60, failing=0.1)


def test_csv_has_units_and_every_digit(table, tmp_path):
    table.export(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:6] == ["run.index", "run.status", "run.seconds [s]", "run.key", "length [m]", "stiffness [Pa]"]
    assert [float(row["stiffness [Pa]"]) for row in rows] == table["stiffness"].tolist()
    read = [float(row["force [N]"] or "nan") for row in rows]
    assert np.array_equal(read, table["force"], equal_nan=True)
    assert np.isinf(table["force"]).any() and (~table.finished).any()
    assert [row["mesh"] for row in rows] == table["mesh"].tolist()
    assert rows[0]["modes"] == str(int(table["modes"][0]))  # whole numbers without ".0"


def test_json_lines_are_json(table, tmp_path):
    table.export(tmp_path / "table.jsonl")

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    rows = [json.loads(line, parse_constant=refuse) for line in (tmp_path / "table.jsonl").read_text().splitlines()]
    lost = int(np.flatnonzero(~table.finished)[0])
    infinite = int(np.flatnonzero(np.isinf(table["force"]))[0])
    assert rows[lost]["force"] is None and rows[lost]["run.status"] == "failed"
    assert rows[infinite]["force"] == "inf"
    assert rows[5]["length"] == table["length"][5]


def test_parquet_keeps_units_types_and_missing_values(table, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table.export(tmp_path / "table.parquet")
    read = parquet.read_table(tmp_path / "table.parquet")
    assert read.schema.field("stiffness").metadata[b"unit"] == b"Pa"
    assert [str(read.schema.field(name).type) for name in ("modes", "force", "mesh")] == ["int64", "double", "string"]
    assert read["fixed"].null_count == table.failed
    assert read["stiffness"].to_pylist() == table["stiffness"].tolist()


def test_other_endings_are_refused(table, tmp_path):
    with pytest.raises(StudyError, match=r"\.csv, \.jsonl or \.parquet"):
        table.export(tmp_path / "table.xlsx")


@pytest.mark.parametrize(
    ("library", "use"),
    [
        ("pyarrow", lambda table, folder: table.export(folder / "table.parquet")),
        ("pandas", lambda table, folder: table.to_pandas()),
        ("xarray", lambda table, folder: table.to_xarray()),
    ],
)
def test_a_missing_library_is_named_with_its_remedy(table, tmp_path, monkeypatch, library, use):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(StudyError, match=rf'needs {library}.*pip install "flexmbs\[studies\]"'):
        use(table, tmp_path)


def test_pandas(table):
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert frame.attrs["units"]["stiffness"] == "Pa"
    assert frame.index.name == "run" and frame.index.tolist() == table.index.tolist()
    assert frame["modes"].dtype == np.int64
    assert frame["force"].to_numpy().tobytes() == table["force"].tobytes()
    assert frame["mesh"].tolist() == table["mesh"].tolist()
    assert frame["run.status"].value_counts()["failed"] == table.failed


def grid_table(missing=()):
    lengths, meshes = np.meshgrid([1.0, 2.0, 3.0], [10.0, 20.0], indexing="ij")
    lengths, meshes = lengths.ravel(), meshes.ravel()
    kept = [run for run in range(6) if run not in missing]
    return table_of({"length": lengths[kept], "load": meshes[kept]}, {"force": (100.0 * lengths + meshes)[kept]}, {"force": "N"})


def test_a_grid_becomes_dimensions():
    pytest.importorskip("xarray")
    data = grid_table().to_xarray()
    assert dict(data.sizes) == {"length": 3, "load": 2}
    assert data["force"].attrs["units"] == "N"
    assert float(data["force"].sel(length=3.0, load=20.0)) == 320.0


def test_a_grid_with_a_hole_is_a_grid_if_asked_for():
    pytest.importorskip("xarray")
    table = grid_table(missing=(3,))
    assert dict(table.to_xarray().sizes) == {"run": 5}
    data = table.to_xarray(grid=True)
    assert math.isnan(float(data["force"].sel(length=2.0, load=20.0)))
    assert float(data["force"].sel(length=2.0, load=10.0)) == 210.0


def test_a_point_that_was_run_twice_is_no_grid():
    pytest.importorskip("xarray")
    table = table_of({"length": [1.0, 1.0, 2.0, 1.0], "load": [1.0, 2.0, 1.0, 1.0]}, {"force": np.arange(4.0)})
    assert dict(table.to_xarray().sizes) == {"run": 4}  # as many runs as a grid of 2 x 2 has points
    with pytest.raises(StudyError, match="2 x 2 values, each combination once"):
        table.to_xarray(grid=True)


def test_other_samples_go_along_the_runs(table):
    pytest.importorskip("xarray")
    data = table.to_xarray()
    assert data["force"].dims == ("run",)
    assert data["length"].attrs["units"] == "m" and "length" in data.coords
    with pytest.raises(StudyError, match="no grid"):
        table.to_xarray(grid=True)
