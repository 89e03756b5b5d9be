"""``flexmbs study run``: compute the runs of a study that are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from flexmbs.app.cli.study.study_argument import open_study
from flexmbs.common.errors import StudyError
from flexmbs.study.run_tasks import RunLimits
from flexmbs.study.scheduler import shard_of


def _shard(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    try:
        return None if text is None else shard_of(text)
    except StudyError:
        raise click.BadParameter(f"{text!r}: must be NUMBER/COUNT with 1 <= NUMBER <= COUNT, such as 3/40") from None


@click.command("run")
@click.argument("study", type=click.Path(path_type=Path), metavar="STUDY")
@click.option("--workers", type=int, default=None, help="Runs at once. Default: one per processor.")
@click.option("--shard", callback=_shard, metavar="K/N", help="Only every N-th run, from the K-th: for job arrays.")
@click.option(
    "--dask",
    "dask",
    is_flag=False,
    flag_value="local",
    default=None,
    metavar="[ADDRESS]",
    help="On the Dask cluster whose scheduler is at ADDRESS (tcp://...); without one, on a local cluster.",
)
@click.option("--wall-time", type=float, default=None, metavar="SECONDS", help="Limit of the time of a run.")
@click.option("--memory", type=float, default=None, metavar="GB", help="Limit of the memory of a run.")
@click.option("--disk", type=float, default=None, metavar="MB", help="Limit of the size of a run on disk.")
@click.option("--retries", type=int, default=2, show_default=True, help="New attempts after a worker died.")
@click.option(
    "--on-error",
    type=click.Choice(["skip", "stop", "nan"]),
    default="skip",
    show_default=True,
    help="When a run fails: go on, stop, or go on and keep a row of nan in the table.",
)
@click.option("--retry-failed", is_flag=True, help="Also compute runs again that failed earlier.")
@click.option("--accept-versions", is_flag=True, help="Go on although other versions computed the runs so far.")
def run_command(
    study: Path,
    workers: int | None,
    shard: tuple[int, int] | None,
    dask: str | None,
    wall_time: float | None,
    memory: float | None,
    disk: float | None,
    retries: int,
    on_error: str,
    retry_failed: bool,
    accept_versions: bool,
) -> int:
    """Compute the runs of STUDY (its script or folder) that are missing; those that are there are never repeated."""
    if dask is not None and workers is not None and dask != "local":
        raise StudyError("--workers is for this machine; a Dask cluster has its own workers")
    limits = RunLimits(wall_time, None if memory is None else 1e9 * memory, None if disk is None else 1e6 * disk)
    where: dict[str, Any] = {"workers": workers, "executor": "dask" if dask == "local" else dask, "shard": shard, "limits": limits}
    how: dict[str, Any] = {"retries": retries, "on_error": on_error, "retry_failed": retry_failed}
    try:
        outcome = open_study(study).run(**where, **how, accept_versions=accept_versions)
    except KeyboardInterrupt as error:  # also before the first run has begun
        text = str(error) or "interrupted; runs that are finished are stored, and the same command goes on"
        raise KeyboardInterrupt(text) from None
    click.echo(str(outcome))
    if outcome.failed:
        click.echo(f"'flexmbs study failed {study}' says why", err=True)
    return 1 if outcome.failed else 0
