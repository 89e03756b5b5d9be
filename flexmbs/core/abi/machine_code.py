"""Compiled functions kept on disk between processes, in place of numba's own cache.

numba executes whatever lies in its cache folder, raises on damaged files and full disks, and takes no cache that it
cannot write. Here a file that is not the user's own, not complete or not of this function counts as not there, and
what cannot be written is compiled again the next time.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from pathlib import Path

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from flexmbs.common.cache_folder import cache_folder, distrust, folders_to_read, read_trusted, write_whole
from flexmbs.common.errors import CacheWarning
from flexmbs.common.user_warnings import warn_once

SUFFIX = ".code"
_DIGEST = 32  # bytes at the head of a file: hash of the rest


def hash_of_sources(paths: list[Path]) -> str:
    """Hash of source files and of what compiles them: machine code of one state is of no use to another."""
    versions = f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:2]}"
    digest = hashlib.sha256(versions.encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def is_kept(folder: str) -> bool:
    """Whether machine code of that folder of the cache lies on disk."""
    return any(any((place / folder).glob(f"*{SUFFIX}")) for place in folders_to_read())


def compiled(folder: str, **options):
    """Decorator: ``numba.njit`` with these options, whose machine code is kept (:class:`MachineCode`)."""

    def decorate(function):
        result = numba.njit(**options)(function)
        result._cache = MachineCode(function, folder)
        return result

    return decorate


def compiled_c_function(signature, folder: str, **options):
    """Decorator: a C function of that signature (``numba.cfunc``), compiled or loaded at once."""

    def decorate(function):
        result = CFunc(function, (signature.args, signature.return_type), locals={}, options=options)
        result._cache = MachineCode(function, folder)
        result.compile()
        return result

    return decorate


class MachineCode(_Cache):
    """The compiled forms of one function: one file each in ``folder`` of the user's cache folder.

    Parameters
    ----------
    function : the Python function
    folder : name of a folder that stands for one state of all sources that its compiled form depends on
    """

    def __init__(self, function, folder: str) -> None:
        self._function, self._folder, self._enabled = function, folder, True

    @property
    def cache_path(self) -> str:
        return str(cache_folder() / self._folder)

    def load_overload(self, sig, target_context):
        """The compiled form for a signature, or None: it has to be compiled."""
        target_context.refresh()
        if not self._enabled:
            return None
        name = self._file_name(sig, target_context.codegen())
        for place in folders_to_read():
            found = self._load(place / self._folder / name, target_context)
            if found is not None:
                return found
        return None

    def save_overload(self, sig, data) -> None:
        """Keep a compiled form where that is possible; CacheWarning where it is not."""
        if not self._enabled or data.lifted or data.library.has_dynamic_globals:
            return
        content = dumps(data._reduce())
        name = self._file_name(sig, data.codegen)
        folder = cache_folder() / self._folder
        try:
            write_whole(folder / name, hashlib.sha256(content).digest() + content)
        except OSError as error:
            why = error.strerror or error
            text = f"compiled code is not kept in {folder} ({why}): it is compiled anew at each start"
            warn_once(text, CacheWarning)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Files are of one state of the sources: there are none to remove."""

    def _load(self, path: Path, target_context):
        content = read_trusted(path)
        if content is None or hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST] or distrust(path.parent):
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content[_DIGEST:]))
        except Exception:  # whatever it is, compiling again is right
            return None

    def _file_name(self, sig, codegen) -> str:
        function = self._function
        enclosed = () if function.__closure__ is None else tuple(cell.cell_contents for cell in function.__closure__)
        place = f"{function.__module__} {function.__code__.co_firstlineno} {numba.config.BOUNDSCHECK}"
        digest = hashlib.sha256(f"{place} {sig} {codegen.magic_tuple()}".encode() + dumps(enclosed))
        return f"{function.__name__}-{digest.hexdigest()[:24]}{SUFFIX}"
