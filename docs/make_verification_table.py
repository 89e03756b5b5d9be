"""Run the verification tests that compare figures and write them to verification.md, between its two marks.

    python docs/make_verification_table.py          (some minutes; fails when a figure is off by more than is allowed)

Tests hand figures over with the fixture ``figures`` (tests/verification/conftest.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "verification.md"
START, END = "<!-- made by make_verification_table.py -->\n", "<!-- end -->\n"


def measured() -> list[dict]:
    """One row a comparison, in the order of the tests; exits when a test fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.jsonl"
        tests = sorted(str(test) for test in (ROOT / "tests" / "verification").glob("test_*.py") if "figures(" in test.read_text())
        command = [sys.executable, "-m", "pytest", "-m", "", "-q", *tests]
        run = subprocess.run(command, cwd=ROOT, env=os.environ | {"FLEXMBS_FIGURES": str(path)})
        if run.returncode:
            sys.exit(run.returncode)
        return [json.loads(line) for line in path.read_text().splitlines()]


def table(rows: list[dict]) -> str:
    """Markdown, one table a test file."""
    parts = []
    for test in dict.fromkeys(row["test"] for row in rows):
        parts.append(f"`tests/verification/{test}`\n\n| what | against | figures | largest deviation | allowed |")
        parts.append("|---|---|---|---|---|")
        for row in rows:
            if row["test"] == test:
                numbers = f"{row['count']} | {row['deviation']:.1e} | {row['allowed']:.1e}"
                parts.append(f"| {row['what']} | {row['source']} | {numbers} |")
        parts.append("")
    return "\n".join(parts)


def main() -> None:
    before, rest = PAGE.read_text("utf-8").split(START)
    _, after = rest.split(END)
    PAGE.write_text(before + START + "\n" + table(measured()) + "\n" + END + after, "utf-8")


if __name__ == "__main__":
    main()
