"""Reading arrays (.npz, HDF5) and JSON that may be damaged; no memory is allocated beyond what the file can hold."""

from __future__ import annotations

import io
import json
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import path_problem

# Zeros are compressed by 1000:1. A file with more than this of them, beyond the least, is made to fill the memory.
_COMPRESSION, _LEAST = 100, 2**24  # bytes
#: Exceptions that h5py raises on damaged content (MemoryError: for an impossible size).
HDF5_DAMAGE = (OSError, KeyError, RuntimeError, ValueError, TypeError, AttributeError, OverflowError, MemoryError)
_NPZ_DAMAGE = (
    OSError,
    ValueError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    TypeError,
    OverflowError,
    SyntaxError,
    RuntimeError,
    MemoryError,
    NotImplementedError,
    RecursionError,
    IndexError,
    AttributeError,
    tokenize.TokenError,
)
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def parsed_json(text: str | bytes) -> Any:
    """The content of JSON text from a file; ValueError if it is none, or nested deeper than Python can follow."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None


def text_of(error: BaseException) -> str:
    """First line of an error message, at most 120 characters; the type of the error if it has no message."""
    return (str(error).splitlines() or [type(error).__name__])[0][:120]


def plausible_size(stored: int) -> int:
    """The most bytes that ``stored`` bytes of a file may be decompressed to."""
    return max(_LEAST, _COMPRESSION * stored)


def is_elsewhere(dataset: Any) -> bool:
    """Whether an HDF5 dataset takes its content from other files."""
    return bool(dataset.is_virtual or dataset.external)


def size_problem(dataset: Any, on_disk: int) -> str:
    """What is wrong with the declared size of an HDF5 dataset in a file of ``on_disk`` bytes; empty if nothing is."""
    size = prod(int(n) for n in dataset.shape or ()) * dataset.dtype.itemsize
    stored = dataset.id.get_storage_size()
    if is_elsewhere(dataset):
        return "the data is in another file; copy it into this one"
    if size > max(on_disk, plausible_size(min(stored, on_disk))):
        return f"{size} bytes are declared, but {stored} are stored; the file is damaged or truncated"
    return ""


def read_dataset(dataset: Any) -> np.ndarray | np.generic | tuple[str, ...]:
    """The content of an HDF5 dataset, strings as a tuple; ValueError if its size is impossible."""
    problem = size_problem(dataset, int(dataset.file.id.get_filesize()))
    if problem:
        raise ValueError(f"{dataset.name}: {problem}")
    if dataset.dtype.kind == "O":
        return tuple(dataset.asstr()[()].tolist())
    return dataset[()]


def read_npz_arrays(
    path: str | Path | io.BytesIO, allow: Callable[[float], None] | None = None, names: tuple[str, ...] | None = None
) -> dict[str, np.ndarray]:
    """Arrays of an .npz file (all, or those in ``names``); nothing is unpickled, and every checksum is verified.

    Parameters
    ----------
    allow : called with the number of bytes before anything is read; it may raise

    Raises
    ------
    ValueError : not an .npz file, damaged, or of contents that it can hardly hold; the message does not name the file
    """
    wrong = "" if isinstance(path, io.BytesIO) else path_problem(path)  # pipes and devices may never end
    if wrong:
        raise ValueError(wrong)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            found = [member.filename.removesuffix(".npy") for member in members]
            if len(set(found)) != len(found) or not all(member.filename.endswith(".npy") for member in members):
                raise ValueError("its list of arrays is damaged")
            if names is not None:
                members = [members[found.index(name)] for name in names]
            on_disk, size = archive.start_dir, sum(member.file_size for member in members)
            if size > plausible_size(on_disk):
                raise ValueError(
                    f"{size} bytes are declared in a file of {on_disk}; expected at most {plausible_size(on_disk)}: it is damaged"
                )
            if allow is not None:
                allow(float(size))
            return {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    except _NPZ_DAMAGE as error:
        raise ValueError(text_of(error)) from error


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"{member.filename}: array format {version} is not supported")
        shape, by_columns, dtype = _HEADERS[version](file)
        if dtype.hasobject:
            raise ValueError(f"{member.filename}: contains Python objects; expected numbers or strings")
        count = prod(shape)
        size, held = count * dtype.itemsize, member.file_size - file.tell()
        if count < 0 or size != held or count > 0 and size == 0 and count > member.file_size:
            raise ValueError(f"{member.filename}: an array {shape} of {dtype} needs {size} bytes, but there are {held}")
        content = file.read(held)  # to the end: this verifies the checksum
        if file.read(1) or len(content) != held:
            raise ValueError(f"{member.filename}: {len(content)} bytes could be read; expected {held}")
    if size == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer(bytearray(content), dtype).reshape(shape, order="F" if by_columns else "C")
