"""Every case runs, and one of its figures is right.

Reference figures: separate special-purpose programs (exact equations of that one system, DOP853 at 1e-12).
"""

import math

import pytest
from case_runs import balanced

from flexmbs import CaseError, CaseWarning, FlexmbsError, load_case, run_case
from flexmbs.view.plot_planes import plot_map


def test_all_cases_are_listed():
    assert [
        "andrews_squeezer",
        "bar_on_stop",
        "bouncing_ball",
        "box_of_spheres",
        "box_on_table",
        "bricard",
        "cam_follower",
        "car_axis",
        "clearance_slider_crank",
        "clutch_brake",
        "composite_inertia",
        "damped_impact",
        "docking_latch",
        "double_pendulum_rigid_stop",
        "engine_connecting_rod",
        "flexible_double_pendulum_impact",
        "flexible_four_bar",
        "flexible_pendulum_impact",
        "flexible_slider_crank",
        "friction_lugre_stribeck",
        "friction_oscillator",
        "gear_pair",
        "heavy_top",
        "hertz_sphere",
        "impact_wave",
        "journal_clearance_pendulum",
        "large_deflection",
        "moving_table",
        "n_four_bar",
        "newton_cradle",
        "panel_lock",
        "pinned_beam_stop",
        "plate_hail",
        "rack_and_pinion",
        "ratchet",
        "rocking_block",
        "rod_on_wall",
        "roller_coaster",
        "rolling_disc",
        "rolling_meshes",
        "rotating_beam_frequencies",
        "slider_crank_simeon",
        "slider_crank_translational_clearance",
        "sliding_to_rolling",
        "solid_pendulum",
        "spatial_slider_crank",
        "sphere_on_beam",
        "spin_up_beam",
        "spinning_ball_drop",
        "st_venant_rod",
        "stick_slip",
        "woodpecker_toy",
    ]


def test_the_first_case_needs_no_excuse():
    """No warning, and 48 modes change nothing; the impulses stop the bar (m L^2 / 3 w) and throw it back slower than it came."""
    outcome = balanced("bar_on_stop")
    figures = outcome.figures
    assert not outcome.warnings
    assert figures["first_contact_time"] == pytest.approx(3e-3, rel=1e-3)
    angular_momentum = 7850.0 * 0.02 * 0.03 * 0.5**3 / 3.0 * figures["impact_speed"] / 0.5
    assert 1.0 < 0.5 * sum(contact.impulse for contact in outcome.result.contacts) / angular_momentum < 2.0
    more = run_case("bar_on_stop", {"modes": 48}).figures
    assert figures["first_peak_force"] == pytest.approx(more["first_peak_force"], rel=0.01)
    assert figures["peak_stress"] == pytest.approx(float(more["peak_stress"]), rel=0.01)


def test_flexible_pendulum_impact():
    outcome = balanced("flexible_pendulum_impact", {"bending_modes": 1, "t_end": 0.49})
    # reference for one bending and one axial mode; 1e-5 is what the reference comparison asks for
    assert outcome.figures["first_contact_time"] == pytest.approx(0.4834293608577816, rel=1e-5)
    assert outcome.figures["first_impulse"] == pytest.approx(1.146337678058137, rel=1e-3)
    assert outcome.figures["contact_count"] == 1
    assert outcome.parameters["length"] == pytest.approx(1.0, rel=1e-12)
    assert outcome.parameters["contact_stiffness"] == pytest.approx(15384615384.615385, rel=1e-9)


def test_double_pendulum_rigid_stop():
    figures = run_case("double_pendulum_rigid_stop", {"t_end": 0.45, "rtol": 1e-7, "atol": 1e-9}).figures
    assert [impact["point"] for impact in figures["impacts"]] == ["elbow", "tip"]
    assert figures["first_impulse"] == pytest.approx(0.9194319213094686, rel=1e-7)


def test_slider_crank_translational_clearance():
    figures = run_case("slider_crank_translational_clearance", {"t_end": 0.003, "rtol": 1e-7, "atol": 1e-9}).figures
    assert figures["first_impact_time"] == pytest.approx(0.0026925027520212, rel=1e-8)
    assert figures["impacts"][0]["corners"] == [1, 2]


