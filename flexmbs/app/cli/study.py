"""``flexmbs study``: run the study of a script or folder, and show what there is of it."""

from __future__ import annotations

import re
from pathlib import Path

import click

from flexmbs.app.cli.command_options import ANY_PATH, FILE, option, parsed
from flexmbs.case.cases import executed
from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import few
from flexmbs.study.checks import ensure
from flexmbs.study.plots import KINDS
from flexmbs.study.run_tasks import RunLimits
from flexmbs.study.scheduler import shard_of
from flexmbs.study.statement import STUDY
from flexmbs.study.study import Study
from flexmbs.study.table import table_text

_LIMIT = re.compile(r"\s*([^<>=]+?)\s*([<>])\s*([^<>=]+)")
_study_argument = click.argument("study", type=ANY_PATH, metavar="STUDY")


def open_study(path: str | Path) -> Study:
    """The study of a script (.py with a variable ``study``), of a folder, or of the study.json in it.

    Raises StudyError if there is none.
    """
    path = Path(path)
    if path.suffix != ".py":
        folder = path.parent if path.name == STUDY else path
        right = "expected the script of a study (.py) or its folder. 'flexmbs study new' writes a script"
        ensure(not path_problem(folder / STUDY), f"{path}: no study here (no {STUDY}); {right}")
        return Study.open(folder)
    wrong = path_problem(path)
    ensure(not wrong, f"{path}: {wrong}; expected the script of a study, as 'flexmbs study new' writes one")
    module = executed(path, f"flexmbs_study_{path.stem}", "script", StudyError)
    study = getattr(module, "study", None)
    if not isinstance(study, Study):
        what = "has no variable 'study'" if study is None else f"'study' is a {type(study).__name__}"
        raise StudyError(f"{path}: {what}; a script of a study says: study = fm.Study(...)")
    return study


@click.command("run")
@_study_argument
@option("--workers", "Runs at once. Default: one per processor.", int)
@option(
    "--shard K/N",
    "Only every N-th run, from the K-th: for job arrays.",
    **parsed(shard_of, "NUMBER/COUNT with 1 <= NUMBER <= COUNT, such as 3/40"),
)
@option(
    "--dask [ADDRESS]",
    "On the Dask cluster whose scheduler is at ADDRESS (tcp://...); without one, on a local cluster.",
    is_flag=False,
    flag_value="local",
)
@option("--wall-time SECONDS", "Limit of the time of a run.", float)
@option("--memory GB", "Limit of the memory of a run.", float)
@option("--retries", "New attempts after a worker died.", int, default=2)
@option(
    "--on-error",
    "When a run fails: go on, stop, or go on and keep a row of nan in the table.",
    ("skip", "stop", "nan"),
    default="skip",
)
@option("--retry-failed", "Also compute runs again that failed earlier.")
@option("--accept-versions", "Go on although other versions computed the runs so far.")
def run_command(study: Path, workers, dask: str | None, wall_time, memory, **how) -> int:
    """Compute the runs of STUDY (its script or folder) that are missing; those that are there are never repeated."""
    if dask is not None and workers is not None and dask != "local":
        raise StudyError("--workers is for this machine; a Dask cluster has its own workers")
    limits = RunLimits(wall_time, None if memory is None else 1e9 * memory)
    try:
        outcome = open_study(study).run(workers=workers, executor="dask" if dask == "local" else dask, limits=limits, **how)
    except KeyboardInterrupt as error:  # also before the first run has begun
        text = str(error) or "interrupted; runs that are finished are stored, and the same command goes on"
        raise KeyboardInterrupt(text) from None
    click.echo(str(outcome))
    if outcome.failed:
        click.echo(f"'flexmbs study failed {study}' says why", err=True)
    return 1 if outcome.failed else 0


@click.command("status")
@_study_argument
def status_command(study: Path) -> None:
    """How many runs of STUDY are finished, failed, going on, missing; time and disk space used."""
    click.echo(str(open_study(study).status()))


@click.command("failed")
@_study_argument
@option("--run INDEX", "Show one run whole, with its log.", int, "index")
@option("--count", "Number of runs listed.", click.IntRange(min=1), default=20)
def failed_command(study: Path, index: int | None, count: int) -> None:
    """Runs of STUDY that failed: parameters, reason, time reached; with --run also traceback and log."""
    found = open_study(study)
    if index is not None:
        record = found.record(index)
        if record is None or record.failure is None:
            known = few([number for number, _ in found.failed()], 20) or "none"
            raise StudyError(f"{found.folder}: run {index} has not failed; failed ones: {known}")
        values = "\n".join(f"  {name} = {value}" for name, value in record.parameters.items())
        time = "" if record.failure.time is None else f", at t = {record.failure.time:.6g} s"
        head = f"run {index} (key {record.key}), attempts: {record.attempts}\n{values}\n{record.failure.kind}{time}"
        click.echo(f"{head}: {record.failure.message}\n\n{found.log(index)}".rstrip())
        return
    rows = found.failed()
    for number, record in rows[:count]:
        varied = ", ".join(f"{name} = {found.point(number)[name]}" for name in found.space.names)
        reason = "" if record.failure is None else f"{record.failure.kind}: {next(iter(record.failure.message.splitlines()), '')}"
        click.echo(f"run {number} ({varied})\n    {reason}")
    if not rows:
        click.echo("no run failed")
        return
    if len(rows) > count:
        click.echo(f"... and {len(rows) - count} more (--count)")
    click.echo(f"'flexmbs study failed {study} --run INDEX' shows one whole", err=True)


