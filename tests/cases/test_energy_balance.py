"""The energy of every case is balanced, also of those whose other figures no test looks at."""

import re
from pathlib import Path

import pytest
from case_runs import balanced

import flexmbs as fm

# cases that take longer, and what shortens them
SHORTER = {"box_of_spheres": {"count": "20", "t_end": "0.002"}}
LONG = {
    "engine_connecting_rod",
    "roller_coaster",
    "solid_pendulum",
    "flexible_slider_crank",
    "spin_up_beam",
    "car_axis",
    "friction_lugre_stribeck",
    "gear_pair",
    "impact_wave",
    "rolling_meshes",
    "st_venant_rod",
    "double_pendulum_rigid_stop",
    "slider_crank_translational_clearance",
    "woodpecker_toy",
}
MOVING = [case.name for case in fm.list_cases() if not hasattr(case.module, "analyse")]
FILES = ("cases/test_case_figures.py", "cases/test_rigid_contact_cases.py", "verification/test_closed_loops.py")
TEXTS = [(Path(__file__).parents[1] / name).read_text() for name in FILES]
# whose figures and balance one test looks at
WITH_FIGURES = {name for text in TEXTS for name in re.findall(r'(?:balanced|ran)\("(\w+)"', text)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in MOVING if name not in LONG | WITH_FIGURES])
def test_energy_of_a_case_is_balanced(name):
    balanced(name, SHORTER.get(name, {}))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MOVING)
def test_energy_of_a_whole_case_is_balanced(name):
    balanced(name, {})
