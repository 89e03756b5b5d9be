"""The compiled entries of this process: found, checked, loaded by llvmlite; compiled first where they must be."""

from __future__ import annotations

import ctypes
import ctypes.util
import faulthandler
import os
import sys
import threading
import time
from pathlib import Path

from flexmbs.common.cache_folder import cache_folder
from flexmbs.machine_code.external_symbols import FAILURE, FROM_C
from flexmbs.machine_code.manifest import known_keys, read_shipped
from flexmbs.machine_code.object_cache import cache_name, complete, from_cache
from flexmbs.machine_code.switches import BOUNDS_CHECKED, PLAIN_PYTHON
from flexmbs.machine_code.target_processor import Target, target_here

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
    target, wanted = target_here(), known_keys()
    found = find_objects(target)
    shipped = {} if BOUNDS_CHECKED else read_shipped(wanted, target)[0]
    return len(shipped | from_cache(wanted, shipped, target)) == len(found)


def _library() -> Library:
    global _loaded
    with _lock:
        if _loaded is None:
            target = target_here()
            _loaded = Library(find_objects(target), target)
        return _loaded


def find_objects(target: Target) -> dict[str, bytes]:
    """Object files of all entries: as shipped, from the cache folder, or compiled now."""
    wanted = known_keys()
    if BOUNDS_CHECKED:
        found, reason = {}, "FLEXMBS_BOUNDS_CHECK is set"
    else:
        found, reason = read_shipped(wanted, target)
    return complete(found, wanted, target, reason)


def kernel_cache_folder() -> Path:
    """Folder of compiled kernels in the user's cache folder."""
    return cache_folder() / cache_name(target_here())


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
