"""docs/reduced_bodies.md: its lines of Python run, and its table names everything that a file holds."""

import re
from pathlib import Path

import h5py
import pytest

import flexmbs as fm

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reduced_bodies.md").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, meshes):
    """Holds conrod.h5."""
    path = tmp_path_factory.mktemp("page")
    body = fm.reduce(
        fm.read_mesh(meshes / "conrod.inp"),
        interfaces={"big": "NBIG", "small": "NSMALL"},
        modes=fm.ClampedFree("big", count=3),
        second_order="none",
    )
    fm.save_body(body, path / "conrod.h5")
    return path


def test_its_python_runs(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    first, second, *_ = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(compile(first, "page", "exec"), names)
    assert names["system"].simulate(t_end=1e-3)["crank pin.angle"].shape[0] > 1
    exec(compile(second, "page", "exec"), names)
    shown = capsys.readouterr().out
    assert names["shape"].shape == (13204, 3) and "bending z 1" in shown
    assert "'small': array([0.18, 0.  , 0.  ])" in shown  # on the axis; the mean of the nodes is 0.2 mm beside it


def test_its_table_is_complete(tmp_path):
    steel = fm.Material("STEEL", 210e9, 0.3, 7850.0)
    from flexmbs import rectangle

    choice = fm.SecondOrder(field_tolerance=1e-3)
    body = fm.reduce(
        fm.line_mesh(1.0, 10, rectangle(0.02, 0.01), steel),
        interfaces={"root": "ROOT"},
        stress="nodes",
        modes=fm.ClampedFree("root", count=2),
        second_order=choice,
        name="beam",
    )
    fm.save_body(body, tmp_path / "beam.h5")
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
    named = set(re.findall(r"[a-z_A-Z]+", " ".join(re.findall(r"`([^`]+)`", rows))))

    def check(name, item):
        parts = [part for part in name.split("/") if part not in ("", "root")]
        # what the attributes of "options" are is up to each option
        parts += [key.removesuffix(" is none") for key in item.attrs] if parts != ["options"] else []
        assert not set(parts) - named - {"strain"}, name

    with h5py.File(tmp_path / "beam.h5") as file:
        file.visititems(check)
        check("", file)
        assert {f"{file.attrs['format']}"} == set(re.findall(r"`(flexmbs body \d+)`", PAGE))
