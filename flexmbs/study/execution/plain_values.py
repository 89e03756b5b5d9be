"""Figures and statistics of a run as plain Python values, in which every digit is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from flexmbs.common.errors import CaseError


def plain(value: object, name: str) -> Any:
    """``value`` as numbers, texts, None, lists and mappings of them; CaseError for anything else.

    Numbers that are not finite stay what they are. ``name`` says in the message what it is.
    """
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biufUS":
        return value.astype(str).tolist() if value.dtype.kind == "S" else value.tolist()
    if isinstance(value, int | float):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{name}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item, f"{name}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, PurePath):
        return str(value)
    kind = type(value).__name__
    raise CaseError(f"{name} is a {kind}; only numbers, texts, None, lists and mappings of these can be stored")


def plain_mapping(values: Mapping[str, object], what: str) -> dict[str, Any]:
    """:func:`plain` of every entry; ``what`` ("figure") goes before its name in a message."""
    return {str(name): plain(value, f"{what} {str(name)!r}") for name, value in values.items()}


def is_finite(value: object) -> bool:
    """Whether no number in a plain value is nan or infinite."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(is_finite(item) for item in value.values())
    if isinstance(value, list):
        return all(is_finite(item) for item in value)
    return True


def scalars(figures: Mapping[str, object]) -> dict[str, object]:
    """The figures that are single values."""
    return {name: value for name, value in figures.items() if not isinstance(value, Mapping | list)}
