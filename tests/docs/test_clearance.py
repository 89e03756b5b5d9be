"""The script of the page on joints with clearance."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "clearance.md"


def test_script_of_the_page(capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(compile(code, str(PAGE), "exec"), names)
    first = capsys.readouterr().out.splitlines()[0].split()
    # it falls freely through the clearance
    assert float(first[0]) == pytest.approx(np.sqrt(2.0 * 5e-4 / 9.81), rel=1e-6)
    assert names["worn"].depth.max() > 0.0 and np.isfinite(names["play_later"].profile.depth).all()
    for history in re.findall(r"`J\.(\w+)`", PAGE.read_text("utf-8").split("## Lubricated")[0]):
        assert f"hinge.{history}" in names["result"].names or history == "reaction"
