"""The scripts of docs/rigid_contact.md."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "rigid_contact.md"


def test_the_scripts_run(capsys):
    bounce, stack = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    exec(compile(bounce, str(PAGE), "exec"), {})
    first = capsys.readouterr().out.splitlines()[0].split()
    assert abs(float(first[0]) - (2.0 * 0.25 / 9.81) ** 0.5) < 1e-9 and first[1] == "impact"
    exec(compile(stack, str(PAGE), "exec"), {})
    assert abs(float(capsys.readouterr().out)) < 1e-12
