"""What a study varies: ranges, lists, distributions, seeds, components, and lists of points; what is refused."""

import json
import math

import numpy as np
import pytest
from scipy import stats
from study_parameters import Parameters

import flexmbs as fm
from flexmbs.study.entries import entry_from
from flexmbs.study.point_list import sampler_from_json

EMPTY = fm.Space(Parameters, {})
SEEDED = fm.Space(Parameters, {"length": (0.5, 1.0), "seed": fm.RunSeeds()})
# Midpoint rule over the quantiles.
U = (np.arange(20_000) + 0.5) / 20_000


class Other(stats.rv_continuous):
    def _pdf(self, x):
        return np.exp(-x)


@pytest.fixture
def points_of(tmp_path):
    def read(text, space=EMPTY):
        path = tmp_path / "points.csv"
        path.write_text(text)
        return fm.PointList(path).points(space)

    return read


def values_of(entry, name="length", u=(0.0, 0.5, 1.0)):
    (item,) = fm.Space(Parameters, {name: entry}).varied
    return list(item.entry.quantiles(np.asarray(u)))


def test_a_range_is_linear_or_logarithmic_between_its_ends():
    assert values_of((0.8, 1.2)) == [0.8, 1.0, 1.2]
    assert fm.Range(0.8, 1.2).levels(5) == [0.8, 0.9, 1.0, 1.1, 1.2]
    assert fm.Range(0.8, 1.2).levels(1) == [1.0]
    stiffness = fm.Range(1e9, 1e11, log=True)
    assert stiffness.levels(3) == values_of(stiffness, "stiffness") == [1e9, 1e10, 1e11]


def test_whole_numbers_of_a_range_are_equally_probable():
    values = values_of((2, 5), "modes", (np.arange(4000) + 0.5) / 4000)
    assert [values.count(value) for value in (2, 3, 4, 5)] == [1000] * 4
    assert values_of((2, 5), "modes") == [2, 4, 5]
    assert all(type(value) is int for value in values)
    values = values_of(fm.Range(1, 9, log=True), "modes", (np.arange(10_000) + 0.5) / 10_000)
    expected = [10_000 * np.log10((n + 1) / n) for n in range(1, 10)]
    assert [values.count(n) for n in range(1, 10)] == pytest.approx(expected, abs=1)
    (modes,) = fm.Space(Parameters, {"modes": (1, 10)}).varied
    assert modes.entry.levels(4) == [1, 4, 7, 10]
    assert modes.entry.levels(20) == list(range(1, 11))


def test_values_of_a_list_are_equally_probable_and_have_the_parameters_type():
    values = values_of([2, 3.0, "4"], "modes", (np.arange(300) + 0.5) / 300)
    assert [values.count(value) for value in (2, 3, 4)] == [100] * 3
    assert values_of([True, False], "stop", [0.0, 1.0]) == [True, False]
    assert values_of(["a.inp", "b.inp"], "mesh", [0.2, 0.7]) == ["a.inp", "b.inp"]
    assert values_of([None, 0.01], "damping", [0.2, 0.7]) == [None, 0.01]
    assert values_of([(0, 0, 1), [0, 1, 0]], "axis", [0.2, 0.7]) == [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)]
    assert values_of(np.array([0.5, 1.5]), u=[0.2, 0.7]) == [0.5, 1.5]


def test_each_run_has_a_seed_of_its_own_within_the_limits():
    seeds, others = ([point["seed"] for point in fm.RandomSample(50).points(SEEDED, seed=seed)] for seed in (3, 4))
    assert all(0 <= value <= 99 for value in seeds)
    assert len(set(seeds)) > 20  # 50 draws of 100 values: 39 different ones are expected
    assert others != seeds


@pytest.mark.parametrize(
    ("entry", "mean", "deviation"),
    [
        (fm.Normal(7850, 50), 7850, 50),
        (fm.LogNormal(20, 5), 20, 5),
        # Mean (a + b + c) / 3, variance (a^2 + b^2 + c^2 - ab - ac - bc) / 18.
        (fm.Triangular(1, 2, 4), 7 / 3, math.sqrt(7 / 18)),
        # Shape 2: mean sqrt(pi) / 2, variance 1 - pi / 4, times scale.
        (fm.Weibull(3, 2, location=1), 1 + 3 * math.sqrt(math.pi) / 2, 3 * math.sqrt(1 - math.pi / 4)),
        (entry_from(stats.expon(scale=2)), 2, 2),
    ],
    ids=lambda value: str(entry_from(value)) if not isinstance(value, float | int) else f"{value:.6g}",
)
def test_mean_and_deviation(entry, mean, deviation):
    values = np.array(entry_from(entry).quantiles(U))
    assert values.mean() == pytest.approx(mean, rel=1e-3)
    assert values.std() == pytest.approx(deviation, rel=1e-2)  # the midpoint rule misses part of the tails