def test_woodpecker_toy():
    """From the reference's start behind an impact of the beak: the upper edge of the sleeve hits the pole."""
    start = [0.0, 0.08940385274224069, 0.12, -0.09377519167865912, 22.87850327956987, -8.45558868410995]
    figures = run_case("woodpecker_toy", {"start": start, "t_end": 0.002, "rtol": 1e-7, "atol": 1e-10}).figures
    (event,) = figures["events"]
    assert event["t"] == pytest.approx(0.0005795215383526963, rel=1e-8)
    assert event["states_after"] == ["free", "free", "slides up"]


def test_box_of_spheres():
    balanced("box_of_spheres", {"count": 20, "t_end": 0.002})
    figures = run_case("box_of_spheres", {"count": 8, "restitution": 1.0, "gravity": 0.0, "t_end": 6e-3}).figures
    assert figures["contact_count"] > 10
    assert figures["energy_balance"] < 1e-4
    assert figures["box_size"] == pytest.approx(2 * 2.5 * 0.005)


def test_plate_hail():
    """A stone on a plate that gives way loses what its restitution says, and what bends the plate is not lost."""
    values = {"count": 1, "spread": 1e-4, "t_end": 1e-3, "restitution": 0.5, "modes": 4, "elements": 6}
    figures = balanced("plate_hail", values).figures
    assert figures["contact_count"] == figures["hits"] == 1
    assert 0.5 < figures["energy_lost"] < 0.85
    assert figures["deflection_max"] > 0.0


def test_pendulum_starts_with_the_given_speed():
    values = {"stop": False, "start_angle": 0.3, "start_speed": -8.0, "t_end": 1e-3, "gravity": 0.0}
    # a straight bar in steady rotation: nothing bends it
    figures = balanced("flexible_pendulum_impact", values).figures
    assert figures["angle_end"] == pytest.approx(0.3 - 8.0e-3, rel=1e-5)


@pytest.mark.parametrize(
    "values",
    [pytest.param({}, marks=pytest.mark.slow), {"length": 0.18, "shank_height": 0.02, "shank_thickness": 0.018, "modes": 0}],
)
def test_engine_connecting_rod(values):
    """Forces at top dead centre, where they are largest, against those of a rigid rod.

    Its deflection alters them by some 1e-4 (docs/engine.md).
    """
    outcome = run_case("engine_connecting_rod", values)
    figures, p = outcome.figures, outcome.parameters
    ratio = p["crank"] / p["length"]
    piston = p["piston_mass"] * p["crank"] * p["speed"] ** 2 * (1.0 + ratio)
    assert figures["piston_pin_force_max"] == pytest.approx(piston, rel=1e-3)
    body = outcome.result.flexible("rod")
    center = body.center[0] / p["length"]  # at the crank's end 0, at the piston's 1
    rod = figures["rod_mass"] * p["crank"] * p["speed"] ** 2 * (1.0 + ratio * center)
    assert figures["crank_pin_force_max"] == pytest.approx(piston + rod, rel=1e-3)
    assert figures["peak_stress"] > 2.0 * piston / (0.024 * 0.022)


def test_flexible_pendulum_without_stop_has_no_contact():
    figures = balanced("flexible_pendulum_impact", {"stop": False, "bending_modes": 1, "t_end": 0.6}).figures
    assert figures["contact_count"] == 0
    assert figures["first_contact_time"] is None
    assert figures["angle_end"] < 0.0  # it swings through


def test_parameters_replace_values_of_the_mesh():
    values = {"length": 0.5, "thickness": 0.002, "stop": False, "t_end": 0.01, "axial_modes": 0, "bending_modes": 1}
    outcome = balanced("flexible_pendulum_impact", values)
    frequency = outcome.result.flexible("pendulum").frequencies[0]
    # Euler-Bernoulli cantilever: (1.8751^2 / 2 pi) sqrt(E h^2 / 12 rho) / L^2
    exact = 1.8751040687119611**2 / (2 * math.pi) * math.sqrt(210e9 * 0.002**2 / (12 * 7850.0)) / 0.5**2
    # 100 cubic elements: error far below 1e-6
    assert frequency == pytest.approx(exact, rel=1e-6)


