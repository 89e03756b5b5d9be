"""Sensitivity indices against closed forms: the Ishigami function and linear functions."""

import numpy as np
import pytest
from study_tables import table_of

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.sensitivity import given_data
from flexmbs.study.evaluation.sensitivity.designs import MorrisDesign, SobolDesign
from flexmbs.study.evaluation.sensitivity.sensitivity import sensitivity

NAMES = ("a", "b", "c")
PROBLEM = {"num_vars": 3, "names": list(NAMES), "bounds": [[0.0, 1.0]] * 3}


def ishigami(unit):
    x = np.pi * (2.0 * unit - 1.0)
    return np.sin(x[:, 0]) + 7.0 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def analytic():
    """First-order and total indices; Ishigami and Homma (1990), with a = 7, b = 0.1."""
    a, b, p = 7.0, 0.1, np.pi
    first = np.array([0.5 * (1.0 + b * p**4 / 5.0) ** 2, a**2 / 8.0, 0.0])
    both = 8.0 * b**2 * p**8 / 225.0  # of the first and the third together
    variance = first.sum() + both
    return first / variance, (first + [both, 0.0, both]) / variance


def table(unit, values):
    return table_of(dict(zip(NAMES, unit.T, strict=True)), {"y": values}, {"y": "N"})


@pytest.fixture(scope="module")
def sobol_sample():
    sobol = pytest.importorskip("SALib.sample.sobol")
    return sobol.sample(PROBLEM, 2048, calc_second_order=False, seed=3)


def test_sobol_indices_of_the_ishigami_function(sobol_sample):
    found = sensitivity(table(sobol_sample, ishigami(sobol_sample)), "y", SobolDesign(NAMES, len(sobol_sample)))
    first, total = analytic()
    # The error of such sums falls as 1/sqrt(base), here at most 0.022 each; their bootstrap says about as much.
    assert np.abs(found["S1"] - first).max() < 0.03
    assert np.abs(found["ST"] - total).max() < 0.03
    assert (np.abs(found["S1"] - first) < 1.5 * found["S1_conf"]).all()
    assert found["S1_conf"].max() < 0.1
    assert [found.names[place] for place in found.order] == ["a", "b", "c"]


def test_second_order_indices_of_the_ishigami_function():
    sobol = pytest.importorskip("SALib.sample.sobol")
    unit = sobol.sample(PROBLEM, 2048, calc_second_order=True, seed=3)
    found = sensitivity(table(unit, ishigami(unit)), "y", SobolDesign(NAMES, len(unit), second_order=True))
    first, total = analytic()
    assert abs(found.second_order[0, 2] - (total - first)[0]) < 0.05  # differences of two sums


