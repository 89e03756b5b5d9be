"""The name of a run: the hash of everything that determines its result."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from flexmbs.case.cases import find_mesh
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.common.versions import library_versions, source_digest
from flexmbs.fem.solvers.factor import chosen_solver
from flexmbs.study.checks import ensure, whole_number

#: Changed when the same content is to get other keys.
FORMAT = 1
#: Packages of flexmbs that determine results; showing them, commands and the bookkeeping of studies do not.
_DETERMINING = tuple("analysis case common core fem interop machine_code mechanism mesh model reduction result".split())


@dataclass(frozen=True)
class RunSpec:
    """How each point of a study is run: what all runs have in common, as plain data that any process can be sent."""

    case: str  # path of the case file
    case_digest: str  # hash of the case file and the modules beside it that it imports
    # name -> value of parameters that differ from their defaults in all runs
    fixed: Mapping[str, object] = field(default_factory=dict)
    # ``store_every``, ``output_step``, ``storage_limit`` of ``System.simulate``
    storage: Mapping[str, object] = field(default_factory=dict)
    keep: str = "results"  # "results" (the whole result folder) or "figures" (the record and the histories only)
    histories: tuple[str, ...] = ()  # names of histories that are stored with the record, at ``history_times`` evenly spaced times
    history_times: int = 201  # number of times from 0 to the end of the run
    directory: str = ""  # folder that relative paths in parameters start from; empty for the current one
    sources: str = ""  # hash of the flexmbs sources, in the keys of runs: those that the study was begun with; empty: as they are

    def __post_init__(self) -> None:
        ensure(self.keep in ("results", "figures"), f"keep={self.keep!r}: it is 'results' (whole result folders) or 'figures'")
        whole_number(self.history_times, "number of history_times", smallest=2)


def run_key(spec: RunSpec, parameters: Mapping[str, object], file_digests: Mapping[str, str] | None = None) -> str:
    """Hexadecimal key (32 digits) of the run of ``spec.case`` with ``parameters``.

    Parameters
    ----------
    spec : of the study; what is kept of a run does not determine its result
    parameters : name -> value of *all* parameters of the case (:meth:`flexmbs.study.space.Space.parameters`)
    file_digests : parameter name -> hash of the file that it names; default: of the files as they are now

    StudyError for a value that is not plain data.
    """
    content = {
        "format": FORMAT,
        "case": spec.case_digest,
        "sources": spec.sources or sources_digest(),
        "parameters": dict(parameters),
        "files": dict(named_file_digests(parameters, spec.directory) if file_digests is None else file_digests),
        "storage": {name: value for name, value in spec.storage.items() if value is not None or name == "storage_limit"},
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=_plain)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def named_file_digests(parameters: Mapping[str, object], directory: str = "") -> dict[str, str]:
    """Parameter name -> hash of the file that its text names, directly or as a mesh that comes with flexmbs.

    ``directory``: where relative paths start; empty for the current folder.
    """
    digests = {}
    for name, value in parameters.items():
        if not isinstance(value, str) or not value.strip():
            continue
        with suppress(CaseError, OSError, ValueError):
            path = Path(os.path.abspath(find_mesh(os.path.join(directory, value))))
            try:
                digests[name] = _file_digest(path)
            except OSError as error:
                raise StudyError(f"parameter {name!r}: {path} cannot be read ({error.strerror})") from error
    return digests


@cache
def sources_digest() -> str:
    """Hash of the sources of flexmbs that determine results, as this process found them first."""
    return source_digest(_DETERMINING)


def current_versions() -> dict[str, str]:
    """Name -> version of flexmbs, its sources (a hash), Python, libraries and the sparse solver in this process."""
    return dict(sorted({**library_versions(), "sources": sources_digest(), "solver": chosen_solver()}.items()))


def _file_digest(path: Path) -> str:
    state = os.stat(path)
    return _content_digest(path, state.st_mtime_ns, state.st_size)


@cache  # files are read once by each process, and again when they have changed
def _content_digest(path: Path, _changed: int, _size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _plain(value: object) -> object:
    """Numbers of NumPy as Python's, arrays as lists."""
    ensure(
        isinstance(value, np.generic | np.ndarray), f"{value!r:.80}: {type(value).__name__} is not a value that a study can vary"
    )
    return value.tolist()  # type: ignore[attr-defined]
