"""Methods of a result that write it for other programs (docs/exports.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.progress import on_progress
from flexmbs.result.export.checks import SIZE_LIMIT
from flexmbs.result.export.gltf import GltfReport, write_gltf
from flexmbs.result.export.tables import (
    histories_to_csv,
    histories_to_mat,
    histories_to_netcdf,
    histories_to_parquet,
    histories_to_xarray,
)
from flexmbs.result.export.universal import histories_to_uff
from flexmbs.result.export.vtkhdf import write_vtkhdf

if TYPE_CHECKING:
    import pandas
    import xarray


class ExportMethods:
    """What :class:`flexmbs.Result` offers to write itself; it has the histories and the motion."""

    if TYPE_CHECKING:  # of the result

        @property
        def t(self) -> np.ndarray: ...
        @property
        def names(self) -> tuple[str, ...]: ...
        @property
        def status(self) -> str: ...
        def __getitem__(self, name: str) -> np.ndarray: ...
        def unit(self, name: str) -> str: ...

    def to_pandas(self, *names: str) -> pandas.DataFrame:
        """Histories (all, or those named) as a pandas DataFrame: one column per name, indexed by t.

        ``frame.attrs["units"]`` holds the unit of every column and of the index "t".
        """
        import pandas

        names = names or self.names
        refuse_unwritable(names, "histories")
        frame = pandas.DataFrame({name: self[name] for name in names}, index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = {"t": "s", **{name: self.unit(name) for name in names}}
        return frame

    def to_csv(self, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
        """Write histories (all, or those named) to a CSV file: t first, one row per step, headings "name [unit]".

        Numbers are written with full precision, so that reading them back gives the same values. FlexmbsError if the
        file exists and ``force`` is not set, or would exceed ``size_limit`` (bytes; None: no limit).
        """
        return histories_to_csv(self, path, names, force=force, size_limit=size_limit)

    def to_parquet(self, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
        """Write histories to a Parquet file; its fields have metadata "unit" and "help". Errors as :meth:`to_csv`."""
        return histories_to_parquet(self, path, names, force=force, size_limit=size_limit)

    def to_mat(self, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
        """Write histories to a MATLAB file (version 5), a column vector each; errors as :meth:`to_csv`.

        Names become valid ones ("hinge.angle" is ``hinge_angle``); the struct ``columns`` has variable, history, unit,
        description of each.
        """
        return histories_to_mat(self, path, names, force=force, size_limit=size_limit)

    def to_xarray(self, *names: str) -> xarray.Dataset:
        """Histories (all, or those named) as an xarray dataset along "t" with attributes "units" and "long_name"."""
        return histories_to_xarray(self, names)

    def to_netcdf(self, path: str | Path, *names: str, force: bool = False, size_limit: float | None = SIZE_LIMIT) -> Path:
        """Write the dataset of :meth:`to_xarray` to a NetCDF 3 file (.nc); errors as :meth:`to_csv`."""
        return histories_to_netcdf(self, path, names, force=force, size_limit=size_limit)

    @on_progress()
    def to_uff(
        self,
        path: str | Path,
        *names: str,
        samples: int = 4096,
        start: float | None = None,
        end: float | None = None,
        force: bool = False,
        size_limit: float | None = SIZE_LIMIT,
    ) -> Path:
        """Write histories (all, or those named) to a universal file: data sets 58, ``samples`` evenly spaced times.

        Needs pyuff. Modes of a body: :func:`flexmbs.write_uff`. FlexmbsError as :meth:`to_vtkhdf`.
        """
        return histories_to_uff(self, path, names, samples=samples, start=start, end=end, force=force, size_limit=size_limit)

    @on_progress()
    def to_vtkhdf(
        self,
        path: str | Path,
        *,
        times: int | ArrayLike | None = 200,
        start: float | None = None,
        end: float | None = None,
        bodies: str | Sequence[str] | None = None,
        fields: Sequence[str] | None = None,
        dtype: str = "float32",
        force: bool = False,
        size_limit: float | None = SIZE_LIMIT,
    ) -> Path:
        """Write the moving bodies for ParaView 5.12 or VTK 9.3 and later (.vtkhdf): one grid, its topology stored once.

        Parameters
        ----------
        times : number of times, spread evenly; or the times (k,) s, ascending; None: every stored step
        start, end : s, part of the run
        bodies : names; None: all. Flexible ones have point data, rigid ones their shapes
        fields : of "displacement" (m), "von_mises", "stress" (Pa); None: the first two where there are such
        dtype : "float32" (relative rounding 6e-8) or "float64"
        force : replace an existing file; size_limit : bytes, None: no limit

        Raises
        ------
        FlexmbsError
            The file exists or would be too large; an empty part; an unknown body or field; stress that no body has.
        """
        return write_vtkhdf(
            self,
            path,
            times=times,
            start=start,
            end=end,
            bodies=bodies,
            fields=fields,
            dtype=dtype,
            force=force,
            size_limit=size_limit,
        )

    @on_progress()
    def to_gltf(
        self,
        path: str | Path,
        *,
        times: int | ArrayLike | None = 200,
        start: float | None = None,
        end: float | None = None,
        bodies: str | Sequence[str] | None = None,
        shapes: int = 8,
        duration: float | None = None,
        force: bool = False,
        size_limit: float | None = SIZE_LIMIT,
    ) -> GltfReport:
        """Write an animated glTF file (.glb) for Blender, PowerPoint, viewers: print what it returns.

        Bodies move as nodes; a flexible one deforms by ``shapes`` (at most 8) morph targets fitted to its deformation
        in this part of the run: ``report.captured`` says which share they hold; ResultWarning below 99 %.

        Parameters
        ----------
        times, start, end, bodies, force, size_limit : as in :meth:`to_vtkhdf`
        duration : s, of the animation; None: as long as the part if it takes 1 to 60 s, else 10 s
        """
        return write_gltf(
            self,
            path,
            times=times,
            start=start,
            end=end,
            bodies=bodies,
            shapes=shapes,
            duration=duration,
            force=force,
            size_limit=size_limit,
        )
