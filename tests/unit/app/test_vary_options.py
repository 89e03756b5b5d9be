"""Spaces and samplers from command lines; every text that is refused gets an example of a right one."""

import math

import pytest

import flexmbs as fm
from flexmbs.app.cli.study_script import EXAMPLES, parse_sampler, parse_space
from flexmbs.study.entries import entry_from


@pytest.mark.parametrize(
    ("text", "name", "entry"),
    [
        ("length=0.8..1.2", "length", fm.Range(0.8, 1.2)),
        ("length = 2 .. 3", "length", fm.Range(2, 3)),
        ("E=1e9..1e11:log", "E", fm.Range(1e9, 1e11, log=True)),
        ("angle=-pi/2..pi/2", "angle", fm.Range(-math.pi / 2, math.pi / 2)),
        ("modes=2,3,4", "modes", fm.Choices(["2", "3", "4"])),
        ("mesh=../a.inp,../b.inp", "mesh", fm.Choices(["../a.inp", "../b.inp"])),
        ("axis=0 0 1; 0 1 0", "axis", fm.Choices(["0 0 1", "0 1 0"])),
        ("axis[1]=0..0.1", "axis[1]", fm.Range(0, 0.1)),
        ("density=normal(7850,50)", "density", fm.Normal(7850, 50)),
        ("density=normal(7850, 50, low=7700, high=8000)", "density", fm.Normal(7850, 50, 7700, 8000)),
        ("x=lognormal(20,5)", "x", fm.LogNormal(20, 5)),
        ("x=triangular(0,1/2,1)", "x", fm.Triangular(0, 0.5, 1)),
        ("x=weibull(3,2)", "x", fm.Weibull(3, 2)),
        ("x=uniform(1,2)", "x", fm.Range(1, 2)),
        ("noise=seeds", "noise", fm.RunSeeds()),
    ],
)
def test_texts_of_vary(text, name, entry):
    assert {name: entry_from(made) for name, made in parse_space([text]).items()} == {name: entry_from(entry)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("length", "write name=values, for example length=0.8..1.2, E=1e9..1e11:log"),
        ("length=", "write name=values, for example"),
        ("=1..2", "write name=values, for example"),
        ("length=0.5", r"one value varies nothing \(--set fixes a value for all runs\); examples .* length=0.8..1.2"),
        ("length=1.2..0.8", "the range from 1.2 to 0.8 is empty; write the smaller number first"),
        ("length=1..1", "the range from 1 to 1 is empty"),
        ("length=1..", "'' is not a number; a range is low..high"),
        ("length=0..1..5", r"a range has two ends, low..high; a grid's number of values is said by --levels"),
        ("length=0.5..1:lin", r"after the colon only log is known, not 'lin': 1e9..1e11:log"),
        ("length=1,,2", "a value is missing before or after a comma"),
        ("length=norml(1,2)", r"no distribution 'norml'. Did you mean normal\? There are: normal, lognormal"),
        ("length=normal(1)", r"write normal\(mean, deviation\)"),
        ("length=normal(1,x)", r"'x' is not a number; write normal\(mean, deviation\)"),
        ("length=normal(1,2,lower=3)", r"write normal\(mean, deviation\); truncated ones have low= and high="),
        ("length=triangular(0,2,1)", "low <= mode <= high, not 0, 2, 1"),
    ],
)
def test_wrong_texts_of_vary_are_refused(text, message):
    with pytest.raises(fm.StudyError, match=message) as caught:
        parse_space([text])
    assert str(caught.value).startswith(f"--vary {text!r}: ")


@pytest.mark.parametrize(
    ("text", "options", "sampler"),
    [
        ("lhs", {"runs": 10}, fm.LatinHypercube(10)),
        ("sobol", {"runs": 16}, fm.Sobol(16)),
        ("halton", {"runs": 10}, fm.Halton(10)),
        ("random", {"runs": 10}, fm.RandomSample(10)),
        ("grid", {}, fm.Grid(5)),
        ("grid", {"levels": "3", "confirmed": True}, fm.Grid(3, confirmed=True)),
        ("grid", {"levels": "length=3, modes=2"}, fm.Grid({"length": 3, "modes": 2})),
        ("morris", {"runs": 10}, fm.Morris(10)),
        ("morris", {"runs": 10, "levels": "6"}, fm.Morris(10, levels=6)),
        ("sobol-indices", {"runs": 16}, fm.SobolIndices(16)),
    ],
)
def test_samplers_by_their_text(text, options, sampler):
    assert parse_sampler(text, **options) == sampler


def test_a_file_of_points_is_a_sampler(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("length\n1\n")
    assert parse_sampler(str(path)) == fm.PointList(path)
    with pytest.raises(fm.StudyError, match="a list of points has its own number of runs; leave out --runs"):
        parse_sampler(str(path), runs=5)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("lsh", {"runs": 10}, r"no sampler 'lsh'. Did you mean lhs\? .* A list of points is given as FILE.csv"),
        ("points.csv", {}, "points.csv: does not exist"),
        ("lhs", {}, "--sampler lhs: say how many runs: --runs 128"),
        ("morris", {}, r"--runs 128 \(trajectories; the study has as many runs times"),
        ("lhs", {"runs": 0}, "must be a whole number of at least 1, not 0"),
        ("lhs", {"runs": 10, "levels": "3"}, "only a grid has levels; leave out --levels"),
        ("grid", {"runs": 10}, "its number of runs follows from --levels; leave out --runs"),
        ("grid", {"levels": "many"}, "--levels 'many': write a number, 5, or one for each parameter"),
        ("grid", {"levels": "length=x"}, "--levels 'length=x': write a number"),
        ("morris", {"runs": 3, "levels": "length=4"}, "number of levels must be a whole number"),
    ],
)
def test_wrong_texts_of_samplers_are_refused(text, options, message):
    with pytest.raises(fm.StudyError, match=message):
        parse_sampler(text, **options)


def test_examples_in_messages_and_repeated_options():
    assert len(parse_space(EXAMPLES.split(", "))) == 7
    with pytest.raises(fm.StudyError, match="--vary 'a=3..4': a is varied twice"):
        parse_space(["a=1..2", "a=3..4"])
