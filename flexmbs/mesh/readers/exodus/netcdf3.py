"""Header and variables of netCDF files of the classic kinds (CDF-1, CDF-2, CDF-5).

Everything the header claims is checked against the size of the file before it is used.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError

_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12


@dataclass(frozen=True)
class _Variable:
    shape: tuple[int, ...]
    is_record: bool
    attributes: dict[str, np.ndarray]
    dtype: np.dtype
    begin: int


class NetCDF3:
    """A file opened for reading: its dimensions (name -> length) and variables."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with open(path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        version = self._data[3]
        self._at = 4
        self._offset = ">i4" if version == 1 else ">i8"
        self._count = ">i8" if version == 5 else ">i4"
        self._read_number(self._count, "the number of records")
        self._lengths = [(self._name(), self._length()) for _ in range(self._list(_DIMENSIONS, "dimensions"))]
        self.dimensions = dict(self._lengths)
        self._attributes()
        self._variables = dict(self._variable() for _ in range(self._list(_VARIABLES, "variables")))

    def close(self) -> None:
        """Close the file."""
        self._data.close()

    def __iter__(self):
        return iter(self._variables)

    def __contains__(self, name: str) -> bool:
        return name in self._variables

    def attribute(self, variable: str, name: str) -> str:
        """A text attribute of a variable, empty when there is none."""
        value = self._variables[variable].attributes.get(name)
        if value is None or value.dtype.kind != "S":
            return ""
        return value.tobytes().decode("utf-8", "replace").rstrip("\x00 ")

    def array(self, name: str) -> np.ndarray:
        """The values of a variable that does not change with time."""
        variable = self._variables[name]
        if variable.is_record:
            raise MeshError(f"{self._path}: {name}: the variable changes with time; it must be constant.")
        count = prod(variable.shape)
        size = count * variable.dtype.itemsize
        if variable.begin < 0 or size > len(self._data) - variable.begin:
            raise MeshError(
                f"{self._path}: {name}: {size} bytes are declared from byte {variable.begin}, but the file has"
                f" {len(self._data)}; it is damaged or cut off."
            )
        return np.frombuffer(self._data[variable.begin : variable.begin + size], variable.dtype).reshape(variable.shape)

    def _read_number(self, code: str, what: str) -> int:
        dtype = np.dtype(code)
        if self._at + dtype.itemsize > len(self._data):
            raise MeshError(f"{self._path}: byte {self._at}: the netCDF header ends before {what}; it is cut off.")
        value = int(np.frombuffer(self._data[self._at : self._at + dtype.itemsize], dtype)[0])
        self._at += dtype.itemsize
        return value

    def _length(self) -> int:
        value = self._read_number(self._count, "a length")
        if value < 0:
            raise MeshError(f"{self._path}: byte {self._at}: {value} is not a length; the netCDF header is damaged.")
        return value

    def _list(self, tag: int, what: str) -> int:
        """How many entries a list of the header has; none may be shorter than 8 bytes."""
        at = self._at
        found, count = self._read_number(">i4", what), self._read_number(self._count, what)
        if found == 0 and count == 0:
            return 0
        if found != tag or not 0 <= 8 * count <= len(self._data) - self._at:
            raise MeshError(f"{self._path}: byte {at}: the list of {what} in the netCDF header is damaged.")
        return count

    def _bytes(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise MeshError(
                f"{self._path}: byte {self._at}: {count} bytes are declared in the netCDF header, but the file has"
                f" {len(self._data) - self._at} more; it is damaged or cut off."
            )
        value = self._data[self._at : self._at + count]
        self._at += count + -count % 4
        return value

    def _name(self) -> str:
        return self._bytes(self._length()).decode("utf-8", "replace")

    def _dtype(self) -> np.dtype:
        at, code = self._at, self._read_number(">i4", "a type")
        if code not in _TYPES:
            raise MeshError(f"{self._path}: byte {at}: {code} is not a netCDF type; the header is damaged.")
        return np.dtype(_TYPES[code])

    def _attributes(self) -> dict[str, np.ndarray]:
        found = {}
        for _ in range(self._list(_ATTRIBUTES, "attributes")):
            name, dtype, count = self._name(), self._dtype(), self._length()
            found[name] = np.frombuffer(self._bytes(count * dtype.itemsize), dtype)
        return found

    def _variable(self) -> tuple[str, _Variable]:
        name, at = self._name(), self._at
        count = self._length()
        if count > len(self._lengths) + 8:
            raise MeshError(f"{self._path}: byte {at}: {name} has {count} dimensions; the netCDF header is damaged.")
        numbers = [self._length() for _ in range(count)]
        if any(number >= len(self._lengths) for number in numbers):
            raise MeshError(f"{self._path}: byte {at}: {name} has a dimension that the netCDF header does not define.")
        shape = tuple(self._lengths[number][1] for number in numbers)
        attributes, dtype = self._attributes(), self._dtype()
        self._read_number(self._count, "a size")
        begin = self._read_number(self._offset, "an offset")
        return name, _Variable(shape, bool(shape) and shape[0] == 0, attributes, dtype, begin)
