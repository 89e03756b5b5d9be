"""Pages of results, bodies and meshes: what they hold, and what is refused."""

import dataclasses
import json
import tempfile
import warnings
import zlib
from base64 import b64decode
from pathlib import Path

import numpy as np
import page_decoder
import pytest
import swinging_bar as bar
from click.testing import CliRunner

import flexmbs as fm
from flexmbs import FlexmbsError, Result
from flexmbs.app.cli.main import cli
from flexmbs.fem.stress_field import von_mises
from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.result.event_records import EventRecord
from flexmbs.view.exaggerated_motion import drawing, pose_shift
from flexmbs.view.page import pages
from flexmbs.view.page.pages import LOADER, SCRIPTS, STYLE, packed_viewer, page_assets, page_fragment
from flexmbs.view.page.part_records import PageAccuracy


@pytest.fixture(scope="module")
def result():
    return Result(bar.structure(), bar.trajectory())


@pytest.fixture(scope="module")
def scene(result):
    return page_decoder.decoded(page_fragment(result, frames=200))


def fields(part, name, frame):
    """(n, components) a field of a part at a frame."""
    every = part[name]["fields"]
    return np.tensordot(part[name]["coefficients"][frame], every.reshape(part[name]["count"], -1, every.shape[1]), axes=1)


def test_places_and_stress_are_those_of_the_result(result, scene):
    part = next(part for part in scene["parts"] if part["name"] == "pendulum")
    times, poses = scene["time"]["t"], scene["poses"].reshape(len(scene["time"]["t"]), -1, 7)
    surface = result.flexible("pendulum").surface
    for frame in (0, 77, 130, len(times) - 1):
        q = result.modal("pendulum", times[frame])
        moved = q[0] * surface.modes[0] + q[0] ** 2 * surface.quadratic[0]
        here = result.resampled([times[frame]]).trajectory
        exact = here.body_position[0, 1] + (surface.points + moved) @ here.body_rotation[0, 1].T
        w, x, y, z = poses[frame, 1, 3:]
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        found = poses[frame, 1, :3] + (part["points"] + fields(part, "displacement", frame)) @ turn.T
        distance = np.linalg.norm(found[:, None] - exact[None], axis=2)
        order = distance.argmin(axis=1)
        assert sorted(order) == list(range(len(exact)))
        errors = part["errors"]
        assert distance.min(axis=1).max() <= errors["position"] + errors["displacement"]
        stress = von_mises(fields(part, "stress", frame))
        assert np.abs(stress - result.von_mises("pendulum", times[frame])[order]).max() <= errors["stress"] * 1.0001
    largest = np.abs(result.von_mises("pendulum", times)).max()
    assert 0.0 < part["errors"]["stress"] <= 2.5e-3 * largest
    assert part["errors"]["position"] < 1e-4


def test_marks_contacts_and_histories(result, scene):
    names = [mark["name"] for mark in scene["marks"]]
    tip = scene["marks"][names.index("pendulum.tip")]
    frame = 120
    time = scene["time"]["t"][frame]
    expected = result.resampled([time])["pendulum.tip.displacement.y"][0]
    assert tip["moves"][frame, 1] == pytest.approx(expected, abs=1e-4 * 0.03)
    (stop,) = scene["contacts"]
    force = np.linalg.norm(stop["force"], axis=1)
    assert force.max() == pytest.approx(2000.0, rel=2e-3)
    when = scene["time"]["t"][stop["frame"].ravel().astype(int)[force.argmax()]]
    assert when == pytest.approx(0.52, abs=2e-3)
    assert [one["name"] for one in scene["time"]["impacts"]] == ["stop"]
    inside = np.diff(scene["time"]["t"])
    assert inside.min() < 0.2 * inside.max()  # frames are dense around the impact
    (shown,) = [one for one in scene["histories"] if one["name"] == "stop.force"]
    assert shown["shown"]
    np.testing.assert_allclose(shown["values"].max(), 2000.0, rtol=2e-3)


