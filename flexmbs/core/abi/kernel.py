"""How every kernel is compiled, and where its machine code is kept.

Machine code of a kernel holds all kernels that it calls, also those of other files, so the cache folder is named after
a hash of all kernel sources; it lies in the user's cache folder, which also serves a read-only install.

With ``FLEXMBS_BOUNDS_CHECK=1`` every index is checked (docs/architecture.md); that code has a folder of its own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numba

from flexmbs.common.cache_folder import cache_folder
from flexmbs.core.abi.machine_code import compiled, compiled_c_function, hash_of_sources, is_kept

# Reassociation lets dot products use SIMD; NaN and infinity must survive, they stop a run by name.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
#: Environment variable: not empty and not 0: kernels check every index before they use it.
BOUNDS_VARIABLE = "FLEXMBS_BOUNDS_CHECK"
BOUNDS_CHECKED = os.environ.get(BOUNDS_VARIABLE, "0") not in ("", "0")
OPTIONS = {"fastmath": FASTMATH, "error_model": "numpy", "boundscheck": BOUNDS_CHECKED}


def _folder_name() -> str:
    sources = sorted(Path(__file__).resolve().parent.parent.rglob("*.py"))  # flexmbs/core
    return f"kernels-{hash_of_sources(sources)}{'-checked' if BOUNDS_CHECKED else ''}"


_FOLDER = _folder_name()


def kernel_cache_folder() -> Path:
    """Folder of the compiled kernels: one per state of the kernel sources and version of numba."""
    return cache_folder() / _FOLDER


def kernel(function):
    """Compile ``function`` with numba; its machine code is kept under :func:`kernel_cache_folder`."""
    return compiled(_FOLDER, no_cfunc_wrapper=True, **OPTIONS)(function)


def c_function(signature):
    """Decorator: compile a C function of that signature at once, kept on disk as kernels are."""

    return compiled_c_function(signature, _FOLDER, **OPTIONS)


def announce_compilation() -> None:
    """Tell the user once that the first run of this version compiles."""
    if not kernels_are_cached():
        print("flexmbs: compiling once for this version (about a minute) ...", file=sys.stderr, flush=True)


def kernels_are_cached() -> bool:
    """True when compiled kernels of exactly these sources already lie on disk."""
    return is_kept(_FOLDER)


def _end_at_bad_index(unraisable) -> None:
    """C functions cannot raise: what happens behind an index out of bounds means nothing, so the process ends there."""
    if not isinstance(unraisable.exc_value, IndexError):
        sys.__unraisablehook__(unraisable)
        return
    import faulthandler

    print(f"flexmbs: {unraisable.object}: {unraisable.exc_value}", file=sys.stderr, flush=True)
    faulthandler.dump_traceback()
    os._exit(70)


if BOUNDS_CHECKED:
    numba.config.FULL_TRACEBACKS = 1  # index, axis and size are printed
    sys.unraisablehook = _end_at_bad_index