def test_flexible_double_pendulum_impact():
    figures = balanced("flexible_double_pendulum_impact", {"t_end": 0.45}).figures
    assert figures["first_contact_time"] == pytest.approx(0.4466046841176486, rel=1e-5)
    assert figures["first_impulse"] == pytest.approx(0.10415871846248549, rel=1e-3)


def test_panel_lock():
    """All hinges latch together; the wing, which had no momentum, is then at rest (DOP853 at 1e-12)."""
    (latch,) = balanced("panel_lock", {"t_end": 12.0}).figures["latches"]
    assert latch["time"] == pytest.approx(11.4410182684, rel=1e-10)
    assert latch["hinges"] == [1, 2, 3]
    assert latch["energy_lost"] == pytest.approx(1.73789209754, rel=1e-9)
    assert abs(latch["hub_rate_after"]) < 1e-12


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"synchronisation": "belt"}, "'synchronisation' must be one of rigid, elastic, none, not 'belt'"),
        ({"synchronisation": "elastic"}, "elastic synchronisation needs the parameter 'sync_stiffness'"),
        ({"start_angles": "-1,1"}, "'start_angles' must be 3 numbers for 3 panels"),
    ],
)
def test_panel_lock_refuses(values, message):
    with pytest.raises(CaseError, match=message):
        run_case("panel_lock", values)


def test_docking_latch():
    """In line and central: the impulse of two free masses, m1 m2 / (m1 + m2) v, and all of the relative energy."""
    values = {"offset": 0.0, "misalignment": 0.0, "t_end": 1.0}
    figures = balanced("docking_latch", values).figures
    mass = 412.0 * 700.0 / 1112.0
    assert figures["latch_times"] == pytest.approx([0.5], rel=1e-12)
    assert figures["impulse"] == pytest.approx(0.1 * mass, rel=1e-12)
    assert figures["energy_lost"] == pytest.approx([0.5 * mass * 0.1**2], rel=1e-11)


def test_docking_latch_off_the_axis():
    """A pin turns freely, and momentum is kept; the second latch stops the turning."""
    figures = balanced("docking_latch", {"t_end": 4.0, "rtol": 1e-6, "atol": 1e-8}).figures
    assert len(figures["latch_times"]) == 2
    assert abs(figures["angular_impulses"][0]) < 1e-9 * figures["impulse"]
    assert abs(figures["angular_impulses"][1]) > 1e-3
    assert max(figures["drift_of_momenta"]) < 1e-5 * figures["impulse"]


def test_clutch_brake():
    figures = balanced("clutch_brake").figures
    for name, expected in figures["closed_form"].items():
        assert figures[name] == pytest.approx(expected, rel=1e-11), name
    assert figures["torque_largest"] == pytest.approx(120.0, rel=1e-11)


def test_ratchet():
    figures = balanced("ratchet", {"t_end": 1.5}).figures
    assert figures["tooth_times"] == pytest.approx(figures["tooth_times_closed_form"], rel=1e-11)
    assert figures["teeth_passed"] == len(figures["tooth_times"]) > 17
    assert figures["hold_times"] == pytest.approx(figures["hold_times_closed_form"], rel=1e-11)
    assert figures["energy_lost"] == pytest.approx(figures["energy_lost_closed_form"], rel=1e-9)


def test_spin_up_beam():
    figures = run_case("spin_up_beam").figures
    assert figures["tip_deflection_extreme"] == pytest.approx(-0.5759178389915329, rel=1e-3)
    # reference grid: 20 us
    assert figures["tip_deflection_extreme_time"] == pytest.approx(6.76952, abs=1e-3)
    assert figures["tip_deflection_end"] == pytest.approx(0.0006062357101017064, abs=1e-3 * 0.576)


