"""``flexmbs verify``: run verification cases with this installation, on this machine."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

import click
import numpy as np
from numpy.typing import ArrayLike

import flexmbs
from flexmbs.app.cli.command_options import json_option, option
from flexmbs.app.verification.cases import Comparison, Outcome, run_verification, selected_cases
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.quantities import aligned


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@option("--list", "List the cases without computing them.", variable="list_only")
@json_option
def verify_command(names: tuple[str, ...], list_only: bool, as_json: bool) -> None:
    """Check this installation: compute problems with known solutions and compare (about a minute).

    NAME selects the cases whose names contain it. Prints source, reference, computed value, deviation and tolerance
    of every quantity. Exit code 1 if one is out of tolerance.
    """
    cases = selected_cases(names)
    if list_only:
        click.echo("\n".join(aligned([(case.name, case.title) for case in cases], indent="")))
        return
    outcomes = []
    for number, case in enumerate(cases, 1):
        with on_progress():
            stage(f"{case.name} ({number} of {len(cases)})", long=True)
            outcomes.append(run_verification(case))
        if not as_json:
            click.echo(case_text(outcomes[-1]) + "\n")
    click.echo(json.dumps(report_json(outcomes), indent=2) if as_json else summary_text(outcomes))
    if not all(outcome.ok for outcome in outcomes):
        raise click.exceptions.Exit(1)


def case_text(outcome: Outcome) -> str:
    """The report of one case: title, source, accuracy and a table of the quantities.

    Of a quantity with several values the one that deviates most is shown.
    """
    case = outcome.case
    lines = [f"{case.name}: {case.title} ({outcome.seconds:.1f} s)"]
    for label, text in (("source", case.source), ("accuracy", case.accuracy), ("MISSED", outcome.error)):
        if text:
            lines += textwrap.wrap(f"{label}: {text}", 116, initial_indent="  ", subsequent_indent="    ")
    if outcome.error:
        return "\n".join(lines)
    rows = [("quantity", "reference", "computed", "deviation", "tolerance", "")]
    for one in outcome.comparisons:
        quantity, worst = one.quantity, one.worst
        name = quantity.name if one.reference.size == 1 else f"{quantity.name} [{worst + 1}]"
        values = (f"{one.reference[worst]:.9g}", f"{one.computed[worst]:.9g}", f"{one.deviation:.1e}", f"{quantity.tolerance:g}")
        rows.append((f"{name} ({quantity.unit})" if quantity.unit else name, *values, "ok" if one.ok else "MISSED"))
    return "\n".join([*lines, *aligned(rows, range(1, 5))])


def summary_text(outcomes: Sequence[Outcome]) -> str:
    """The last line: how many quantities of how many cases agree, and which cases do not."""
    count = sum(len(outcome.comparisons) for outcome in outcomes)
    missed = [outcome.case.name for outcome in outcomes if not outcome.ok]
    seconds = sum(outcome.seconds for outcome in outcomes)
    if missed:
        return f"{len(missed)} of {len(outcomes)} verification cases missed: {', '.join(missed)} ({seconds:.0f} s)"
    return f"{len(outcomes)} verification cases, {count} quantities: all within their tolerances ({seconds:.0f} s)"


def report_json(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The same with all values of all quantities."""
    cases = [
        {name: getattr(outcome.case, name) for name in ("name", "title", "source", "accuracy")}
        | {"ok": outcome.ok, "error": outcome.error or None, "seconds": round(outcome.seconds, 3)}
        | {"quantities": [_quantity_json(comparison) for comparison in outcome.comparisons]}
        for outcome in outcomes
    ]
    return {"flexmbs": flexmbs.__version__, "ok": all(outcome.ok for outcome in outcomes), "cases": cases}


def _quantity_json(comparison: Comparison) -> dict[str, object]:
    def numbers(values: ArrayLike) -> list[float | None]:
        """What is not finite as null, which JSON can hold."""
        return [float(value) if np.isfinite(value) else None for value in np.atleast_1d(values)]

    quantity = comparison.quantity
    return {
        "name": quantity.name,
        "unit": quantity.unit,
        "reference": numbers(comparison.reference),
        "computed": numbers(comparison.computed),
        "deviation": numbers(comparison.deviation)[0],
        "tolerance": quantity.tolerance,
        "relative_to": "the reference" if quantity.scale is None else quantity.scale,
        "ok": comparison.ok,
    }