def test_page_opens_at_the_largest_stress_of_the_run(result, scene):
    largest = result.largest_von_mises("pendulum")
    stress = next(one for one in scene["quantities"] if one["key"] == "von_mises")
    among_steps = result.von_mises("pendulum", result.t).max()
    assert stress["high"] == pytest.approx(among_steps, rel=1e-9)
    assert stress["high"] == pytest.approx(float(largest), rel=1e-3)
    assert scene["time"]["t"][scene["time"]["opens"]] == pytest.approx(largest.time, abs=1e-3)
    shown = [one["name"] for one in scene["histories"] if one["shown"]]
    assert shown[:2] == ["largest von Mises stress", "stop.force"]
    assert "pendulum.bending y 1" not in [one["name"] for one in scene["histories"]]  # on demand
    asked = page_decoder.decoded(page_fragment(result, frames=10, histories=["pendulum.bending y 1"]))
    assert [one["name"] for one in asked["histories"] if one["shown"]] == ["pendulum.bending y 1"]


def test_events_that_are_no_impacts_are_marked(result):
    instants = [(0.1, "lock", "latch", "locked"), (0.2, "transition", "stop", "sticking"), (0.9, "event", "signal", "")]
    events = [EventRecord(time, kind, name, mode=mode) for time, kind, name, mode in instants]
    run = dataclasses.replace(result.trajectory, events=(*events, EventRecord(0.3, "impact", "stop")))
    scene = page_decoder.decoded(page_fragment(Result(result.structure, run), end=0.5, frames=10))
    found = [(one["t"], one["name"], one["what"]) for one in scene["time"]["events"]]
    assert found == [(0.1, "latch", "lock"), (0.2, "stop", "sticking")]


def test_histories_are_as_fine_as_the_part_that_is_shown(result):
    scene = page_decoder.decoded(page_fragment(result, start=0.1, end=0.11, frames=20, histories=["hinge.angle"]))
    (found,) = [one for one in scene["histories"] if one["name"] == "hinge.angle"]
    here = result.resampled(scene["time"]["t"])["hinge.angle"]
    assert np.abs(found["values"].ravel() - here).max() <= np.ptp(here) / 4000
    assert np.ptp(here) < 0.1 * np.ptp(result["hinge.angle"])


def test_names_that_utf8_does_not_have(result, tmp_path):
    page = result.to_html(tmp_path / "run.html", frames=5, title="half \ud83d of a sign")
    assert "half ? of a sign" in page.read_text("utf-8")


def test_histories_keep_what_lies_between_frames():
    run = bar.trajectory(steps=20_001)
    force = np.zeros((20_001, 1))
    force[13_001] = 500.0  # one step of many
    result = Result(bar.structure(), dataclasses.replace(run, contact_force=force, contacts=()))
    scene = page_decoder.decoded(page_fragment(result, frames=100, slow_motion=False, histories=["stop.force"]))
    (shown,) = [one for one in scene["histories"] if one["shown"]]
    values, at = shown["values"].ravel(), shown["at"].ravel() / 16.0
    assert values.max() == pytest.approx(500.0, rel=1e-3)
    t = np.interp(at[values.argmax()], np.arange(len(scene["time"]["t"])), scene["time"]["t"])
    assert t == pytest.approx(run.t[13_001], abs=0.75 / 99 / 16)
    assert len(values) <= 2 * 100 + 2


