"""Gmsh's own node numbers, which meshio does not hand on, in the order of the file."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np


def node_numbers(path: Path, count: int) -> np.ndarray | None:
    """(count,) node numbers of a text file; None for a binary one, or when they cannot be told."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = (line.split() for line in file)
        version = binary = None
        for words in lines:
            if words == ["$MeshFormat"]:
                version, binary = next(lines)[:2]
            if words == ["$Nodes"]:
                break
        if version is None or binary != "0":
            return None
        reader = {"2": _version_2, "4.0": _version_40}.get(version if version == "4.0" else version[0], _version_41)
        try:
            numbers = np.array(reader(lines), dtype=np.int64)
        except (ValueError, IndexError, StopIteration):
            return None
    return numbers if len(numbers) == count == len(np.unique(numbers)) else None


def _version_2(lines) -> list[str]:
    (count,) = next(lines)
    return [words[0] for words in islice(lines, int(count))]


def _version_40(lines) -> list[str]:
    numbers: list[str] = []
    for _ in range(int(next(lines)[0])):
        numbers += [words[0] for words in islice(lines, int(next(lines)[3]))]
    return numbers


def _version_41(lines) -> list[str]:
    numbers: list[str] = []
    for _ in range(int(next(lines)[0])):
        count = int(next(lines)[3])
        numbers += [words[0] for words in islice(lines, count)]
        for _ in islice(lines, count):
            pass  # coordinates
    return numbers
