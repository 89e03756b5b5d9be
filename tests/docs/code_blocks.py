"""The Python code blocks of a page of documentation."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python_blocks(page: str) -> list[str]:
    """Texts of the ```python blocks of ``page`` (path from the root of the project), in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
