"""Sensitivity indices against closed forms: the Ishigami function and linear functions."""

import sys
from pathlib import Path

import numpy as np
import pytest
from study_tables import table_of

from flexmbs.common.errors import StudyError
from flexmbs.study import sensitivity
from flexmbs.study.sensitivity import given_data_indices, morris_effects, sobol_indices
from flexmbs.study.table import collect, export

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
    found = sobol_indices(table(unit, values).drop(index=7), "y", NAMES, len(unit))  # would shift all points after it
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


def test_indices_of_any_sample_of_the_ishigami_function(monkeypatch):
    """Also of 4000 of 20000 runs, which are taken at random: the first ones have a quarter of the range of a."""
    pytest.importorskip("SALib")
    monkeypatch.setattr(sensitivity, "MOST_RUNS", 4000)
    unit = np.random.default_rng(2).random((20_000, 3))
    found = given_data_indices(table(unit[np.argsort(unit[:, 0])], ishigami(unit[np.argsort(unit[:, 0])])), "y")
    first, ranks = columns(found, "S1", "rank correlation")
    assert found.runs == 4000 and np.abs(first - S1).max() < 0.05  # spread over samples of this size: 0.02
    assert ranks[0] > 0.4 and np.abs(ranks[1:]).max() < 0.05  # of a it is sin(a), of the others even


def test_few_runs_have_rank_correlations():
    x = np.random.default_rng(0).normal(size=(150, 2)) * [1.0, 5.0]
    y = -1e290 * np.exp(x[:, 1]) - 1e270 * x[:, 0]  # huge, as of runs that nearly diverged
    found = given_data_indices(table_of({"p": x[:, 0], "q": x[:, 1], "fixed": np.ones(150)}, {"y": y}), "y")
    ranks = found.indices["rank correlation"]
    assert ranks["q"] == pytest.approx(-1.0, abs=1e-3) and abs(ranks["p"]) < 0.16 and np.isnan(ranks["fixed"])
    assert "at least 200 runs" in found.notes[0] and "within ±0.16" in found.notes[1]
    lines = str(found).splitlines()
    assert lines[0] == "y: indices of given data from 150 runs"
    assert [line.split()[0] for line in lines[2:5]] == ["q", "p", "fixed"] and lines[4].endswith("-")


def test_text_and_correlated_parameters():
    pytest.importorskip("SALib")
    random = np.random.default_rng(0)
    level, x = random.integers(0, 3, 2000), random.random(2000)
    mesh, file = np.array(["a", "b", "c"])[level], [f"{k}.inp" for k in range(2000)]
    y = np.array([0.0, 1.5, 0.0])[level] + np.sqrt(6.0) * x  # variances 1/2 and 6/12; the order of the text is not that of y
    found = given_data_indices(table_of({"mesh": mesh, "x": x, "file": file}, {"y": y}), "y").indices
    assert found["S1"][["mesh", "x"]].tolist() == pytest.approx([0.5, 0.5], abs=0.04) and np.isnan(found["S1"]["file"])
    assert np.isnan(found["rank correlation"]["mesh"])
    with pytest.raises(StudyError, match="text has indices from 200 runs on, not 150"):
        given_data_indices(table_of({"mesh": mesh[:150]}, {"y": y[:150]}), "y")
    a = random.random(60)
    found = given_data_indices(table_of({"a": a, "b": a + 0.1 * random.random(60)}, {"y": a}), "y")
    assert any("a and b are correlated" in note for note in found.notes)


def test_a_missing_library_is_named_with_its_remedy(monkeypatch):
    data = table_of({"x": np.arange(400.0)}, {"y": np.arange(400.0)})
    given, sobol = lambda: given_data_indices(data, "y"), lambda: sobol_indices(data, "y", ["x"], 400)
    written, empty = lambda: export(data, Path("table.parquet")), lambda: collect([], {})
    for library, use in (("SALib", given), ("SALib", sobol), ("pyarrow", written), ("pandas", empty)):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(StudyError, match=rf'needs {library}.*pip install "flexmbs\[studies\]"'):
            use()


WRONG = [
    (np.full(50, 2.0), "nothing influences it", "nothing influences it"),
    (np.r_[1.0, 2.0, 3.0, np.full(47, np.nan)], "3 runs are too few", "47 of 50 runs"),
    (np.full(50, np.inf), "its 0 finite values", "its 0 finite values"),
    (["a"] * 50, "y is text", "y is text"),
]


@pytest.mark.parametrize(("values", "of_given_data", "of_sobol"), WRONG)
def test_figures_without_sensitivities(values, of_given_data, of_sobol):
    data = table_of(dict(zip(NAMES, np.random.default_rng(0).random((3, 50)), strict=True)), {"y": values, "z": np.ones(50)})
    with pytest.raises(StudyError, match=of_given_data):
        given_data_indices(data, "y")
    with pytest.raises(StudyError, match=of_sobol):
        sobol_indices(data, "y", NAMES, 50)
