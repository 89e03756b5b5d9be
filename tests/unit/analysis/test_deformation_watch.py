"""Modal bodies that deform further than their modes describe: said by name with the error, and stopped far beyond."""

from functools import cache

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.evaluation.stations import stations_of
from flexmbs.analysis.recording.deformation_watch import QUIET, BodyWatch
from flexmbs.result.report.run_sections import sentences
from flexmbs.view.page.result_scene import ResultOptions, result_scene

STEEL = fm.Material("STEEL", 210e9, 0.3, 7850.0)
LENGTH, STIFFNESS = 1.0, 210e9 * 0.01 * 0.02**3 / 12.0  # m, N m2: EI of bending in the plane x y


@cache
def beam(length: float = LENGTH, modes=None) -> fm.FlexibleBody:
    mesh = fm.line_mesh(length, 12, fm.rectangle(0.02, 0.01), STEEL)
    modes = modes or fm.CraigBampton("root", count=0, frequency_tolerance=None)
    return fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes)


def cantilever(load) -> fm.System:
    """``load``: dead force on the tip along y, N L^2 / EI; a function of time or a number."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    bar = system.add(beam(), name="bar")
    system.fixed(system.ground["origin"], bar["root"])
    scaled = (lambda t: load(t) * STIFFNESS / LENGTH**2) if callable(load) else load * STIFFNESS / LENGTH**2
    system.force(bar["tip"], (0.0, scaled, 0.0))
    return system


def watch() -> tuple[BodyWatch, np.ndarray]:
    """One body, and the coordinates with a unit rotation of its tip under a force there."""
    body = beam()
    q = np.linalg.solve(body.Ke, body.markers["tip"].Phi[:, 1])
    return BodyWatch("bar", body, slice(0, len(q)), stations_of(body)), q / (q @ body.markers["tip"].Psi[:, 2])


def test_rows_are_looked_at_until_one_is_beyond_the_limit():
    """The error of 1 % comes at a rotation of 0.15 rad, that of 50 % at about 1.2 rad."""
    body, unit = watch()
    t = np.linspace(0.0, 1.0, 101)
    assert body.take(t, np.outer(1e-3 * t, unit), 0.5) is None
    body.finish()
    assert body.error < 1e-6
    assert body.rotation == pytest.approx(1e-3, rel=0.03)  # of the middle of the last piece
    assert body.take(1.0 + t, np.outer(0.4 * t, unit), 0.5) is None
    body.finish()
    assert body.error == pytest.approx(0.45 * 0.4**2, rel=0.2)
    assert body.error_at == 2.0
    row = body.take(2.0 + t, np.outer(2.0 * t, unit), 0.5)
    assert 2.0 * t[row] == pytest.approx(1.2, abs=0.25)


def test_rotations_below_the_quiet_one_are_not_judged(monkeypatch):
    body, unit = watch()
    calls = []
    monkeypatch.setattr(type(body.stations), "error", lambda _self, q: calls.append(q) or (0.0, 0.0))
    for size in np.linspace(0.0, 0.99 * QUIET, 20):
        body.take(np.zeros(1), size * unit[None], 0.5)
    assert not calls
    for size in np.linspace(QUIET, 10.0 * QUIET, 200):  # each time that it has grown by a fifth
        body.take(np.zeros(1), size * unit[None], 0.5)
    assert 10 <= len(calls) <= 14
    body.finish()
    np.testing.assert_array_equal(calls[-1], 10.0 * QUIET * unit)


def test_a_stretch_is_an_error_too():
    body, _unit = watch()
    tip = body.body.markers["tip"]
    q = np.linalg.solve(body.body.Ke, tip.Phi[:, 0])
    q *= 0.02 * LENGTH / (q @ tip.Phi[:, 0])
    assert body.take(np.zeros(1), q[None], 0.5) is None
    body.finish()
    assert body.error == pytest.approx(1.5 * 0.02, rel=0.01)
    assert body.strain == pytest.approx(0.02, rel=0.01)
    assert body.take(np.zeros(1), 20.0 * q[None], 0.5) == 0


def test_values_that_are_not_finite_are_left_to_others():
    body, unit = watch()
    assert body.take(np.zeros(2), np.outer([np.nan, np.inf], unit), 0.5) is None


def test_a_run_warns_and_says_it_in_its_statistics():
    """A tip pushed slowly to 0.31 of the length: 11 % (elastica)."""
    system = cantilever(lambda t: t * t * (3.0 - 2.0 * t) if t < 1.0 else 1.0)
    with pytest.warns(fm.ResultWarning, match="body 'bar' deforms further than its modes describe.*more than 1%") as said:
        result = system.simulate(1.0)
    assert result.stats["deformation_error"] == pytest.approx(0.106, rel=0.1)
    assert result.stats["deformation_error_body"] == "bar"
    assert 0.9 < result.stats["deformation_error_time"] <= 1.0
    assert result.stats["largest_rotation"] == pytest.approx(0.5, rel=0.05)
    assert result.stats["largest_strain"] == pytest.approx(1.0 * 0.01, rel=0.1)  # kappa h / 2 at the clamp
    assert 0.1 < result.stats["second_order_share"] < 0.3
    assert any("deforms further" in text for text in result.stats["warnings"])
    assert sum("deforms further" in str(one.message) for one in said) == 1


def test_reports_and_pages_say_it_in_words():
    with pytest.warns(fm.ResultWarning, match="deforms further"):
        still = cantilever(1.0).statics()
    words = "Body 'bar': its displacements are wrong by about 0.1 of the largest at t = 0 s. It turns by up to"
    assert any(text.startswith(words) for text in sentences(still, still.stats))
    assert result_scene(still, ResultOptions())["notes"][0].startswith(words)


def test_a_run_far_beyond_stops_by_name_or_goes_on():
    system = cantilever(lambda t: 3.0 * t)
    with pytest.raises(fm.SimulationError, match=r"at t = 0\.\d+ s body 'bar' .*: more than 50%.*stop_on_deformation") as caught:
        system.simulate(1.0)
    assert caught.value.result.status.startswith("stopped: at t = 0.")
    assert 0.5 < caught.value.result.stats["deformation_error"] < 0.8
    with pytest.warns(fm.ResultWarning, match="deforms further"):
        assert system.simulate(1.0, stop_on_deformation=False).status == "finished"


def test_small_deformations_say_nothing(recwarn):
    result = cantilever(0.01).simulate(0.1)
    assert not [one for one in recwarn if "deforms" in str(one.message)]
    assert result.stats["deformation_error"] < 1e-3
    assert result.stats["largest_rotation"] > 0.0


def test_rigid_bodies_have_no_such_statistics():
    system = fm.System()
    block = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="block")
    system.prismatic(system.ground["origin"], block["origin"], axis="x", name="slide")
    assert "deformation_error" not in system.simulate(0.1).stats


def test_statics_warn_and_stop():
    with pytest.warns(fm.ResultWarning, match="body 'bar' deforms further"):
        assert cantilever(1.0).statics().stats["deformation_error"] == pytest.approx(0.1086, rel=0.1)
    with pytest.raises(fm.SimulationError, match="statics: body 'bar' .*: more than 50%") as caught:
        cantilever(5.0).statics()
    assert caught.value.result.status.startswith("stopped: statics: body 'bar'")
    assert caught.value.result.stats["deformation_error"] == pytest.approx(1.97, rel=0.1)  # of the elastica; 1.34 across alone
    with pytest.warns(fm.ResultWarning, match="deforms further"):
        assert cantilever(5.0).statics(stop_on_deformation=False).status == "finished"


def pressed(reach) -> fm.System:
    """A bar with one mode, clamped; a plane moves its tip aside by ``reach`` lengths in 1 s: nothing is left free."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    bar = system.add(beam(LENGTH, fm.ClampedFree(at="root", bending=(1, 0))), name="bar")
    system.fixed(system.ground["origin"], bar["root"])
    slide = system.add(fm.RigidBody.box(7850.0, (0.01, 0.01, 0.01)), name="slide")
    drive = system.prismatic(system.ground.marker("rail", position=(LENGTH, 0.0, 0.0)), slide["origin"], axis="y", name="rail")
    drive.prescribe(fm.Polynomial([0.0, reach * LENGTH]))
    system.inplane(slide["origin"], bar["tip"], normal="y", name="plane")
    return system