def test_bodies_move_so_that_joints_stay_closed():
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    rod = fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=fm.CraigBampton(count=2, at="root"))
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    first, second = system.add(rod, name="first"), system.add(rod, name="second")
    system.fixed(system.ground["origin"], first["root"], name="wall")
    system.revolute(first["tip"], second["root"], axis="z", name="hinge")
    result = system.simulate(0.02, rtol=1e-5)
    here = result.resampled(np.linspace(0.0, 0.02, 5))
    shift = 11.0 * pose_shift(here, 12.0)
    assert np.abs(shift).max() > 1e-6
    for frame in range(5):
        drawn = drawing(result.resampled(here.t[frame : frame + 1]), 12.0).here.trajectory
        moved = here.trajectory.body_position[frame] + shift[frame, :, :3]
        turned = matrices_of_vectors(shift[frame, :, 3:]) @ here.trajectory.body_rotation[frame]
        np.testing.assert_allclose(moved, drawn.body_position[0], atol=1e-7)
        np.testing.assert_allclose(turned, drawn.body_rotation[0], atol=1e-7)


def test_rigid_result_has_no_shift(result):
    assert pose_shift(result.resampled(result.t[:2]), 5.0) is None


def test_pressure_lies_where_it_acts(result):
    surface = result.flexible("pendulum").surface
    place = surface.points[-1]

    class Patch:
        """Two points near the last point of the surface, and one near the first."""

        def __init__(self, time):
            here = result.resampled([time]).trajectory
            q = here.q[0, 1]
            moved = surface.points + q * surface.modes[0] + q * q * surface.quadratic[0]
            self.points = here.body_position[0, 1] + moved[[-1, -1, 0]] @ here.body_rotation[0, 1].T
            self.areas, self.pressures = np.array([1.0, 3.0, 1.0]), 1e6 * np.array([8.0, 4.0, 2.0])

    scene = page_decoder.decoded(page_fragment(result, frames=100, pressures={"stop": Patch}, color="pressure"))
    part = next(part for part in scene["parts"] if part["name"] == "pendulum")
    index, values = part["pressure"]["index"].ravel().astype(int), part["pressure"]["values"]
    last = np.linalg.norm(part["points"][index] - place, axis=1).argmin()
    assert len(index) == 2
    assert values[:, last].max() == pytest.approx(5e6, rel=2e-3)
    closed = values[:, last] > 0.0
    assert scene["time"]["t"][closed] == pytest.approx(0.52, abs=0.016)
    (quantity,) = [one for one in scene["quantities"] if one["key"] == "pressure"]
    assert quantity["high"] == pytest.approx(5e6, rel=2e-3)
    with pytest.raises(FlexmbsError, match="stop"):
        page_fragment(result, pressures={"stopp": Patch})


def test_part_of_the_run(result):
    scene = page_decoder.decoded(page_fragment(result, start=0.2, end=0.3, frames=20))
    assert scene["time"]["t"][[0, -1]] == pytest.approx([0.2, 0.3])
    assert scene["time"]["impacts"] == []


