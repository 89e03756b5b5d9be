"""``flexmbs verify``: run verification cases with this installation, on this machine."""

from __future__ import annotations

import json

import click

from flexmbs.app.verification.report import as_json as report
from flexmbs.app.verification.report import case_text, summary_text
from flexmbs.app.verification.selection import selected_cases
from flexmbs.app.verification.verification_case import run_verification
from flexmbs.common.progress import on_progress, stage


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--list", "list_only", is_flag=True, help="List the cases without computing them.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def verify_command(names: tuple[str, ...], list_only: bool, as_json: bool) -> None:
    """Check this installation: compute problems with known solutions and compare (about a minute).

    NAME selects the cases whose names contain it. Prints source, reference, computed value, deviation and tolerance
    of every quantity. Exit code 1 if one is out of tolerance.
    """
    cases = selected_cases(names)
    if list_only:
        width = max(len(case.name) for case in cases)
        for case in cases:
            click.echo(f"{case.name:<{width}}  {case.title}")
        return
    outcomes = []
    for number, case in enumerate(cases, 1):
        with on_progress():
            stage(f"{case.name} ({number} of {len(cases)})", long=True)
            outcomes.append(run_verification(case))
        if not as_json:
            click.echo(case_text(outcomes[-1]) + "\n")
    click.echo(json.dumps(report(outcomes), indent=2) if as_json else summary_text(outcomes))
    if not all(outcome.ok for outcome in outcomes):
        raise click.exceptions.Exit(1)