@pytest.mark.slow
def test_gear_pair():
    """ISO 6336-1 (2019), 9.3: about 14 N/(mm um) for one pair of teeth, 20 for the mean; coarse teeth."""
    values = dict(tooth_elements=2, flank_elements=4, width_elements=1, modes=2, patterns=0, points=8)
    with pytest.warns(UserWarning):
        figures = run_case("gear_pair", values | {"run_up": 0.006, "pitches": 0.1, "speed": 3.0}).figures
    assert 12e9 < figures["mesh_stiffness"] < 24e9
    assert figures["normal_force"] == pytest.approx(200.0 / (0.06 * math.cos(math.radians(20.0))), rel=0.05)


def test_rolling_meshes():
    """The patch of rigid rollers on their treads, and the friction that the brake torque needs."""
    values = dict(around=48, along=2, modes=3, t_end=0.02, load=1000.0, rtol=1e-3)
    with pytest.warns(UserWarning):
        figures = run_case("rolling_meshes", values).figures
    assert figures["normal_force"] == pytest.approx(1000.0, rel=0.05)
    assert figures["half_width"] == pytest.approx(figures["half_width_of_rigid_rollers"], rel=0.25)
    assert 0.0 < figures["creepage"] < 0.02


@pytest.mark.slow
def test_rotating_beam_frequencies():
    figures = run_case("rotating_beam_frequencies", {"gamma": 2.0}).figures
    # Wright et al. (1982); converged Galerkin solution
    assert figures["flap"][:2] == pytest.approx([4.137319572871197, 22.61492195378868], rel=1e-4)
    assert figures["chord"][:2] == pytest.approx([3.6217969639480216, 22.52631117107178], rel=1e-4)


def test_solid_pendulum():
    figures = run_case("solid_pendulum", {"t_end": 0.1}).figures
    beam = 1.8751040687119611**2 / (2 * math.pi) * math.sqrt(210e9 * 0.004**2 / (12 * 7850.0))
    # solid against slender beam: 0.3 % with the averaged hinge
    assert figures["frequencies"][0] == pytest.approx(beam, rel=3e-3)
    assert len(figures["frequencies"]) == 6
    # the same bar as a beam: swing angles agree to 3e-3 rad, the largest stress to 10 % (the solid shows the local
    # stress of its hinge too)
    as_beam = run_case("solid_pendulum", {"t_end": 0.1, "mesh": "pendulum_beam.inp"}).figures
    assert figures["angle_end"] == pytest.approx(as_beam["angle_end"], abs=3e-3)
    assert figures["max_von_mises"] == pytest.approx(as_beam["max_von_mises"], rel=0.1)


def test_hertz_sphere(tmp_path):
    """Closed form (K. L. Johnson, 1985, sec. 11.4): d = (5 m v^2 / (4 k))^(2/5), F = k d^1.5, t = 2.943275 d / v."""
    path = tmp_path / "sphere.json"
    path.write_text('{"R": 0.02, "m": 0.3, "k": 2e10, "v": [0.5, 2.0], "note": "stiffness and mass are stated"}')
    outcome = balanced("hertz_sphere", {"parameters": str(path), "speed": 2.0})
    assert outcome.parameters["radius"] == 0.02 and outcome.parameters["speeds"] == (0.5, 2.0)
    main = {"v": 2.0, "delta_max": "indentation_max", "F_max": "peak_force", "t_c": "contact_time"}
    rows = [{"v": 2.0, **{name: outcome.figures[own] for name, own in main.items() if name != "v"}}]
    for row in (*rows, *outcome.figures["cases"]):
        depth = (1.25 * 0.3 * row["v"] ** 2 / 2e10) ** 0.4
        # rtol is 1e-9
        assert row["delta_max"] == pytest.approx(depth, rel=1e-8)
        assert row["F_max"] == pytest.approx(2e10 * depth**1.5, rel=1e-8)
        assert row["t_c"] == pytest.approx(2.9432751843 * depth / row["v"], rel=1e-8)
    assert outcome.figures["restitution_measured"] == pytest.approx(1.0, rel=1e-8)
    path.write_text('{"v": 3.0}')  # a single speed is that of the run too
    assert balanced("hertz_sphere", {"parameters": str(path)}).figures["rebound_speed"] == pytest.approx(3.0, rel=1e-8)


