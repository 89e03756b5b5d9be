"""Sensitivity indices against closed forms: the Ishigami function and linear functions."""

import sys

import numpy as np
import pytest
from study_tables import table_of

from flexmbs.common.errors import StudyError
from flexmbs.study import sensitivity
from flexmbs.study.sensitivity import given_data_indices, morris_effects, sobol_indices

NAMES = ["a", "b", "c"]
PROBLEM = {"num_vars": 3, "names": NAMES, "bounds": [[0.0, 1.0]] * 3}
# Published for a = 7, b = 0.1: Ishigami and Homma (1990); Saltelli et al., Global Sensitivity Analysis (2008).
S1, ST = [0.3139, 0.4424, 0.0], [0.5576, 0.4424, 0.2437]


def ishigami(unit):
    x = np.pi * (2.0 * unit - 1.0)
    return np.sin(x[:, 0]) + 7.0 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def table(unit, values):
    return table_of(dict(zip(NAMES, unit.T, strict=True)), {"y": values}, {"y": "N"})


def columns(found, *names):
    return found.indices.loc[NAMES, list(names)].to_numpy().T


@pytest.fixture(scope="module")
def unit():
    return pytest.importorskip("SALib.sample.sobol").sample(PROBLEM, 2048, calc_second_order=False, seed=3)


def test_sobol_indices_of_the_ishigami_function(unit):
    found = sobol_indices(table(unit, ishigami(unit)), "y", NAMES, len(unit))
    first, width, total = columns(found, "S1", "S1_conf", "ST")
    # The error of such sums falls as 1/sqrt(base), here at most 0.022 each; their bootstrap says about as much.
    assert np.abs(first - S1).max() < 0.03 and np.abs(total - ST).max() < 0.03
    assert (np.abs(first - S1) < 1.5 * width).all() and width.max() < 0.1
    assert list(found.indices.index) == NAMES and found.unit == "N"
    unit = pytest.importorskip("SALib.sample.sobol").sample(PROBLEM, 2048, calc_second_order=True, seed=3)
    found = sobol_indices(table(unit, ishigami(unit)), "y", NAMES, len(unit), second_order=True)
    assert found.second_order.loc["a", "c"] == pytest.approx(ST[0] - S1[0], abs=0.05)  # differences of two sums


