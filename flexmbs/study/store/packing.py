"""Packing finished runs: written whole under a temporary name, renamed, and only then removed from ``runs``."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from flexmbs.common.atomic_files import remove_leftovers, replacing
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.user_warnings import warn
from flexmbs.study.store.layout import RECORD, RUNS, Layout, is_key, run_folders
from flexmbs.study.store.pack_file import KEYS, RECORDS, SUFFIX, Pack
from flexmbs.study.store.packs import Packs
from flexmbs.study.store.record_file import read_record
from flexmbs.study.store.run_record import FINISHED

_LOCK, _OWNER = "packing.lock", "pack"
_TEXT = (".json", ".txt", ".csv")  # what becomes smaller


def pack_runs(layout: Layout, packs: Packs, keys: Iterable[str] | None, runs_per_pack: int, bytes_per_pack: float) -> int:
    """Pack finished runs (None: all), at most ``runs_per_pack`` in one file; how many were packed."""
    if runs_per_pack < 1 or not bytes_per_pack > 0.0:
        raise StudyError(f"runs_per_pack must be at least 1 and bytes_per_pack positive, not {runs_per_pack}, {bytes_per_pack}")
    layout.packs.mkdir(parents=True, exist_ok=True)
    lock = FileLock(layout.packs / _LOCK)
    if not lock.acquire():
        warn(f"{layout.folder}: another process is packing this study ({lock.holder()}); nothing was done", StudyWarning)
        return 0
    try:
        lock.write()
        if lock.supported:
            remove_leftovers(layout.packs, _OWNER)
        waiting: list[Path] = []
        count = size = 0
        for folder in _folders(layout, keys):
            if packs.has(folder.name):  # its packer was killed before it could remove the folder
                _remove(layout, folder)
                continue
            waiting.append(folder)
            size += sum(path.stat().st_size for path in folder.iterdir())
            if len(waiting) == runs_per_pack or size >= bytes_per_pack:
                count += _pack(layout, waiting)
                waiting, size = [], 0
        return count + (_pack(layout, waiting) if waiting else 0)
    finally:
        lock.release()


def _folders(layout: Layout, keys: Iterable[str] | None) -> Iterable[Path]:
    if keys is None:
        return run_folders(layout.folder / RUNS)
    keys = list(keys)
    wrong = [key for key in keys if not is_key(key)]
    if wrong:
        raise StudyError(f"{wrong[0]!r} is not the key of a run, which has 32 hexadecimal digits")
    folders = (layout.finished(key) for key in keys)
    return [folder for folder in folders if folder.is_dir()]


def _pack(layout: Layout, folders: list[Path]) -> int:
    """Write one pack and remove the folders; those with damaged records stay."""
    lines = {}
    for folder in sorted(folders, key=lambda path: path.name):
        record = read_record(folder, FINISHED)
        if record is not None:
            lines[folder] = record.to_json().encode() + b"\n"
    if not lines:
        return 0
    keys = b"".join(bytes.fromhex(folder.name) for folder in lines)
    name = hashlib.blake2b(keys, digest_size=8).hexdigest()
    with replacing(layout.packs / f"{name}{SUFFIX}", StudyError, owner=_OWNER) as temporary:
        _write(temporary, keys, lines)
        written = Pack(temporary)
        if not (written.intact and len(written.keys) == len(lines)):
            raise StudyError(f"{temporary}: the pack cannot be read back; the runs stay as they are")
        written.close()
    for folder in lines:
        _remove(layout, folder)
    return len(lines)


def _write(path: Path, keys: bytes, lines: dict[Path, bytes]) -> None:
    with zipfile.ZipFile(path, "x", zipfile.ZIP_STORED, allowZip64=True, strict_timestamps=False) as archive:
        archive.writestr(zipfile.ZipInfo(KEYS), keys)  # without a date: a clock before 1980 has none that ZIP can hold
        with archive.open(zipfile.ZipInfo(RECORDS), "w", force_zip64=True) as file:
            for line in lines.values():
                file.write(line)
        for folder in lines:
            _add(archive, folder)


def _add(archive: zipfile.ZipFile, folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(place, name)
            if path != folder / RECORD:
                kind = zipfile.ZIP_DEFLATED if name.endswith(_TEXT) else zipfile.ZIP_STORED
                archive.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}", kind)


def _remove(layout: Layout, folder: Path) -> None:
    with suppress(OSError):  # still read by somebody on Windows: it is removed by the next packing
        layout.move_away(folder)
