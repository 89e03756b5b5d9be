"""How every kernel is compiled, and where its machine code is kept.

numba's disk cache does not notice that a kernel in another file changed, so the cache folder is named after
a hash of all kernel sources; it lies in the user's cache folder, which also serves a read-only install.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numba

from flexmbs.cache_folder import cache_folder

# Reassociation lets dot products use SIMD; NaN and infinity must survive, they stop a run by name.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


def _source_hash() -> str:
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in ("kernels", "integrate"):
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kernel_cache_folder() -> Path:
    """Folder of the compiled kernels: one per state of the kernel sources and numba version."""
    return cache_folder() / f"kernels-{_source_hash()}"


_FOLDER = kernel_cache_folder()


def kernel(function):
    """Compile ``function`` with numba, cached on disk under :func:`kernel_cache_folder`."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_FOLDER)
    try:
        return numba.njit(cache=True, fastmath=FASTMATH, error_model="numpy", no_cfunc_wrapper=True)(function)
    finally:
        numba.config.CACHE_DIR = previous


def c_function(signature):
    """Decorator: compile a C function of that signature at once, cached on disk as kernels are."""

    def decorate(function):
        previous = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(_FOLDER)
        try:
            return numba.cfunc(signature, cache=True, fastmath=FASTMATH, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = previous

    return decorate


def announce_compilation() -> None:
    """Tell the user once that the first run of this version compiles."""
    if not kernels_are_cached():
        print("flexmbs: compiling once for this version (about a minute) ...", file=sys.stderr, flush=True)


def kernels_are_cached() -> bool:
    """True when compiled kernels of exactly these sources already lie on disk."""
    return _FOLDER.is_dir() and any(_FOLDER.rglob("*.nbc"))
