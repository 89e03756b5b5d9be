"""The script of docs/contact.md runs."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "contact.md"


def test_the_script_runs(capsys):
    script = PAGE.read_text().split("```python\n")[1].split("```")[0]
    exec(compile(script, "contact.md", "exec"), {})
    starts = [float(line.split()[0]) for line in capsys.readouterr().out.splitlines()]
    # the ball falls 0.08 m from rest
    assert len(starts) > 1 and abs(starts[0] - (2 * 0.08 / 9.81) ** 0.5) < 1e-9