def test_page_of_a_body(tmp_path):
    body = bar.bar()
    scene = page_decoder.decoded(body.to_html(tmp_path / "bar.html").read_text())
    (mode,) = scene["time"]["segments"]
    assert "bending y 1" in mode["name"]
    (part,) = scene["parts"]
    drawn = np.linalg.norm(fields(part, "displacement", mode["last"] // 4), axis=1)
    assert drawn.max() == pytest.approx(mode["ranges"]["displacement"][1], rel=5e-3)
    for end in (mode["first"], mode["last"]):
        assert np.abs(fields(part, "displacement", end)).max() < 1e-12
    with pytest.raises(FlexmbsError, match="no elements"):
        surface = dataclasses.replace(body.surface, faces=np.zeros(0, int))
        dataclasses.replace(body, surface=surface).to_html(tmp_path / "bare.html")


def test_page_of_a_mesh(tmp_path):
    mesh = fm.read_mesh(fm.find_mesh("gmsh_conrod.msh"), "mm-t-s")
    text = mesh.to_html(tmp_path / "rod.html", sets=["big end"]).read_text()
    scene = page_decoder.decoded(text)
    solid, big = scene["parts"]
    assert [solid["group"], big["name"], big["group"]] == ["parts", "big end", "sets"]
    places = {int(number): place for number, place in zip(mesh.node_ids, mesh.points, strict=True)}
    exact = np.array([places[int(number)] for number in solid["nodes"].ravel()])
    assert np.linalg.norm(solid["points"] - exact, axis=1).max() <= solid["errors"]["position"]
    assert scene["time"] is None
    with pytest.raises(FlexmbsError, match="big end"):
        mesh.to_html(tmp_path / "rod2.html", sets=["bigend"])


def test_fragments_share_style_and_script(result):
    fragment = page_fragment(result, frames=5)
    assert "<style" not in fragment
    sources = Path(pages.__file__).parent / "web"
    assert {path.name for path in sources.iterdir()} == {*SCRIPTS, STYLE, LOADER}  # nothing is left out of the page
    assert page_assets().count("<script") == 2 and len(page_assets()) < 45_000
    style, script = json.loads(zlib.decompressobj(-15).decompress(b64decode(packed_viewer())))
    assert ".flexmbs-scene" in style and "flexmbs.start" in script and "\n//" not in script


def test_title_cannot_end_the_header(result):
    fragment = page_fragment(result, frames=5, title="a</script><b>")
    assert fragment.count("</script>") == 2
    assert page_decoder.decoded(fragment)["title"] == "a</script><b>"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"histories": ["hinge.angel"]}, "hinge.angle"),
        ({"color": "mises"}, "von_mises"),
        ({"color": "pressure"}, "pressure"),
        ({"start": 0.3, "end": 0.3}, "nothing lies between"),
        ({"start": 0.5, "end": 0.2}, "nothing lies between"),
        ({"start": 2.0}, "outside the run"),
        ({"end": -1.0}, "outside the run"),
        ({"frames": 1}, "frames is 1"),
        ({"scale": np.nan}, "scale is nan"),
        ({"scale": "2"}, "scale is '2'; it must be a finite number"),
        ({"zoom": "2"}, "zoom is '2'; it must be a positive number"),
        ({"start": "a"}, "start is 'a'; it must be a finite number, a time in s"),
        ({"accuracy": 1}, "accuracy is 1; it must be a PageAccuracy"),
        ({"camera": "front"}, "camera"),
        ({"zoom": 0.0}, "zoom"),
        ({"color_range": (3.0, 1.0)}, "color_range"),
        ({"slow_motion": 0.5}, "slow_motion"),
        ({"size_limit": 0.0001}, "what helps: fewer frames"),
    ],
)
def test_impossible_options_are_refused_before_work(result, options, message, tmp_path, monkeypatch):
    if "size_limit" not in options or options["size_limit"] > 0.001:
        monkeypatch.setattr(type(result), "resampled", lambda *_: pytest.fail("work was done"))
    with pytest.raises(FlexmbsError, match=message):
        result.to_html(tmp_path / "run.html", **options)
    assert not list(tmp_path.iterdir())


def test_impossible_options_of_bodies_and_speeds(result, tmp_path):
    body = result.flexible("pendulum")
    for options, message in (
        ({"scale": 0.0}, "scale is 0.0; it must be a positive number"),
        ({"scale": np.nan}, "scale is nan"),
        ({"color": "pressure"}, "unknown color 'pressure'"),
    ):
        with pytest.raises(FlexmbsError, match=message):
            body.to_html(tmp_path / "bar.html", **options)
    with pytest.raises(FlexmbsError, match="stick_speed is -1; it must be a speed"):
        result.to_html(tmp_path / "run.html", stick_speed=-1)
    assert not list(tmp_path.iterdir())


def test_unknown_option_and_accuracy(result, tmp_path):
    with pytest.raises(TypeError, match="'colour'"):
        result.to_html(tmp_path / "run.html", colour="body")
    with pytest.raises(FlexmbsError, match="accuracy"):
        PageAccuracy(stress=2.0)


