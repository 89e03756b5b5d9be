"""The scripts of docs/tutorials run as they stand and give what the pages say."""

import re
from pathlib import Path

import numpy as np
import pytest

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"


@pytest.fixture
def names(request, tmp_path, monkeypatch):
    """What the script of the page leaves behind; run in an empty folder."""
    page = (TUTORIALS / f"{request.param}.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    found: dict = {}
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    exec(compile("\n".join(blocks), request.param, "exec"), found)
    return found


@pytest.mark.parametrize("names", ["satellite_panels"], indirect=True)
def test_satellite_panels(names):
    assert Path("satellite.png").stat().st_size > 1000
    # nothing acts from outside: the latches take all that the springs give, and the momenta stay zero
    assert names["lost"] == pytest.approx(names["start"] - names["stop"], rel=1e-9)
    assert np.abs(names["linear"]).max() < 1e-8 and np.abs(names["angular"]).max() < 1e-8
    # the panel rings after its latch has closed
    assert names["after"] > 3.0 * names["before"] > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("names", ["suspension"], indirect=True)
def test_suspension(names):
    assert Path("suspension.png").stat().st_size > 1000
    # the tyre's spring leans a little, which makes its force larger
    ratio = -names["rest"]["tyre.force"][0] / (9.81 * names["mass"])
    assert 1.0 < ratio < 1.001
    # by hand without damping and without the inertia of wheel and arms
    assert names["modes"].frequencies[0] == pytest.approx(names["heave"], rel=0.05)
    # the page: the stiffest damper, of the last run, shakes the body most and lets the tyre lift off
    assert names["shake"] > 15.0 and names["swing"] < 3e-3 and names["lowest"] < 0.0


@pytest.mark.slow
@pytest.mark.parametrize("names", ["impact"], indirect=True)
@pytest.mark.filterwarnings("ignore::flexmbs.FlexmbsWarning")
def test_impact(names):
    assert Path("impact.png").stat().st_size > 1000
    # docs/impact_modes.md, the same rod with 40 exact modes: 1255.46 N, 75.137 us
    assert names["first"].peak_force == pytest.approx(1255.46, rel=1e-3)
    assert names["first"].duration == pytest.approx(75.137e-6, rel=1e-3)
    # the closed form of Hertz on a rigid wall is an upper limit
    assert names["wall"] > names["first"].peak_force
    plain, massless = names["peaks"]
    assert massless == pytest.approx(1255.46, rel=1e-3) and plain > 1.003 * massless
    assert names["energy"] < 1e-8