def test_journal_clearance_pendulum(tmp_path):
    """The third contact, with the values of the reference (separate program, exact to 6e-11)."""
    path = tmp_path / "pendulum.json"
    start = "[0, 0, 1.0471975511965976, 0, 0, 0]"
    one = f'{{"m": 1.2, "J": 0.025, "s": 0.25, "c": 0.0005, "K": 2e9, "e": 0.9, "g": 9.81, "start": {start}}}'
    path.write_text(f'{{"sets": {{"one": {one}}}, "convention": "theta from the downward vertical"}}')
    figures = balanced("journal_clearance_pendulum", {"parameters": str(path)}).figures
    third = figures["lankarani_nikravesh"][2]
    assert third["t_start"] == pytest.approx(0.0239150521052554, rel=1e-9)
    assert third["approach_speed"] == pytest.approx(0.08271140383174178, rel=1e-9)
    assert third["peak_force"] == pytest.approx(173.84350756327302, rel=1e-8)
    assert third["effective_mass"] == pytest.approx(0.39840535134250576, rel=1e-8)
    assert third["energy_end"] == pytest.approx(-1.4724559034360074, rel=1e-9)


def test_clearance_slider_crank(tmp_path):
    """First contacts and extremes of the reference, whose peaks are those of 1.5 us samples."""
    path = tmp_path / "crank.json"
    path.write_text('{"crank": 0.05, "rod": 0.12, "rpm": 5000, "clearance": 0.0005, "K": 10584788657.405666}')
    figures = balanced("clearance_slider_crank", {"parameters": str(path), "t_end": 0.0015}).figures
    third = figures["K_flores"]["first_contacts"][2]
    assert third["t0"] == pytest.approx(0.0013328679785644462, rel=1e-8)
    assert third["v_in"] == pytest.approx(3.027772946709361, rel=1e-8)
    assert third["F_peak"] == pytest.approx(16724.359760015122, rel=1e-4)
    assert figures["slider_acceleration_max"] == pytest.approx(171764.29573943038, rel=1e-3)
    assert figures["ideal_joint"]["max_abs_crank_torque"] == pytest.approx(138.52126760994216, rel=1e-5)
    assert figures["ideal_joint"]["max_pin_force"] == pytest.approx(2718.710471596374, rel=1e-9)
    # the published stiffness follows from the materials and radii
    published = run_case("clearance_slider_crank", {"t_end": 1e-5}).parameters["stiffness"]
    assert published == pytest.approx(10584788657.405666, rel=1e-12)


@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning")
def test_sphere_on_beam(tmp_path):
    """Timoshenko's beam: a file without a support stands for a simply supported one and symmetric modes."""
    path = tmp_path / "timoshenko.json"
    path.write_text(
        '{"E": 215746300000.0, "nu": 0.3, "rho": 7960.0, "b": 0.01, "h": 0.01, "L": 0.1535, "R": 0.01, "v0": 0.01,'
        ' "m": 0.03334277003009968, "k": 15805589743.589745, "beam_mass": 0.122186, "omega": [6295.170643842689]}'
    )
    values = {"parameters": str(path), "modes": 5, "patch": "plain", "t_end": 2e-4}
    figures = balanced("sphere_on_beam", values).figures
    # reference impact_timoshenko_sphere_beam, N_odd_modes=5
    (contact,) = figures["N_odd_modes=5"]
    assert contact["F_peak"] == pytest.approx(4.979437650282361, rel=1e-6)
    assert contact["duration"] == pytest.approx(0.00015634970101642543, rel=1e-8)
    # five modes and a massless patch: as 40 modes without
    figures = balanced("sphere_on_beam", {**values, "patch": "massless"}).figures
    assert figures["peak_forces"] == pytest.approx([4.977143908557389], rel=1e-5)


