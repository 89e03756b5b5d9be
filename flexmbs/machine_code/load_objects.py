"""The compiled entries of this process: found, checked, loaded by llvmlite; compiled first where they must be."""

from __future__ import annotations

import ctypes
import ctypes.util
import faulthandler
import hashlib
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from flexmbs.common.cache_folder import cache_folder, distrust, folders_to_read, read_trusted, write_whole
from flexmbs.common.errors import CacheWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.progress import stage
from flexmbs.common.user_warnings import warn_once
from flexmbs.machine_code.build import object_files
from flexmbs.machine_code.external_symbols import FAILURE, FROM_C
from flexmbs.machine_code.manifest import read_shipped
from flexmbs.machine_code.sources import keys
from flexmbs.machine_code.switches import BOUNDS_CHECKED, PLAIN_PYTHON
from flexmbs.machine_code.target_processor import Target, target_here

SUFFIX = ".o"
_DIGEST = 32  # bytes at the head of a file in the cache: hash of the rest
#: Names of entries in which an error occurred since Python last looked.
failures: list[str] = []
_lock = threading.RLock()
_loaded: Library | None = None


class Library:
    """An execution engine with all object files."""

    def __init__(self, objects: dict[str, bytes], target: Target):
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(_note_failure)
        llvm.add_symbol(FAILURE, ctypes.cast(self._callback, ctypes.c_void_p).value)
        for name, address in _c_functions().items():
            llvm.add_symbol(name, address)
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
            cpu=target.name, features=target.features, codemodel="jitdefault", jit=True
        )
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        for content in objects.values():
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(content))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        found = self._engine.get_function_address(symbol)
        if not found:
            raise RuntimeError(f"the compiled kernels hold no {symbol}")
        return found


def address(symbol: str) -> int:
    """Address of the C function of an entry."""
    return _library().address(symbol)


def load() -> float:
    """Load the compiled entries, compile them first where they must be; seconds that it took (0: they were there)."""
    if _loaded is not None or PLAIN_PYTHON:
        return 0.0
    begin = time.perf_counter()
    _library()
    return time.perf_counter() - begin


def provide() -> bool:
    """Compile what is missing, so that processes started from now on find all entries; whether they will.

    They will not where the cache folder cannot be written, of which a CacheWarning has told. Nothing is loaded here.
    """
    if PLAIN_PYTHON:
        return True
    target, wanted = target_here(), keys()
    found = find_objects(target)
    shipped = {} if BOUNDS_CHECKED else read_shipped(wanted, target)[0]
    return len(shipped | _from_cache(wanted, shipped, target)) == len(found)


def _library() -> Library:
    global _loaded
    with _lock:
        if _loaded is None:
            target = target_here()
            _loaded = Library(find_objects(target), target)
        return _loaded


def find_objects(target: Target) -> dict[str, bytes]:
    """Object files of all entries: as shipped, from the cache folder, or compiled now."""
    wanted = keys()
    if BOUNDS_CHECKED:
        found, reason = {}, "FLEXMBS_BOUNDS_CHECK is set"
    else:
        found, reason = read_shipped(wanted, target)
    found |= _from_cache(wanted, found, target)
    if len(found) == len(wanted):
        return found
    with _alone(target):
        found |= _from_cache(wanted, found, target)  # another process may have been quicker
        missing = [module for module in wanted if module not in found]
        if missing:
            made = object_files(missing, target, reason)
            for module in missing:
                _keep(module, wanted[module], made[module], target)
            found |= made
    return found


def cache_name(target: Target) -> str:
    """Folder inside the cache folder for object files of a target."""
    features = hashlib.sha256(target.features.encode()).hexdigest()[:8] if target.features else ""
    return "-".join(filter(None, ["kernels", target.name, features, "checked" if BOUNDS_CHECKED else ""]))


def kernel_cache_folder() -> Path:
    """Folder of compiled kernels in the user's cache folder."""
    return cache_folder() / cache_name(target_here())


def _from_cache(wanted: dict[str, str], found: dict[str, bytes], target: Target) -> dict[str, bytes]:
    """What the cache folders hold of that which has not been found yet."""
    more = {}
    for place in folders_to_read():
        folder = place / cache_name(target)
        for module, key in wanted.items():
            if module in found or module in more:
                continue
            content = read_trusted(folder / _file_name(module, key))
            if content and hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST] and not distrust(folder):
                more[module] = content[_DIGEST:]
    return more


def _keep(module: str, key: str, content: bytes, target: Target) -> None:
    """Keep an object file where that is possible; CacheWarning where it is not."""
    folder = cache_folder() / cache_name(target)
    try:
        write_whole(folder / _file_name(module, key), hashlib.sha256(content).digest() + content)
    except OSError as error:
        why = error.strerror or error
        warn_once(f"compiled code is not kept in {folder} ({why}): it is compiled anew at each start", CacheWarning)
        return
    for old in folder.glob(f"{module}-*{SUFFIX}"):
        if old.name != _file_name(module, key) and time.time() - old.stat().st_mtime > 30 * 86400.0:
            old.unlink(missing_ok=True)


def _file_name(module: str, key: str) -> str:
    return f"{module}-{key[:24]}{SUFFIX}"


@contextmanager
def _alone(target: Target):
    """While this lasts no other process compiles into the same folder, where the system can see to that."""
    lock = FileLock(cache_folder() / cache_name(target) / ".lock")
    with suppress(OSError):  # a folder that cannot be written
        lock.path.parent.mkdir(parents=True, exist_ok=True)
        lock.wait(lambda holder: stage(f"waiting for another process that compiles the kernels ({holder})", long=True))
        lock.write()
    try:
        yield
    finally:
        lock.release()


def _c_functions() -> dict[str, int]:
    """Addresses of what is there of ``FROM_C``."""
    names = [None] if os.name != "nt" else ["ucrtbase", "msvcrt"]
    names += filter(None, [ctypes.util.find_library("m") if os.name != "nt" and sys.platform != "linux" else None])
    found = {}
    for name in names:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        for function in FROM_C:
            if function not in found and hasattr(library, function):
                found[function] = ctypes.cast(getattr(library, function), ctypes.c_void_p).value
    return found


def _note_failure(name: bytes) -> None:
    """Called by machine code when an entry has failed: C functions cannot raise.

    Behind an index out of bounds nothing means anything: with checked indices the process ends there.
    """
    if BOUNDS_CHECKED:
        ctypes.CDLL(None).fflush(None)  # the index and the size of its axis, as the checks have printed them
        print(f"flexmbs: {name.decode()}: an index is out of bounds", file=sys.stderr, flush=True)
        faulthandler.dump_traceback()
        os._exit(70)
    failures.append(name.decode())
