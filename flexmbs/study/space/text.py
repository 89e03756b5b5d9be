"""Spaces and samplers from the text of command lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from flexmbs.case.parameters import number
from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.space.distributions import LogNormal, Normal, Triangular, Weibull
from flexmbs.study.space.entry import Entry
from flexmbs.study.space.point_list import PointList
from flexmbs.study.space.ranges import Choices, Range, RunSeeds
from flexmbs.study.space.sampler_names import SAMPLERS, sampler_by_name
from flexmbs.study.space.samplers import Sampler

EXAMPLES = (
    "length=0.8..1.2, E=1e9..1e11:log, modes=2,3,4, axis[1]=0..0.1, density=normal(7850,50), "
    "wall=normal(3e-3,2e-4,low=2e-3), seed=seeds"
)
_DISTRIBUTIONS: dict[str, tuple[Callable[..., Entry], str]] = {
    "normal": (Normal, "normal(mean, deviation)"),
    "lognormal": (LogNormal, "lognormal(mean, deviation)"),
    "triangular": (Triangular, "triangular(low, mode, high)"),
    "weibull": (Weibull, "weibull(scale, shape)"),
    "uniform": (Range, "uniform(low, high)"),
}
_CALL = re.compile(r"([A-Za-z_]\w*)\((.*)\)", re.DOTALL)


def parse_vary(text: str) -> tuple[str, Entry | RunSeeds]:
    """Name and entry of one --vary option, such as "length=0.8..1.2"; StudyError, with examples, for other text.

    Ranges are written low..high (with :log for logarithmic ones), lists with commas (tuples: with semicolons between
    them), distributions as functions, and ``seeds`` gives each run a seed of its own. Numbers may be expressions: pi/2.
    """
    name, sign, values = (part.strip() for part in text.partition("="))
    if not sign or not name or not values:
        raise StudyError(f"--vary {text!r}: write name=values, for example {EXAMPLES}")
    try:
        return name, _entry(values)
    except StudyError as error:
        raise StudyError(f"--vary {text!r}: {error}") from None


def parse_space(texts: Iterable[str]) -> dict[str, Entry | RunSeeds]:
    """The entries of several --vary options; StudyError if one name is there twice."""
    found: dict[str, Entry | RunSeeds] = {}
    for text in texts:
        name, entry = parse_vary(text)
        if name in found:
            raise StudyError(f"--vary {text!r}: {name} is varied twice; leave out one of them")
        found[name] = entry
    return found


def parse_sampler(
    text: str, runs: int | None = None, levels: str | int | None = None, *, second_order: bool = False, confirmed: bool = False
) -> Sampler:
    """The sampler of --sampler with its other options; StudyError for a wrong name or options that do not fit it.

    Parameters
    ----------
    text : "lhs", "sobol", "halton", "random", "grid", "sobol-indices", "morris", or the path of a CSV file of points
    runs : number of points; base points of "sobol-indices", trajectories of "morris"
    levels : of a grid (and of "morris"), "5" or "length=5,mass=3"
    second_order : indices of second order with "sobol-indices"
    confirmed : allows grids of more than 100,000 points
    """
    if text not in SAMPLERS and (Path(text).suffix or len(Path(text).parts) > 1):
        _refuse(text, "a list of points has its own number of runs", runs=runs, levels=levels)
        return PointList(text)
    if text == "grid":
        _refuse(text, "its number of runs follows from --levels", runs=runs)
        return sampler_by_name("grid", confirmed=confirmed, **({} if levels is None else {"levels": _levels(levels)}))
    if text in SAMPLERS and runs is None:
        raise StudyError(f"--sampler {text}: say how many runs: --runs 128{_MEANING.get(text, '')}")
    if text == "morris":
        return sampler_by_name(text, trajectories=runs, **({} if levels is None else {"levels": _levels(levels)}))
    _refuse(text, "only a grid has levels", levels=levels)
    if text == "sobol-indices":
        return sampler_by_name(text, base=runs, second_order=second_order)
    return sampler_by_name(text, runs=runs)


_MEANING = {
    "sobol-indices": " (base points; the study has as many runs times the number of parameters plus 2)",
    "morris": " (trajectories; the study has as many runs times the number of parameters plus 1)",
}


def _entry(values: str) -> Entry | RunSeeds:
    if values == "seeds":
        return RunSeeds()
    call = _CALL.fullmatch(values)
    if call:
        return _distribution(call[1], call[2])
    body, colon, scale = values.partition(":")
    ends = _range_ends(body)
    if ends is not None:
        if colon and scale.strip() != "log":
            raise StudyError(f"after the colon only log is known, not {scale.strip()!r}: 1e9..1e11:log")
        return Range(*ends, log=bool(colon))
    separator = ";" if ";" in values else ","
    parts = [part.strip() for part in values.split(separator)]
    if len(parts) == 1:
        raise StudyError(f"one value varies nothing (--set fixes a value for all runs); examples of right ones: {EXAMPLES}")
    if "" in parts:
        raise StudyError(f"a value is missing before or after a {'comma' if separator == ',' else 'semicolon'}")
    return Choices(parts)


def _range_ends(text: str) -> tuple[float, float] | None:
    """Ends of "low..high"; None if the text is no range (paths may have two dots)."""
    parts = text.split("..")
    if len(parts) == 1 or "," in text or ";" in text or "../" in text or "..\\" in text:
        return None
    if len(parts) > 2:
        raise StudyError("a range has two ends, low..high; a grid's number of values is said by --levels")
    return _number(parts[0], "a range is low..high"), _number(parts[1], "a range is low..high")


def _distribution(name: str, text: str) -> Entry:
    if name not in _DISTRIBUTIONS:
        raise StudyError(
            f"no distribution {name!r}. {near_names(name, _DISTRIBUTIONS)} Others of scipy.stats can be used in scripts"
        )
    make, form = _DISTRIBUTIONS[name]
    values: list[float] = []
    limits: dict[str, float] = {}
    for part in (part.strip() for part in text.split(",")):
        key, sign, value = part.partition("=")
        if sign:
            limits[key.strip()] = _number(value, f"write {form}, with low= and high= if it is truncated")
        else:
            values.append(_number(part, f"write {form}"))
    try:
        return make(*values, **limits)
    except TypeError:
        raise StudyError(f"write {form}; truncated ones have low= and high= behind these numbers") from None


def _levels(text: str | int) -> int | dict[str, int]:
    """Levels of a grid: "5", or "length=5,mass=3"."""
    if isinstance(text, int):
        return text
    pairs = [part.partition("=") for part in text.split(",")]
    try:
        if len(pairs) == 1 and not pairs[0][1]:
            return int(text)
        return {name.strip(): int(count) for name, _, count in pairs}
    except ValueError:
        raise StudyError(f"--levels {text!r}: write a number, 5, or one for each parameter, length=5,mass=3") from None


def _number(text: str, form: str) -> float:
    try:
        return number(text.strip())
    except ValueError as error:
        raise StudyError(f"{error}; {form}") from None


def _refuse(sampler: str, why: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise StudyError(f"--sampler {sampler}: {why}; leave out --{name}")
