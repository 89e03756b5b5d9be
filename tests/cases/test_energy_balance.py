"""The energy of every case is balanced."""

import re
from pathlib import Path

import pytest
from case_runs import balanced

import flexmbs as fm

LONG = set(
    "engine_connecting_rod roller_coaster solid_pendulum flexible_slider_crank spin_up_beam friction_lugre_stribeck "
    "gear_pair impact_wave rolling_meshes st_venant_rod double_pendulum_rigid_stop slider_crank_translational_clearance "
    "woodpecker_toy".split()
)
MOVING = [case.name for case in fm.list_cases() if not hasattr(case.module, "analyse")]
FILES = ("cases/test_case_figures.py", "cases/test_rigid_contact_cases.py", "verification/test_closed_loops.py")
TEXTS = [(Path(__file__).parents[1] / name).read_text() for name in FILES]
# whose figures and balance one test looks at
WITH_FIGURES = {name for text in TEXTS for name in re.findall(r'(?:balanced|ran)\("(\w+)"', text)}


def test_the_balance_of_every_case_that_is_not_long_is_looked_at():
    assert set(MOVING) - LONG <= WITH_FIGURES


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MOVING)
def test_energy_of_a_whole_case_is_balanced(name):
    balanced(name)
