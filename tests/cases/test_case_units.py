"""Units of figures, as case files state them."""

import pytest

from flexmbs.case.cases import load_case, run_case
from flexmbs.common.errors import CaseError

CASE = '''"""Statics."""
from dataclasses import dataclass
import flexmbs as fm

@dataclass(frozen=True)
class Parameters:
    load: float = fm.parameter(1.0, "N", "load")

def analyse(p):
    return {"deflection": p.load / 1000.0}
'''


def case_with(tmp_path, units):
    path = tmp_path / "statics.py"
    path.write_text(CASE + units, "utf-8")
    return path


def test_units_of_figures(tmp_path):
    assert load_case(case_with(tmp_path, "UNITS = {'deflection': 'm'}\n")).units == {"deflection": "m"}


def test_units_are_optional(tmp_path):
    assert load_case(case_with(tmp_path, "")).units == {}


@pytest.mark.parametrize("units", ["('deflection', 'm')", "{'deflection': 1.0}", "{1: 'm'}"])
def test_units_of_another_form(tmp_path, units):
    with pytest.raises(CaseError, match=r"statics\.py: UNITS"):
        load_case(case_with(tmp_path, f"UNITS = {units}\n"))


def test_units_of_a_case_name_its_figures():
    case = load_case("flexible_pendulum_impact")
    outcome = run_case(case, {"t_end": 0.01})
    assert set(case.units) <= set(outcome.figures)
