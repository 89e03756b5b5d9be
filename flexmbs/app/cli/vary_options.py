"""Spaces and samplers from the text of command lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from flexmbs.case.parameters import number
from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.checks import ensure
from flexmbs.study.entries import Choices, LogNormal, Normal, Range, RunSeeds, Triangular, Weibull
from flexmbs.study.point_list import PointList
from flexmbs.study.samplers import SAMPLERS, Sampler, sampler_by_name

EXAMPLES = (
    "length=0.8..1.2, E=1e9..1e11:log, modes=2,3,4, axis[1]=0..0.1, density=normal(7850,50), "
    "wall=normal(3e-3,2e-4,low=2e-3), seed=seeds"
)
_DISTRIBUTIONS: dict[str, tuple[Any, str]] = {
    "normal": (Normal, "normal(mean, deviation)"),
    "lognormal": (LogNormal, "lognormal(mean, deviation)"),
    "triangular": (Triangular, "triangular(low, mode, high)"),
    "weibull": (Weibull, "weibull(scale, shape)"),
    "uniform": (Range, "uniform(low, high)"),
}
_CALL = re.compile(r"([A-Za-z_]\w*)\((.*)\)", re.DOTALL)
_MEANING = {
    "sobol-indices": " (base points; the study has as many runs times the number of parameters plus 2)",
    "morris": " (trajectories; the study has as many runs times the number of parameters plus 1)",
}


def parse_space(texts: Iterable[str]) -> dict[str, object]:
    """The entries of --vary options such as "length=0.8..1.2"; StudyError, with examples, for other text.

    Ranges are written low..high (with :log for logarithmic ones), lists with commas (tuples: with semicolons between
    them), distributions as functions, and ``seeds`` gives each run a seed of its own. Numbers may be expressions: pi/2.
    """
    found: dict[str, object] = {}
    for text in texts:
        name, sign, values = (part.strip() for part in text.partition("="))
        ensure(sign and name and values, f"--vary {text!r}: write name=values, for example {EXAMPLES}")
        ensure(name not in found, f"--vary {text!r}: {name} is varied twice; leave out one of them")
        try:
            found[name] = _entry(values)
        except StudyError as error:
            raise StudyError(f"--vary {text!r}: {error}") from None
    return found


def parse_sampler(text: str, runs: int | None = None, levels: str | None = None, *, confirmed: bool = False) -> Sampler:
    """The sampler of --sampler with its other options; StudyError for a wrong name or options that do not fit it.

    ``text`` is a name of SAMPLERS or the path of a CSV file of points, ``runs`` the number of points (base points of
    "sobol-indices", trajectories of "morris"), ``levels`` of a grid or of "morris" "5" or "length=5,mass=3".
    """
    of_levels = {} if levels is None else {"levels": _levels(levels)}
    if text not in SAMPLERS and (Path(text).suffix or len(Path(text).parts) > 1):
        _refuse(text, "a list of points has its own number of runs", runs=runs, levels=levels)
        return PointList(text)
    if text == "grid":
        _refuse(text, "its number of runs follows from --levels", runs=runs)
        return sampler_by_name("grid", confirmed=confirmed, **of_levels)
    right = text not in SAMPLERS or runs is not None
    ensure(right, f"--sampler {text}: say how many runs: --runs 128{_MEANING.get(text, '')}")
    if text != "morris":
        _refuse(text, "only a grid has levels", levels=levels)
    return sampler_by_name(text, **{SAMPLERS[text].size if text in SAMPLERS else "runs": runs}, **of_levels)


def _entry(values: str) -> object:
    if values == "seeds":
        return RunSeeds()
    if call := _CALL.fullmatch(values):
        return _distribution(call[1], call[2])
    body, colon, scale = values.partition(":")
    ends = body.split("..")
    if len(ends) > 1 and not any(mark in body for mark in (",", ";", "../", "..\\")):  # paths may have two dots
        ensure(len(ends) == 2, "a range has two ends, low..high; a grid's number of values is said by --levels")
        ensure(not colon or scale.strip() == "log", f"after the colon only log is known, not {scale.strip()!r}: 1e9..1e11:log")
        low, high = (_number(end, "a range is low..high") for end in ends)
        return Range(low, high, log=bool(colon))
    separator = ";" if ";" in values else ","
    parts = [part.strip() for part in values.split(separator)]
    ensure(len(parts) > 1, f"one value varies nothing (--set fixes a value for all runs); examples of right ones: {EXAMPLES}")
    ensure("" not in parts, f"a value is missing before or after a {'comma' if separator == ',' else 'semicolon'}")
    return Choices(tuple(parts))


def _distribution(name: str, text: str) -> object:
    if name not in _DISTRIBUTIONS:
        others = "Others of scipy.stats can be used in scripts"
        raise StudyError(f"no distribution {name!r}. {near_names(name, _DISTRIBUTIONS)} {others}")
    make, form = _DISTRIBUTIONS[name]
    values, limits = [], {}
    for key, sign, value in (part.partition("=") for part in text.split(",")):
        if sign:
            limits[key.strip()] = _number(value, f"write {form}, with low= and high= if it is truncated")
        else:
            values.append(_number(key, f"write {form}"))
    try:
        return make(*values, **limits)
    except TypeError:
        raise StudyError(f"write {form}; truncated ones have low= and high= behind these numbers") from None


def _levels(text: str) -> int | dict[str, int]:
    """Levels of a grid: "5", or "length=5,mass=3"."""
    try:
        if "=" not in text:
            return int(text)
        return {name.strip(): int(count) for name, _, count in (part.partition("=") for part in text.split(","))}
    except ValueError:
        raise StudyError(f"--levels {text!r}: write a number, 5, or one for each parameter, length=5,mass=3") from None


def _number(text: str, form: str) -> float:
    try:
        return number(text.strip())
    except ValueError as error:
        raise StudyError(f"{error}; {form}") from None


def _refuse(sampler: str, why: str, **options: object) -> None:
    for name, value in options.items():
        ensure(value is None, f"--sampler {sampler}: {why}; leave out --{name}")
