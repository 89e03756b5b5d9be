"""``flexmbs study new``: write the script of a study."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.app.cli.study.script_writer import write_script
from flexmbs.app.cli.study.vary_options import parse_sampler, parse_space
from flexmbs.case.cases import checked_parameters, load_case
from flexmbs.case.parameters import split_assignments
from flexmbs.common.errors import StudyError
from flexmbs.study.samplers import SAMPLERS
from flexmbs.study.space import Space

#: Runs of samplers that need a number, if none is given (base points, trajectories).
_RUNS = {"lhs": 128, "sobol": 128, "halton": 128, "random": 128, "sobol-indices": 64, "morris": 10}


@click.command("new")
@click.argument("script", type=click.Path(dir_okay=False, path_type=Path), metavar="SCRIPT.py")
@click.option("--case", "case_name", required=True, metavar="CASE", help="Name of a case, or path of a case file.")
@click.option(
    "--vary",
    "varied",
    multiple=True,
    metavar="NAME=VALUES",
    help="What varies, may be repeated: length=0.8..1.2, youngs_modulus=1e9..1e11:log, modes=2,3,4, density=normal(7850,50).",
)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A parameter with one value in all runs.")
@click.option(
    "--sampler",
    default="lhs",
    show_default=True,
    metavar="NAME",
    help="lhs (Latin hypercube), sobol, halton, random, grid, sobol-indices, morris, or a CSV file with points.",
)
@click.option("--runs", type=int, default=None, help="Number of runs. Default: 128; grid, CSV: all points.")
@click.option("--levels", metavar="N", help="Of a grid: 5, or length=5,mass=3.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the sampler.")
@click.option(
    "--keep",
    type=click.Choice(["results", "figures"]),
    default="results",
    show_default=True,
    help="What is kept of a run: its result folder, or its figures only.",
)
@click.option("--yes", "confirmed", is_flag=True, help="Allow a grid of more than 100,000 points.")
def new_command(
    script: Path,
    case_name: str,
    varied: tuple[str, ...],
    assignments: tuple[str, ...],
    sampler: str,
    runs: int | None,
    levels: str | None,
    seed: int,
    keep: str,
    confirmed: bool,
) -> None:
    """Write SCRIPT.py, which states a study of a case; all its parameters are in it, to choose from."""
    script = script if script.suffix == ".py" else script.with_name(script.name + ".py")
    if script.exists():
        raise StudyError(f"{script} exists; give another name")
    case = load_case(case_name)
    fixed = split_assignments(assignments)
    parameters = checked_parameters(case, fixed)
    entries = parse_space(varied)
    chosen = parse_sampler(sampler, _RUNS.get(sampler) if runs is None else runs, levels, confirmed=confirmed)
    if entries or sampler not in SAMPLERS:
        points = chosen.points(Space(case.parameters, entries, fixed), seed)
        click.echo(f"{len(points)} runs of {case.name}, varying {', '.join(points.names)}")
    used, points_file = {name: getattr(parameters, name) for name in fixed}, "" if sampler in SAMPLERS else sampler
    write_script(script, case, entries, chosen, seed, used, keep, points=points_file)
    click.echo(f"wrote {script}; run it with: flexmbs study run {script}")
    if not entries and sampler in SAMPLERS:
        click.echo("nothing varies yet: edit 'space' in it first", err=True)
