"""``flexmbs study new``: the script of a study, with all parameters of its case to choose from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import click

from flexmbs.app.cli.command_options import FILE, option
from flexmbs.app.cli.vary_options import parse_sampler, parse_space
from flexmbs.case.cases import Case, checked_parameters, load_case
from flexmbs.case.parameters import Setting, settings_of, split_assignments
from flexmbs.common.atomic_files import write_bytes
from flexmbs.common.errors import FlexmbsError, StudyError
from flexmbs.common.installed_data import cases_folder
from flexmbs.study.checks import ensure
from flexmbs.study.entries import Choices, Distribution, Range, RunSeeds
from flexmbs.study.samplers import SAMPLERS, Sampler
from flexmbs.study.space import Space

#: Runs of samplers that need a number, if none is given (base points, trajectories).
_RUNS = {"lhs": 128, "sobol": 128, "halton": 128, "random": 128, "sobol-indices": 64, "morris": 10}
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