@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning")
def test_pinned_beam_stop(tmp_path):
    path = tmp_path / "beam.json"
    path.write_text('{"E": 67e9, "rho": 2400.0, "nu": 0, "c": 0.014, "L": 0.783, "x_gauge": 0.462, "omega0": -3.8, "k": [18000]}')
    figures = balanced("pinned_beam_stop", {"parameters": str(path), "modes": 5, "t_end": 0.014}).figures
    (contact,) = figures["k=18000,N=5"]  # reference impact_pinned_beam_linear_spring
    assert contact["F_peak"] == pytest.approx(89.69548962274607, rel=1e-7)
    assert figures["contact_duration"] == pytest.approx(0.012310677886846966, rel=1e-8)
    assert figures["freqs_pinned_free_Hz"][:2] == pytest.approx([85.46723156328041, 276.9685728473763], rel=1e-9)
    least, largest = figures["k=18000,strain_minmax(x=0.462)"]
    assert largest == pytest.approx(0.0007142960855989583, rel=0.02)  # 80 modes


@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning")
def test_st_venant_rod():
    """A mass four times that of the rod: peak behind the front at tau = 4, exact (d'Alembert)."""
    figures = run_case("st_venant_rod", {"modes": 12, "alpha": 0.25, "rtol": 1e-4, "atol": 1e-10, "wall": False}).figures
    assert figures["peak_stress"] == pytest.approx(2.9744101008840755, rel=0.03)
    assert figures["mass_M_striking_free_end_of_fixed_rod"]["cases"]["1/4"]["at_tau"] == 4.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexmbs.ResultWarning", "ignore::flexmbs.BasisWarning")
def test_impact_wave(tmp_path):
    """Bending waves: what is twice as far comes four times later."""
    outcome = run_case("impact_wave", {"modes": 12, "t_end": 0.006, "rtol": 1e-5, "atol": 1e-10})
    sections, arrivals = outcome.figures["sections"], outcome.figures["arrival_times"]
    assert sections == pytest.approx([0.26, 0.38, 0.5, 0.62, 0.74, 1.0])
    assert arrivals[4] / arrivals[3] == pytest.approx(4.0, rel=0.25)
    case = load_case("impact_wave")
    shown = case.module.maps(outcome.result, case.parameters(**outcome.parameters))["Angular velocity"]
    plot_map(shown, save=tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_damped_impact(tmp_path):
    path = tmp_path / "laws.json"
    values = '"m": 2.0, "v0_in_law": 1.0, "v_impact": 0.5, "e": 0.4, "k_linear": 1e6'
    path.write_text(f'{{"K": 1e9, "n": 1.5, "sets": {{"one": {{{values}}}}}}}')
    figures = balanced("damped_impact", {"parameters": str(path), "law": "gonthier"}).figures
    for rows in figures["laws"].values():
        assert rows[0]["e_measured"] == pytest.approx(rows[0]["e_closed_relation"], rel=1e-8)
    # half of 2.1 at half the speed of the law: ln(2.05 / (1 - 1.05 e)) = 1.05 (1 + e)
    assert figures["restitution_measured"] == pytest.approx(figures["laws"]["gonthier"][0]["e_measured"], rel=1e-9)
    e = figures["restitution_measured"]
    assert math.log(2.05 / (1.0 - 1.05 * e)) == pytest.approx(1.05 * (1.0 + e), rel=1e-8)
    assert figures["rebound_speed"] == pytest.approx(0.5 * e, rel=1e-8)
    (linear,) = figures["anagnostopoulos_linear"]
    assert linear["e_separation_at_zero_depth"] == pytest.approx(0.4, rel=1e-8)
    assert linear["e_separation_at_zero_force"] > 0.45


def test_friction_lugre_stribeck(tmp_path):
    path = tmp_path / "pull.json"
    path.write_text('{"sigma0": 1e5, "Fs": 1.5, "v_pull": 0.1, "k": 2.0, "t_end": 10.5}')
    (slip,) = run_case("friction_lugre_stribeck", {"parameters": str(path), "rtol": 1e-7}).figures["slips"]
    # own computation of the reference friction_lugre_stribeck: Radau at 1e-12
    expected = [7.540397463015664, 10.06445925295194, 0.36981599891060535, 0.002657189613691443, 0.7501405057962665]
    found = [slip[name] for name in ("t_up", "t_down", "v_max", "x_up", "spring_force_down")]
    assert found == pytest.approx(expected, rel=1e-6)


def test_friction_on_a_belt(tmp_path):
    path = tmp_path / "belt.json"
    path.write_text('{"m": 1.0, "v_belt": 0.2, "mu_s": 0.5, "mu_k": 0.25, "v_s": 0.3, "t_end": 8.0}')
    events = run_case("friction_lugre_stribeck", {"parameters": str(path), "rtol": 1e-7}).figures["stribeck_belt"]["events"]
    # the same reference: set-valued, DOP853 at 1e-13
    assert [event["t"] for event in events] == pytest.approx([0.48151703159015324, 2.7478661613074693, 7.614693125460721], rel=1e-8)
    assert [event["kind"] for event in events] == ["slip -> stick", "stick -> slip", "slip -> stick"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "does not exist; expected a JSON file"),
        ("{", "not a JSON file of parameters"),
        ("[1.0]", "expected one object of values"),
        ("{}", "it holds no values"),
        ('{"m": "heavy"}', "'mass' .kg. must be a number, not 'heavy'"),
        ('{"sets": {"a": {"m": 1.0}, "b": {"m": 2.0}}}', "it holds 2 sets .a, b.; write one of them"),
        ('{"sets": [1.0]}', "'sets' must hold objects of values by name"),
        ('{"panels": [{"m": 1.0}, {"l": 1.0}]}', "the objects of 'panels' must all have the same names"),
    ],
)
def test_files_of_parameters_that_cannot_be(tmp_path, text, message):
    path = tmp_path / "values.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CaseError, match=f"values.json: .*{message}"):
        run_case("damped_impact", {"parameters": str(path)})


