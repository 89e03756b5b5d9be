"""The variables of a netCDF file: of the classic kinds (CDF-1, CDF-2, CDF-5), or netCDF-4 (HDF5) through h5py.

SciPy reads no CDF-5, and refuses files whose results are cut off behind a whole mesh. VTK's reader of Exodus refuses files
without attributes that some writers leave out, and hands on neither the types of elements nor the elements of side sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools import hdf5

_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}


class _Classic:
    """All that the header claims is checked against the size of the file before it is used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._data = np.memmap(path, np.uint8, "r")
        version = self._data[3]
        self._offset = ">i4" if version == 1 else ">i8"
        self._number = ">i8" if version == 5 else ">i4"
        self._at = 4
        self._take(self._number)  # how many records
        self._lengths = np.array([length for _, length in self._list(self._dimension)], np.int64)
        self._list(self._attribute)
        self._variables = dict(self._list(self._variable))
        self.names = list(self._variables)

    def attribute(self, variable: str, name: str) -> str:
        """A text attribute, empty when there is none."""
        value = self._variables[variable][1].get(name, np.empty(0))
        return value.tobytes().decode("utf-8", "replace").rstrip("\x00 ") if value.dtype.kind == "S" else ""

    def array(self, name: str) -> np.ndarray:
        """The values of a variable that does not change with time."""
        shape, _, dtype, begin = self._variables[name]
        if shape[:1] == [0]:
            raise MeshError(f"{self._path}: {name}: the variable changes with time; it must be constant.")
        size = prod(shape) * dtype.itemsize
        if begin < 0 or size > len(self._data) - begin:
            raise MeshError(
                f"{self._path}: {name}: {size} bytes are declared from byte {begin}, but the file has {len(self._data)}; it"
                " is damaged or cut off."
            )
        return np.array(self._data[begin : begin + size]).view(dtype).reshape(shape)

    def _take(self, code: str, count: int = 1) -> np.ndarray:
        """The next numbers of the header, and what fills up four bytes behind them."""
        size = count * np.dtype(code).itemsize
        if not 0 <= size <= len(self._data) - self._at:
            raise MeshError(f"{self._path}: byte {self._at}: the netCDF header is damaged or cut off.")
        values = np.array(self._data[self._at : self._at + size]).view(code)
        self._at += size + -size % 4
        return values

    def _count(self) -> int:
        count = int(self._take(self._number)[0])
        if count < 0:
            raise MeshError(f"{self._path}: byte {self._at}: {count} is not a length; the netCDF header is damaged.")
        return count

    def _list(self, entry: Callable[[], tuple]) -> list[tuple]:
        self._take(">i4")  # says of what
        return [entry() for _ in range(self._count())]

    def _name(self) -> str:
        return self._take("S1", self._count()).tobytes().decode("utf-8", "replace")

    def _dimension(self) -> tuple[str, int]:
        return self._name(), self._count()

    def _type(self) -> str:
        code = int(self._take(">i4")[0])
        if code not in _TYPES:
            raise MeshError(f"{self._path}: byte {self._at - 4}: {code} is not a netCDF type; the header is damaged.")
        return _TYPES[code]

    def _attribute(self) -> tuple[str, np.ndarray]:
        return self._name(), self._take(self._type(), self._count())

    def _variable(self) -> tuple[str, tuple[list[int], dict[str, np.ndarray], np.dtype, int]]:
        name = self._name()
        dimensions = self._take(self._number, self._count())
        if ((dimensions < 0) | (dimensions >= len(self._lengths))).any():
            raise MeshError(f"{self._path}: byte {self._at}: {name} has a dimension that the netCDF header does not define.")
        attributes, code, _ = dict(self._list(self._attribute)), self._type(), self._take(self._number)
        return name, (self._lengths[dimensions].tolist(), attributes, np.dtype(code), int(self._take(self._offset)[0]))


class _NetCDF4:
    """As ``_Classic``, through h5py."""

    def __init__(self, file, path: Path) -> None:
        self._file, self._path = file, path
        self.names = hdf5.children(file, path)

    def attribute(self, variable: str, name: str) -> str:
        return str(hdf5.attribute(self._dataset(variable), name, self._path, ""))

    def array(self, name: str) -> np.ndarray:
        return hdf5.array(self._dataset(name), self._path)

    def _dataset(self, name: str):
        return hdf5.needed(self._file, name, self._path, kind="dataset")


class Variables:
    """Variables by name, with checks of type and shape."""

    def __init__(self, path: Path, source: _Classic | _NetCDF4) -> None:
        self.path, self._source, self.names = path, source, source.names

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def attribute(self, variable: str, name: str) -> str:
        """A text attribute, empty when there is none or no such variable."""
        return self._source.attribute(variable, name) if variable in self else ""

    def integers(self, name: str, ndim: int = 1) -> np.ndarray:
        """An integer variable as int64."""
        return self._checked(name, ndim, "iu").astype(np.int64)

    def integers_or_none(self, name: str) -> np.ndarray:
        """An integer variable, empty when there is no such variable."""
        return self.integers(name) if name in self else np.empty(0, np.int64)

    def floats(self, name: str, ndim: int = 1) -> np.ndarray:
        """A floating-point variable as float64."""
        return self._checked(name, ndim, "f").astype(float)

    def texts(self, name: str) -> list[str]:
        """Names, one per row of characters; none when there is no such variable."""
        rows = self._checked(name, 2, "S") if name in self else ()
        return [row.tobytes().split(b"\x00")[0].decode("utf-8", "replace").strip() for row in rows]

    def _checked(self, name: str, ndim: int, kinds: str) -> np.ndarray:
        if name not in self:
            raise MeshError(f"{self.path}: the variable {name} is missing; every Exodus file has it.")
        values = self._source.array(name)
        if values.ndim != ndim or values.dtype.kind not in kinds:
            raise MeshError(
                f"{self.path}: {name}: {values.ndim} dimensions of type {values.dtype} were found, but {ndim} of"
                f" {'numbers' if kinds != 'S' else 'characters'} were expected."
            )
        return values


@contextmanager
def opened(path: Path) -> Iterator[Variables]:
    """The variables of a file; MeshError when it is no netCDF file."""
    with open(path, "rb") as file:
        start = file.read(8)
    if start[:4] in (b"CDF\x01", b"CDF\x02", b"CDF\x05"):
        yield Variables(path, _Classic(path))
    elif start == hdf5.SIGNATURE:
        with hdf5.opened(path) as file:
            yield Variables(path, _NetCDF4(file, path))
    else:
        raise MeshError(f"{path}: not an Exodus file: it starts with {start!r} instead of 'CDF' or '\\x89HDF'.")