@click.command("pack")
@_study_argument
def pack_command(study: Path) -> None:
    """Put the folders of finished runs of STUDY into one file; every other command reads them as before.

    For file systems on which many small files are slow, or against a limit on their number.
    """
    click.echo(f"packed {open_study(study).pack()} runs")


@click.command("table")
@_study_argument
@option("--figure NAME*", "Show this figure only; may be repeated.", variable="figures")
@option("--list NAME*", "Show the values of a figure that is a list, one by one.", variable="lists")
def table_command(study: Path, figures: tuple[str, ...], lists: tuple[str, ...]) -> None:
    """Varied parameters and figures of all runs of STUDY, with minimum, median and maximum."""
    click.echo(table_text(open_study(study).table(figures, lists=lists)))


@click.command("export")
@_study_argument
@option("--to FILE", "A .csv, .jsonl or .parquet file.", FILE, "target", required=True)
@option("--figure NAME*", "Write this figure only; may be repeated.", variable="figures")
@option("--list NAME*", "Write the values of a figure that is a list, one by one.", variable="lists")
@option("--force", "Replace FILE if it exists.")
def export_command(study: Path, target: Path, figures: tuple[str, ...], lists: tuple[str, ...], force: bool) -> None:
    """Write the table of STUDY, with every digit."""
    found = open_study(study)
    if target.exists() and not force:
        raise click.UsageError(f"{target} exists; give another name, or --force")
    click.echo(f"wrote {found.export(target, figures=figures, lists=lists)}")


@click.command("plot")
@_study_argument
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@option("--kind", "Kind of plot.", (*KINDS, "histories"), default="scatter")
@option("--response FIGURE", "For effects and surface: the figure.")
@option("--color NAME", "For scatter and parallel: what colours the runs.")
@option("--title TEXT", "Title of the plot.")
@option("--save FILE", "A .png, .svg or .pdf file. Default: KIND.png in the folder of the study.", FILE)
def plot_command(study: Path, names: tuple[str, ...], kind: str, save: Path | None, **options: str | None) -> None:
    """Plot the parameters and figures NAME ... of all runs of STUDY (--kind histories: histories)."""
    found = open_study(study)
    target = found.folder / f"{kind}.png" if save is None else save
    found.plot(kind, names or None, save=target, **{name: value for name, value in options.items() if value})
    click.echo(f"wrote {target}")


@click.command("report")
@_study_argument
@option("--save FILE.html", "Default: report.html in the folder of the study.", FILE)
@option(
    "--limit 'FIGURE<VALUE'*",
    "What is required of a figure ('<' or '>'): the probability to miss it is stated. May be repeated.",
    variable="limits",
)
@option("--history NAME*", "Show this history as a band.", variable="histories")
@option("--force", "Replace FILE.html and the .csv beside it if they exist.")
def report_command(study: Path, save: Path | None, limits: tuple[str, ...], histories: tuple[str, ...], force: bool) -> None:
    """Write one HTML page about STUDY: what varied, what failed, statistics, plots, sensitivities, reliability."""
    required, found = _limits(limits), open_study(study)
    target = found.folder / "report.html" if save is None else save
    before = {path for path in (target, target.with_suffix(".csv")) if path.exists()}
    found.report(save, limits=required, histories=histories, force=force)
    for path in (target, target.with_suffix(".csv")):
        click.echo(f"{'replaced' if path in before else 'wrote'} {path}")


def _limits(texts: tuple[str, ...]) -> dict[str, tuple[float | None, float | None]]:
    """Limits of figures from "peak_stress<250e6" and "clearance>0.001"."""
    found: dict[str, list[float | None]] = {}
    for text in texts:
        parts = _LIMIT.fullmatch(text)
        try:
            limit = float(parts[3] if parts else "none")
        except ValueError:
            example = "'peak_stress<250e6' or 'clearance>0.001'"
            raise StudyError(f"--limit {text!r}: write what is required, such as {example}") from None
        found.setdefault(parts[1], [None, None])[parts[2] == "<"] = limit
    return {name: (low, high) for name, (low, high) in found.items()}
