"""Which content of which file the runs of a study have read: two versions of one file are never mixed.

``inputs/HASH OF THE PATH.json`` for each file, written by the first run that has read it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from flexmbs.common.atomic_files import read_file, reason, temporary_name
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.stored_arrays import parsed_json
from flexmbs.common.user_warnings import warn_once
from flexmbs.study.store.layout import entries


class RecordedInputs:
    """The folder ``inputs`` of a study."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}  # path -> digest, compared already

    def add(self, files: Mapping[str, str]) -> None:
        """Record what a run has read (path -> digest); StudyError naming files of which there were other versions."""
        changed = []
        for path, digest in files.items():
            if self._known.get(path) != digest:
                first = self._first(path, digest)
                if first == digest:
                    self._known[path] = digest
                else:
                    changed.append(path)
        if changed:
            raise mixed(changed)

    def recorded(self) -> dict[str, str]:
        """Path -> digest of all files that runs have read."""
        found = {}
        for name in entries(self._folder):
            note = _read(self._folder / name) if name.endswith(".json") else None
            if note is not None:
                found[note[0]] = note[1]
        return found

    def _first(self, path: str, digest: str) -> str:
        """The digest of a path as the first run has recorded it."""
        place = self._folder / f"{hashlib.blake2b(path.encode(), digest_size=16).hexdigest()}.json"
        note = _read(place) if place.exists() else None
        if note is not None:
            return note[1]
        text = json.dumps({"path": path, "digest": digest})
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary = temporary_name(place)
            temporary.write_text(text, encoding="utf-8")
            os.replace(temporary, place)  # of two at once the last one counts, and the next run of the other differs
        except OSError as error:
            raise StudyError(f"{place}: cannot be written: {reason(error)}") from error
        note = _read(place)
        return digest if note is None else note[1]


def mixed(paths: list[str]) -> StudyError:
    """The error for files that have changed between runs."""
    files = ", ".join(paths)
    return StudyError(
        f"{files}: changed since other runs of this study have read {'it' if len(paths) == 1 else 'them'}; the same "
        "study would mix two versions. Restore the former content, or begin a study in another folder"
    )


def _read(path: Path) -> tuple[str, str] | None:
    try:
        note = parsed_json(read_file(path))
        return str(note["path"]), str(note["digest"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        warn_once(f"{path}: damaged ({error}): it is written anew by the next run", StudyWarning)
        return None
