"""Histories as tables: what other programs read is what the result holds, with units; nothing is overwritten."""

import importlib.util

import exported_run
import numpy as np
import pytest

import flexmbs as fm
from flexmbs.result.export.tables import description, valid_names

NAMES = ("bar.tip.position.x", "hit.gap", "energy.total")
WRITERS = {"to_csv": "a.csv", "to_parquet": "a.parquet", "to_mat": "a.mat", "to_netcdf": "a.nc", "to_uff": "a.uff"}
NEEDS = {"to_parquet": "pyarrow", "to_netcdf": "xarray", "to_uff": "pyuff"}


@pytest.fixture(scope="module")
def result():
    return exported_run.result()


def test_parquet_holds_values_units_and_descriptions(result, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(result.to_parquet(tmp_path / "a.parquet", *NAMES))
    assert table.column_names == ["t", *NAMES]
    for name in NAMES:
        assert np.array_equal(table[name].to_numpy(), result[name])
        assert table.field(name).metadata[b"unit"].decode() == result.unit(name)
    assert table.field("hit.gap").metadata[b"help"] == b"gap of contact hit, negative inside"


def test_xarray_and_netcdf_know_units(result, tmp_path):
    xarray = pytest.importorskip("xarray")
    data = result.to_xarray(*NAMES)
    assert data["hit.gap"].attrs == {"units": "m", "long_name": "gap of contact hit, negative inside"}
    assert np.array_equal(data["t"], result.t) and data["t"].attrs["units"] == "s"
    with xarray.open_dataset(result.to_netcdf(tmp_path / "a.nc", *NAMES), engine="scipy") as read:
        assert np.array_equal(read["bar_tip_position_x"], result[NAMES[0]])
        assert read["bar_tip_position_x"].attrs["history"] == NAMES[0] and read["energy_total"].attrs["units"] == "J"


def test_mat_file_has_valid_names_and_a_table_of_the_true_ones(result, tmp_path):
    from scipy.io import loadmat

    found = loadmat(result.to_mat(tmp_path / "a.mat"), simplify_cells=True)
    columns = found["columns"]
    assert list(columns["history"]) == ["t", *result.names]
    for name, short, unit in zip(columns["history"][1:], columns["variable"][1:], columns["unit"][1:], strict=True):
        assert short.isidentifier() and short.isascii() and len(short) <= 63
        assert np.array_equal(np.atleast_1d(found[short]), result[name])
        assert unit == (result.unit(name) or "") or not len(unit)


def test_names_stay_different():
    long = "a" * 80
    found = valid_names(["a.b", "a b", "A_B", "1x", "", "columns", long, long + "x", "größe"], taken=("columns",))
    assert found[:6] == ["a_b", "a_b_2", "A_B_3", "x1x", "x", "columns_2"]
    assert len({name.lower() for name in found}) == len(found) and max(map(len, found)) == 63


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crank pin.reaction.force.x", "force of joint crank pin on its second body, x of the world"),
        ("bar.tip.displacement.y", "displacement of bar.tip by deformation, y of its body"),
        ("hinge.angle.rate", "rate of hinge.angle"),
        ("hinge.angle", "hinge.angle"),
    ],
)
def test_descriptions(name, text):
    assert description(name) == text


@pytest.mark.parametrize("method", WRITERS)
def test_nothing_is_overwritten_unless_told(result, tmp_path, method):
    if method in NEEDS:
        pytest.importorskip(NEEDS[method])
    path, write = tmp_path / WRITERS[method], getattr(result, method)
    path.write_text("mine")
    with pytest.raises(fm.FlexmbsError, match=r"exists: give force=True \(--force\)"):
        write(path, *NAMES)
    assert path.read_text() == "mine"
    with pytest.raises(fm.FlexmbsError, match=r"more than the limit of 100 bytes: name fewer histories"):
        write(path, *NAMES, force=True, size_limit=100)
    assert path.read_text() == "mine"
    write(path, *NAMES, force=True, size_limit=None)
    assert path.stat().st_size > 1000
    with pytest.raises(KeyError, match="near names: hit.gap"):
        write(path, "hit.gab", force=True)


@pytest.mark.parametrize("method", NEEDS)
def test_missing_library_is_named_with_what_installs_it(result, tmp_path, method, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == NEEDS[method] else find(name, *more))
    with pytest.raises(fm.FlexmbsError, match=f"needs {NEEDS[method]}, .*: pip install {NEEDS[method]}"):
        getattr(result, method)(tmp_path / WRITERS[method])


@pytest.mark.parametrize("method", ["to_parquet", "to_mat", "to_netcdf", "to_uff"])
def test_other_endings_are_refused(result, tmp_path, method):
    with pytest.raises(fm.FlexmbsError, match="must end in"):
        getattr(result, method)(tmp_path / "a.txt")


def test_functions_of_a_universal_file(result, tmp_path):
    pyuff = pytest.importorskip("pyuff")
    file = pyuff.UFF(str(result.to_uff(tmp_path / "a.uff", *NAMES, samples=64, start=0.1, end=0.4)))
    assert list(file.get_set_types()) == [151, 164, 58, 58, 58]
    found = file.read_sets(2)
    times = np.linspace(0.1, 0.4, 64)
    assert found["id1"] == NAMES[0] and found["ordinate_axis_units_lab"] == "m"
    assert found["x"] == pytest.approx(times, rel=2e-5)  # its step has six digits
    assert found["data"] == pytest.approx(result.resampled(times)[NAMES[0]], rel=1e-11)
    with pytest.raises(fm.FlexmbsError, match="samples is 1"):
        result.to_uff(tmp_path / "b.uff", samples=1)


@pytest.mark.parametrize("name", ["to_vtkhdf", "to_gltf", "to_csv", "to_mat"])
def test_what_cannot_be_written_is_said_without_a_traceback_of_the_system(result, tmp_path, name):
    (tmp_path / "file").write_text("mine")
    ending = {"to_vtkhdf": "vtkhdf", "to_gltf": "glb"}.get(name, name.removeprefix("to_"))
    with pytest.raises(fm.FlexmbsError, match="cannot be written: there is a file where a folder is expected"):
        getattr(result, name)(tmp_path / "file" / f"a.{ending}")
