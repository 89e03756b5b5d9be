"""docs/high_modes.md: its lines of Python run, and treat the modes that they say."""

import re
from pathlib import Path

import numpy as np

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "high_modes.md").read_text("utf-8")


def test_its_python_runs():
    names: dict = {}
    exec(compile(re.search(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)[1], "page", "exec"), names)
    high = names["rod"].frequencies > 2000.0
    np.testing.assert_array_equal(names["condensed"].condensed, high)
    np.testing.assert_array_equal(np.diag(names["damped"].body.De) > 1e-9, high)
