"""The variables of an Exodus file, whether it is netCDF of the classic kinds or netCDF-4 (HDF5)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.readers.exodus.netcdf3 import NetCDF3


class _NetCDF4:
    """As ``NetCDF3``, through h5py."""

    def __init__(self, file, path: Path) -> None:
        self._file, self._path = file, path
        self._names = hdf5.children(file, path)

    def __iter__(self):
        return iter(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def attribute(self, variable: str, name: str) -> str:
        return str(hdf5.attribute(self._dataset(variable), name, self._path, ""))

    def array(self, name: str) -> np.ndarray:
        return hdf5.array(self._dataset(name), self._path)

    def _dataset(self, name: str):
        return hdf5.needed(self._file, name, self._path, kind="dataset")


class Variables:
    """Variables by name, with checks of type and shape."""

    def __init__(self, path: Path, source: NetCDF3 | _NetCDF4) -> None:
        self.path = path
        self._source = source
        self.names = list(source)

    def __contains__(self, name: str) -> bool:
        return name in self._source

    def attribute(self, variable: str, name: str) -> str:
        """A text attribute, empty when there is none or no such variable."""
        return self._source.attribute(variable, name) if variable in self else ""

    def integers(self, name: str, ndim: int = 1) -> np.ndarray:
        """An integer variable as int64."""
        return self._checked(name, ndim, "iu").astype(np.int64)

    def floats(self, name: str, ndim: int = 1) -> np.ndarray:
        """A floating-point variable as float64."""
        return self._checked(name, ndim, "f").astype(float)

    def texts(self, name: str) -> list[str]:
        """Names, one per row of characters; none when there is no such variable."""
        if name not in self:
            return []
        rows = self._checked(name, 2, "S")
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
        source = NetCDF3(path)
        try:
            yield Variables(path, source)
        finally:
            source.close()
    elif start == hdf5.SIGNATURE:
        with hdf5.opened(path) as file:
            yield Variables(path, _NetCDF4(file, path))
    else:
        raise MeshError(f"{path}: not an Exodus file: it starts with {start!r} instead of 'CDF' or '\\x89HDF'.")
