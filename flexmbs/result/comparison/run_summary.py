"""What summary.json of a run of a case says: its parameters, figures and statistics."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flexmbs.common.errors import FlexmbsError
from flexmbs.result.file_names import SUMMARY


@dataclass(frozen=True)
class RunSummary:
    """By name; empty without summary.json."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)
    stats: Mapping[str, Any] = field(default_factory=dict)


def read_summary(folder: Path) -> RunSummary:
    """Summary of the run in a folder; FlexmbsError if the file cannot be read."""
    path = folder / SUMMARY
    if not path.is_file():
        return RunSummary()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        parts = {name: content.get(name) or {} for name in ("parameters", "figures", "stats")}
        if not all(isinstance(part, dict) for part in parts.values()):
            raise ValueError("parameters, figures and stats must be objects")
    except (OSError, ValueError, AttributeError) as error:
        raise FlexmbsError(f"{path}: cannot be read ({error}); remove this file to compare the histories alone") from None
    return RunSummary(**parts)
