"""The process in which VTK and meshio read: what it imports, its limits, and what is said where it cannot be started."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flexmbs import MeshError
from flexmbs.mesh.readers.exchange_formats.read_by_library import read_vtk

FILE = Path(__file__).parents[3] / "data" / "mesh" / "vtk" / "bar.vtu"


def test_nothing_is_imported_from_the_folder_of_the_file(tmp_path, monkeypatch):
    """Empty entries of PYTHONPATH stand for the working folder."""
    (tmp_path / "bar.vtu").write_bytes(FILE.read_bytes())
    for name in ("numpy.py", "vtkmodules.py", "pickle.py"):
        (tmp_path / name).write_text("raise SystemExit('of others')\n")
    monkeypatch.setenv("PYTHONPATH", f"{os.pathsep}{os.environ.get('PYTHONPATH', '')}{os.pathsep}")
    assert np.array_equal(read_vtk(tmp_path / "bar.vtu").points, read_vtk(FILE).points)


def test_libraries_are_found_where_this_process_finds_them(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "vtkmodules.py").write_text("raise ImportError('found here')\n")
    monkeypatch.syspath_prepend(tmp_path / "own")
    with pytest.raises(MeshError, match="found here"):
        read_vtk(FILE)


@pytest.mark.parametrize("program", [None, "", "/nonexistent/python", "/bin/true"])
def test_a_python_that_cannot_be_started_is_named(monkeypatch, program):
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(MeshError, match=r"bar\.vtu: VTK (reads files in a process of its own, which Python|cannot read the file)"):
        read_vtk(FILE)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the system")
@pytest.mark.parametrize("limit", ["-d 900000", "-t 60"])
def test_lower_limits_of_the_system_stay(limit):
    read = f"import flexmbs; flexmbs.read_mesh({str(FILE)!r}, units='m-kg-s', trust_units=True)"
    subprocess.run(["bash", "-c", f'ulimit {limit}; exec "$0" -c "$1"', sys.executable, read], check=True)
