"""The energy of every case is balanced: what is stored, supplied and dissipated adds up to the tolerance."""

import pytest

import flexmbs as fm

# Energies are as accurate as the motion, up to the factor between local and global error.
GLOBAL_ERROR = 3.0
# cases that take longer, and what shortens them
SHORTER = {
    "flexible_double_pendulum_impact": {"t_end": "0.2"},
    "flexible_pendulum_impact": {"t_end": "0.55"},
    "slider_crank_simeon": {"t_end": "0.02"},
    "andrews_squeezer": {"t_end": "0.01"},
    "car_axis": {"t_end": "0.5"},
    "spatial_slider_crank": {"t_end": "0.5"},
    "flexible_four_bar": {"t_end": "0.3"},
    "spin_up_beam": {"t_end": "5"},
    "box_of_spheres": {"count": "20", "t_end": "0.002"},
    "plate_hail": {"count": "2", "t_end": "0.003"},
    "docking_latch": {"t_end": "4"},
    "ratchet": {"t_end": "1.2"},
}
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
MANY_IMPACTS = {"plate_hail": 10.0}  # times the allowed balance: each of its hits adds to the error
MOVING = [case.name for case in fm.list_cases() if not hasattr(case.module, "analyse")]


def balanced(name: str, values: dict[str, str]) -> None:
    outcome = fm.run_case(name, values)
    ledger = outcome.result.energy_ledger()
    allowed = MANY_IMPACTS.get(name, 1.0) * GLOBAL_ERROR * outcome.parameters["rtol"] * ledger.scale
    assert ledger.largest_balance <= allowed, str(ledger)
    assert ledger.scale > 0.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in MOVING if name not in LONG])
def test_energy_of_a_case_is_balanced(name):
    balanced(name, SHORTER.get(name, {}))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MOVING)
def test_energy_of_a_whole_case_is_balanced(name):
    balanced(name, {})
