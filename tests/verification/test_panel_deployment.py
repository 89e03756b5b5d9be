"""Deployment of solar wings whose hinges latch, against special-purpose programs (data/README.md, panel_deployment)."""

import json

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import run_case

SOURCE = "own computation of this system"


def numbers(values, path=""):
    """Dotted name -> number, of all numbers in dictionaries and lists."""
    if isinstance(values, dict):
        values = values.items()
    elif isinstance(values, list):
        values = enumerate(values)
    else:
        return {path: float(values)}
    return {key: value for name, part in values for key, value in numbers(part, f"{path}.{name}").items()}


def run(entry, tmp_path, **values):
    path = tmp_path / "set.json"
    path.write_text(json.dumps({"sets": {"one": entry["parameters"]}}))
    return run_case("panel_lock", {"parameters": str(path), **values}).figures


def compared(found, expected, names):
    """Both as arrays, of the numbers under some names."""
    one, other = ({key: value for name in names for key, value in numbers(part[name], name).items()} for part in (found, expected))
    return [one[key] for key in other], list(other.values())


@pytest.mark.parametrize("name", ["rigid_sync", "elastic", "none"])
def test_latches_of_rigid_panels(reference, figures, tmp_path, name):
    """Times to 1e-10; states, impulses in all hinges latched so far and energy lost to 1e-9 of the scale 1."""
    entry = reference("panel_deployment")[name]
    found, expected = run(entry, tmp_path), entry["reference"]
    times = [latch["time"] for latch in expected["latches"]]
    figures(f"wing, {name}: times of latches", SOURCE, found["latch_times"], times, 1e-10)
    values, wanted = compared(found, expected, ["latches", "end"])
    figures(f"wing, {name}: states, impulses, energy", SOURCE, values, wanted, 1e-9, scale=1.0)
    assert max(found["drift_of_momenta"]) < 1e-9


def test_latch_of_a_flexible_panel(reference, figures, tmp_path):
    """Up to just behind the latch."""
    entry = reference("panel_deployment")["flexible_last_panel"]
    expected = entry["reference"]
    entry = {"parameters": {**entry["parameters"], "t_end": 11.45}}
    found = run(entry, tmp_path, rtol=1e-8, atol=1e-10)
    figures("wing, beam: time of the latch", SOURCE, found["latch_time"], expected["latch_time"], 1e-10)
    values, wanted = compared(found, expected, ["before", "after"])
    figures("wing, beam: states before and after", SOURCE, values, wanted, 1e-8, scale=1.0)
    values, wanted = compared(found, expected, ["cantilever_frequencies_hz", "latched_frequencies_hz"])
    figures("wing, beam: frequencies", SOURCE, values, wanted, 1e-10)


@pytest.mark.slow
def test_whole_run_with_a_flexible_panel(reference, figures, tmp_path):
    entry = reference("panel_deployment")["flexible_last_panel"]
    found, expected = run(entry, tmp_path), entry["reference"]
    values, wanted = compared(found, expected, ["before", "after", "end"])
    figures("wing, beam: whole run", SOURCE, values, wanted, 1e-9, scale=1.0)
    names = ["largest_tip_before", "largest_tip_after"]
    values, wanted = compared(found, expected, names)
    figures("wing, beam: largest deflections of samples", SOURCE, values, wanted, 1e-8)


def test_frequencies_of_a_latched_wing():
    """Meshed panels without contraction across against beams; the whole wing straight, its hub free."""
    values = {"panels": "beam", "latches": False, "t_end": 0.01, "rtol": 1e-6, "atol": 1e-8}
    beam = run_case("panel_lock", values).figures
    for panels in ("shells", "solids"):
        with pytest.warns(fm.BasisWarning):
            meshed = run_case("panel_lock", {**values, "panels": panels}).figures
        lowest = meshed["cantilever_frequencies_hz"][0]
        assert lowest == pytest.approx(beam["cantilever_frequencies_hz"][0], rel=5e-3)
        assert meshed["tip_acceleration_max"] > 0.0
    assert np.all(np.diff(beam["straight_wing_frequencies_hz"]) > 0.0)