def test_result_without_stress_asked_for_stress(tmp_path):
    structure = bar.structure()
    record = structure.bodies[1]
    surface = dataclasses.replace(record.flexible.surface, faces=np.zeros(0, int))
    plain = dataclasses.replace(record, flexible=dataclasses.replace(record.flexible, surface=surface))
    result = Result(dataclasses.replace(structure, bodies=(structure.bodies[0], plain)), bar.trajectory())
    with pytest.raises(FlexmbsError, match="there is no stress.*choose 'displacement'"):
        result.to_html(tmp_path / "run.html", color="von_mises")
    assert result.to_html(tmp_path / "run.html", frames=10).is_file()


def test_files_that_exist_or_cannot_be_written(result, tmp_path):
    path = tmp_path / "run.html"
    path.write_text("mine")
    with pytest.raises(FlexmbsError, match="run.html exists: give force=True"):
        result.to_html(path)
    assert path.read_text() == "mine"
    result.to_html(path, force=True, frames=5)
    assert "flexmbs-scene" in path.read_text()
    with pytest.raises(FlexmbsError, match=r"must end in \.html"):
        result.to_html(tmp_path / "run.htmx")
    with pytest.raises(FlexmbsError, match="cannot be written"):
        result.to_html(path / "run.html")


def test_size_above_the_limit_after_the_work(result, tmp_path):
    with pytest.raises(FlexmbsError, match=r"would take .* MB, more than size_limit=0.02 MB"):
        result.to_html(tmp_path / "run.html", size_limit=0.02)
    assert not list(tmp_path.iterdir())


def test_bodies_and_meshes_open_in_the_browser(meshes, tmp_path, monkeypatch):
    fm.save_body(bar.bar(), tmp_path / "bar.h5")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or len(opened) == 1)
    for shown, part in ((tmp_path / "bar.h5", "bar"), (meshes / "pendulum_beam.inp", "beams")):
        with warnings.catch_warnings(record=True) as told:
            done = CliRunner().invoke(cli, ["view", str(shown), "--zoom", "2"])
        assert done.exit_code == 0, done.output
        page = Path(done.output.removeprefix("wrote ").strip())
        assert opened[-1] == page.as_uri() and part in {one["name"] for one in page_decoder.decoded(page.read_text())["parts"]}
    assert [str(one.message) for one in told] == [f"no browser can be opened here; open {page} in one"]
    for words, message in (
        (["--mode", "2"], "--mode is for pictures and films; the page shows all modes"),
        (["--fps", "5"], "--fps is not for pages of bodies; without --save, what is shown is a page"),
        (["--force"], "--force is for files; give --save FILE"),
    ):
        refused = CliRunner().invoke(cli, ["view", str(tmp_path / "bar.h5"), *words])
        assert refused.exit_code == 2 and message in " ".join(refused.output.split())
    with pytest.raises(FlexmbsError, match="zoom"):
        CliRunner().invoke(cli, ["view", str(tmp_path / "bar.h5"), "--zoom", "0"], catch_exceptions=False)
    assert len(list((tmp_path / "temporary").iterdir())) == 2  # nothing stays of what was refused


def test_command_line(result, tmp_path):
    result.save(tmp_path / "run")
    run = CliRunner().invoke
    page = str(tmp_path / "run.html")
    made = run(cli, ["view", str(tmp_path / "run"), "--save", page, "--frames", "20", "--history", "stop.gap"])
    assert made.exit_code == 0, made.output
    scene = page_decoder.decoded((tmp_path / "run.html").read_text())
    assert [one["name"] for one in scene["histories"] if one["shown"]] == ["stop.gap"]
    again = run(cli, ["view", str(tmp_path / "run"), "--save", page])
    assert again.exit_code != 0
    assert "--force" in str(again.exception)
    assert run(cli, ["view", str(tmp_path / "run"), "--save", page, "--force", "--frames", "5"]).exit_code == 0
    wrong = run(cli, ["view", str(tmp_path / "run"), "--save", page, "--force", "--fps", "20"])
    assert wrong.exit_code == 2
    assert "--fps" in wrong.output
