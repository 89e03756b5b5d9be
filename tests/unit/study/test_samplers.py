"""Samplers: points that are the same to every digit, can be continued, fill the space."""

import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from study_parameters import Parameters

import flexmbs as fm
from flexmbs.study.point_list import sampler_from_json
from flexmbs.study.samplers import sampler_by_name

ENTRIES = {
    "length": (0.5, 1.0),
    "stiffness": fm.Range(1e9, 1e11, log=True),
    "density": fm.Normal(7850, 50),
    "modes": (2, 9),
    "stop": [True, False],
    "seed": fm.RunSeeds(),
}
SPACE = fm.Space(Parameters, ENTRIES)
SAMPLERS = [
    fm.Grid({"length": 3, "stiffness": 4, "density": 2}),
    fm.LatinHypercube(50),
    fm.LatinHypercube(20, "random-cd"),
    fm.Sobol(64),
    fm.Halton(50),
    fm.RandomSample(50),
    fm.SobolIndices(8),
    fm.SobolIndices(8, second_order=True),
    fm.Morris(5),
    fm.Morris(5, levels=6),
]
MANY = fm.Halton(4096)
WIDE = fm.Space(Parameters, {"length": fm.Range(0.1, 2, log=True), "density": fm.LogNormal(10, 3)})
VECTOR = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V3 X86_V4"


def digest():
    points = [list(sampler.points(SPACE, 7)) for sampler in SAMPLERS] + [list(MANY.points(WIDE, 7))]
    return hashlib.sha256(json.dumps(points).encode()).hexdigest()


@pytest.mark.parametrize("sampler", SAMPLERS, ids=str)
def test_points_are_those_of_the_stored_sampler_and_space_to_every_digit(sampler):
    points = sampler.points(SPACE, 7)
    stored = json.loads(json.dumps([SPACE.to_json(), sampler.to_json()]))
    again = sampler_from_json(stored[1])
    assert again == sampler
    assert again.extends(sampler)
    others = again.points(fm.Space.from_json(Parameters, stored[0]), 7)
    assert list(others) == list(points)
    # In any order: what is asked for before decides nothing.
    assert [points[k] for k in reversed(range(len(points)))] == list(points)[::-1]
    assert {tuple(point) for point in points} == {points.names} == {tuple(ENTRIES)}


def test_points_are_the_same_in_another_process_and_without_vector_instructions():
    # With NumPy's AVX instructions switched off, unrounded values differ in the last digit (LogNormal: 4 % of them).
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), str(here.parents[1]), str(here.parents[2])])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "5", "NPY_DISABLE_CPU_FEATURES": VECTOR}
    command = [sys.executable, "-W", "ignore", "-c", "from test_samplers import digest; print(digest())"]
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert made.stdout.strip() == digest()


@pytest.mark.filterwarnings("ignore:.*no power of 2")
@pytest.mark.parametrize("make", [fm.Sobol, fm.Halton, fm.RandomSample, fm.SobolIndices, fm.Morris])
def test_more_points_begin_with_the_same_ones(make):
    few, many = make(37), make(1500)
    first, all_of_them = few.points(SPACE, 2), many.points(SPACE, 2)
    assert all_of_them[: len(first)] == list(first)
    assert many.extends(few) and few.extends(few) and not few.extends(many)


def test_what_cannot_be_continued_says_so():
    assert not fm.LatinHypercube(20).extends(fm.LatinHypercube(10))
    assert fm.LatinHypercube(20).extends(fm.LatinHypercube(20))
    assert not fm.Sobol(8).extends(fm.Halton(8))
    assert not fm.Grid(3).extends(fm.Grid(2))
    assert fm.Grid(3, confirmed=True).extends(fm.Grid(3))
    assert not fm.Morris(8, levels=6).extends(fm.Morris(8))


def test_sequences_fill_lists_and_whole_numbers_evenly():
    points = fm.Sobol(64).points(fm.Space(Parameters, {"modes": (1, 4), "stop": [True, False]}), 1)
    pairs = [(point["modes"], point["stop"]) for point in points]
    assert {pairs.count((modes, stop)) for modes in (1, 2, 3, 4) for stop in (True, False)} == {8}


def test_grids_have_every_combination_once():
    space = fm.Space(Parameters, {"length": (0.5, 1.0), "modes": (2, 4), "stop": [True, False]})
    points = fm.Grid({"length": 2, "modes": 9}).points(space)
    expected = [(length, modes, stop) for length in (0.5, 1.0) for modes in (2, 3, 4) for stop in (True, False)]
    assert [tuple(point.values()) for point in points] == expected


def test_grids_beyond_the_limit_are_refused_with_their_product():
    space = fm.Space(Parameters, {"length": (0.5, 1.0), "stiffness": (1, 2), "density": (1, 2)})
    levels = {"length": 12, "stiffness": 50, "density": 300}
    with pytest.raises(fm.StudyError, match=r"12 x 50 x 300 = 180000 points, more than 100000; .*confirmed=True, --yes"):
        fm.Grid(levels).points(space)
    confirmed = fm.Grid(levels, confirmed=True)
    for grid in (confirmed, sampler_from_json(confirmed.to_json())):
        assert grid.points(space)[179_999] == {"length": 1.0, "stiffness": 2.0, "density": 2.0}


