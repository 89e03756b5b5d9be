"""``flexmbs verify``: every case that comes with the package agrees, and one that does not makes the command fail."""

import dataclasses
import json

import numpy as np
import pytest
from click.testing import CliRunner

from flexmbs import MechanismError
from flexmbs.app.cli.main import cli
from flexmbs.app.verification import cases
from flexmbs.app.verification.cases import Quantity, VerificationCase, compare, run_verification

BY_NAME = {case.name: case for case in cases.VERIFICATION_CASES}


# the longest, which other tests compute too
LONG = ("rotating_beam", "spin_up_beam", "flexible_slider_crank")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in BY_NAME])
def test_shipped_case(name, figures):
    case = BY_NAME[name]
    computed = case.values()
    for quantity in case.quantities:
        expected, found = np.atleast_1d(quantity.reference), np.atleast_1d(computed[quantity.name])
        if quantity.at_least:
            found = np.minimum(found, expected)
        figures(f"{case.name}: {quantity.name}", case.source, found, expected, quantity.tolerance, quantity.scale)


def invoke(*words):
    return CliRunner().invoke(cli, ["verify", *words], catch_exceptions=False)


def test_report_names_source_reference_value_and_tolerance():
    result = invoke("hertz")
    assert result.exit_code == 0
    case = BY_NAME["hertz_impact"]
    assert result.output.startswith("hertz_impact: ") and case.source in result.output
    (row,) = (line.split() for line in result.output.splitlines() if "peak force" in line)
    assert row[-1] == "ok" and float(row[-2]) == case.quantities[2].tolerance
    assert [float(row[3]), float(row[4])] == pytest.approx([case.quantities[2].reference] * 2, rel=1e-8)
    assert result.output.splitlines()[-1].startswith("1 verification cases, 4 quantities: all within")


def with_quantity(monkeypatch, name, index, **changes):
    """Change a quantity of a shipped case."""
    quantities = list(BY_NAME[name].quantities)
    quantities[index] = dataclasses.replace(quantities[index], **changes)
    changed = dataclasses.replace(BY_NAME[name], quantities=tuple(quantities))
    all_cases = tuple(changed if case.name == name else case for case in cases.VERIFICATION_CASES)
    monkeypatch.setattr(cases, "VERIFICATION_CASES", all_cases)


def test_another_reference_is_missed(monkeypatch):
    """Off by ten tolerances: exit code 1, the row and the case are named, the other case is still computed."""
    reference = BY_NAME["hertz_impact"].quantities[2].reference
    with_quantity(monkeypatch, "hertz_impact", 2, reference=reference * (1.0 + 1e-8))
    result = invoke("simple_pendulum", "hertz")
    assert result.exit_code == 1
    (row,) = (line for line in result.output.splitlines() if "peak force" in line)
    assert row.endswith("MISSED")
    assert result.output.count("MISSED") == 1
    assert result.output.splitlines()[-1].startswith("1 of 2 verification cases missed: hertz_impact")


def test_json(monkeypatch):
    with_quantity(monkeypatch, "hertz_impact", 0, reference=2e-4)
    result = invoke("hertz", "simple", "--json")
    assert result.exit_code == 1
    report = json.loads(result.output)
    assert report["ok"] is False
    assert {case["name"]: case["ok"] for case in report["cases"]} == {"simple_pendulum": True, "hertz_impact": False}
    time = report["cases"][1]["quantities"][0]
    assert time["ok"] is False and time["reference"] == [2e-4]
    assert time["deviation"] == pytest.approx(0.5) and time["computed"] == pytest.approx([1e-4])


def test_filter_and_list():
    listed = invoke("--list", "nafems").output.splitlines()
    assert [line.split()[0] for line in listed] == ["nafems_fv52", "nafems_le10"]
    with pytest.raises(Exception, match="no verification case has 'helicopter' in its name; there are simple_pendulum"):
        invoke("helicopter")


def a_case(compute):
    return VerificationCase("c", "t", "s", "a", (Quantity("x", [1.0, 2.0], 1e-3),), compute)


def test_a_case_that_fails_is_missed():
    def stops():
        raise MechanismError("no such joint")

    outcome = run_verification(a_case(stops))
    assert not outcome.ok and outcome.error == "MechanismError: no such joint"
    outcome = run_verification(a_case(lambda: {"x": [1.0]}))
    assert not outcome.ok and "shape (1,) computed, (2,) expected" in outcome.error


@pytest.mark.parametrize(
    ("quantity", "computed", "ok"),
    [
        (Quantity("x", 100.0, 1e-3), 100.09, True),
        (Quantity("x", 100.0, 1e-3), 99.89, False),
        (Quantity("x", 100.0, 1e-3, scale=1.0), 100.09, False),
        (Quantity("x", 0.0, 1e-3, scale=1.0), 9e-4, True),
        (Quantity("x", [1.0, 2.0], 1e-3), [1.0, 2.003], False),
        (Quantity("x", 5.0, 0.2, at_least=True), 9.0, True),
        (Quantity("x", 5.0, 0.2, at_least=True), 3.9, False),
        (Quantity("x", 1.0, 1e-3), np.nan, False),
    ],
)
def test_tolerances(quantity, computed, ok):
    comparison = compare(quantity, computed)
    assert comparison.ok is ok
    assert (comparison.deviation <= quantity.tolerance) is ok