def test_truncation_scales_the_probability_between_the_limits():
    values = np.array(fm.Normal(0, 1, low=0.0, high=2.0).quantiles(U))
    # Of a half normal distribution cut at 2: (phi(0) - phi(2)) / (Phi(2) - Phi(0)).
    density = [math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) for x in (0.0, 2.0)]
    assert values.mean() == pytest.approx((density[0] - density[1]) / (0.5 * math.erf(math.sqrt(2))), rel=1e-6)
    assert values.min() >= 0.0 and values.max() <= 2.0
    discrete = fm.Distribution(stats.randint(0, 10), low=2, high=5)
    for name, kind in (("modes", int), ("density", float)):
        values = values_of(discrete, name, U)
        assert [values.count(value) for value in (2, 3, 4, 5)] == [5000] * 4  # the limits themselves too
        assert {type(value) for value in values} == {kind}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (fm.Normal(1, 0.5), r"length \[m\]: norm\(1, 0.5\) gives values that cannot .* at least 0.1, not .*; truncate .* low= and"),
        (fm.Normal(1, 0.5, low=0.1), r"must be at most 2, not .*; truncate"),
        (fm.Distribution(stats.cauchy(1), low=0.1, high=1e300), "must be at most 2"),
    ],
)
@pytest.mark.parametrize("sampler", [fm.LatinHypercube(200), fm.Grid(200)], ids=str)
def test_values_of_distributions_that_the_parameter_cannot_have_are_refused(sampler, entry, message):
    with pytest.raises(fm.StudyError, match=message):
        sampler.points(fm.Space(Parameters, {"length": entry}))
    truncated = fm.Space(Parameters, {"length": fm.Normal(1, 0.5, low=0.1, high=2)})
    assert len(sampler.points(truncated)) == 200


def test_components_replace_those_of_the_default_or_of_the_fixed_value():
    space = fm.Space(Parameters, {"axis[0]": (0, 1), "axis[1]": [5, 6]})
    assert space.assembled([0.5, 5.0], 0, 0) == {"axis": (0.5, 5.0, 1.0)}
    space = fm.Space(Parameters, {"start[1]": (0, 1)}, fixed={"start": (1, 2)})
    assert space.assembled([0.5], 0, 0) == {"start": (1.0, 0.5)}


def test_stored_spaces_are_the_same():
    entries = {
        "length": (0.1, 0.7),
        "stiffness": fm.Range(1e9, 3e11, log=True),
        "modes": fm.Distribution(stats.binom(10, 0.3), low=1, high=8),
        "density": stats.gumbel_r(10, scale=1 / 3),
        "axis[1]": (0, 1),
        "stop": [True, False],
        "start": [None, (0, 1)],
        "seed": fm.RunSeeds(),
    }
    space = fm.Space(Parameters, entries, fixed={"damping": 0.01, "mesh": "a.inp"})
    again = fm.Space.from_json(Parameters, json.loads(json.dumps(space.to_json())))
    assert again.to_json() == space.to_json() and str(again) == str(space)
    assert {entry: again.varied[place] for place, entry in enumerate(again.names)} == {item.name: item for item in space.varied}
    assert list(fm.RandomSample(100).points(again, 5)) == list(fm.RandomSample(100).points(space, 5))


def test_a_file_with_units_components_and_expressions(points_of):
    points = points_of(
        "length,modes,axis[1],stop,mesh,damping\n[m],,,,,[s]\n0.5,2,pi/2,true,a.inp,none\n\n2*0.3,3,1,no,b.inp,0.1\n"
    )
    axis = (0.0, 1.5707963267948966, 1.0)
    assert list(points) == [
        {"length": 0.5, "modes": 2, "axis": axis, "stop": True, "mesh": "a.inp", "damping": None},
        {"length": 0.6, "modes": 3, "axis": (0.0, 1.0, 1.0), "stop": False, "mesh": "b.inp", "damping": 0.1},
    ]
    assert points.names == ("length", "modes", "axis[1]", "stop", "mesh", "damping")
    assert (points.space.units["length"], points.space.helps["length"]) == ("m", "length of the rod")
    assert str(points.space).startswith("length [m]: 0.5, 0.6\n")


