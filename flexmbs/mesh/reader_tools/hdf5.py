"""Reading HDF5 files that may be damaged: every access says what is wrong, and nothing is allocated unchecked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.hdf5_files import refuse_external_links
from flexmbs.common.stored_arrays import HDF5_DAMAGE as _DAMAGE
from flexmbs.common.stored_arrays import size_problem
from flexmbs.common.stored_arrays import text_of as _first_line

SIGNATURE = b"\x89HDF\r\n\x1a\n"  # how files begin


@contextmanager
def opened(path: Path) -> Iterator:
    """The h5py.File, closed at the end; MeshError when it is none, damaged at the root, or links to other files."""
    import h5py

    with open(path, "rb") as raw:
        start = raw.read(8)
    if start != SIGNATURE:
        raise MeshError(f"{path}: not an HDF5 file: it starts with {start!r} instead of '\\x89HDF'.")
    try:
        file = h5py.File(path, "r")
    except _DAMAGE as error:
        raise MeshError(f"{path}: a damaged or cut off HDF5 file ({_first_line(error)}); export it again.") from error
    with file:
        try:
            refuse_external_links(file)
        except _DAMAGE as error:
            raise MeshError(f"{path}: {_first_line(error)}.") from error
        yield file


def child(group, name: str, path: Path, *, kind: str | None = None):
    """A member of a group, None when there is none; ``kind`` "group" or "dataset": MeshError when it is the other."""
    import h5py

    try:
        found = group[name] if name in group else None
    except _DAMAGE as error:
        raise MeshError(f"{path}: {group.name}/{name}: damaged HDF5 data ({_first_line(error)}).") from error
    wanted = {"group": h5py.Group, "dataset": h5py.Dataset, None: object}[kind]
    if found is not None and not isinstance(found, wanted):
        raise MeshError(f"{path}: {group.name}/{name}: this must be a {kind}.")
    return found


def needed(group, name: str, path: Path, *, kind: str):
    """As ``child``; MeshError when there is none (a damaged file lists members that it does not have)."""
    found = child(group, name, path, kind=kind)
    if found is None:
        raise MeshError(f"{path}: {group.name}/{name}: this {kind} is missing; the file is damaged.")
    return found


def children(group, path: Path) -> list[str]:
    """Names of the members of a group, in order."""
    try:
        return list(group)
    except _DAMAGE as error:
        raise MeshError(f"{path}: {group.name}: damaged HDF5 data ({_first_line(error)}).") from error


def attribute(owner, name: str, path: Path, default=None):
    """The value of an attribute (numbers as NumPy scalars, text as str), or the default."""
    try:
        value = owner.attrs[name] if name in owner.attrs else default
    except _DAMAGE as error:
        raise MeshError(f"{path}: {owner.name}: damaged attribute {name} ({_first_line(error)}).") from error
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    return value.decode("utf-8", "replace").rstrip("\x00 ") if isinstance(value, bytes) else value


def integer(owner, name: str, path: Path, default: int) -> int:
    """An attribute that is a whole number."""
    value = attribute(owner, name, path, default)
    try:
        return int(value)
    except (ValueError, TypeError, OverflowError):
        raise MeshError(f"{path}: {owner.name}: the attribute {name} is {value!r}, not a whole number.") from None


def array(dataset, path: Path) -> np.ndarray:
    """The content of a dataset; its claimed size is checked against what the file stores first."""
    where = f"{path}: {dataset.name}"
    try:
        problem = size_problem(dataset, path.stat().st_size)
        if problem:
            raise MeshError(f"{where}: {problem}.")
        return np.asarray(dataset[()])
    except _DAMAGE as error:
        raise MeshError(f"{where}: damaged HDF5 data ({_first_line(error)}).") from error


def numbers(dataset, path: Path, code: str) -> np.ndarray:
    """As ``array``; MeshError unless its elements are integers (code "i") or floating-point numbers (code "f")."""
    values = array(dataset, path)
    if values.dtype.kind not in {"i": "iu", "f": "fiu"}[code]:
        raise MeshError(f"{path}: {dataset.name}: numbers were expected, found data of type {values.dtype}.")
    return values.astype(np.int64 if code == "i" else float)
