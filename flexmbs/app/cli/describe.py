"""``flexmbs describe``: the parts of a case's mechanism and how it can move, before it runs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from flexmbs.case.cases import checked_parameters, load_case
from flexmbs.case.parameters import split_assignments
from flexmbs.common.errors import CaseError


@click.command("describe")
@click.argument("case")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set a parameter; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a picture of the topology (.png, .svg, .pdf).",
)
def describe_command(case: str, assignments: tuple[str, ...], as_json: bool, save: Path | None) -> None:
    """Bodies, joints, forces, loops and degrees of freedom of CASE, the name of a case or the path of a case file."""
    description = describe_case(case, assignments)
    click.echo(json.dumps(description.as_dict(), indent=2) if as_json else str(description))
    if save is not None:
        click.echo(f"\nwrote {description.save(save)}", err=as_json)


def describe_case(name: str, assignments: tuple[str, ...] = ()):
    """Description of a case's mechanism, with parameters given as "NAME=VALUE".

    Raises
    ------
    CaseError
        No such case or parameter, or a case without a mechanism.
    """
    case = load_case(name)
    if hasattr(case.module, "analyse"):
        raise CaseError(f"{case.name}: this case has no mechanism to describe; it computes its results directly")
    parameters = checked_parameters(case, split_assignments(assignments))
    if hasattr(case.module, "resolve"):
        parameters = case.module.resolve(parameters)
    return case.module.build(parameters).describe()
