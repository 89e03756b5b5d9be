"""What flexmbs info and reduce print of the bores of an uneven mesh."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MESH = Path(__file__).resolve().parents[2] / "meshes" / "gmsh_conrod.msh"


def flexmbs(folder, *words):
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "flexmbs.app.cli.main", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def test_info_prints_the_centers_of_sets(tmp_path):
    run = flexmbs(tmp_path, "info", MESH, "--units", "mm-t-s")
    assert run.returncode == 0, run.stderr
    lines = [line for line in run.stdout.splitlines() if "cylinder" in line]
    assert len(lines) == 2
    assert "big end" in lines[0] and "[0, 0, 0] m" in lines[0] and "radius 0.024 m" in lines[0]
    assert "small end" in lines[1] and "[0.15, 0, 0] m" in lines[1] and "axis [0, 0, 1]" in lines[1]
    assert "weights by area; unweighted mean of the nodes 0.0088 m from the marker" in lines[0]


def test_info_in_json(tmp_path):
    run = flexmbs(tmp_path, "info", MESH, "--units", "mm-t-s", "--json")
    places = {place["set"]: place for place in json.loads(run.stdout)["places"]}
    assert set(places) == {"big end", "small end"}  # the volume is the whole body
    small = places["small end"]
    assert small["position"] == pytest.approx([0.150, 0.0, 0.0], abs=1e-12) and small["by"] == "area"
    assert small["shape"]["kind"] == "cylinder" and small["shape"]["radius"] == pytest.approx(0.011, abs=1e-12)
    assert small["shape"]["rms"] <= small["shape"]["largest"] < 1e-12
    # shares of the area bring the mean from 4 mm to some hundredths of a millimetre beside the axis
    off = [np.linalg.norm(np.subtract(small[key], small["position"])) for key in ("mean", "centroid")]
    assert off[0] > 3e-3 and off[1] < 2e-5


def test_reduce_prints_where_markers_stand(tmp_path):
    words = ["reduce", MESH, "--units", "mm-t-s", "--material", "210e9,0.3,7850", "--second-order", "none"]
    words += ["--modes", "1", "--interface", "big=big end", "--basis", "clamped-free", "-o", "rod.h5", "--no-cache"]
    run = flexmbs(tmp_path, *words)
    assert run.returncode == 0, run.stderr
    assert "marker big at [0, 0, 0] m, holds the frame" in run.stdout
    assert "nodes of marker big: cylinder, axis [0, 0, 1], radius 0.024 m" in run.stdout
    run = flexmbs(tmp_path, *words, "--json")
    assert json.loads(run.stdout)["places"]["big"]["shape"]["kind"] == "cylinder"
