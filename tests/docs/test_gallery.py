"""Every script of the gallery: at most 40 lines, runs, draws its picture, and a number in it is right."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import RenderingUnavailable
from flexmbs.view.opengl import prepare_offscreen

SCRIPTS = {path.stem: path for path in (Path(__file__).resolve().parents[2] / "docs" / "gallery").glob("*.py")}


def _pendulum_impact(names):
    # an independent program, for the bar as a beam with 3 bending modes: 0.48325151 s (tests/docs/test_tutorial.py)
    assert names["hit"].start == pytest.approx(0.4832515, abs=1e-3)


def _engine_conrod(names):
    # inertia of the reciprocating piston and of the rod's own end at the top dead centre, where the pull is largest
    result, radius, length, speed = names["result"], names["radius"], names["length"], names["speed"]
    piston = names["piston"].body.mass
    pull = piston * radius * speed**2 * (1 + radius / length)
    assert np.abs(result["piston pin.reaction.force.x"]).max() == pytest.approx(pull, rel=5e-3)
    assert 0.5 < names["peak"] / 1e6 / 64.0 < 2.0


def _satellite_panels(names):
    # nothing acts from outside, so it stands still once all hinges are locked
    kinetic = names["result"]["energy.kinetic"]
    assert len(names["locked"]) == 3 and kinetic[-1] < 1e-12 * kinetic.max()


def _suspension(names):
    # the car rises by no more than the bump, and comes back to its equilibrium
    lift = names["lift"]
    assert 0.03 < lift.max() - lift[0] < 0.06 and lift[-1] == pytest.approx(lift[0], abs=5e-3)


def _clearance_slider_crank(names):
    # kinematics of the ideal mechanism: r w^2 (1 + r / l) at the outer dead centre
    speed = 5000 * np.pi / 30
    assert names["expected"] == pytest.approx(0.05 * speed**2 * (1 + 0.05 / 0.12), rel=1e-3)
    assert names["worst"] > 2.0 * names["expected"]


def _newton_cradle(names):
    # balls of equal masses exchange their speeds: the last one goes up as high as the first one was
    assert names["highest"][-1] == pytest.approx(50.0, abs=1e-2)
    assert max(names["highest"][:-1]) < 1.0


def _cam_follower(names):
    # eccentric disc: the lift is twice the offset
    assert np.ptp(names["lift"]) == pytest.approx(2 * names["offset"], rel=1e-3)
    assert names["force"].min() > 0.0


def _stick_slip(names):
    # the spring pulls the block loose when k x = mu_s m g, x growing with the belt's speed from zero
    first = 0.4 * names["mass"] * 9.81 / names["stiffness"] / names["belt_speed"]
    assert names["slips"][0] == pytest.approx(first, rel=1e-6)
    assert len(names["slips"]) == 3


def _spinning_beam(names):
    # steady spin: no forces along the path; the beam straightens again, and never bends far
    tip = names["result"]["beam.tip.displacement.y"]
    assert -0.7 < names["deflection"] < -0.5  # Kane, Ryan and Banerjee (1987), figure: between 0.5 and 0.6 m
    assert abs(tip[-1]) < 2e-3


def _heap_of_spheres(names):
    # at rest inside the box, and not through each other
    result, radius, count = names["result"], names["radius"], names["count"]
    ends = np.array([[result[f"ball {i + 1}.position.{axis}"][-1] for axis in "xyz"] for i in range(count)])
    distances = np.linalg.norm(ends[:, None] - ends[None], axis=-1) + 1e3 * np.eye(count)
    assert distances.min() > 1.99 * radius and ends[:, 2].min() > 0.99 * radius
    assert result["energy.kinetic"][-1] < 1e-2 * result["energy.kinetic"].max()


def _rolling_disc(names):
    # closed form of the steady motion: back at the start after one round
    assert names["end"] == pytest.approx([names["distance"], 0.0, names["radius"] * names["s"]], abs=1e-6)


def _robot_arm(names):
    result = names["result"]
    assert np.degrees(result["shaft.angle"][-1]) == pytest.approx(60.0, abs=0.1)
    assert 1e-3 < np.abs(names["bend"]).max() < 2e-2


def _tumbling_body(names):
    energy = names["result"]["energy.kinetic"]
    assert np.count_nonzero(np.diff(names["upright"])) >= 2 and np.ptp(energy) < 1e-8 * energy[0]


def _cam_study(names):
    # closed form: m (y'' + g) + k (y - y(0)) + F0, y the height of the roller over an eccentric disc
    p = fm.load_case("cam_follower").parameters()
    angle, reach = np.linspace(0.0, 2 * np.pi, 20001), p.R + p.r
    height = p.e * np.sin(angle) + np.sqrt(reach**2 - (p.e * np.cos(angle)) ** 2)
    curvature = np.gradient(np.gradient(height, angle), angle)
    table = names["table"]
    expected = [
        np.min(p.m * (w**2 * curvature + p.g) + k * (height - height[0]) + p.F0)
        for k, w in zip(table["k"], table["w"], strict=True)
    ]
    assert names["least"] == pytest.approx(expected, abs=0.02 * np.ptp(expected))


CHECKS = {name[1:]: check for name, check in list(globals().items()) if name[1:] in SCRIPTS}


def test_gallery_is_complete():
    assert len(SCRIPTS) >= 12 and set(CHECKS) == set(SCRIPTS)
    too_long = [name for name, path in SCRIPTS.items() if len(path.read_text("utf-8").splitlines()) > 40]
    assert too_long == []
    # each writes its picture and its scene under its own name
    wanted = [(path, f'"{name}.{kind}"') for name, path in SCRIPTS.items() for kind in ("png", "html")]
    assert [(path.name, file) for path, file in wanted if file not in path.read_text("utf-8")] == []


def _can_render() -> bool:
    try:
        prepare_offscreen()
    except RenderingUnavailable:
        return False
    return True


def _run(name: str, folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    if not _can_render():
        monkeypatch.setattr(fm.Result, "animate", lambda *_args, **_options: None)
    CHECKS[name](runpy.run_path(str(SCRIPTS[name])))
    drawn = folder / f"{name}.png"
    assert not _can_render() or drawn.stat().st_size > 5000
    assert "</html>" in (folder / f"{name}.html").read_text("utf-8")[-200:]


QUICK = ("cam_follower", "stick_slip", "tumbling_body")


@pytest.mark.filterwarnings("ignore::flexmbs.FlexmbsWarning")
@pytest.mark.parametrize("name", QUICK)
def test_script(name, tmp_path, monkeypatch):
    _run(name, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexmbs.FlexmbsWarning")
@pytest.mark.parametrize("name", sorted(set(SCRIPTS) - set(QUICK)))
def test_long_script(name, tmp_path, monkeypatch):
    _run(name, tmp_path, monkeypatch)
