"""Names of the files in a result folder (docs/storage.md), and what ``flexmbs run`` writes there (summary.json)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flexmbs.common.atomic_files import read_file
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.stored_arrays import parsed_json


@dataclass(frozen=True)
class RunSummary:
    """Content of summary.json; all of it may be missing.

    Attributes
    ----------
    case, title : name of the case, what it is about
    parameters, figures : name -> value; units : figure -> unit
    meanings : parameter -> (unit, description)
    plots : title -> names of histories
    view : options of pictures
    stats : statistics of the whole case, with the seconds of its parts
    warnings : all that were issued
    """

    case: str = ""
    title: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    plots: Mapping[str, Sequence[str]] = field(default_factory=dict)
    view: Mapping[str, Any] = field(default_factory=dict)
    stats: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()


def read_summary(folder: Path, without: str = "to do without it") -> RunSummary:
    """The summary in a result folder, empty if there is none; FlexmbsError, which ends in ``without``, if it is damaged."""
    path = folder / SUMMARY
    try:
        found = parsed_json(read_file(path)) if path.exists() else {}
        about = found.get("about", {})
        view = {name: tuple(value) if isinstance(value, list) else value for name, value in found.get("view", {}).items()}
        meanings = {name: (str(p["unit"]), str(p["help"])) for name, p in about.get("parameters", {}).items()}
        return RunSummary(
            str(found.get("case", "")),
            str(about.get("title") or view.get("title", "")),
            dict(found.get("parameters", {})),
            dict(found.get("figures", {})),
            dict(about.get("units", {})),
            meanings,
            {str(title): [str(name) for name in names] for title, names in about.get("plots", {}).items()},
            view,
            dict(found.get("stats", {})),
            tuple(str(text) for text in found.get("warnings", ())),
        )
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise FlexmbsError(f"{path}: cannot be read ({error}); remove this file {without}") from None


def stored_view(folder: str | Path) -> Mapping[str, Any]:
    """How the case of a run folder wants its result shown, empty without summary.json; FlexmbsError if it is damaged."""
    return read_summary(Path(folder), "to show the result with default settings").view


MODEL, RESULT, STATE, SYSTEM, SUMMARY = "model.h5", "result.h5", "state.npz", "system.npz", "summary.json"
