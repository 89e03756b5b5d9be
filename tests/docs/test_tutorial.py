"""The scripts of the documentation run as they stand."""

import re
from pathlib import Path

import pytest

import flexmbs as fm
from flexmbs import RenderingUnavailable, load_case, run_case
from flexmbs.view.opengl import prepare_offscreen

ROOT = Path(__file__).resolve().parents[2]


def _python_blocks(page: str) -> list[str]:
    """Texts of the Python code blocks of a page (path from the root of the project), in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def _can_render() -> bool:
    try:
        prepare_offscreen()
    except RenderingUnavailable:
        return False
    return True


def test_tutorial(tmp_path, monkeypatch):
    """Every line of docs/tutorial.md; the animation is shortened, and left out where nothing can be rendered."""
    monkeypatch.chdir(tmp_path)
    animate, asked = fm.Result.animate, []

    def short(result, path, **options):
        asked.append(path)
        return animate(result, path, **options, duration=0.2) if _can_render() else None

    monkeypatch.setattr(fm.Result, "animate", short)
    names = {}
    exec(compile("\n".join(_python_blocks("docs/tutorial.md")), "docs/tutorial.md", "exec"), names)
    result = names["result"]
    # independent program for the same bar as a beam with 3 bending modes: 0.48325151 s; solids may differ by 1e-3 s
    assert result.contacts[0].start == pytest.approx(0.4832515, abs=1e-3)
    assert asked == ["pendulum.mp4"]
    assert (tmp_path / "pendulum.png").stat().st_size > 1000
    assert not _can_render() or (tmp_path / "pendulum.mp4").stat().st_size > 1000
    # what the page says about the folder
    assert fm.load(tmp_path / "first_run").contacts == result.contacts


def test_tutorial_is_about_thirty_lines():
    code = [line for block in _python_blocks("docs/tutorial.md") for line in block.splitlines() if line.strip()]
    assert len(code) <= 35


def test_case_of_the_readme(tmp_path):
    """The case script in README.md is a case: it has parameters, runs, and its numbers make sense."""
    (script,) = _python_blocks("README.md")
    path = tmp_path / "swing.py"
    path.write_text(script)
    heavy = run_case(load_case(path), {"ball_mass": 1.0, "t_end": 0.3})
    light = run_case(load_case(path), {"ball_mass": 1e-3, "t_end": 0.3})
    # rigid bar of mass m = 0.628 kg with a ball M at its tip: the angle grows as (m/2 + M) / (m/3 + M), 1.50 for the
    # light ball and 1.09 for the heavy one; 5 % for bending and for the larger angle
    assert light.figures["angle_end"] / heavy.figures["angle_end"] == pytest.approx(1.497 / 1.087, rel=0.05)
    assert heavy.figures["tip_deflection_max"] > light.figures["tip_deflection_max"] > 0.0
