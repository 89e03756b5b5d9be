"""Tables that programs write into pages of the documentation, between two comments."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write_into(page: str, name: str, text: str) -> None:
    """Put ``text`` into docs/``page`` between "<!-- made by NAME -->" and "<!-- end -->"."""
    path = ROOT / "docs" / page
    begin, end = f"<!-- made by {name} -->", "<!-- end -->"
    before, _, rest = path.read_text("utf-8").partition(begin)
    if end not in rest:
        raise SystemExit(f"{path}: '{begin}' and '{end}' are missing")
    after = rest[rest.index(end) :]
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{after}", "utf-8")
