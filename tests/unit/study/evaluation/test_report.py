"""The report: one file with everything in it, that shows texts as they are."""

import re
from dataclasses import replace

import numpy as np
import pytest
from html_pages import Page
from study_tables import pendulum_like, table_of

from flexmbs.study.evaluation.plots.history_band import history_band
from flexmbs.study.evaluation.reasons import Reason
from flexmbs.study.evaluation.reliability import reliability
from flexmbs.study.evaluation.report.report import write_report
from flexmbs.study.evaluation.report.report_content import ReportContent
from flexmbs.study.evaluation.sensitivity.sensitivity import sensitivity

EVIL = 'a<script>alert("1")</script>&amp;'


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    table = pendulum_like(120)
    table = replace(
        table.select(["length", "stiffness", "mesh", "force"]),
        failures=(Reason("SimulationError", EVIL, table.failed, 3, "k"),),
        warnings=(Reason("", "thin walls", 7, 1, "k"),),
    )
    t = np.linspace(0.0, 1.0, 11)
    content = ReportContent(
        f"Pendulum {EVIL}",
        table,
        [("seed", EVIL)],
        [("length [m]", "0.8 to 1.2")],
        bands=[history_band("hinge.angle", [(t, t), (t, 2.0 * t)], "rad")],
        sensitivities=[sensitivity(table, "force")],
        reliabilities=[reliability(table, "force", above=1e4, sampler="lhs")],
        csv="table.csv",
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(content, path)
    return path, table


def test_it_needs_nothing_outside_itself(report):
    text = report[0].read_text("utf-8")
    page = Page(text)
    assert {link.split(";")[0] for link in page.links if not link.startswith("#")} == {"data:image/png", "table.csv"}
    assert not re.search(r"https?://|@import|url\(", re.sub(r'src="data:[^"]*"', "", text))
    assert report[0].stat().st_size < 4e6


def test_it_has_all_sections(report):
    page = Page(report[0].read_text("utf-8"))
    assert page.headings == ["Study", "Status", "Statistics", "Plots", "Histories", "Sensitivity", "Reliability", "Runs"]
    anchors = {link for link in page.links if link.startswith("#")}
    assert anchors == {f"#{heading.lower()}" for heading in page.headings}


def test_texts_are_shown_as_they_are(report):
    page = Page(report[0].read_text("utf-8"))
    assert page.scripts == 1  # its own
    assert page.texts.count(EVIL) >= 2 and f"Pendulum {EVIL}" in page.texts


def test_it_counts_runs(report):
    path, table = report
    page = Page(path.read_text("utf-8"))
    for count, what in ((table.finished.sum(), "finished"), (table.failed, "failed"), (1, "with values not finite")):
        assert page.texts[page.texts.index(what) - 1] == str(count)
    assert page.texts[page.texts.index("thin walls") - 1] == "7"


def test_long_studies_show_their_first_runs(tmp_path):
    x = np.arange(2000.0)
    write_report(ReportContent("Long", table_of({"x": x}, {"y": x}), csv="all.csv"), tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text("utf-8"))
    assert "The first 500 of 2000 runs. All of them: " in page.texts
    assert 500 <= page.rows < 540


def test_a_study_in_which_all_runs_failed(tmp_path):
    table = table_of({"x": [1.0, 2.0]}, {"y": [np.nan, np.nan]})
    table = replace(table, failures=(Reason("WallTime", "took more than 60 s", 2, 0, "k"),))
    write_report(ReportContent("All failed", table), tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text("utf-8"))
    assert page.headings == ["Status", "Statistics", "Runs"]
    assert "took more than 60 s" in page.texts


def test_a_plot_that_cannot_be_made_says_why(tmp_path):
    x = np.linspace(0.0, 1.0, 30)
    write_report(ReportContent("One", table_of({"x": x}, {"y": x**2})), tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text("utf-8"))
    assert any("Response surface of y" in text and "needs two parameters" in text for text in page.texts)


def test_infinite_and_huge_values(tmp_path):
    table = table_of({"x": np.arange(6.0)}, {"y": np.full(6, np.inf), "z": np.r_[np.zeros(5), 1e300]})
    write_report(ReportContent("Infinite", table), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert text.count('data-v="Infinity"') == 6
    page = Page(text)
    assert page.texts[page.texts.index("with values not finite") - 1] == "6"
