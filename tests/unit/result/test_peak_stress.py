"""Largest stress with its time and place, in a part of a run; stress at many times; tables with units."""

import csv
import pickle

import numpy as np
import pytest
import swinging_bar as bar

from flexmbs import Result


@pytest.fixture(scope="module")
def result():
    return Result(bar.structure(), bar.trajectory())


def stress_of(times):
    """Outer fibre at the root: sigma = E h/2 |q| (pi/2)^2."""
    coordinates = bar.motion(np.asarray(times))[0]
    return bar.YOUNGS_MODULUS * 0.002 * np.abs(coordinates[:, 1]) * (np.pi / 2.0) ** 2


def test_peak_has_value_time_and_place(result):
    peak = result.largest_von_mises("pendulum")
    fine = np.linspace(0.0, 0.75, 20001)
    # interpolation to fifth order and 41 times around the largest step
    assert peak == pytest.approx(stress_of(fine).max(), rel=1e-5)
    assert stress_of([peak.time])[0] == pytest.approx(float(peak), rel=1e-6)
    assert peak.position[0] == 0.0 and abs(peak.position[1]) == 0.002
    assert peak.node == result.flexible("pendulum").node_ids[0] and peak.body == "pendulum"
    assert str(peak).startswith(f"{1e-6 * float(peak):.4g} MPa in pendulum at t = ")
    again = pickle.loads(pickle.dumps(peak))
    assert again == peak and again.time == peak.time and again.node == peak.node


@pytest.mark.parametrize(("start", "end"), [(0.2, 0.23), (0.301, 0.3011), (0.6, None), (None, 0.1), (0.25, 0.25)])
def test_peak_in_a_part_of_the_run(result, start, end):
    low, high = start or 0.0, 0.75 if end is None else end
    peak = result.largest_von_mises("pendulum", start, end)
    assert low <= peak.time <= high
    assert peak == pytest.approx(stress_of(np.linspace(low, high, 5001)).max(), rel=1e-5)


def test_times_outside_of_the_run_are_refused(result):
    with pytest.raises(ValueError, match="outside the run"):
        result.largest_von_mises("pendulum", end=1.0)
    with pytest.raises(ValueError, match="start = 0.3 s is later than end = 0.2 s"):
        result.largest_von_mises("pendulum", 0.3, 0.2)


def test_stress_at_many_times_at_once(result):
    times = np.array([0.6, 0.1, 0.31])
    assert result.stress("pendulum", times).shape == (3, len(result.flexible("pendulum").surface.points), 6)
    for k, time in enumerate(times):
        assert result.stress("pendulum", times)[k] == pytest.approx(result.stress("pendulum", time), rel=1e-12)
        assert result.von_mises("pendulum", times)[k] == pytest.approx(result.von_mises("pendulum", time), rel=1e-12)


def test_csv_has_units_and_full_digits(result, tmp_path):
    path = result.to_csv(tmp_path / "deep" / "run.csv", "hinge.angle", "stop.force", "energy.total")
    with path.open(newline="") as file:
        heads, *rows = csv.reader(file)
    assert heads == ["t [s]", "hinge.angle [rad]", "stop.force [N]", "energy.total [J]"]
    numbers = np.array(rows, dtype=float)
    assert np.array_equal(numbers[:, 0], result.t) and np.array_equal(numbers[:, 1], result["hinge.angle"])
    result.to_csv(tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()[0].split(",")) == len(result.names) + 1
    with pytest.raises(KeyError, match="hinge.angle"):
        result.to_csv(tmp_path / "wrong.csv", "hinge.angel")


def test_pandas_knows_units(result):
    pytest.importorskip("pandas")
    frame = result.to_pandas("hinge.angle", "stop.force")
    assert frame.attrs["units"] == {"t": "s", "hinge.angle": "rad", "stop.force": "N"}
    assert list(frame.columns) == ["hinge.angle", "stop.force"]
