"""Names of the folders and files of a study (docs/studies.md), and moving folders between them."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

STUDY, CASE, RECORD, HISTORIES, LOG = "study.json", "case.py", "run.json", "histories.npz", "log.txt"
RUNS, FAILED, WORK, PACKS, UNPACKED, DAMAGED, INPUTS = ("runs", "failed", "work", "packs", "unpacked", "damaged", "inputs")
#: Ends of names in ``work``: locks, complete runs on their way to ``runs``, and what is being removed.
LOCK, READY, GONE = ".lock", ".ready", ".gone"

_KEY = re.compile(r"[0-9a-f]{32}\Z")
_PAUSES = (0.01, 0.05, 0.2, 1.0)  # s; virus scanners and indexers of Windows keep folders busy for moments


@dataclass(frozen=True)
class Layout:
    """Paths in the folder of a study."""

    folder: Path

    def finished(self, key: str) -> Path:
        return self.folder / RUNS / key[:2] / key

    def failed(self, key: str) -> Path:
        return self.folder / FAILED / key[:2] / key

    def work(self, key: str) -> Path:
        return self.folder / WORK / key

    def lock(self, key: str) -> Path:
        return self.folder / WORK / (key + LOCK)

    def ready(self, key: str) -> Path:
        return self.folder / WORK / (key + READY)

    @property
    def packs(self) -> Path:
        return self.folder / PACKS

    def move_away(self, path: Path) -> None:
        """Remove a folder so that no other process ever sees a part of it."""
        gone = self.folder / WORK / f"{path.name}.{secrets.token_hex(4)}{GONE}"
        try:
            move(path, gone)
        except FileNotFoundError:
            if not os.path.lexists(path):
                return
            gone.parent.mkdir(parents=True, exist_ok=True)
            move(path, gone)
        shutil.rmtree(gone, ignore_errors=True)

    def set_aside(self, path: Path) -> Path:
        """Move what is damaged into ``damaged``: nothing is thrown away that somebody may want to look at."""
        target = self.folder / DAMAGED / f"{path.name}.{secrets.token_hex(4)}"
        target.parent.mkdir(exist_ok=True)
        move(path, target)
        return target


def is_key(name: str) -> bool:
    """Whether a name can be that of a run: 32 hexadecimal digits."""
    return _KEY.match(name) is not None


def entries(folder: Path) -> list[str]:
    """Names in a folder, sorted; none if it does not exist."""
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def run_folders(folder: Path, foreign: list[Path] | None = None) -> Iterator[Path]:
    """The folders of runs in ``runs`` or ``failed``, by key; what else is there is appended to ``foreign``."""
    for prefix in entries(folder):
        if len(prefix) != 2 or not (folder / prefix).is_dir():
            if foreign is not None:
                foreign.append(folder / prefix)
            continue
        for name in entries(folder / prefix):
            if is_key(name) and name.startswith(prefix):
                yield folder / prefix / name
            elif foreign is not None:
                foreign.append(folder / prefix / name)


def move(source: Path, target: Path) -> None:
    """Rename a folder; OSError if the target exists and is not empty."""
    pauses = iter(_PAUSES if sys.platform == "win32" else ())
    while True:
        try:
            os.rename(source, target)
            return
        except PermissionError:
            pause = next(pauses, None)
            if pause is None or os.path.lexists(target):
                raise
            time.sleep(pause)


def remove(folder: Path) -> None:
    """Remove a folder of ours with all that is in it, if it is there."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
