"""How the case of a run folder wants its result shown: "view" in summary.json."""

from __future__ import annotations

import json
from pathlib import Path

from flexmbs.common.errors import FlexmbsError


def stored_view(folder: str | Path) -> dict[str, object]:
    """View settings of the case that a result folder belongs to; empty for folders without summary.json.

    FlexmbsError if summary.json exists but cannot be read.
    """
    path = Path(folder) / "summary.json"
    if not path.is_file():
        return {}
    try:
        view = json.loads(path.read_text()).get("view", {})
        return {name: tuple(value) if isinstance(value, list) else value for name, value in view.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise FlexmbsError(f"{path}: cannot be read ({error}); remove this file to show the result with default settings") from None