def test_values_of_a_file_that_a_case_does_not_know_are_warned_about(tmp_path):
    path = tmp_path / "values.json"
    path.write_text('{"m": 2.0, "gravity": 9.81}')
    with pytest.warns(CaseWarning, match="values.json: this case has no gravity; it reads m, K"):
        assert run_case("damped_impact", {"parameters": str(path)}).parameters["mass"] == 2.0


def test_slider_crank_simeon_starts_where_it_is_told():
    # q0 stretches the rod by q4; the block stands there
    start = run_case("slider_crank_simeon", {"q0": "0,0,0,1e-4", "qd0": "0 0 0 0", "t_end": 1e-6})
    assert start.result["slide.displacement"][0] == pytest.approx(0.4501, rel=1e-12)


def test_n_four_bar():
    figures = balanced("n_four_bar", {"loops": 2, "v0": 0.0, "t_end": 0.5}).figures
    assert (figures["x"], figures["y"]) == pytest.approx((0.0, 1.0), abs=1e-9)  # upright it stays
    falling = balanced("n_four_bar", {"loops": 2, "t_end": 0.5}).figures
    omega = math.hypot(falling["vx"], falling["vy"])
    # energy: I omega^2 / 2 + 3.5 m g l sin phi, I = 3 m l^2
    assert 1.5 * omega**2 + 3.5 * 9.81 * falling["y"] == pytest.approx(1.5 + 3.5 * 9.81, rel=1e-7)


def test_bricard():
    figures = balanced("bricard", {"t_end": 2.0}).figures
    assert figures["energy_error"] < 1e-6
    assert figures["constraint_error"] < 1e-10


def test_heavy_top():
    # quaternion equations about the fixed point
    found = balanced("heavy_top", {"speed": "slow", "t_end": 1.0}).figures["position_end"]
    assert found == pytest.approx([-0.42297282930353564, -0.8939974676117162, -0.1478597767305248], abs=1e-7)


def test_spatial_slider_crank():
    # its equation with one freedom, DOP853
    figures = balanced("spatial_slider_crank", {"t_end": 1.0}).figures
    assert figures["theta_end"] == pytest.approx(10.913590729598775, rel=1e-8)
    assert figures["x_end"] == pytest.approx(0.21172166140628226, rel=1e-7)


