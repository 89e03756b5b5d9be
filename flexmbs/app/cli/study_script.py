"""``flexmbs study new``: the script of a study, with all parameters of its case to choose from.

And what its options vary, as their text states it: spaces and samplers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from flexmbs.app.cli.command_options import FILE, option
from flexmbs.case.cases import Case, checked_parameters, load_case
from flexmbs.case.parameters import Setting, number, settings_of, split_assignments
from flexmbs.common.atomic_files import write_bytes
from flexmbs.common.errors import FlexmbsError, StudyError
from flexmbs.common.installed_data import cases_folder
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.checks import ensure
from flexmbs.study.entries import Choices, Distribution, LogNormal, Normal, Range, RunSeeds, Triangular, Weibull
from flexmbs.study.point_list import PointList
from flexmbs.study.samplers import SAMPLERS, Sampler, sampler_by_name
from flexmbs.study.space import Space

#: Runs of samplers that need a number, if none is given (base points, trajectories).
_RUNS = {"lhs": 128, "sobol": 128, "halton": 128, "random": 128, "sobol-indices": 64, "morris": 10}
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
_TEMPLATE = '''"""A study of {name}: {title}.

flexmbs study run {script}        computes the runs that are missing; Ctrl-C stops it, the same command goes on
flexmbs study report {script}     writes one HTML page with everything
"""

from pathlib import Path

{imports}import flexmbs as fm

study = fm.Study(
    {case},
    # What varies: (lowest, highest), [a list of values], fm.Range(..., log=True), fm.Normal(mean, deviation), ...
    space={{
{space}    }},
    sampler={sampler},
    seed={seed},
    fixed={fixed},  # values that differ from the defaults of the case in all runs
    folder=Path(__file__).with_suffix(""),  # of the runs
    keep={keep},  # "figures": results are not kept, only figures
)

if __name__ == "__main__":
    try:
        study.run()
        study.report()
    except (fm.StudyError, fm.StudyInterrupted) as error:
        raise SystemExit(str(error)) from None
'''


@click.command("new")
@click.argument("script", type=FILE, metavar="SCRIPT.py")
@option("--case CASE", "Name of a case, or path of a case file.", variable="case_name", required=True)
@option(
    "--vary NAME=VALUES*",
    "What varies, may be repeated: length=0.8..1.2, youngs_modulus=1e9..1e11:log, modes=2,3,4, density=normal(7850,50).",
    variable="varied",
)
@option("--set NAME=VALUE*", "A parameter with one value in all runs.", variable="assignments")
@option(
    "--sampler NAME",
    "lhs (Latin hypercube), sobol, halton, random, grid, sobol-indices, morris, or a CSV file with points.",
    default="lhs",
)
@option("--runs", "Number of runs. Default: 128; grid, CSV: all points.", int)
@option("--levels N", "Of a grid: 5, or length=5,mass=3.")
@option("--seed", "Seed of the sampler.", int, default=1)
@option("--keep", "What is kept of a run: its result folder, or its figures only.", ("results", "figures"), default="results")
@option("--yes", "Allow a grid of more than 100,000 points.", variable="confirmed")
def new_command(script: Path, case_name: str, varied, assignments, sampler: str, runs, levels, seed, keep, confirmed) -> None:
    """Write SCRIPT.py, which states a study of a case; all its parameters are in it, to choose from."""
    script = script if script.suffix == ".py" else script.with_name(script.name + ".py")
    ensure(not script.exists(), f"{script} exists; give another name")
    case = load_case(case_name)
    fixed = split_assignments(assignments)
    parameters = checked_parameters(case, fixed)
    entries = parse_space(varied)
    chosen = parse_sampler(sampler, _RUNS.get(sampler) if runs is None else runs, levels, confirmed=confirmed)
    if entries or sampler not in SAMPLERS:
        points = chosen.points(Space(case.parameters, entries, fixed), seed)
        click.echo(f"{len(points)} runs of {case.name}, varying {', '.join(points.names)}")
    lines = _space(case, entries, fixed, parameters)
    text = _TEMPLATE.format(
        name=case.name,
        title=case.title,
        script=script.name,
        case=_case(case, script),
        space="".join(f"        {line}\n" for line in lines),
        sampler=_sampler(chosen) if sampler in SAMPLERS else f"fm.PointList({_literal(sampler)})",
        seed=seed,
        fixed=_literal({name: getattr(parameters, name) for name in fixed}),
        keep=_literal(keep),
        imports="from scipy import stats\n\n" if any("stats." in line for line in lines) else "",
    )
    write_bytes(script, text.encode(), StudyError)
    click.echo(f"wrote {script}; run it with: flexmbs study run {script}")
    if not entries and sampler in SAMPLERS:
        click.echo("nothing varies yet: edit 'space' in it first", err=True)


def _space(case: Case, entries: Mapping[str, object], fixed: Mapping[str, object], parameters: object) -> list[str]:
    """Lines of what varies, then all other parameters as comments to choose from, their values from a mesh if it can be read."""
    settings = {setting.name: setting for setting in settings_of(case.parameters)}
    lines = [_line(name, _entry(entry), settings.get(name.partition("[")[0])) for name, entry in entries.items()]
    used = {name.partition("[")[0] for name in entries} | set(fixed)
    with suppress(FlexmbsError):
        parameters = case.module.resolve(parameters) if hasattr(case.module, "resolve") else parameters
    others = [(name, setting) for name, setting in settings.items() if name not in used]
    return lines + ["# " + _line(name, _example(getattr(parameters, name)), setting) for name, setting in others]


def _case(case: Case, script: Path) -> str:
    """The case as an expression: its name if it comes with flexmbs, otherwise its path beside the script."""
    if case.path.parent == cases_folder():
        return _literal(case.name)
    place, folder = case.path.resolve(), script.resolve().parent
    if place.is_relative_to(folder):
        return f"Path(__file__).parent / {_literal(place.relative_to(folder).as_posix())}"
    return _literal(str(place))


def _line(name: str, entry: str, setting: Setting | None) -> str:
    if setting is None:
        return f"{_literal(name)}: {entry},"
    value = setting.default
    default = "" if value is None else f"default {value:.6g}" if isinstance(value, float) else f"default {value}"
    return f"{_literal(name)}: {entry},  # " + ", ".join(filter(None, [setting.unit, setting.help, default]))


def _example(value: object) -> str:
    """A possible entry for a parameter whose value is ``value`` unless it is varied."""
    if isinstance(value, bool):
        return "[True, False]"
    if isinstance(value, int):
        return f"[{value}, {value + 1}]"
    if not isinstance(value, float):
        return f"[{_literal(value)}]"
    low, high = sorted((0.9 * value, 1.1 * value))
    return f"({low:.4g}, {high:.4g})" if value else "(0.0, 1.0)"


def _entry(entry: object) -> str:
    """Python for what parse_space has made of the text of --vary."""
    if isinstance(entry, Range):
        ends = f"{entry.low!r}, {entry.high!r}"
        return f"fm.Range({ends}, log=True)" if entry.log else f"({ends})"
    if isinstance(entry, Choices):
        return _literal(list(entry.values))
    if isinstance(entry, RunSeeds):
        return "fm.RunSeeds()"
    if isinstance(entry, Distribution):
        limits = [f", {name}={end!r}" for name, end in (("low", entry.low), ("high", entry.high)) if end is not None]
        return f"fm.Distribution(stats.{entry.text('r')}{''.join(limits)})"
    return f"stats.{Distribution(entry).text('r')}"


def _sampler(sampler: Sampler) -> str:
    """Python for a sampler, without the options that have their default."""
    values = [(entry, getattr(sampler, entry.name)) for entry in fields(sampler)]
    given = ", ".join(f"{entry.name}={_literal(value)}" for entry, value in values if value != entry.default)
    return f"fm.{type(sampler).__name__}({given})"


def _literal(value: object) -> str:
    """Python for plain values, text in double quotes."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(name)}: {_literal(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return repr(value)


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
            found[name] = _read_entry(values)
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


def _read_entry(values: str) -> object:
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
    parts = [part.partition("=") for part in text.split(",")]
    values = [_number(value, f"write {form}") for value, sign, _ in parts if not sign]
    truncated = f"write {form}, with low= and high= if it is truncated"
    limits = {name.strip(): _number(value, truncated) for name, sign, value in parts if sign}
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
