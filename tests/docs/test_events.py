"""The script of docs/events.md prints what the page says."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "events.md"


def test_the_script_prints_what_the_page_says(capsys):
    page = PAGE.read_text()
    script = page.split("```python\n")[1].split("```")[0]
    exec(compile(script, "events.md", "exec"), {})
    said = [line[4:] for line in page.split("```")[2].splitlines() if line.startswith("    ")]
    assert capsys.readouterr().out.splitlines() == said
