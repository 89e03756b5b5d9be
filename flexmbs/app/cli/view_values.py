"""Options of pictures as NAME=VALUE words."""

from __future__ import annotations

from collections.abc import Sequence

from flexmbs.case.parameters import split_assignments

_WORDS = {"true": True, "false": False, "none": None}


def view_values(assignments: Sequence[str]) -> dict[str, object]:
    """Options from words: "zoom=2", "camera=0,0,1", "window_size=640x480", "slow_motion=true", "follow=piston".

    CaseError for words that are not NAME=VALUE.
    """
    return {name: _value(name, str(text)) for name, text in split_assignments(assignments, "--view").items()}


def _value(name: str, text: str) -> object:
    if name in ("title", "follow", "background", "color_map"):
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    separator = "x" if name == "window_size" else ","
    parts = [_number(part) for part in text.split(separator)]
    if name == "hide":
        return tuple(text.split(","))
    if any(part is None for part in parts):
        return text
    return parts[0] if len(parts) == 1 else tuple(parts)


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