@pytest.mark.parametrize("text", ["length;density\n0.5;1\n1.5;2\n", '\ufefflength\t"density"\r\n[m]\t[kg/m3]\r\n0.5\t1\r\n1.5\t2'])
def test_other_forms_of_csv(points_of, text):
    assert list(points_of(text)) == [{"length": 0.5, "density": 1.0}, {"length": 1.5, "density": 2.0}]


def test_rows_of_a_script_and_pandas_tables():
    rows = [{"length": 0.5, "axis": [0, 1, 0]}, {"length": 1.5, "axis": (1, 0, 0)}]
    expected = [{"length": 0.5, "axis": (0.0, 1.0, 0.0)}, {"length": 1.5, "axis": (1.0, 0.0, 0.0)}]
    assert list(fm.PointList(rows).points(EMPTY)) == expected
    pandas = pytest.importorskip("pandas")
    assert list(fm.PointList(pandas.DataFrame(rows)).points(EMPTY)) == expected


def test_the_space_holds_nothing_but_seeds():
    rows = [{"length": 1}, {"length": 1.5}]
    points = fm.PointList(rows).points(fm.Space(Parameters, {"seed": fm.RunSeeds()}), 4)
    assert points.names == ("length", "seed")
    assert points[0]["seed"] != points[1]["seed"]
    with pytest.raises(fm.StudyError, match="nothing but seeds of runs; leave out density"):
        fm.PointList(rows).points(fm.Space(Parameters, {"density": (0, 1)}))
    with pytest.raises(fm.StudyError, match="length is varied, and also fixed"):
        fm.PointList(rows).points(fm.Space(Parameters, {}, fixed={"length": 1}))


