"""docs/impact_modes.md: its lines of Python run, and give the advice that the rules state."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "impact_modes.md").read_text("utf-8")


@pytest.mark.filterwarnings("ignore::flexmbs.BasisWarning")
def test_its_python_runs():
    names: dict = {}
    exec(compile(re.search(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)[1], "page", "exec"), names)
    assert np.count_nonzero(names["rod"].massless) == 1
    advice = names["advice"]
    assert advice.peak_error < 1e-9 and advice.residual_flexibility > 1e-9
    assert advice.needed_frequency == pytest.approx(3.0 / advice.duration)
