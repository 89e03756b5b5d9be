"""Names of the files in a result folder (docs/storage.md), and what ``flexmbs run`` writes there (summary.json)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from flexmbs.common.atomic_files import read_file
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.stored_arrays import parsed_json

PLOTTED = 4  # histories of the plots of a case that a page shows at first


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

    def page_options(self, known: Collection[str]) -> dict[str, Any]:
        """Options of pages: ``histories``, those of the plots that a result has among its names, the first of each first."""
        plots = [[name for name in names if name in known] for names in self.plots.values()]
        first = [name for names in zip_longest(*plots) for name in names if name]
        return {"histories": list(dict.fromkeys(first))[:PLOTTED]} if first else {}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> RunSummary:
        """From the content of summary.json; AttributeError, KeyError, TypeError or ValueError for what cannot be one."""
        about = content.get("about", {})
        view = {name: tuple(value) if isinstance(value, list) else value for name, value in content.get("view", {}).items()}
        meanings = {name: (str(p["unit"]), str(p["help"])) for name, p in about.get("parameters", {}).items()}
        return cls(
            str(content.get("case", "")),
            str(about.get("title") or view.get("title", "")),
            dict(content.get("parameters", {})),
            dict(content.get("figures", {})),
            dict(about.get("units", {})),
            meanings,
            {str(title): [str(name) for name in names] for title, names in about.get("plots", {}).items()},
            view,
            dict(content.get("stats", {})),
            tuple(str(text) for text in content.get("warnings", ())),
        )


def read_summary(folder: Path, without: str = "to do without it") -> RunSummary:
    """The summary in a result folder, empty if there is none; FlexmbsError, which ends in ``without``, if it is damaged."""
    path = folder / SUMMARY
    try:
        return RunSummary.of(parsed_json(read_file(path)) if path.exists() else {})
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise FlexmbsError(f"{path}: cannot be read ({error}); remove this file {without}") from None


MODEL, RESULT, STATE, SYSTEM, SUMMARY = "model.h5", "result.h5", "state.npz", "system.npz", "summary.json"
