"""The report: one file with everything in it, that shows texts as they are."""

import re

import numpy as np
import pytest
from html_pages import Page
from study_tables import pendulum_like, table_of

from flexmbs.study.history_band import history_band
from flexmbs.study.reliability import reliability
from flexmbs.study.report import write_report
from flexmbs.study.sensitivity import given_data_indices

EVIL = 'a<script>alert("one")</script>&amp;'


def written(table, folder, title="Title", **options):
    write_report(folder / "report.html", table, title=title, **options)
    text = (folder / "report.html").read_text("utf-8")
    return text, Page(text)


def test_a_whole_report(tmp_path):
    table = pendulum_like(120, message=EVIL, warnings=("thin walls",)).rename(columns={"mesh": EVIL})
    table.attrs["parameters"][-1] = EVIL
    t = np.linspace(0.0, 1.0, 11)
    text, page = written(
        table,
        tmp_path,
        title=f"Pendulum {EVIL}",
        facts=[("seed", EVIL)],
        space=[("length [m]", EVIL)],
        figures=["force"],
        histories=["hinge.angle", EVIL],
        band=lambda name: history_band(name, [(t, t), (t, 2.0 * t)] if name == "hinge.angle" else []),
        sensitivity=lambda figure: given_data_indices(table, figure),
        reliabilities=[reliability(table, "force", above=1e4, sampler="lhs")],
        csv="table.csv",
    )
    # it needs nothing outside itself
    assert {link.split(";")[0] for link in page.links if not link.startswith("#")} == {"data:image/png", "table.csv"}
    assert not re.search(r"https?://|@import|url\(", re.sub(r'src="data:[^"]*"', "", text)) and len(text) < 4e6
    assert page.headings == ["Study", "Status", "Statistics", "Plots", "Histories", "Sensitivity", "Reliability", "Runs"]
    assert {link for link in page.links if link.startswith("#")} == {f"#{heading.lower()}" for heading in page.headings}
    # texts are shown as they are
    assert page.scripts == 1 and "<script>alert" not in text and f"Pendulum {EVIL}" in page.texts
    assert page.texts.count(EVIL) >= 4 and f"SimulationError: {EVIL}" in page.texts
    assert any("no run has a history" in text for text in page.texts)
    failed, warned = table.attrs["failed"], page.texts.index("thin walls")
    for count, what in ((120 - failed, "finished"), (failed, "failed"), (1, "with values not finite")):
        assert page.texts[page.texts.index(what) - 1] == str(count)
    assert str(120 - failed) in page.texts[warned : warned + 5]
    assert any(text.startswith("P(force > 10000 N) = ") for text in page.texts) and "inf" in page.texts


def test_long_studies_show_their_first_runs(tmp_path):
    x = np.arange(2000.0)
    _, page = written(table_of({"x": x}, {"y": x}), tmp_path, csv="all #1.csv")
    assert "all%20%231.csv" in page.links
    assert "The first 500 of 2000 runs. All of them: " in page.texts and 500 <= page.rows < 540
    assert any("Response surface of y" in text and "needs two parameters" in text for text in page.texts)


LITTLE = [
    (table_of({"x": [1.0, 2.0]}, {"y": [np.nan, np.nan]}, message="took more than 60 s"), ["Status", "Statistics", "Runs"]),
    (table_of({"x": [1.0]}, {"y": [1.0]}), ["Status", "Statistics", "Plots", "Runs"]),
    (table_of({"x": ["a"] * 6}, {"z": np.r_[np.zeros(5), 1e300]}, not_run=3), ["Status", "Statistics", "Plots", "Runs"]),
]


@pytest.mark.parametrize(("table", "headings"), LITTLE)
def test_studies_of_which_little_can_be_said(table, headings, tmp_path):
    _, page = written(table, tmp_path)
    assert page.headings == headings
    assert ("SimulationError: took more than 60 s" in page.texts) == (table.attrs["failed"] > 0)
