"""Dry friction and rigid impact against exact solutions (data/README.md, friction_and_impact).

The cases get the parameters as a file. Times of events are asked to 1e-8; most are found to 1e-12.
"""

import json

import numpy as np
import pytest

from flexmbs import run_case

CASES = {
    "ball_to_rest": "bouncing_ball",
    "bouncing_ball": "bouncing_ball",
    "ball_on_moving_table": "moving_table",
    "sphere_thrown_on_level_ground": "sliding_to_rolling",
    "cylinder_on_incline_no_rolling": "sliding_to_rolling",
    "sphere_backspin_down_incline": "sliding_to_rolling",
    "block_up_incline_stays": "sliding_to_rolling",
    "block_up_incline_slides_back": "sliding_to_rolling",
    "block_down_incline": "sliding_to_rolling",
    "rod_down_the_wall": "rod_on_wall",
    "sphere_dropped_with_spin": "spinning_ball_drop",
    "cradle2_newton": "newton_cradle",
    "cradle3_sequential": "newton_cradle",
    "cradle3_touching_newton": "newton_cradle",
    "cradle3_touching_poisson": "newton_cradle",
    "cradle2_hertz": "newton_cradle",
    "cradle3_hertz": "newton_cradle",
    "rocking_block": "rocking_block",
    "oscillator_unit": "friction_oscillator",
    "oscillator_static_above_kinetic": "friction_oscillator",
    "oscillator_belt": "friction_oscillator",
    "stick_slip": "stick_slip",
}
# without them the case goes on for long after the last figure
SHORTER = {"ball_on_moving_table": {"t_end": 0.77}, "bouncing_ball": {"count": 11}}
ACCURACY = 1e-9
ZERO = 1e-9  # a figure that is zero but for rounding


def leaves(found, expected, path=""):
    """(path, found, expected) of all numbers and texts of the expected figures."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            yield from leaves(found[name], value, f"{path}.{name}")
    elif isinstance(expected, list):
        if not path.endswith("apex"):  # as many as the reference lists
            assert len(found) == len(expected), path
        for i, value in enumerate(expected):
            yield from leaves(found[i], value, f"{path}[{i}]")
    else:
        yield path, found, expected


@pytest.mark.parametrize("name", CASES)
def test_exact_solution(name, tmp_path, reference, figures):
    entry = reference("friction_and_impact")[name]
    file = tmp_path / "parameters.json"
    file.write_text(json.dumps(entry["parameters"]), "utf-8")
    outcome = run_case(CASES[name], {"parameters": str(file), **SHORTER.get(name, {})})
    numbers = []
    for path, found, expected in leaves(outcome.figures, entry["figures"]):
        if isinstance(expected, str | bool):
            assert found == expected, path
        elif abs(expected) < ZERO:
            assert abs(found) < ZERO, path
        else:
            numbers.append((found, expected))
    figures(f"{CASES[name]}: {name}", "exact solution", *np.transpose(numbers), ACCURACY)


def test_poisson_expands_contacts_that_others_compress():
    """Four equal balls that touch: compression ends with 1/4 each, impulses 3/4, 1/2, 1/4, times 1 + e (all >= 0)."""
    values = {"masses": [1.0] * 4, "speeds": [1.0, 0.0, 0.0, 0.0], "restitution": 0.85, "poisson": True}
    found = run_case("newton_cradle", values).figures
    assert found["impulses"] == pytest.approx([1.85 * part for part in (0.75, 0.5, 0.25)], rel=1e-12)
    assert found["end_of_compression"] == pytest.approx([0.25] * 4, rel=1e-12)


def test_bounces_go_on_in_the_next_chunk(monkeypatch):
    """Hundreds of bounces in closed form are more than the log of a chunk has room for."""
    monkeypatch.setattr("flexmbs.analysis.run.run_in_chunks.LOG_BYTES", 1)
    result = run_case("bouncing_ball", {"restitution": 0.95, "height": 1e-3}).result
    impacts = result.impacts("floor")
    flights = np.diff([hit.time for hit in impacts])
    exact = [2.0 * 0.95 * hit.approach_speed / 9.81 for hit in impacts[:-1]]
    assert len(impacts) > 400
    assert flights == pytest.approx(exact, abs=1e-11)