def test_base_points_with_failed_runs_are_left_out(sobol_sample):
    values = ishigami(sobol_sample)
    values[::150] = np.nan
    found = sensitivity(table(sobol_sample, values), "y", SobolDesign(NAMES, len(sobol_sample)))
    spoilt = len(np.unique(np.flatnonzero(np.isnan(values)) // 5))
    assert found.left_out == 5 * spoilt
    assert f"{spoilt} of 2048 base points" in found.notes[0]
    assert np.abs(found["S1"] - analytic()[0]).max() < 0.04


def test_a_row_that_is_missing_counts_as_a_failed_run(sobol_sample):
    full = table(sobol_sample, ishigami(sobol_sample))
    part = full.select(rows=np.delete(np.arange(len(full)), 7))  # would shift all points after it
    found = sensitivity(part, "y", SobolDesign(NAMES, len(sobol_sample)))
    assert found.left_out == 5
    assert np.abs(found["ST"] - analytic()[1]).max() < 0.03


def test_too_many_failed_runs_are_an_error(sobol_sample):
    values = ishigami(sobol_sample)
    values[::30] = np.nan
    with pytest.raises(StudyError, match="spoils .* of 2048 base points; at most a tenth"):
        sensitivity(table(sobol_sample, values), "y", SobolDesign(NAMES, len(sobol_sample)))


def test_morris_effects_of_a_linear_function():
    """They are the coefficients, whatever the trajectories, and do not vary."""
    morris = pytest.importorskip("SALib.sample.morris")
    unit = morris.sample(PROBLEM, 12, num_levels=6, seed=1)
    found = sensitivity(table(unit, unit @ [3.0, -2.0, 0.0]), "y", MorrisDesign(NAMES, unit, levels=6))
    assert np.allclose(found["mu"], [3.0, -2.0, 0.0], atol=1e-12)
    assert np.allclose(found["mu_star"], [3.0, 2.0, 0.0], atol=1e-12)
    assert np.allclose(found["sigma"], 0.0, atol=1e-12)


def test_morris_leaves_out_trajectories_with_failed_runs():
    morris = pytest.importorskip("SALib.sample.morris")
    unit = morris.sample(PROBLEM, 20, seed=1)
    values = unit @ [3.0, -2.0, 0.0]
    values[5] = np.nan  # of the second trajectory
    found = sensitivity(table(unit, values), "y", MorrisDesign(NAMES, unit))
    assert found.left_out == 4
    assert np.allclose(found["mu"], [3.0, -2.0, 0.0], atol=1e-12)


def test_first_order_indices_of_any_sample_of_the_ishigami_function():
    pytest.importorskip("SALib")
    unit = np.random.default_rng(2).random((4000, 3))
    found = sensitivity(table(unit, ishigami(unit)), "y")
    # Spread over samples of this size: 0.02.
    assert np.abs(found["S1"] - analytic()[0]).max() < 0.05
    assert found.r2["SRC"] < 0.3
    assert any("not linear" in note for note in found.notes)


def test_regression_of_a_linear_function():
    """SRC are coefficient times deviation over the deviation of the figure; without noise R2 is 1."""
    random = np.random.default_rng(0)
    x = random.normal(size=(150, 2)) * [1.0, 5.0] + [10.0, -3.0]
    y = 2.0 * x[:, 0] - 0.7 * x[:, 1] + 4.0
    found = sensitivity(table_of({"p": x[:, 0], "q": x[:, 1]}, {"y": y}), "y")
    assert np.allclose(found["SRC"], [2.0, -0.7] * x.std(axis=0) / y.std(), rtol=1e-10)
    assert found.r2["SRC"] == pytest.approx(1.0, abs=1e-12)
    assert found["SRC_conf"].max() < 1e-6
    assert found["rank"][1] < -0.8 < 0.2 < found["rank"][0]


def test_intervals_of_regression_cover_the_coefficient():
    """In 95 of 100 samples; 200 samples: binomial, at least 181 with a probability of 99.8 %."""
    random = np.random.default_rng(1)
    x = np.column_stack([np.linspace(-1.0, 1.0, 40), np.tile([-1.0, 1.0], 20)])
    covered = 0
    for _ in range(200):
        y = x[:, 0] + 0.5 * random.normal(size=40)
        found = sensitivity(table_of({"p": x[:, 0], "q": x[:, 1]}, {"y": y}), "y")
        true = x[:, 0].std() / y.std()
        covered += bool(abs(found["SRC"][0] - true) <= found["SRC_conf"][0])
    assert 181 <= covered <= 199


def test_text_parameters_have_a_share_of_the_variance():
    random = np.random.default_rng(0)
    mesh = np.array(["coarse", "fine"])[random.integers(0, 2, 2000)]
    x = random.random(2000)
    y = np.where(mesh == "fine", 1.0, 0.0) + np.sqrt(3.0) * x  # variances 1/4 and 3/12
    found = sensitivity(table_of({"mesh": mesh, "x": x}, {"y": y}), "y")
    assert np.isnan(found["SRC"][0])
    assert found["S1"] == pytest.approx([0.5, 0.5], abs=0.03)


def grid():
    return (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, 1, 40), indexing="ij"))


def test_first_order_indices_of_a_grid():
    a, b = grid()
    found = sensitivity(table_of({"a": a, "b": b}, {"y": np.sin(6.0 * b) + 0.0 * a}), "y")
    assert abs(found["S1"][0]) < 0.05 and found["S1"][1] > 0.95


def test_of_very_many_runs_some_are_taken_at_random(monkeypatch):
    """The first 400 runs of this grid have a quarter of the range of its first parameter."""
    monkeypatch.setattr(given_data, "MOST_RUNS", 400)
    a, b = grid()
    found = sensitivity(table_of({"a": a, "b": b}, {"y": a + b}), "y")
    assert found.runs == 400
    assert found["SRC"] == pytest.approx([np.sqrt(0.5)] * 2, abs=0.1)  # deviation 0.035


def test_correlated_parameters_are_pointed_out():
    random = np.random.default_rng(0)
    a = random.random(60)
    found = sensitivity(table_of({"a": a, "b": a + 0.1 * random.random(60)}, {"y": a}), "y")
    assert any("a and b are correlated" in note for note in found.notes)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full(50, 2.0), "nothing influences it"),
        (np.r_[1.0, 2.0, 3.0, np.full(47, np.nan)], "too few"),
        (np.full(50, np.nan), "only 0 runs"),
    ],
)
def test_figures_without_sensitivities(values, message):
    unit = np.random.default_rng(0).random((50, 3))
    data = table_of(dict(zip(NAMES, unit.T, strict=True)), {"y": values, "z": np.ones(50)})
    with pytest.raises(StudyError, match=message):
        sensitivity(data, "y")


def test_indices_as_text():
    unit = np.random.default_rng(0).random((300, 3))
    found = sensitivity(table(unit, unit @ [1.0, 5.0, 0.0]), "y")
    lines = str(found).splitlines()
    assert lines[0] == "y: regression and given-data indices from 300 runs"
    assert [line.split()[0] for line in lines[2:5]] == ["b", "a", "c"]
    with pytest.raises(KeyError, match="Did you mean SRC"):
        found["SRCC"]
