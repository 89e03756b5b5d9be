"""Numbers of the DataArrays of VTK's XML files: text, base64 or raw bytes, compressed or not."""

from __future__ import annotations

import base64
import binascii
import lzma
import zlib
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.number_text import numbers_in
from flexmbs.mesh.readers.vtk.lz4 import unpacked_lz4

_TYPES = {
    "Int8": "i1",
    "UInt8": "u1",
    "Int16": "i2",
    "UInt16": "u2",
    "Int32": "i4",
    "UInt32": "u4",
    "Int64": "i8",
    "UInt64": "u8",
    "Float32": "f4",
    "Float64": "f8",
}
_COMPRESSORS = ("", "vtkZLibDataCompressor", "vtkLZMADataCompressor", "vtkLZ4DataCompressor")
_BEST_COMPRESSION = 1100  # times its size: more does not come out of zlib


@dataclass(frozen=True)
class Encoding:
    """How the numbers of a file are written: byte order, type of the sizes, compressor, and the appended data.

    ``appended`` are the bytes behind the underscore; ``appended_base64`` whether they are text.
    """

    order: str
    header: np.dtype
    compressor: str
    appended: bytes
    appended_base64: bool

    @classmethod
    def of(cls, attributes: dict[str, str], appended: bytes, appended_base64: bool, where: str) -> Encoding:
        """From the attributes of VTKFile; MeshError for what is not known."""
        order = {"LittleEndian": "<", "BigEndian": ">"}.get(attributes.get("byte_order", "LittleEndian"))
        header = {"UInt32": "u4", "UInt64": "u8"}.get(attributes.get("header_type", "UInt32"))
        compressor = attributes.get("compressor", "")
        if order is None or header is None:
            raise MeshError(f"{where}: byte_order and header_type must be Little/BigEndian and UInt32/64.")
        if compressor not in _COMPRESSORS:
            raise MeshError(f"{where}: {compressor} is not supported; save with ZLib, or uncompressed.")
        return cls(order, np.dtype(order + header), compressor, appended, appended_base64)


def values_of(attributes: dict[str, str], text: str, encoding: Encoding, where: str) -> np.ndarray:
    """Numbers of one DataArray, flat."""
    code = _TYPES.get(attributes.get("type", ""))
    if code is None:
        raise MeshError(f"{where}: the type {attributes.get('type')} is unknown; known are {', '.join(_TYPES)}.")
    form = attributes.get("format", "ascii")
    if form == "ascii":
        return _ascii(text, code, where)
    if form == "binary":
        data = _Base64("".join(text.split()).encode("ascii", "replace"), encoding, where).content()
    elif form == "appended":
        data = _appended(attributes, encoding, where)
    else:
        raise MeshError(f"{where}: the format {form} is unknown; known are ascii, binary and appended.")
    dtype = np.dtype(encoding.order + code)
    if len(data) % dtype.itemsize:
        raise MeshError(f"{where}: {len(data)} bytes are not a whole number of {attributes['type']} values.")
    return np.frombuffer(data, dtype)


def _ascii(text: str, code: str, where: str) -> np.ndarray:
    dtype = float if code.startswith("f") else np.int64
    values = numbers_in(text, dtype)
    if values is None:
        raise MeshError(f"{where}: the array holds something that is not {dtype.__name__}.")
    return values


def _appended(attributes: dict[str, str], encoding: Encoding, where: str) -> bytes:
    offset = attributes.get("offset", "")
    if not offset.isdecimal() or len(offset) > 18 or int(offset) > len(encoding.appended):
        raise MeshError(
            f"{where}: offset '{offset}' lies outside the {len(encoding.appended)} bytes of appended data; the file"
            " is damaged or cut off."
        )
    source = _Base64 if encoding.appended_base64 else _Raw
    return source(encoding.appended, encoding, where, int(offset)).content()


