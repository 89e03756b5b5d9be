"""Which modules hold entries, and a hash of the sources that the machine code of each is made of."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from flexmbs.machine_code.switches import BOUNDS_CHECKED

PACKAGE = Path(__file__).resolve().parent.parent
#: Folders and files of the package in which entries are looked for.
PLACES = ("core", "fem/solids/solid_second_order_kernel.py", "fem/solvers/cholesky_kernel.py")
#: Modules of this folder that shape machine code; the others only move it about.
_SHAPING = ("blocks", "external_symbols", "kernel", "numba_types", "object_code", "signature")
_ENTRY = re.compile(r"^@entry\b", re.MULTILINE)
_IMPORT = re.compile(r"^\s*from (flexmbs[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


@cache
def _text(name: str) -> bytes | None:
    """Source of a module of the package; None when there is none of that name."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    for place in (path.with_suffix(".py"), path / "__init__.py"):
        if place.is_file():
            return place.read_bytes()
    return None


@cache
def _imported(name: str) -> frozenset[str]:
    """Modules of the package that a module imports, with the packages that they are in."""
    if name.startswith("flexmbs.machine_code"):
        return frozenset()
    found = set()
    for module, within, line in _IMPORT.findall(_text(name).decode()):
        parts = module.split(".")
        found |= {".".join(parts[:count]) for count in range(2, len(parts) + 1)}
        for word in (within or line).split(","):
            submodule = f"{module}.{word.split()[0]}" if word.split() else module
            if submodule != module and _text(submodule) is not None:
                found.add(submodule)
    return frozenset(module for module in found if not module.startswith("flexmbs.machine_code"))


@cache
def _all_imported(name: str) -> frozenset[str]:
    """The module and all that it imports, directly or not."""
    found, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += _imported(module)
    return frozenset(found)


def entry_modules() -> list[str]:
    """Names of all modules that hold entries, in alphabetic order."""
    found = []
    for place in PLACES:
        path = PACKAGE / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if _ENTRY.search(file.read_text(encoding="utf-8")):
                parts = file.relative_to(PACKAGE).with_suffix("").parts
                parts = parts[:-1] if parts[-1] == "__init__" else parts
                found.append(".".join(("flexmbs", *parts)))
    return sorted(found)


def keys() -> dict[str, str]:
    """Hash of the sources of each module that holds entries: all of its own imports and what shapes machine code."""
    shaping = hashlib.sha256(str(BOUNDS_CHECKED).encode())
    for name in _SHAPING:
        shaping.update(_text(f"flexmbs.machine_code.{name}"))
    found = {}
    for module in entry_modules():
        digest = shaping.copy()
        for name in sorted(_all_imported(module)):
            digest.update(f"\n{name}\n".encode() + _text(name))
        found[module] = digest.hexdigest()[:32]
    return found


def size_of(module: str) -> int:
    """Length of all that a module imports: who compiles several modules begins with the longest."""
    return sum(len(_text(name)) for name in _all_imported(module))
