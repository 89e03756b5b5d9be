"""The report of a run: what it says is what the result holds, names are shown as they are, nothing is overwritten."""

import json
import os
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from html_pages import Page
from planar_four_bar import four_bar

import flexmbs as fm
from flexmbs.app.cli.results import report_command
from flexmbs.common.quantities import number, quantity
from flexmbs.common.user_warnings import collected_warnings, warn
from flexmbs.result.report import picture_sections
from flexmbs.result.report.picture_sections import chosen_times, key_histories
from flexmbs.result.report.run_sections import all_warnings, sentences, warnings_section
from flexmbs.result.run_summary import RunSummary, read_summary

EVIL = "<b>rod & 'co'"


@pytest.fixture(autouse=True, scope="module")
def without_opengl():
    """Reports of these tests have no stills, which take seconds."""

    def unavailable(*_arguments, **_options):
        raise fm.RenderingUnavailable("no working OpenGL library was found")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picture_sections, "pictures_of", unavailable)
        yield


@pytest.fixture(scope="module")
def system():
    """A flexible rod that swings against a rigid wall, and a driven wheel."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    steel = fm.Material("steel", 210e9, 0.3, 7850.0)
    mesh = fm.line_mesh(0.5, 8, fm.rectangle(0.01, 0.01), steel)
    with pytest.warns(fm.BasisWarning):
        body = fm.reduce(
            mesh,
            interfaces={"root": "ROOT", "tip": "TIP"},
            modes=fm.ClampedFree(at="root", bending=(2, 0)),
            name="bar",
            cache=False,
            damping=0.01,
        )
    rod = system.add(body, EVIL)
    wall = system.ground.marker("wall", (0.0, -0.5, 0.0))
    system.revolute(system.ground["origin"], rod["root"], axis="z", name="hinge", angle=0.4 - np.pi / 2)
    wheel = system.add(fm.RigidBody.cylinder(2.0, 0.1, 0.02), "wheel")
    spin = system.revolute(system.ground["origin"], wheel["origin"], axis="z", name="spin")
    spin.prescribe(fm.Polynomial([0.0, 3.0]))
    system.contact(fm.Sphere(rod["tip"], 0.01), fm.Plane(wall, (1.0, 0.0, 0.0)), fm.LinearContact(1e5), "stop")
    return system


@pytest.fixture(scope="module")
def result(system):
    return system.simulate(0.4)


@pytest.fixture(scope="module")
def page(result, tmp_path_factory):
    path = result.report(tmp_path_factory.mktemp("report") / "run.html", title=f"Review of {EVIL}")
    return path.read_text("utf-8")


def test_it_holds_the_numbers_of_the_result(page, result, system):
    shown = Page(page)
    told = " ".join(" ".join(shown.texts).split())
    assert shown.headings == [
        "Pictures",
        "Largest values",
        "Plots",
        "Model",
        "Flexible bodies",
        "Contacts and events",
        "Energy balance",
        "Run",
        "Warnings",
        "Versions",
    ]
    body, ledger = result.flexible(EVIL), result.energy_ledger()
    assert f"{system.describe().mobility.freedoms} degrees of freedom" in told
    assert quantity(body.mass, "kg") in told and number(body.frequencies[0], 5) in told
    assert quantity(max(contact.peak_force for contact in result.contacts), "N") in told
    assert f"{ledger.work:.4g}" in told and f"{ledger.largest_balance / ledger.scale:.1e}" in told
    assert f"The run took {result.stats['steps_accepted']:,} steps" in told
    assert "The modes represent only part of the strain under a load at 'tip'" in told  # the advice, with its remedy
    assert "spin revolute" in told and "angle (prescribed)" in told
    assert f"flexmbs {fm.__version__}" in told and "numpy " + np.__version__ in told


def test_names_are_shown_as_they_are(page):
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)  # scripts hold the scene as JSON
    assert EVIL not in outside and "&lt;b&gt;rod &amp; &#x27;co&#x27;" in outside
    assert any(EVIL in text for text in Page(page).texts)


def test_it_needs_nothing_outside_itself(page):
    shown = Page(page)
    assert shown.links and all(link.startswith(("data:", "#")) for link in shown.links)
    ids = set(re.findall(r'id="([a-z]+)"', page))
    assert {link[1:] for link in shown.links if link.startswith("#")} <= ids


def test_missing_opengl_is_said_and_no_failure(page):
    assert "No pictures: no working OpenGL library was found." in " ".join(Page(page).texts)


def test_stills_show_start_impact_and_end(result, monkeypatch):
    asked = []

    def rendered(_result, times, **options):
        asked.extend(times)
        assert "title" not in options and "duration" not in options and options["zoom"] == 2.0
        return [ONE_PIXEL] * len(asked)

    monkeypatch.setattr(picture_sections, "pictures_of", rendered)
    found, why_not = picture_sections.stills(result, {"zoom": 2.0, "duration": 4.0, "title": "x"})
    hardest = max(result.contacts, key=lambda contact: contact.peak_force)
    stressed = result.largest_von_mises(EVIL)
    titles = list(chosen_times(result))
    assert titles == ["Start", "Largest contact force (stop)", f"Largest stress ({EVIL})", "End"]
    assert asked == pytest.approx([0.0, hardest.peak_time, stressed.time, 0.4], abs=1e-3) and why_not == "" and len(found) == 4
    until_impact = chosen_times(result.resampled(np.linspace(0.0, hardest.peak_time, 9)))  # it is the end
    assert list(until_impact)[0] == "Start" and "Largest contact force (stop)" in until_impact and "Middle" not in until_impact


def test_largest_values_come_first(page, result):
    told = " ".join(" ".join(Page(page).texts).split())
    hardest = max(result.contacts, key=lambda contact: contact.peak_force)
    assert f"stop.force {quantity(hardest.peak_force, 'N', 4)}" in told
    stress = result.von_mises(EVIL, result.t).max()
    assert f"von Mises stress {EVIL} {quantity(float(stress), 'Pa', 4)}" in told
    force = np.sqrt(sum(result[f"hinge.reaction.force.{axis}"] ** 2 for axis in "xyz"))
    assert f"hinge.reaction.force {quantity(float(force.max()), 'N', 4)}" in told


ONE_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63606060f80f00"
    "0104010070ab3f1a0000000049454e44ae426082"
)


def test_warnings_of_bodies_and_of_the_run_are_listed(system, tmp_path, monkeypatch):
    from flexmbs.analysis.run import simulate as module

    prepared = module._prepared

    def doubtful(*arguments):
        warn("the start is doubtful", fm.ResultWarning)
        return prepared(*arguments)

    monkeypatch.setattr(module, "_prepared", doubtful)
    with pytest.warns(fm.ResultWarning, match="the start is doubtful"):
        told = system.simulate(0.01, out=tmp_path / "run")
    loaded = fm.load(tmp_path / "run")
    assert told.stats["warnings"] == loaded.stats["warnings"]
    first, second = told.stats["warnings"]
    assert first == "the start is doubtful" and second.startswith("start: drivers move at t = 0 s")
    assert "the start is doubtful" in all_warnings(loaded, RunSummary())
    assert "".join(warnings_section(["<doubtful>"])).count("<li>&lt;doubtful&gt;</li>") == 1


def test_warnings_are_heard_whatever_the_filters_say(recwarn):
    with collected_warnings() as outer, collected_warnings() as inner:
        for _ in range(3):
            warn("once", fm.MeshWarning)
    warn("behind", fm.MeshWarning)
    assert outer == inner == ["once"]


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
@pytest.mark.parametrize("speed", [None, 2.0])
def test_the_stored_degrees_of_freedom_are_those_of_the_description(coordinates, speed):
    """Of a four-bar in space, whose three redundant constraints are counted, with and without a driver."""
    system = four_bar(coordinates, speed)
    stated, found = system.assemble().structure.stated, system.describe().mobility
    assert stated["freedoms"] == found.freedoms == (1 if speed is None else 0)
    assert stated["redundant"] == found.redundant_count == 3


@pytest.mark.parametrize("stated", [{}, {"bodies": 3}, {"bodies": [{"name": "x"}]}, {"joints": None}])
def test_a_model_that_is_stored_wrongly_is_refused(result, stated, tmp_path):
    with pytest.raises(fm.SimulationError, match=r"what the result says of its model is missing or damaged \(.*run again"):
        fm.Result(replace(result.structure, stated=stated), result.trajectory).report(tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_statistics_in_words():
    trajectory_of = {
        "steps_accepted": 1234,
        "steps_rejected": 6,
        "newton_iterations": 2480,
        "newton_failures": 1,
        "factorisations": 2,
        "integrator": "radau",
        "integrator_reason": "contacts (stop)",
        "step_size_decided_by": "rod.bending 80%",
        "solve_seconds": 2.0,
        "events": 1,
    }
    swing = fm.System()
    ball = swing.add(fm.RigidBody.point(1.0), "ball")
    swing.prismatic(swing.ground["origin"], ball["origin"], axis="z", name="drop")
    found = sentences(swing.simulate(1.234), trajectory_of)
    assert found[:4] == [
        "The run took 1,234 steps (6 more were rejected) from t = 0 s to 1.234 s, on average 1 ms long, and located 1 "
        "event. It needed 2 s.",
        "Integrator: radau, chosen because of contacts (stop).",
        "The step size was limited by rod.bending 80% (share of the attempts).",
        "Newton's method took 2 iterations a step; 1 failure; 2 factorisations of the iteration matrix.",
    ]


def test_key_histories_are_those_that_move(result):
    found = key_histories(result)
    assert set(found["Joint coordinates"]) == {"hinge.angle", "spin.angle"}
    assert next(iter(found)) == "Contact forces" and not any("bending" in name for names in found.values() for name in names)
    assert found["Contact forces"] == ["stop.force"]
    assert all(name in result.names for names in found.values() for name in names)


def test_files_are_refused_before_any_work(result, tmp_path, monkeypatch):
    monkeypatch.setattr("flexmbs.result.report.report.report_page", lambda *_: pytest.fail("work was done"))
    with pytest.raises(fm.FlexmbsError, match="must end in .html"):
        result.report(tmp_path / "run.pdf")
    (tmp_path / "run.html").write_text("mine")
    with pytest.raises(fm.FlexmbsError, match="run.html exists: give force=True"):
        result.report(tmp_path / "run.html")
    with pytest.raises(fm.FlexmbsError, match="cannot be written: it is a folder|is a folder"):
        (tmp_path / "folder.html").mkdir()
        result.report(tmp_path / "folder.html", force=True)
    assert (tmp_path / "run.html").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_is_a_clear_error(result, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(fm.FlexmbsError, match="you have no write permission"):
        result.report(tmp_path / "run.html")


def test_the_command_shows_parameters_and_figures_of_the_case(tmp_path):
    outcome = fm.run_case("stick_slip", {"t_end": 0.3}, out=tmp_path / "run")
    assert CliRunner().invoke(report_command, [str(tmp_path / "run")], catch_exceptions=False).exit_code == 0
    told = " ".join(" ".join(Page((tmp_path / "run" / "report.html").read_text("utf-8")).texts).split())
    assert "A block on a belt" in told and "case stick_slip" in told
    assert "belt_speed" in told and "speed of the belt" in told
    assert quantity(outcome.figures["x_max"], "m", 6) in told
    with pytest.raises(fm.FlexmbsError, match="report.html exists: give force=True"):
        CliRunner().invoke(report_command, [str(tmp_path / "run")], catch_exceptions=False)
    with pytest.raises(fm.FlexmbsError, match="no such folder; give the result folder of a run"):
        CliRunner().invoke(report_command, [str(tmp_path / "none")], catch_exceptions=False)


def test_a_summary_that_is_damaged_or_missing(tmp_path):
    assert read_summary(tmp_path).parameters == {}
    (tmp_path / "summary.json").write_text(json.dumps({"about": {"plots": 3}}))
    with pytest.raises(fm.FlexmbsError, match="summary.json: cannot be read"):
        read_summary(tmp_path)


@pytest.mark.parametrize(
    "value, unit, text",
    [
        (49.5765e6, "Pa", "49.58 MPa"),
        (0.0278735, "m", "27.87 mm"),
        (1234.5, "m", "1234 m"),
        (0.5, "s", "0.5 s"),
        (5.77e-5, "s", "57.7 µs"),
        (0.0, "N", "0 N"),
        (2.5, "rad", "2.5 rad"),
        (True, "", "yes"),
        (None, "m", "none"),
        ([0.1, 0.2], "s", "0.1, 0.2 s"),
        (float("nan"), "N", "not finite N"),
        (-4864.58, "N", "-4.865 kN"),
        (list(range(9)), "", "0, 1, 2, 3, 4, 5, ... (9 values)"),
        ("text", "", "text"),
        ({"a": 1.5}, "m", "a 1.5 m"),
        (12345.0, "", "12,345"),
        (1e-9, "", "1e-09"),
    ],
)
def test_numbers_for_people(value, unit, text):
    assert quantity(value, unit) == text
