"""Ranges, lists and seeds of runs: which values they have, and what is refused."""

import numpy as np
import pytest
from study_parameters import Parameters

import flexmbs as fm

ENDS = np.array([0.0, 0.5, 1.0])


def space(**entries):
    return fm.Space(Parameters, entries)


def values_of(entry, name="length", u=ENDS):
    return list(space(**{name: entry}).columns(np.asarray(u)[:, None])[0])


def test_a_range_has_its_ends_and_is_linear_between():
    assert values_of((0.8, 1.2)) == [0.8, 1.0, 1.2]
    assert fm.Range(0.8, 1.2).levels(5) == [0.8, 0.9, 1.0, 1.1, 1.2]
    assert fm.Range(0.8, 1.2).levels(1) == [1.0]


def test_a_logarithmic_range_has_even_ratios():
    assert fm.Range(1e9, 1e11, log=True).levels(3) == [1e9, 1e10, 1e11]
    assert values_of((1e9, 1e11, "log"), "stiffness") == [1e9, 1e10, 1e11]


def test_whole_numbers_of_a_range_are_equally_probable():
    values = values_of((2, 5), "modes", (np.arange(4000) + 0.5) / 4000)
    assert [values.count(value) for value in (2, 3, 4, 5)] == [1000] * 4
    assert values_of((2, 5), "modes") == [2, 4, 5]
    assert all(type(value) is int for value in values)


def test_whole_numbers_of_a_logarithmic_range():
    values = values_of(fm.Range(1, 9, log=True), "modes", (np.arange(10_000) + 0.5) / 10_000)
    expected = [10_000 * np.log10((n + 1) / n) for n in range(1, 10)]
    assert [values.count(n) for n in range(1, 10)] == pytest.approx(expected, abs=1)


def test_levels_of_whole_numbers_are_whole_and_not_repeated():
    (modes,) = space(modes=(1, 4)).varied
    assert modes.levels(10) == [1, 2, 3, 4]
    (modes,) = space(modes=(1, 10)).varied
    assert modes.levels(4) == [1, 4, 7, 10]


def test_values_of_a_list_are_equally_probable_and_have_the_parameters_type():
    values = values_of([2, 3.0, "4"], "modes", (np.arange(300) + 0.5) / 300)
    assert [values.count(value) for value in (2, 3, 4)] == [100] * 3
    assert values_of([True, False], "stop", [0.0, 1.0]) == [True, False]
    assert values_of(["a.inp", "b.inp"], "mesh", [0.2, 0.7]) == ["a.inp", "b.inp"]
    assert values_of([None, 0.01], "damping", [0.2, 0.7]) == [None, 0.01]
    assert values_of([(0, 0, 1), [0, 1, 0]], "axis", [0.2, 0.7]) == [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)]
    assert values_of(np.array([0.5, 1.5]), u=[0.2, 0.7]) == [0.5, 1.5]


@pytest.mark.parametrize(
    ("name", "entry", "message"),
    [
        ("length", (1.2, 0.8), r"space: length: the range begins at 1.2 and ends at 0.8; write the smaller.*0.8 to 1.2"),
        ("length", (1.0, 1.0), r"space: length: the range from 1 to 1 is empty; give the parameter this value"),
        ("length", (0.0, 1.0), r"length \[m\]: the range begins at 0, below the parameter's minimum 0.1"),
        ("length", (0.5, 3.0), r"length \[m\]: the range ends at 3, above the parameter's maximum 2"),
        ("length", (0.5, float("inf")), r"high end of a range must be a finite number, not inf"),
        ("length", (0.5, "1"), r"high end of a range must be a finite number, not '1'"),
        ("length", (0.5, 1.0, 1.5), r"a tuple is a range, \(low, high\).*list of values is written \[1, 2, 3\]"),
        ("stiffness", (0.0, 1.0, "log"), r"must begin above 0, not at 0"),
        ("modes", (1.5, 3), r"modes: the parameter is a whole number, which 1.5, an end of the range, is not"),
        ("modes", fm.Normal(3, 1), r"modes: it is a whole number, which norm\(3, 1\) is not.*binom"),
        ("stop", (0, 1), r"stop: it is true or false, which has no range: give a list of values"),
        ("mesh", (0, 1), r"mesh: it is text, which has no range: give a list of values"),
        ("mesh", fm.Normal(0, 1), r"mesh: it is no number \(str\), so it has no distribution"),
        ("axis", (0, 1), r"axis is a tuple of numbers: give a list of tuples.*axis\[0\] to axis\[2\]"),
        ("length", [], r"length: the list of values is empty"),
        ("length", [1, 1.5, 1.0], r"the list has 1.0 twice"),
        ("length", [1, 5], r"parameter 'length' \[m\] must be at most 2, not 5"),
        ("length", [1, "long"], r"parameter 'length' \[m\] must be a number, not 'long'"),
        ("length", [1, None], r"parameter 'length' \[m\] must be a number, not None"),
        ("length", "0.8..1.2", r"'0.8..1.2' says no values; write a range \(0.8, 1.2\), a list"),
        ("length", fm.RunSeeds(), r"length \[m\]: seeds are whole numbers, which the parameter is not"),
    ],
)
def test_wrong_values_are_refused(name, entry, message):
    with pytest.raises(fm.StudyError, match=message):
        space(**{name: entry})


def test_each_run_has_a_seed_of_its_own_within_the_limits():
    points = fm.RandomSample(50).points(space(length=(0.5, 1.0), seed=fm.RunSeeds()), seed=3)
    seeds = [point["seed"] for point in points]
    assert all(0 <= value <= 99 for value in seeds)
    assert len(set(seeds)) > 20  # 50 draws of 100 values: 39 different ones are expected
    again = fm.RandomSample(80).points(space(length=(0.5, 1.0), seed=fm.RunSeeds()), seed=3)
    assert [point["seed"] for point in again[:50]] == seeds
    other = fm.RandomSample(50).points(space(length=(0.5, 1.0), seed=fm.RunSeeds()), seed=4)
    assert [point["seed"] for point in other] != seeds


def test_seeds_of_two_parameters_are_independent():
    points = fm.RandomSample(20).points(space(seed=fm.RunSeeds(), modes=fm.RunSeeds()), seed=3)
    assert points.names == ("seed", "modes")
    assert len({point["modes"] for point in points}) == 20
    assert all(point["modes"] >= 1 and point["modes"] % 100 != point["seed"] + 1 for point in points[:5])
