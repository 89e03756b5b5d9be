"""Files that a case reads: those that its parameters name, and those that it was seen to open."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from flexmbs.case.cases import find_mesh
from flexmbs.common.cache_folder import folders_to_read
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.common.installed_data import meshes_folder
from flexmbs.study.store.case_source import is_of_the_user
from flexmbs.study.store.recorded_inputs import mixed

# (path, time of the last change, size) -> hash: files are read once by each process
_digests: dict[tuple[str, int, int], str] = {}
_SYSTEM = ("/proc/", "/dev/", "/sys/", "/etc/", "/usr/")
_SETTINGS = (".cache", ".config", "Library", "AppData")  # in the home folder: of programs (fonts, styles), not of the case
_WRITING = frozenset("wax+")
_COMPILED = os.path.join("", "__pycache__", "")  # numba keeps there what a case has compiled, and changes it


def file_digest(path: str | os.PathLike[str]) -> str:
    """Hexadecimal hash (32 digits) of a file's content; OSError if it cannot be read."""
    place = os.path.abspath(path)
    state = os.stat(place)
    key = (place, state.st_mtime_ns, state.st_size)
    if key not in _digests:
        with open(place, "rb") as file:
            _digests[key] = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    return _digests[key]


def named_files(parameters: Mapping[str, object], directory: str = "") -> dict[str, Path]:
    """Parameter name -> path of the file that its text names, directly or as a mesh that comes with flexmbs.

    ``directory``: where relative paths start; empty for the current folder.
    """
    found = {}
    for name, value in parameters.items():
        if isinstance(value, str) and value.strip():
            with suppress(CaseError, OSError, ValueError):
                found[name] = Path(os.path.abspath(find_mesh(os.path.join(directory, value))))
    return found


def named_file_digests(parameters: Mapping[str, object], directory: str = "") -> dict[str, str]:
    """Parameter name -> hash of the content of the file that it names, as ``run_key`` takes them."""
    digests = {}
    for name, path in named_files(parameters, directory).items():
        try:
            digests[name] = file_digest(path)
        except OSError as error:
            raise StudyError(f"parameter {name!r}: {path} cannot be read ({error.strerror})") from error
    return digests


def require_unchanged(recorded: Mapping[str, str]) -> None:
    """StudyError naming the files (path -> hash, as runs have read them) that have another content now.

    Files that are not there (any more, or on this machine) cannot be compared; who needs one will say so.
    """
    changed = []
    for path, digest in recorded.items():
        with suppress(OSError):
            if file_digest(path) != digest:
                changed.append(path)
    if changed:
        raise mixed(changed)


class FilesRead:
    """Files that were opened for reading, to be asked for their ``digests`` afterwards."""

    def __init__(self, excluded: Iterable[str | os.PathLike[str]]) -> None:
        self._excluded = tuple(os.path.join(os.path.abspath(folder), "") for folder in excluded)
        self._paths: dict[str, None] = {}
        self._written: set[str] = set()

    def note(self, path: object, writing: bool) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            place = os.path.abspath(os.fsdecode(path))
            if writing:
                self._written.add(place)
            else:
                self._paths[place] = None

    def digests(self) -> dict[str, str]:
        """Path -> hash of the content of each input file: neither program, nor cache, nor written by this process."""
        found = {}
        for path in self._paths:
            if path not in self._written and self._is_input(path):
                with suppress(OSError):  # temporary files
                    if os.path.isfile(path):
                        found[path] = file_digest(path)
        return found

    def _is_input(self, path: str) -> bool:
        if path.startswith(os.path.join(str(meshes_folder()), "")):
            return True
        excluded = (
            *self._excluded,
            *(os.path.join(str(folder), "") for folder in folders_to_read()),
            *_SYSTEM,
            *_program_settings(),
        )
        if _COMPILED in path:
            return False
        return not path.startswith(excluded) and not path.endswith((".py", ".pyc")) and is_of_the_user(path)


def _program_settings() -> tuple[str, ...]:
    home = os.path.expanduser("~")
    return tuple(os.path.join(home, name, "") for name in _SETTINGS)


_active: list[FilesRead] = []
_installed = False


@contextmanager
def files_read(excluded: Iterable[str | os.PathLike[str]] = ()) -> Iterator[FilesRead]:
    """Notes which files this process opens through Python; ``excluded``: folders that are no input (the study's).

    Files that libraries open by themselves (HDF5) are not seen; those that parameters name are known anyway.
    """
    global _installed
    if not _installed:  # hooks cannot be removed again
        sys.addaudithook(_hook)
        _installed = True
    noted = FilesRead(excluded)
    _active.append(noted)
    try:
        yield noted
    finally:
        _active.remove(noted)


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _active and event == "open":
        path, mode, flags = arguments
        if isinstance(mode, str):
            writing = not _WRITING.isdisjoint(mode)
        else:
            writing = isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        for noted in _active:
            noted.note(path, writing)