@pytest.mark.parametrize("values", [{}, {"torque": 2.0, "radius": 0.08, "stiffness": 900.0}])
def test_rack_and_pinion(values):
    figures = balanced("rack_and_pinion", values).figures
    assert figures["closed_form_error"] < 1e-9  # m, of swings of 0.1 m
    assert figures["angle_end"] == pytest.approx(figures["displacement_end"] / values.get("radius", 0.05), rel=1e-9)


def test_cam_follower():
    figures = balanced("cam_follower").figures
    assert figures["height_error"] < 1e-11
    # accelerations are as good as the tolerance of the velocities over a step
    assert figures["force_error"] < 1e-6
    assert figures["force_min"] > 0.0  # the roller stays on the cam by itself


def test_rolling_disc():
    assert balanced("rolling_disc").figures["circle_error"] < 1e-8
    wobbling = balanced("rolling_disc", {"wobble": 0.5}).figures
    assert wobbling["energy_error"] < 1e-9
    assert wobbling["circle_error"] > 1e-2


def test_roller_coaster():
    figures = run_case("roller_coaster").figures
    assert figures["energy_error"] < 1e-7
    # one car alone: a point that slides from height 15 m with 2 m/s, but for its small rotation
    alone = run_case("roller_coaster", {"cars": 1, "t_end": 5.0})
    drop = 15.0 - alone.result["car 1.position.z"]
    speed = alone.result["wheels 1.s.rate"]
    # rotational energy: inertia m (2^2 + 1) / 12 and curvatures up to 0.15 1/m: below 1 % of the kinetic energy
    assert speed**2 == pytest.approx(4.0 + 2.0 * 9.81 * drop, rel=1e-2)


def test_flexible_four_bar():
    figures = balanced("flexible_four_bar", {"t_end": 0.2}).figures
    # rigid linkage: the crank has turned to 0.5 + 30 (0.2 - 0.05) rad; the coupler gives way by less than 5 mm
    p = load_case("flexible_four_bar").module.Parameters()
    angle = load_case("flexible_four_bar").module.rigid_angles(p, 5.0)[1]
    assert figures["x_end"] == pytest.approx(0.4 + 0.3 * math.cos(angle), abs=5e-3)
    assert 1e-4 < figures["mid_deflection_max"] < 5e-3


@pytest.mark.parametrize(
    ("case", "values", "message"),
    [
        ("heavy_top", {"speed": "rapid"}, "'speed' must be fast or slow"),
        ("heavy_top", {"Omega0": "1,2"}, "expected 3 finite numbers, got .1.0, 2.0."),
        ("n_four_bar", {"loops": 0}, "'loops' must be at least 1"),
        ("car_axis", {"r": 1.0}, "'r' must be smaller than L = 1 m"),
        ("slider_crank_simeon", {"init": "init3"}, "'init' must be init1 or init2"),
        ("slider_crank_simeon", {"q0": "1,2"}, "'q0' must be 4 numbers"),
        ("spatial_slider_crank", {"lBC": 0.2}, "'lBC' .m. must exceed 0.223607, the distance of the crank's end"),
        ("cam_follower", {"e": 0.05}, "'e' .m. must lie between 0 and R = 0.04, not 0.05"),
        ("rolling_disc", {"tilt": 2.0}, "'tilt' .rad. must lie between 0 and pi/2, not 2"),
        ("flexible_four_bar", {"rocker": 0.1}, "cannot be assembled at crank_angle = 0.5 rad"),
        ("damped_impact", {"law": "hertz"}, "'law' must be one of hunt_crossley, .*, not 'hertz'"),
        ("damped_impact", {"restitution": 1.5}, "'restitution' must be at most 1"),
        ("damped_impact", {"restitution": 0.0, "law": "flores_2011"}, "restitution 0.0 must be above 0"),
        ("hertz_sphere", {"t_end": -1.0}, "t_end = -1.0"),
        ("andrews_squeezer", {"coordinates": "relative"}, "expected one of reduced, absolute"),
    ],
)
def test_wrong_parameters_of_cases(case, values, message):
    with pytest.raises(FlexmbsError, match=message):
        run_case(case, values)
