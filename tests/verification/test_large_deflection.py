"""Rods that bend far (data/large_deflection.json), through the case large_deflection and its file of parameters.

In one piece, a modal body is wrong by 1 % to 640 %, and its watch says by how much; in eight parts it is right.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fm

DATA = json.loads((Path(__file__).parent / "data" / "large_deflection.json").read_text(encoding="utf-8"))


def run(name, parts, tmp_path):
    """Figures of the case, and the true error of the displacement of its end."""
    file = tmp_path / "parameters.json"
    file.write_text(json.dumps({"sets": {name: DATA["sets"][name]}}), encoding="utf-8")
    figures = fm.run_case("large_deflection", {"parameters": str(file), "parts": parts}).figures
    exact = np.array(DATA["tip_displacement"][name])
    return figures, np.linalg.norm(figures["tip_displacement"] - exact) / np.linalg.norm(exact)


@pytest.mark.filterwarnings("ignore:body 'part 1' deforms further")
@pytest.mark.parametrize("name", DATA["sets"])
def test_the_error_in_one_piece_is_predicted(name, tmp_path):
    """Within 10 %: the rod is straight or bent in one curve, with one load."""
    figures, true = run(name, 1, tmp_path)
    assert true > 0.01
    assert figures["deformation_error"] == pytest.approx(true, rel=0.1)


@pytest.mark.parametrize("name", DATA["sets"])
@pytest.mark.filterwarnings("ignore:body 'part .' deforms further")
def test_eight_parts_are_right(name, tmp_path):
    """The error falls with the square of the number of parts; in the ring the estimate for a part is 5 %."""
    figures, true = run(name, 8, tmp_path)
    assert true < 1.5e-3
    assert figures["deformation_error"] < 0.06
    assert figures["largest_rotation"] < 0.8