def test_base_points_with_failed_or_missing_runs_are_left_out(unit):
    values = ishigami(unit)
    values[::150] = np.nan
    full = table(unit, values)
    found = sobol_indices(full.drop(index=7), "y", NAMES, len(unit))  # would shift all points after it
    spoilt = len({1, *(np.flatnonzero(np.isnan(values)) // 5)})
    assert found.left_out == 5 * spoilt and f"{spoilt} of 2048 base points" in found.notes[0]
    assert np.abs(columns(found, "S1") - S1).max() < 0.04
    values[::30] = np.nan
    with pytest.raises(StudyError, match="spoils .* of 2048 base points; at most a tenth"):
        sobol_indices(table(unit, values), "y", NAMES, len(unit))


def test_morris_effects_of_the_ishigami_function():
    """Those of SALib's own tests (tests/test_regression.py): mu* of 10000 trajectories of four levels, others than these.

    The effects of c are 0 or 12.5 by halves: the mean of 10000 deviates by 1 %, so 3 % are two deviations of a difference.
    """
    unit = pytest.importorskip("SALib.sample.morris").sample(PROBLEM, 10_000, num_levels=4, seed=1)
    found = morris_effects(table(unit, ishigami(unit)), "y", NAMES, unit, levels=4)
    assert columns(found, "mu_star")[0] == pytest.approx([7.767792, 7.875, 6.308785], rel=0.03)
    assert list(found.indices.index) == ["b", "a", "c"]
    # Effects of a linear function are its coefficients, whatever the trajectories; those with failed runs are left out.
    unit = pytest.importorskip("SALib.sample.morris").sample(PROBLEM, 20, num_levels=6, seed=1)
    values = unit @ [3.0, -2.0, 0.0]
    values[5] = np.nan  # of the second trajectory
    found = morris_effects(table(unit, values), "y", NAMES, unit, levels=6)
    assert found.left_out == 4
    assert np.allclose(columns(found, "mu", "mu_star", "sigma"), [[3, -2, 0], [3, 2, 0], [0, 0, 0]], atol=1e-12)


def test_first_order_indices_of_any_sample_of_the_ishigami_function():
    pytest.importorskip("SALib")
    unit = np.random.default_rng(2).random((4000, 3))
    found = given_data_indices(table(unit, ishigami(unit)), "y")
    assert np.abs(columns(found, "S1") - S1).max() < 0.05  # spread over samples of this size: 0.02
    assert found.r2["SRC"] < 0.3 and any("not linear" in note for note in found.notes)


def test_regression_of_a_linear_function():
    """SRC are coefficient times deviation over the deviation of the figure; without noise R2 is 1."""
    x = np.random.default_rng(0).normal(size=(150, 2)) * [1.0, 5.0] + [10.0, -3.0]
    y = 1e300 * (2.0 * x[:, 0] - 0.7 * x[:, 1] + 4.0)  # huge, as of runs that nearly diverged
    found = given_data_indices(table_of({"p": x[:, 0], "q": x[:, 1], "fixed": np.ones(150)}, {"y": y}), "y")
    assert np.allclose(found.indices["SRC"][["p", "q"]], [2.0, -0.7] * x.std(axis=0) / (1e-300 * y).std(), rtol=1e-10)
    assert found.r2["SRC"] == pytest.approx(1.0, abs=1e-12) and found.indices["SRC_conf"].max() < 1e-6
    assert found.indices["rank"]["q"] < -0.8 < 0.2 < found.indices["rank"]["p"] and np.isnan(found.indices["SRC"]["fixed"])
    lines = str(found).splitlines()
    assert lines[0] == "y: regression and given-data indices from 150 runs"
    assert [line.split()[0] for line in lines[2:5]] == ["q", "p", "fixed"] and "±" in lines[2]


def test_intervals_of_regression_cover_the_coefficient():
    """In 95 of 100 samples; 200 samples: binomial, at least 181 with a probability of 99.8 %."""
    random = np.random.default_rng(1)
    x, covered = np.column_stack([np.linspace(-1.0, 1.0, 40), np.tile([-1.0, 1.0], 20)]), 0
    for _ in range(200):
        y = x[:, 0] + 0.5 * random.normal(size=40)
        found = given_data_indices(table_of({"p": x[:, 0], "q": x[:, 1]}, {"y": y}), "y").indices.loc["p"]
        covered += bool(abs(found["SRC"] - x[:, 0].std() / y.std()) <= found["SRC_conf"])
    assert 181 <= covered <= 199


def test_text_and_correlated_parameters():
    random = np.random.default_rng(0)
    mesh, x = np.array(["coarse", "fine"])[random.integers(0, 2, 2000)], random.random(2000)
    y = np.where(mesh == "fine", 1.0, 0.0) + np.sqrt(3.0) * x  # variances 1/4 and 3/12
    found = given_data_indices(table_of({"mesh": mesh, "x": x}, {"y": y}), "y").indices
    assert np.isnan(found["SRC"]["mesh"]) and found["S1"].tolist() == pytest.approx([0.5, 0.5], abs=0.03)
    with pytest.raises(StudyError, match="text have indices from 200 runs on, not 150"):
        given_data_indices(table_of({"mesh": mesh[:150]}, {"y": y[:150]}), "y")
    a = random.random(60)
    found = given_data_indices(table_of({"a": a, "b": a + 0.1 * random.random(60)}, {"y": a}), "y")
    assert any("a and b are correlated" in note for note in found.notes)


def test_of_very_many_runs_some_are_taken_at_random(monkeypatch):
    """The first 400 runs of this grid have a quarter of the range of its first parameter."""
    monkeypatch.setattr(sensitivity, "MOST_RUNS", 400)
    a, b = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, 1, 40), indexing="ij"))
    found = given_data_indices(table_of({"a": a, "b": b}, {"y": a + b}), "y")
    assert found.runs == 400 and found.indices["SRC"].tolist() == pytest.approx([np.sqrt(0.5)] * 2, abs=0.1)  # deviation 0.035


def test_a_missing_library_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "SALib", None)
    unit = np.random.default_rng(0).random((400, 3))
    for evaluate in (given_data_indices, lambda *both: sobol_indices(*both, NAMES, 400)):
        with pytest.raises(StudyError, match=r'needs SALib.*pip install "flexmbs\[studies\]"'):
            evaluate(table(unit, ishigami(unit)), "y")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full(50, 2.0), "nothing influences it"),
        (np.r_[1.0, 2.0, 3.0, np.full(47, np.nan)], "too few"),
        (np.full(50, np.inf), "only 0 runs"),
        (["a"] * 50, "y is text"),
    ],
)
def test_figures_without_sensitivities(values, message):
    data = table_of(dict(zip(NAMES, np.random.default_rng(0).random((3, 50)), strict=True)), {"y": values, "z": np.ones(50)})
    for evaluate in (given_data_indices, lambda *both: sobol_indices(*both, NAMES, 50)):
        with pytest.raises(StudyError, match=message if evaluate is given_data_indices else "y"):
            evaluate(data, "y")
