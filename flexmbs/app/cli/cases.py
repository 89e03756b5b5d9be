"""``flexmbs cases``: the cases that come with flexmbs."""

from __future__ import annotations

import click

from flexmbs.case.cases import list_cases


@click.command("cases")
def cases_command() -> None:
    """List the cases that come with flexmbs."""
    found = list_cases()
    width = max((len(case.name) for case in found), default=0)
    for case in found:
        click.echo(f"{case.name:<{width}}  {case.title}")
    click.echo("\n'flexmbs run NAME --help' lists the parameters of a case.")
