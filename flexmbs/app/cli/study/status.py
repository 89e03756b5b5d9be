"""``flexmbs study status``, ``failed`` and ``pack``: how many runs there are of each kind, why some failed, and packs of them."""

from __future__ import annotations

from pathlib import Path

import click

from flexmbs.app.cli.study.study_argument import open_study
from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import few
from flexmbs.study.study import Study


@click.command("status")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
def status_command(study: Path) -> None:
    """How many runs of STUDY are finished, failed, going on, missing; time and disk space used."""
    click.echo(str(open_study(study).status()))


@click.command("failed")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.option("--run", "index", type=int, default=None, metavar="INDEX", help="Show one run whole, with its log.")
@click.option("--count", type=click.IntRange(min=1), default=20, show_default=True, help="Number of runs listed.")
def failed_command(study: Path, index: int | None, count: int) -> None:
    """Runs of STUDY that failed: parameters, reason, time reached; with --run also traceback and log."""
    found = open_study(study)
    if index is not None:
        click.echo(_failure_text(found, index))
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


def _failure_text(study: Study, index: int) -> str:
    """All that is known of a failed run: its parameters, why it failed, its log."""
    record = study.record(index)
    if record is None or record.failure is None:
        known = few([index for index, _ in study.failed()], 20) or "none"
        raise StudyError(f"{study.folder}: run {index} has not failed; failed ones: {known}")
    values = "\n".join(f"  {name} = {value}" for name, value in record.parameters.items())
    time = "" if record.failure.time is None else f", at t = {record.failure.time:.6g} s"
    return (
        f"run {index} (key {record.key}), attempts: {record.attempts}\n{values}\n"
        f"{record.failure.kind}{time}: {record.failure.message}\n\n{study.log(index)}"
    ).rstrip()


@click.command("pack")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
def pack_command(study: Path) -> None:
    """Put the folders of finished runs of STUDY into one file; every other command reads them as before.

    For file systems on which many small files are slow, or against a limit on their number.
    """
    count = open_study(study).pack()
    click.echo(f"packed {count} runs")
