"""Runs of cases whose energy is balanced: what is stored, supplied and dissipated adds up to the tolerance."""

from collections.abc import Mapping

from flexmbs import run_case
from flexmbs.case.cases import CaseOutcome

# Energies are as accurate as the motion, up to the factor between local and global error.
GLOBAL_ERROR = 3.0
MANY_IMPACTS = {"plate_hail": 10.0}  # times the allowed balance: each of its hits adds to the error


def balanced(name: str, values: Mapping[str, object] | None = None) -> CaseOutcome:
    outcome = run_case(name, values)
    ledger = outcome.result.energy_ledger()
    allowed = MANY_IMPACTS.get(name, 1.0) * GLOBAL_ERROR * outcome.parameters["rtol"] * ledger.scale
    assert ledger.largest_balance <= allowed, str(ledger)
    assert ledger.scale > 0.0
    return outcome
