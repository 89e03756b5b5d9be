"""The extreme stress of every point of a body over a part of a run, with the time at which each occurs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import FlexmbsError
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.recovery import QUANTITIES, extremes
from flexmbs.result.export.tables import Column, write_csv
from flexmbs.result.export.vtkhdf import write_surface
from flexmbs.result.stress_peak import nearest_nodes
from flexmbs.view.body_view import save_field

if TYPE_CHECKING:
    import pandas

_TITLES = {
    "von_mises": "largest von Mises stress",
    "max_principal": "largest principal stress",
    "min_principal": "smallest principal stress",
    "max_shear": "largest shear stress",
}


@dataclass(frozen=True, eq=False)
class StressEnvelope:
    """Extreme value of a stress at each of m points, over times from ``start`` to ``end``.

    Attributes
    ----------
    body : name of the body
    quantity : "von_mises", ...: a key of ``flexmbs.reduction.recovery.QUANTITIES``, which says what is extreme
    values : (m,) Pa
    times : (m,) s, of each extreme
    positions : (m, 3) m, undeformed, in the axes of the body
    node_ids : (m,) int, number in the mesh file of the node at (of shells and beams: nearest to) each point
    faces : (k,) int, VTK style [count, i, j, ...]; empty at "nodes", which have none
    start, end : s; state_count : number of times that were looked at
    """

    body: str
    quantity: str
    values: np.ndarray
    times: np.ndarray
    positions: np.ndarray
    node_ids: np.ndarray
    faces: np.ndarray
    start: float
    end: float
    state_count: int

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        if not len(self):
            return f"{self.title} in {self.body}: no points"
        worst = self.worst
        return (
            f"{self.title} in {self.body}, t = {self.start:g} to {self.end:g} s ({self.state_count} times): "
            f"{1e-6 * self.values[worst]:.4g} MPa near node {self.node_ids[worst]} at t = {self.times[worst]:.6g} s"
        )

    @property
    def title(self) -> str:
        """What the values are, in words."""
        return _TITLES.get(self.quantity, f"extreme of stress {self.quantity}")

    @property
    def worst(self) -> int:
        """The point with the value of the largest magnitude."""
        return int(np.argmax(np.abs(self.values)))

    def to_pandas(self) -> pandas.DataFrame:
        """Columns node, x, y, z, value, time: one row for each point; ``frame.attrs["units"]`` has their units."""
        import pandas

        columns = self._columns()
        frame = pandas.DataFrame({column.name: column.values for column in columns})
        frame.attrs["units"] = {column.name: column.unit for column in columns}
        return frame

    def to_csv(self, path: str | Path, *, force: bool = False) -> Path:
        """Write a CSV file, one row for each point; FlexmbsError if it exists and ``force`` is not set."""
        return write_csv(path, self._columns(), force=force)

    def to_vtkhdf(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the undeformed surface with the values and their times as a VTKHDF file (ParaView, VTK)."""
        self._need_faces("to_vtkhdf")
        fields = {self.quantity: self.values, "time_of_extreme": self.times, "node": self.node_ids}
        return write_surface(path, self.positions, self.faces, fields, force=force)

    def picture(self, path: str | Path, *, force: bool = False) -> Path:
        """Write a picture (.png) of the undeformed surface in the colours of the values; marks the worst point."""
        self._need_faces("picture")
        return save_field(
            path,
            self.positions,
            self.faces,
            1e-6 * self.values,
            title=str(self),
            bar="Stress\n[MPa]\n",
            marked=self.worst,
            force=force,
        )

    def _need_faces(self, what: str) -> None:
        if not len(self.faces):
            raise FlexmbsError(
                f"{what}: this envelope is at the nodes, which have no faces to draw; stress_envelope(at='surface') has"
            )

    def _columns(self) -> list[Column]:
        x, y, z = self.positions.T
        return [
            Column("node", self.node_ids, "", "number in the mesh file"),
            Column("x", x, "m"),
            Column("y", y, "m"),
            Column("z", z, "m"),
            Column(self.quantity, self.values, "Pa", self.title),
            Column("time", self.times, "s", "of the extreme"),
        ]


def times_in_window(t: np.ndarray, start: float | None, end: float | None, where: str) -> np.ndarray:
    """The times ``t`` between ``start`` and ``end`` and these two (None: those of the run); ValueError if turned."""
    low = float(t[0]) if start is None else float(start)
    high = float(t[-1]) if end is None else float(end)
    if not low <= high:
        raise ValueError(f"{where}: start = {low:g} s is later than end = {high:g} s")
    return np.unique([low, *t[(t > low) & (t < high)], high])


def stress_modes_at(body: FlexibleBody, at: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stress modes (n, m, 6), positions (m, 3), node numbers (m,) at "surface" or "nodes" of a body.

    BodyError as :meth:`FlexibleBody.stress`, which says how to reduce a body so that it has them.
    """
    field = body.stress(np.zeros(body.mode_count), at)  # checks ``at`` and that there is stress
    if at == "nodes" and body.stress_modes is not None:
        return body.stress_modes.stress, field.points.positions, field.points.node_ids
    return body.surface_stress_modes, body.surface.points, nearest_nodes(body, body.surface.points)


def envelope(body: FlexibleBody, name: str, times: ArrayLike, q: np.ndarray, quantity: str, at: str) -> StressEnvelope:
    """The envelope over ``times`` (k,) with modal coordinates q (k, n): ``Result.stress_envelope``."""
    if quantity not in QUANTITIES:
        raise FlexmbsError(f"stress_envelope: unknown quantity {quantity!r}; choose one of {', '.join(QUANTITIES)}")
    times = np.asarray(times, dtype=float)
    modes, positions, node_ids = stress_modes_at(body, at)
    values, states = extremes(modes, q, quantity)
    faces = body.surface.faces if at == "surface" else np.zeros(0, dtype=np.int64)
    return StressEnvelope(
        name, quantity, values, times[states], positions, node_ids, faces, float(times.min()), float(times.max()), len(times)
    )
