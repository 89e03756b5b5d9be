"""docs/report.md: its scripts run, in the order of the page."""

import re
import warnings
from pathlib import Path

import pytest

import flexmbs as fm
from flexmbs.result.report import picture_sections

PAGE = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")


def no_stills(*_arguments, **_options):
    raise fm.RenderingUnavailable("not in this test")


def test_scripts_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(picture_sections, "pictures_of", no_stills)
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(fm.RigidBody.box(1.0, (0.5, 0.02, 0.02), center=(0.25, 0.0, 0.0)), "rod")
    system.revolute(system.ground["origin"], rod["origin"], axis="z", name="hinge")
    names = {"fm": fm, "system": system}
    scripts = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(scripts) == 3
    with warnings.catch_warnings():
        for script in scripts:
            exec(script, names)
    assert Path("swing.html").stat().st_size > 10_000 and names["times"][-1][0] == pytest.approx(0.4)
