"""First contacts in joints with clearance against special-purpose programs (data/README.md, joint_clearance)."""

import json

from flexmbs import run_case

SOURCE = "own computation of this system"


def test_journal_clearance_pendulum(reference, figures, tmp_path):
    expected = reference("joint_clearance")["journal_clearance_pendulum"]
    path = tmp_path / "set.json"
    path.write_text(json.dumps({"sets": {"one": expected["parameters"]}}))
    found = run_case("journal_clearance_pendulum", {"parameters": str(path)}).figures["lankarani_nikravesh"]
    groups = {
        "start, end": (("t_start", "t_end"), 1e-9),
        "speeds": (("approach_speed", "separation_speed"), 1e-8),
        "peak force, depth, impulse": (("peak_force", "max_depth", "impulse"), 1e-8),
        "time of the peak": (("t_peak",), 1e-7),
        "contact angle, effective mass": (("contact_angle", "effective_mass"), 1e-8),
        "motion at the end": (("theta_end", "omega_end"), 1e-8),
    }
    for what, (names, allowed) in groups.items():
        values, wanted = ([row[name] for row in rows for name in names] for rows in (found, expected["lankarani_nikravesh"]))
        figures(f"pendulum on a journal with clearance: {what}", SOURCE, values, wanted, allowed)


def test_clearance_slider_crank(reference, figures, tmp_path):
    expected = reference("joint_clearance")["clearance_slider_crank"]
    path = tmp_path / "set.json"
    path.write_text(json.dumps(expected["parameters"]))
    computed = run_case("clearance_slider_crank", {"parameters": str(path), "t_end": 0.0015}).figures
    contacts = computed["K_flores"]["first_contacts"]
    for what, names, allowed in (
        ("start, end, approach speed", ("t0", "t1", "v_in"), 1e-8),
        ("peak force", ("F_peak",), 1e-4),  # the largest of samples
    ):
        values, wanted = ([row[name] for row in rows for name in names] for rows in (contacts, expected["first_contacts"]))
        figures(f"slider-crank with clearance: {what}", SOURCE, values, wanted, allowed)
    peak = computed["slider_acceleration_max"]
    figures("slider-crank with clearance: acceleration", SOURCE, peak, expected["max_abs_slider_acc"], 1e-3)
    ideal = expected["ideal_joint"]
    values = [computed["ideal_joint"][name] for name in ideal]
    figures("slider-crank without: acceleration, torque, force", SOURCE, values, list(ideal.values()), 1e-5)
