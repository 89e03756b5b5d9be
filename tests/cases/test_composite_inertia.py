"""The case composite_inertia: refused as printed, computed when allowed."""

import json
import warnings

import numpy as np
import pytest
from command_line import flexmbs

import flexmbs as fm
from flexmbs import run_case

J1 = np.array(
    [
        [17.70964250037791, 18.48821290734195, 18.11118260182349],
        [18.48821290734195, 16.41579683606009, 6.83322956132983],
        [18.11118260182349, 6.83322956132983, 15.55719337462858],
    ]
)
J2 = np.array([[1.008047, 0.759788, -0.643099], [0.759788, 6.641947, -0.059607], [-0.643099, -0.059607, 7.016648]])
M1, M2 = 231.1, 91.2
X1, X2 = np.array([-0.367127909, 0.012326682, 0.105797098]), np.array([0.562339965, -0.023307787, -0.018991260])


def test_refused_by_default(tmp_path):
    run = flexmbs("run", "composite_inertia", "--out", tmp_path / "out", check=False)
    assert run.returncode == 2
    assert run.stderr.startswith("error: body 1: ") and "negative principal moment (-5.74137 kg m2" in run.stderr
    assert "allow_nonphysical" in run.stderr
    assert not (tmp_path / "out" / "summary.json").exists()


def test_computed_when_allowed(tmp_path):
    run = flexmbs("run", "composite_inertia", "--set", "allow_nonphysical=true", "--out", tmp_path)
    assert all(line.startswith("warning: rigid body: ") for line in run.stderr.splitlines() if line)
    assert "negative principal moment" in run.stderr
    figures = json.loads((tmp_path / "summary.json").read_text())["figures"]
    # two bodies: the reduced mass on the arm between their centres
    arm = X2 - X1
    inertia = J1 + J2 + M1 * M2 / (M1 + M2) * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert figures["mass"] == pytest.approx(322.3, rel=1e-15)
    assert figures["center"] == pytest.approx((M1 * X1 + M2 * X2) / (M1 + M2), rel=1e-13)
    assert np.array(figures["inertia"]) == pytest.approx(inertia, rel=1e-13)


def test_a_physical_first_body_needs_no_permission():
    corrected = {"J1_xy": 1.848821290734195, "J1_xz": 1.811118260182349}
    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.MechanismWarning)
        figures = run_case("composite_inertia", corrected).figures
    assert np.linalg.eigvalsh(figures["inertia"])[0] > 0.0
