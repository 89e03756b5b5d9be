"""What flexmbs info and reduce print of the bores of an uneven mesh."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import flexmbs

MESH = Path(__file__).resolve().parents[2] / "meshes" / "gmsh_conrod.msh"


def test_info_prints_the_centers_of_sets():
    run = flexmbs("info", MESH, "--units", "mm-t-s")
    lines = [line for line in run.stdout.splitlines() if "cylinder" in line]
    assert len(lines) == 2
    assert "big end" in lines[0] and "[0, 0, 0] m" in lines[0] and "radius 0.024 m" in lines[0]
    assert "small end" in lines[1] and "[0.15, 0, 0] m" in lines[1] and "axis [0, 0, 1]" in lines[1]
    assert "weights by area; unweighted mean of the nodes 0.0088 m from the marker" in lines[0]


def test_info_in_json():
    run = flexmbs("info", MESH, "--units", "mm-t-s", "--json")
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
    run = flexmbs(*words, cwd=tmp_path)
    assert "marker big at [0, 0, 0] m, holds the frame" in run.stdout
    assert "nodes of marker big: cylinder, axis [0, 0, 1], radius 0.024 m" in run.stdout
    run = flexmbs(*words, "--json", cwd=tmp_path)
    assert json.loads(run.stdout)["places"]["big"]["shape"]["kind"] == "cylinder"
