"""The name of a run: the hash of everything that determines its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.store.run_spec import RunSpec
from flexmbs.study.store.versions import sources_digest

#: Changed when the same content is to get other keys.
FORMAT = 1


def run_key(spec: RunSpec, parameters: Mapping[str, object], file_digests: Mapping[str, str]) -> str:
    """Hexadecimal key (32 digits) of the run of ``spec.case`` with ``parameters``.

    Parameters
    ----------
    spec : of the study; what is kept of a run does not determine its result
    parameters : name -> value of *all* parameters of the case, as ``checked_parameters`` of flexmbs.case gives them
    file_digests : parameter name -> hash of the file that it names (``named_file_digests``)

    StudyError for a value that is not plain data.
    """
    storage = {name: value for name, value in spec.storage.items() if value is not None or name == "storage_limit"}
    content = {
        "format": FORMAT,
        "case": spec.case_digest,
        "sources": spec.sources or sources_digest(),
        "parameters": {name: _plain(name, value) for name, value in parameters.items()},
        "files": dict(file_digests),
        "storage": {name: _plain(name, value) for name, value in storage.items()},
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _plain(name: str, value: object) -> object:
    """Numbers with all their digits, text, lists."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(name, item) for item in value]
    raise StudyError(f"parameter {name!r}: {type(value).__name__} is not a value that a study can vary")
