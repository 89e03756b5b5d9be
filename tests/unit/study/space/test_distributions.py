"""Distributions of parameters: their moments, truncation, storage, and what is refused."""

import json
import math

import numpy as np
import pytest
from scipy import stats
from study_parameters import Parameters

import flexmbs as fm
from flexmbs.study.space.entries import entry_from, entry_from_json

# Midpoint rule over the quantiles.
U = (np.arange(20_000) + 0.5) / 20_000


@pytest.mark.parametrize(
    ("entry", "mean", "deviation"),
    [
        (fm.Normal(7850, 50), 7850, 50),
        (fm.LogNormal(20, 5), 20, 5),
        # Mean (a + b + c) / 3, variance (a^2 + b^2 + c^2 - ab - ac - bc) / 18.
        (fm.Triangular(1, 2, 4), 7 / 3, math.sqrt(7 / 18)),
        # Shape 2: mean sqrt(pi) / 2, variance 1 - pi / 4, times scale.
        (fm.Weibull(3, 2), 3 * math.sqrt(math.pi) / 2, 3 * math.sqrt(1 - math.pi / 4)),
        (fm.Weibull(3, 2, location=1), 1 + 3 * math.sqrt(math.pi) / 2, 3 * math.sqrt(1 - math.pi / 4)),
        (entry_from(stats.expon(scale=2)), 2, 2),
    ],
    ids=str,
)
def test_mean_and_deviation(entry, mean, deviation):
    values = np.array(entry.quantiles(U))
    assert values.mean() == pytest.approx(mean, rel=1e-3)
    assert values.std() == pytest.approx(deviation, rel=1e-2)  # the midpoint rule misses part of the tails


def test_truncation_scales_the_probability_between_the_limits():
    values = np.array(fm.Normal(0, 1, low=0.0, high=2.0).quantiles(U))
    # Of a half normal distribution cut at 2: (phi(0) - phi(2)) / (Phi(2) - Phi(0)).
    density = [math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) for x in (0.0, 2.0)]
    assert values.mean() == pytest.approx((density[0] - density[1]) / (0.5 * math.erf(math.sqrt(2))), rel=1e-6)
    assert values.min() >= 0.0 and values.max() <= 2.0


def test_truncation_of_a_discrete_distribution_keeps_the_limits_themselves():
    entry = fm.Distribution(stats.randint(0, 10), low=2, high=5)
    values = entry.quantiles(U)
    assert [values.count(value) for value in (2, 3, 4, 5)] == [5000] * 4
    assert all(type(value) is int for value in values)


def test_discrete_distributions_give_the_parameters_type():
    poisson = stats.poisson(4)
    space = fm.Space(Parameters, {"density": poisson, "modes": fm.Distribution(poisson, low=1)})
    density, modes = (column[0] for column in space.columns(np.array([[0.5, 0.5]])))
    assert (type(density), type(modes)) == (float, int)


def test_no_quantile_is_infinite():
    assert all(map(math.isfinite, fm.Normal(0, 1).quantiles(np.array([0.0, 1.0]))))


def test_levels_are_medians_of_parts_of_equal_probability():
    assert fm.Distribution(stats.uniform(0, 1)).levels(4) == [0.125, 0.375, 0.625, 0.875]


@pytest.mark.parametrize(
    "entry",
    [
        fm.Range(0.1, 0.7),
        fm.Range(1e-3, 1e3, log=True),
        fm.Choices([1, 2.5, None, "a", True, (0, 1, 0)]),
        fm.RunSeeds(),
        fm.Normal(1 / 3, 0.1, low=0),
        fm.Distribution(stats.gumbel_r(10, scale=2)),
        fm.Weibull(3, 2, 1),
        fm.Distribution(stats.binom(10, 0.3), high=8),
    ],
    ids=str,
)
def test_stored_entries_are_the_same(entry):
    again = entry_from_json(json.loads(json.dumps(entry.to_json())))
    assert again == entry
    assert str(again) == str(entry)
    if not isinstance(entry, fm.RunSeeds):
        assert again.quantiles(U[:100]) == entry.quantiles(U[:100])


class Other(stats.rv_continuous):
    def _pdf(self, x):
        return np.exp(-x)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.Distribution(Other(name="other")(1)), "no distribution of scipy.stats .* fm.Normal"),
        (lambda: fm.Distribution(stats.norm), "no distribution of scipy.stats with its parameters"),
        (lambda: fm.Distribution(stats.norm([1, 2], 1)), "must be single numbers"),
        (lambda: fm.Distribution(stats.norm(0, -1)), r"norm\(0, -1\): scipy.stats does not allow"),
        (lambda: fm.Normal(0, 0), "standard deviation must be above 0, not 0"),
        (lambda: fm.Normal("a", 1), "mean must be a finite number, not 'a'"),
        (lambda: fm.LogNormal(-1, 1), "mean must be above 0, not -1"),
        (lambda: fm.Triangular(0, 2, 1), "low <= mode <= high, not 0, 2, 1"),
        (lambda: fm.Normal(0, 1, low=20), "the probability between low and high is 0"),
        (lambda: fm.Normal(0, 1, low=1, high=-1), "the probability between low and high is 0"),
        (lambda: fm.Normal(0, 1, low=float("nan")), "limit low of norm must be a finite number"),
        (lambda: entry_from_json({"distribution": "nrom", "args": [], "kwds": {}}), "cannot be read"),
        (lambda: entry_from_json({"something": 1}), "of no kind that this version"),
    ],
)
def test_wrong_distributions_are_refused(make, message):
    with pytest.raises(fm.StudyError, match=message):
        make()


def test_a_sampled_value_that_the_parameter_cannot_have_is_refused_before_any_run():
    space = fm.Space(Parameters, {"length": fm.Normal(1, 0.5)})
    with pytest.raises(fm.StudyError) as caught:
        fm.LatinHypercube(200).points(space, seed=1)
    message = str(caught.value)
    assert message.startswith("space: length [m]: ")
    assert "of 200 points of norm(1, 0.5) cannot be run" in message
    assert "truncate the distribution with low=0.1" in message or "with high=2" in message
    with pytest.raises(fm.StudyError, match=r"1 of 5 levels .* below the parameter's minimum 0.1: .* low=0.1"):
        fm.Grid(5).points(fm.Space(Parameters, {"length": fm.Normal(0.6, 0.45)}))
    truncated = fm.Space(Parameters, {"length": fm.Normal(1, 0.5, low=0.1, high=2)})
    assert len(fm.LatinHypercube(200).points(truncated, seed=1)) == 200


def test_values_that_are_not_finite_are_refused():
    wide = fm.Space(Parameters, {"stiffness": fm.LogNormal(1.0, 1.0)})
    assert len(fm.RandomSample(10).points(wide)) == 10
    infinite = fm.Space(Parameters, {"stiffness": stats.lognorm(300)})
    with pytest.raises(fm.StudyError, match="which is not finite"), np.errstate(over="ignore"):
        fm.RandomSample(1000).points(infinite)