class _Raw:
    """Sizes, then data, as bytes."""

    def __init__(self, data: bytes, encoding: Encoding, where: str, start: int = 0) -> None:
        self._data, self._at = data, start
        self._encoding, self._where = encoding, where

    def content(self) -> bytes:
        """The data without sizes, uncompressed."""
        if not self._encoding.compressor:
            (size,) = self._sizes(1)
            return self._take_with_sizes(size)
        count, full, last = self._sizes(3)
        if count == 0:
            return b""
        self._check(count * self._encoding.header.itemsize)
        packed = self._sizes(count)
        self._end_of_sizes()
        total = full * (count - 1) + (last or full)
        if total > _BEST_COMPRESSION * len(self._data):
            raise MeshError(f"{self._where}: {len(self._data)} bytes cannot hold {total} compressed ones.")
        return b"".join(self._unpacked(size, full if i < count - 1 or not last else last) for i, size in enumerate(packed))

    def take(self, size: int) -> bytes:
        """The next bytes."""
        self._check(size)
        self._at += size
        return self._data[self._at - size : self._at]

    def _take_with_sizes(self, size: int) -> bytes:
        return self.take(size)

    def _end_of_sizes(self) -> None:
        pass

    def _check(self, size: int) -> None:
        if size > len(self._data) - self._at:
            raise MeshError(
                f"{self._where}: {size} bytes should follow, but there are {max(len(self._data) - self._at, 0)}; the"
                " file is damaged or cut off."
            )

    def _sizes(self, count: int) -> list[int]:
        return np.frombuffer(self.take(count * self._encoding.header.itemsize), self._encoding.header).tolist()

    def _unpacked(self, size: int, expected: int) -> bytes:
        packed = self.take(size)
        try:
            if self._encoding.compressor == "vtkZLibDataCompressor":
                data = zlib.decompressobj().decompress(packed, expected)
            elif self._encoding.compressor == "vtkLZ4DataCompressor":
                data = unpacked_lz4(packed, expected)
            else:
                data = lzma.LZMADecompressor().decompress(packed, expected)
        except (zlib.error, lzma.LZMAError, EOFError, ValueError) as error:
            raise MeshError(f"{self._where}: the compressed data is damaged ({error}); export the file again.") from error
        if len(data) != expected:
            raise MeshError(f"{self._where}: a block has {len(data)} bytes, but {expected} are declared.")
        return data


class _Base64(_Raw):
    """As ``_Raw``, from base64. Sizes of compressed data are encoded by themselves; others mostly with the data."""

    def __init__(self, data: bytes, encoding: Encoding, where: str, start: int = 0) -> None:
        super().__init__(b"", encoding, where)
        self._text, self._start = data, start
        size = encoding.header.itemsize
        if not encoding.compressor:
            alone = self._text[start : start + 4 * -(-size // 3)]
            if alone.endswith(b"="):
                rest = self._decoded(start + len(alone), self._wanted(alone, size))
                self._data = self._decoded(start, len(alone)) + rest
            else:
                self._data = self._decoded(start, self._wanted(alone, size) + len(alone) + 4)
        else:
            head = self._decoded(start, 4 * -(-3 * size // 3))
            count = int(np.frombuffer(head[:size], encoding.header)[0]) if len(head) >= size else 0
            self._head_length = 4 * -(-(3 + count) * size // 3)
            self._data = self._decoded(start, self._head_length)

    def _wanted(self, head: bytes, size: int) -> int:
        """Characters of as many bytes as the size in front says."""
        decoded = self._decoded(self._start, len(head))
        if len(decoded) < size:
            return 0
        return 4 * (-(-int(np.frombuffer(decoded[:size], self._encoding.header)[0]) // 3))

    def _end_of_sizes(self) -> None:
        start = self._start + self._head_length
        self._data += self._decoded(start, len(self._text) - start)

    def _decoded(self, start: int, length: int) -> bytes:
        text = self._text[start : start + max(length, 0)]
        end = text.find(b"=")  # the padding ends a piece
        text = text if end < 0 else text[: 4 * (end // 4 + 1)]
        try:
            return base64.b64decode(text[: len(text) - len(text) % 4])
        except (binascii.Error, ValueError) as error:
            raise MeshError(f"{self._where}: the base64 data is damaged ({error}); export the file again.") from error
