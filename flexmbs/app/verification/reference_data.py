"""Reference values in ``references/`` (origin and accuracy: its README.md)."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def reference(name: str) -> Any:
    """The content of ``references/NAME.json``."""
    file = resources.files("flexmbs.app.verification") / "references" / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))