def test_powers_of_two_are_advised():
    with pytest.warns(fm.StudyWarning, match="100 runs of a Sobol sequence are no power of 2.*64 or 128"):
        sampler = fm.Sobol(100)
    with pytest.warns(fm.StudyWarning, match="100 base points of a Sobol sequence"):
        indices = fm.SobolIndices(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for quiet in (sampler, indices, fm.Sobol(1), fm.SobolIndices(16)):  # said once: not with the points, and not when
            quiet.points(SPACE)  # the study is opened again
            sampler_from_json(quiet.to_json())


def test_sensitivity_samples_are_salibs():
    space = fm.Space(Parameters, {"length": (0.5, 1.5), "density": (0.0, 1.0), "seed": fm.RunSeeds()})
    points = fm.SobolIndices(4).points(space, 1)
    assert len(points) == 4 * (2 + 2)
    # A, A with one column of B for each parameter, B (Saltelli 2002).
    for block in range(0, 16, 4):
        a, first, second, b = ([point["length"], point["density"]] for point in points[block : block + 4])
        assert (first, second) == ([b[0], a[1]], [a[0], b[1]])
    assert len(fm.SobolIndices(4, second_order=True).points(space)) == 4 * (2 * 2 + 2)
    points = fm.Morris(6).points(space, 1)
    assert len(points) == 6 * 3
    for start in range(0, 18, 3):
        trajectory = np.array([[point["length"] - 0.5, point["density"]] for point in points[start : start + 3]])
        steps = np.abs(np.diff(trajectory, axis=0))
        assert np.sort(steps, axis=None) == pytest.approx([0, 0, 2 / 3, 2 / 3])  # levels / (2 (levels - 1)) = 2/3


def test_morris_leaves_out_the_tails_of_distributions():
    space = fm.Space(Parameters, {"length": (0.5, 1.5), "density": fm.Normal(7850, 50)})
    values = [point["density"] for point in fm.Morris(20).points(space, 1)]
    assert min(values) == pytest.approx(7850 - 2.3263 * 50, abs=0.01)  # quantile of 1 %


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.LatinHypercube(0), "number of runs of the sampler lhs must be a whole number of at least 1, not 0"),
        (lambda: fm.RandomSample(True), "must be a whole number of at least 1, not True"),
        (lambda: fm.LatinHypercube(5, "random"), "optimization must be None or 'random-cd', not 'random'"),
        (lambda: fm.Grid({"length": 0}), "number of levels of length must be"),
        (lambda: fm.Grid({"lenght": 3}).points(SPACE), "levels of the grid: 'lenght' is not varied. Did you mean length"),
        (lambda: fm.Morris(3, levels=5), "must be even, not 5"),
        (lambda: fm.SobolIndices(0), "number of base of the sampler sobol-indices"),
        (lambda: fm.Halton(5).points(SPACE, seed=-1), "seed of a study must be a whole number of at least 0, not -1"),
        (lambda: fm.Halton(5).points(fm.Space(Parameters, {})), "the space is empty, so all runs would be the same"),
        (lambda: fm.Grid(5).points(fm.Space(Parameters, {"seed": fm.RunSeeds()})), "no parameter of which a grid"),
        (lambda: fm.SobolIndices(4).points(fm.Space(Parameters, {"length": (1, 2)})), "varies 1, at least 2 are needed"),
        (lambda: fm.Morris(4).points(fm.Space(Parameters, {"seed": fm.RunSeeds()})), "varies 0, at least 1 are needed"),
        (lambda: sampler_by_name("lsh", runs=3), "no sampler 'lsh'. Did you mean lhs"),
        (lambda: sampler_by_name("lhs"), "the sampler lhs needs runs, for example runs=128"),
        (lambda: sampler_by_name("lhs", run=3), "the sampler lhs has no option 'run'. Did you mean runs"),
    ],
)
def test_wrong_samplers_are_refused(make, message):
    with pytest.raises(fm.StudyError, match=message):
        make()


def test_extremes_are_the_smallest_and_largest_values_of_every_parameter():
    for sampler in (fm.Halton(200), fm.Grid(4)):
        points = sampler.points(fm.Space(Parameters, {"length": (0.5, 1.5), "density": (0, 1)}), 1)
        few = [points[k] for k in points.extremes]
        assert len(few) <= 4
        for name in ("length", "density"):
            values = [point[name] for point in points]
            assert {min(values), max(values)} <= {point[name] for point in few}


def test_a_million_points_take_the_memory_of_their_quantiles():
    space = fm.Space(Parameters, {"length": (0.5, 1.5), "density": fm.Normal(7850, 50), "modes": (2, 9)})
    fm.RandomSample(10).points(space, 1)[0]  # scipy is loaded
    tracemalloc.start()
    try:
        points = fm.RandomSample(1_000_000).points(space, 1)
        for run in (0, 500_000, 999_999):
            assert points[run]
        kept, peak = tracemalloc.get_traced_memory()
        grid = fm.Grid(100, confirmed=True).points(fm.Space(Parameters, {**ENTRIES, "modes": (1, 100)}))
        assert len(grid) == 100**4 * 2 and grid[len(grid) - 1]["stop"] is False
        with_grid, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    array = 8 * 3 * 1_000_000
    assert kept < 1.1 * array
    assert peak < 2 * array
    assert with_grid - kept < 1e6
