"""docs/energy.md: its lines of Python run."""

import re
from pathlib import Path

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "energy.md").read_text("utf-8")


def test_its_python_runs(capsys):
    (script,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    exec(compile(script, "page", "exec"), {})
    assert "hinge.angle.actuator (motor)" in capsys.readouterr().out