def test_stored_lists_are_the_same_and_can_be_continued(points_of, tmp_path):
    points = points_of("length,start\n[m],[m]\n0.1,0 1\n0.7,none\n")
    sampler = fm.PointList(tmp_path / "points.csv")
    again = sampler_from_json(json.loads(json.dumps(sampler.to_json())))
    assert again == sampler
    assert list(again.points(EMPTY)) == list(points)
    points_of("length,start\n[m],[m]\n0.1,0 1\n0.7,none\n0.9,1 1\n")
    longer = fm.PointList(tmp_path / "points.csv")
    assert longer.extends(again) and not again.extends(longer)
    points_of("length,start\n[m],[m]\n0.1,0 1\n0.8,none\n0.9,1 1\n")
    assert not fm.PointList(tmp_path / "points.csv").extends(again)
    assert not again.extends(fm.Halton(1))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"length": (1.2, 0.8)}, r"length \[m\]: the range from 1.2 to 0.8 is empty; write the smaller .* or fix"),
        ({"length": (1.0, 1.0)}, r"the range from 1 to 1 is empty"),
        ({"length": (0.0, 1.0)}, r"length \[m\]: parameter 'length' \[m\] must be at least 0.1, not 0"),
        ({"length": (0.5, 3.0)}, r"length \[m\]: parameter 'length' \[m\] must be at most 2, not 3"),
        ({"length": (0.5, float("inf"))}, r"high end of a range must be a finite number, not inf"),
        ({"length": (0.5, 1.0, 1.5)}, r"a tuple is a range, \(low, high\).*list of values is written \[1, 2, 3\]"),
        ({"modes": (1.5, 3)}, r"modes: parameter 'modes' must be a whole number, not 1.5"),
        ({"modes": fm.Normal(3, 1)}, r"modes: it is a whole number, which norm\(3, 1\) is not.*binom"),
        ({"stop": (0, 1)}, r"stop: it is true or false, which has no range: give a list of values"),
        ({"mesh": fm.Normal(0, 1, low=0)}, r"mesh: it is text, which has no distribution: give a list"),
        ({"axis": (0, 1)}, r"it is a tuple of numbers \(axis\[0\] is one of them\), which has no range: give a list"),
        ({"length": []}, r"the list of values is empty"),
        ({"length": [1, 1.5, 1.0]}, r"the list 1, 1.5, 1.0 has a value twice"),
        ({"length": [1, 5]}, r"parameter 'length' \[m\] must be at most 2, not 5"),
        ({"length": "0.8..1.2"}, r"'0.8..1.2' says no values; write a range \(0.8, 1.2\), a list"),
        ({"length": fm.RunSeeds()}, r"length \[m\]: seeds are whole numbers, which the parameter is not"),
        ({"lenght": (0.5, 1)}, r"no parameter 'lenght'. Did you mean length\? There are: length, density"),
        ({"axis[01]": (0, 1)}, r"no parameter 'axis\[01\]'. Did you mean axis"),
        ({"axis[3]": (0, 1)}, r"axis\[3\]: axis has 3 components: axis\[0\] to axis\[2\]"),
        ({"length[0]": (0.5, 1)}, r"the parameter length has no components; write length"),
        ({"start[0]": (0, 1)}, r"start has 0 components: fix start to a tuple, or give"),
        ({"axis": [(0, 0, 1), (0, 1, 0)], "axis[0]": (0, 1)}, r"axis is varied as a whole, so its component"),
        ({"mesh": ["a", "b"]}, r"mesh is varied, and also fixed to 'rod.inp'"),
    ],
)
def test_wrong_spaces_are_refused(entries, message):
    with pytest.raises(fm.StudyError, match=message):
        fm.Space(Parameters, entries, fixed={"mesh": "rod.inp"})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.Space(Parameters, {}, {"lenght": 1}), "fixed values: no parameter 'lenght'. Did you mean length"),
        (lambda: fm.Space(Parameters, {}, {"length": 9}), r"fixed values: parameter 'length' \[m\] must be at most 2"),
        (lambda: fm.Range(0.0, 1.0, log=True), "must begin above 0, not at 0"),
        (lambda: fm.Distribution(Other(name="other")(1)), "no distribution of scipy.stats .* fm.Normal"),
        (lambda: fm.Distribution(stats.norm([1, 2], 1)), "must be single numbers"),
        (lambda: fm.Normal("a", 1), "must be single numbers"),
        (lambda: fm.Normal(0, -1), r"norm\(0, -1\): scipy.stats does not allow"),
        (lambda: fm.Weibull(1, 0), r"weibull_min\(0, loc=0, scale=1\): scipy.stats does not allow"),
        (lambda: fm.LogNormal(-1, 1), "mean must be above 0, not -1"),
        (lambda: fm.Triangular(0, 2, 1), "low <= mode <= high, not 0, 2, 1"),
        (lambda: fm.Normal(0, 1, low=1, high=-1), "the probability between low and high is 0"),
        (lambda: fm.Normal(0, 1, low=float("nan")), "limit low of norm must be a finite number"),
        (lambda: fm.PointList([]), "the list of points is empty"),
        (lambda: fm.PointList([1]), "row 0: expected a mapping parameter -> value, .* not 1"),
        (lambda: fm.PointList({"length": 1}), "a list of points is a CSV file or a list such as"),
        (lambda: fm.PointList([{"length": 1}, {"density": 1}]), "row 1: .* of the same parameters as row 0, not {'density': 1}"),
        (lambda: fm.PointList([{"length": 1}, {"length": 7}]).points(EMPTY), "row 1, column length: .* must be at most 2, not 7"),
    ],
)
def test_wrong_values_are_refused(make, message):
    with pytest.raises(fm.StudyError, match=message):
        make()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "points.csv: there is no point; a CSV file has a header of parameter names"),
        ("length\n[m]\n", "there is no point below the units"),
        ("lenght\n0.5\n", "no parameter 'lenght'. Did you mean length"),
        ("length,length\n0.5,1\n", "line 1: each column needs a name of its own; they are 'length', 'length'"),
        ("length,density\n0.5,1\n\n0.5\n", r"line 4: 1 values for 2 columns \(length, density\)"),
        ("length\n0.5\nlong\n", r"line 3, column length: parameter 'length' \[m\] must be a number, not 'long'"),
        ("length;density\n0,5;1\n", r"line 2, column length: .* must be a number, not '0,5'"),
        ("length,density\n[mm],[kg/m3]\n5,1\n", r"column length has \[mm\], the case's parameter has \[m\]; convert"),
        (
            "length,density\n[m],\n0.5,1\n",
            r"column density has no unit, the case's parameter has \[kg/m3\]; .* leave out all units",
        ),
        ("modes\n[m]\n5\n", r"column modes has \[m\], the case's parameter has no unit"),
        ('length,mesh\n0.5,"a\n', "line 2: no CSV: "),
        (b"length\n\xff\xfe\n", "cannot be read as text in UTF-8"),
        (None, "points.csv: does not exist; a CSV file has a header"),
    ],
)
def test_wrong_files_are_refused_with_the_line(tmp_path, text, message):
    if text is not None:
        (tmp_path / "points.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(fm.StudyError, match=message):
        fm.PointList(tmp_path / "points.csv").points(EMPTY)
