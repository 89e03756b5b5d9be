"""``flexmbs export``: every format, options that do not belong, files that exist."""

import csv

import exported_run
import pytest
from click.testing import CliRunner

import flexmbs as fm
from flexmbs.app.cli.results import export_command

FORMATS = {"vtkhdf": "vtkhdf", "glb": "glb", "csv": "csv", "parquet": "parquet", "mat": "mat", "netcdf": "nc", "uff": "uff"}
NEEDS = {"parquet": "pyarrow", "netcdf": "xarray", "uff": "pyuff"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "swing"
    exported_run.result(steps=20).save(out)
    return out


def export(*words):
    return CliRunner().invoke(export_command, [str(word) for word in words], standalone_mode=True)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_written_beside_the_result(folder, kind):
    if kind in NEEDS:
        pytest.importorskip(NEEDS[kind])
    few = () if kind == "csv" else ("--times", 5)
    done = export(folder, "--to", kind, *few)
    path = folder / f"swing.{FORMATS[kind]}"
    assert done.exit_code == 0 and done.output.startswith(f"wrote {path}") and path.stat().st_size > 500
    again = export(folder, "--to", kind, *few)
    assert isinstance(again.exception, fm.FlexmbsError) and "exists: give force=True (--force)" in str(again.exception)
    assert export(folder, "--to", kind, *few, "--force").exit_code == 0


def test_part_of_the_run_as_a_table(folder, tmp_path):
    path = tmp_path / "a.csv"
    words = "--start 0.1 --end 0.2 --times 3 --history hit.gap"
    assert export(folder, "--to", "csv", "--out", path, *words.split()).exit_code == 0
    with path.open(newline="") as file:
        heads, *rows = csv.reader(file)
    assert heads == ["t [s]", "hit.gap [m]"] and [float(row[0]) for row in rows] == pytest.approx([0.1, 0.15, 0.2])


def test_modes_of_a_body(folder, tmp_path):
    pyuff = pytest.importorskip("pyuff")
    path = tmp_path / "modes.uff"
    assert export(folder, "--to", "uff", "--body", "bar", "--out", path).exit_code == 0
    assert list(pyuff.UFF(str(path)).get_set_types()).count(55) == exported_run.bar().mode_count
    rigid = export(folder, "--to", "uff", "--body", "block", "--out", tmp_path / "b.uff")
    assert "body 'block' is rigid: it has no modes" in str(rigid.exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--to csv --body bar", "--body is not for --to csv"),
        ("--to glb --field stress", "--field is not for --to glb"),
        ("--to vtkhdf --history hit.gap", "--history is not for --to vtkhdf"),
        ("--to step", "is not one of 'vtkhdf'"),
        ("--to csv --times few", "must be a number of times, or 'steps'"),
        ("", "Missing option '--to'"),
        ("--to uff --body bar --times 8", "either histories, or with --body"),
    ],
)
def test_options_that_do_not_belong(folder, words, said):
    done = export(folder, *words.split())
    assert done.exit_code == 2 and said in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--to csv --history hit.gab", "near names: hit.gap"),
        ("--to vtkhdf --body blok", "no body named 'blok'"),
        ("--to csv --start 3", "outside the run: the run covers 0 to 0.5 s"),
        ("--to uff --times steps", "even times"),
        ("--to vtkhdf --size-limit 0.01", "more than the limit of 10 kB"),
    ],
)
def test_what_cannot_be_written(folder, tmp_path, words, said):
    done = export(folder, *words.split(), "--out", tmp_path / f"x.{words.split()[1]}")
    assert isinstance(done.exception, fm.FlexmbsError) and said in str(done.exception)
    assert not list(tmp_path.iterdir())
