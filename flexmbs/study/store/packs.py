"""The packs of a study: which run is in which, and reading it from there."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Set
from contextlib import suppress
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.user_warnings import warn_once
from flexmbs.study.store.layout import move, remove
from flexmbs.study.store.pack_file import DAMAGE, SUFFIX, Pack
from flexmbs.study.store.record_file import parsed_record, read_record
from flexmbs.study.store.run_record import FINISHED, RunRecord

_OPEN_PACKS = 4  # archives whose directories are held in memory


class Packs:
    """All packs of a study, looked up again at each call: other processes add some."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._packs: dict[tuple[str, int], Pack] = {}  # by name and number of the file
        self._heads = np.empty(0, np.uint64)  # of all keys, ascending
        self._recent: list[Pack] = []

    def all(self) -> list[Pack]:
        present = _pack_files(self.folder)
        if present != list(self._packs):
            for gone in self._packs.keys() - set(present):  # replaced, where it was damaged
                self._packs[gone].close()
            self._packs = {file: self._packs.get(file) or Pack(self.folder / file[0]) for file in present}
            heads = [pack.keys.heads for pack in self._packs.values()]
            self._heads = np.sort(np.concatenate(heads)) if heads else np.empty(0, np.uint64)
        return list(self._packs.values())

    def has(self, key: str) -> bool:
        return self._find(key) is not None

    def keys(self) -> set[bytes]:
        """The keys in all packs whose records are whole."""
        found: set[bytes] = set()
        for pack in self.all():
            if self._opened(pack).intact:
                found.update(pack.keys)
        return found

    def record(self, key: str) -> RunRecord | None:
        found = self._find(key)
        if found is None:
            return None
        pack, row = found
        return _checked(pack, pack.line(row), key)

    def records(self, seen: Set[bytes]) -> Iterator[RunRecord]:
        """The records in all packs, but those of ``seen`` and those that an earlier pack has too."""
        earlier: list[Pack] = []
        packs = self.all()
        repeated = set(self._heads[1:][self._heads[1:] == self._heads[:-1]].tolist())
        for pack in packs:
            if not self._opened(pack).intact:
                continue
            for key, line in zip(pack.keys, pack.lines(), strict=True):
                if key in seen:
                    continue
                if repeated and _head(key) in repeated and any(other.keys.row(key) is not None for other in earlier):
                    continue
                record = _checked(pack, line, key.hex())
                if record is not None:
                    yield record
            earlier.append(pack)

    def content_of(self, key: str, name: str) -> bytes | None:
        """A file of a packed run; None if it has none of this name. StudyError if it is damaged."""
        found = self._find(key)
        if found is None:
            return None
        try:
            archive = found[0].archive()
            try:
                member = archive.getinfo(f"{key}/{name}")
            except KeyError:
                return None
            return archive.read(member)
        except (OSError, *DAMAGE) as error:
            raise _damaged(found[0], f"{key}/{name}", error) from error

    def extracted(self, key: str, target: Path) -> Path | None:
        """``target``/KEY with the files of a packed run, extracted if it is not there; None if no pack has it."""
        folder = target / key
        if folder.is_dir() and read_record(folder, FINISHED) is not None:
            return folder
        found = self._find(key)
        if found is None:
            return None
        pack, row = found
        temporary = target / f"{key}.{secrets.token_hex(4)}"
        try:
            temporary.mkdir(parents=True)
            archive = pack.archive()
            for name in archive.namelist():
                if name.startswith(f"{key}/"):
                    archive.extract(name, temporary)
            inner = temporary / key
            inner.mkdir(exist_ok=True)
            (inner / "run.json").write_bytes(pack.line(row))
            remove(folder)  # a damaged one
            with suppress(FileExistsError, PermissionError, OSError):  # another process was faster
                move(inner, folder)
        except OSError as error:
            raise StudyError(f"{temporary}: cannot be written: {reason(error)}") from error
        except DAMAGE as error:
            raise _damaged(pack, key, error) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return folder

    def _find(self, key: str) -> tuple[Pack, int] | None:
        """The pack that holds a run, and the line of its record."""
        wanted = bytes.fromhex(key)
        packs = self.all()
        place = np.searchsorted(self._heads, np.uint64(_head(wanted)))
        if place == len(self._heads) or self._heads[place] != _head(wanted):
            return None
        for pack in packs:
            row = pack.keys.row(wanted)
            if row is not None and self._opened(pack).intact:
                return pack, row
        return None

    def _opened(self, pack: Pack) -> Pack:
        """The pack, with the archives closed that were not used for longest: their directories take memory."""
        if pack in self._recent:
            self._recent.remove(pack)
        self._recent.append(pack)
        while len(self._recent) > _OPEN_PACKS:
            self._recent.pop(0).close()
        return pack


def _pack_files(folder: Path) -> list[tuple[str, int]]:
    """Names and numbers of the packs in a folder, by name."""
    try:
        with os.scandir(folder) as found:
            return sorted(
                (entry.name, entry.inode()) for entry in found if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")
            )
    except FileNotFoundError:
        return []


def _head(key: bytes) -> int:
    return int.from_bytes(key[:8], "big")


def _checked(pack: Pack, line: bytes, key: str) -> RunRecord | None:
    try:
        return parsed_record(line, key, FINISHED)
    except ValueError as error:
        warn_once(f"{pack.path}: the record of run {key} is damaged ({error}); the run is left out", StudyWarning)
        return None


def _damaged(pack: Pack, what: str, error: Exception) -> StudyError:
    return StudyError(
        f"{pack.path}: {what} cannot be read from this pack ({error}); restore the pack from a backup, or remove it "
        "and run the study again"
    )
