"""``flexmbs study``: the group of its commands."""

from __future__ import annotations

import click

from flexmbs.app.cli.lazy_group import LazyGroup

_HERE = "flexmbs.app.cli.study"
COMMANDS = {
    "new": (f"{_HERE}.new:new_command", "Write the script of a study of a case."),
    "run": (f"{_HERE}.run:run_command", "Run what is missing of a study: here, on a Dask cluster, or one shard of it."),
    "status": (f"{_HERE}.status:status_command", "How many runs are finished, failed, going on, missing."),
    "table": (f"{_HERE}.table:table_command", "Parameters and figures of all runs."),
    "plot": (f"{_HERE}.table:plot_command", "Plot figures against parameters."),
    "failed": (f"{_HERE}.status:failed_command", "Why runs failed."),
    "export": (f"{_HERE}.table:export_command", "Write the table as CSV, JSON lines or Parquet."),
    "report": (f"{_HERE}.report:report_command", "Write one HTML page with everything."),
    "pack": (f"{_HERE}.status:pack_command", "Put the folders of finished runs into one file."),
}


@click.group("study", cls=LazyGroup, commands_by_name=COMMANDS)
def study_command() -> None:
    """Many runs of one case with varied parameters. Begin with 'flexmbs study new'."""