def test_kinematics_warn_and_stop():
    with pytest.warns(fm.ResultWarning, match="body 'bar' deforms further .*more than 1%"):
        result = pressed(0.3).kinematics(1.0, steps=20)
    assert 0.05 < result.stats["deformation_error"] < 0.2
    assert result.stats["deformation_error_time"] == 1.0
    with pytest.raises(fm.SimulationError, match="kinematics: the motion stops .*body 'bar' deforms .*: more than 50%") as caught:
        pressed(2.0).kinematics(1.0, steps=20)
    assert 0.2 < caught.value.result.t[-1] < 0.9
    with pytest.warns(fm.ResultWarning, match="deforms further"):
        assert pressed(2.0).kinematics(1.0, steps=20, stop_on_deformation=False).status == "finished"


def jammed(modes) -> fm.System:
    """A crank of 0.4 m on a rod of 0.22 m (None: rigid): at sin a = 0.55 the piston cannot follow; only the rod can yield."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    crank = system.add(fm.RigidBody.box(7850.0, (0.4, 0.02, 0.02), center=(0.2, 0.0, 0.0)), "crank")
    system.revolute(system.ground["origin"], crank["origin"], name="shaft").prescribe(fm.Polynomial([0.0, 10.0]))
    if modes is None:
        rod = system.add(fm.RigidBody.box(7850.0, (0.22, 0.02, 0.01), center=(0.11, 0.0, 0.0)), "rod")
        rod.marker("root")
        rod.marker("tip", position=(0.22, 0.0, 0.0))
    else:
        rod = system.add(beam(0.22, modes), "rod")
    system.revolute(crank.marker("pin", position=(0.4, 0.0, 0.0)), rod["root"], name="pin")
    piston = system.add(fm.RigidBody.box(7850.0, (0.03, 0.03, 0.03)), "piston")
    system.revolute(rod["tip"], piston["origin"], name="wrist")
    system.prismatic(system.ground.marker("liner"), piston["origin"], axis="x", name="liner")
    return system


@pytest.mark.parametrize("modes", [fm.CraigBampton(at="root", count=2), fm.ClampedFree(at="root", bending=3, axial=1)])
def test_a_jammed_crank_is_named_with_its_driver(modes):
    """The rod would be stretched to 0.8 m, or there would be no end: the run stops soon after the singular position.

    With an axial mode the rod snaps through and vibrates; the last digits, which differ between processors, decide
    whether it stops at once or after some vibrations, when the drivers are not to blame any more.
    """
    driver = r"singular position, where its drivers could not move it .*'shaft.angle' \(.* N m\).*"
    snaps = isinstance(modes, fm.ClampedFree)
    with pytest.raises(fm.SimulationError, match=f"{'' if snaps else driver}body 'rod' deforms further") as caught:
        jammed(modes).simulate(0.3)
    jam = np.arcsin(0.22 / 0.4) / 10.0
    assert jam < caught.value.result.t[-1] < (0.3 if snaps else jam + 0.03)


def test_a_jammed_crank_on_a_rigid_rod_is_named_with_its_driver():
    message = "singular position.* with driving forces that grow without bound: 'shaft.angle'"
    with pytest.raises(fm.SimulationError, match=message) as caught:
        jammed(None).simulate(0.3)
    assert caught.value.result.t[-1] == pytest.approx(np.arcsin(0.22 / 0.4) / 10.0, abs=1e-4)
