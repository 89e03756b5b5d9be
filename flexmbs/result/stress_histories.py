"""Histories of the stress tensor at chosen nodes, as fatigue programs need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.progress import size_text
from flexmbs.fem.stress_field import StressNumbers
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.recovery import COMPONENTS
from flexmbs.result.export.tables import Column, write_csv
from flexmbs.result.stress_envelope import stress_modes_at
from flexmbs.result.structure import Structure

if TYPE_CHECKING:
    import pandas

_SAME_PLACE = 1e-6  # of the size of the body: a marker so near to a node stands on it
_MAX_BYTES = 2e9


@dataclass(frozen=True, eq=False)
class StressHistory(StressNumbers):
    """Stress at m points of a body at k times, in the axes of the body.

    Attributes
    ----------
    body : name of the body
    t : (k,) s
    stress : (k, m, 6) Pa: xx, yy, zz, yz, xz, xy
    node_ids : (m,) int; positions : (m, 3) m, undeformed
    labels : m names of the points, such as "node 17"; where a node has several points (both faces of a shell, the
        corners of a beam's section, several materials) "node 17 point 1", ...
    """

    body: str
    t: np.ndarray
    stress: np.ndarray
    node_ids: np.ndarray
    positions: np.ndarray
    labels: tuple[str, ...]

    @property
    def signed_von_mises(self) -> np.ndarray:
        """(k, m) Pa: von Mises stress with the sign of the principal stress that is largest in magnitude.

        What uniaxial cycle counting is usually given; it jumps where that principal stress changes.
        """
        values = self.principal
        first, last = values[..., 0], values[..., 2]
        return np.where(np.abs(first) >= np.abs(last), np.sign(first), np.sign(last)) * self.von_mises

    def normal_stress(self, direction: Sequence[float]) -> np.ndarray:
        """(k, m) Pa: normal stress on the plane with this normal (3,), in the axes of the body."""
        x, y, z = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
        return self.stress @ np.array([x * x, y * y, z * z, 2 * y * z, 2 * x * z, 2 * x * y])

    def to_pandas(self) -> pandas.DataFrame:
        """Columns "node 17 xx", ..., "node 17 von_mises", "node 17 signed_von_mises", "node 17 principal 1", ...

        Pa, indexed by t in s.
        """
        import pandas

        time, *columns = self._columns()
        frame = pandas.DataFrame({column.name: column.values for column in columns}, index=pandas.Index(time.values, name="t"))
        frame.attrs["units"] = {"t": "s", **{column.name: column.unit for column in columns}}
        return frame

    def to_csv(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the columns of :meth:`to_pandas`; FlexmbsError if the file exists and ``force`` is not set."""
        return write_csv(path, self._columns(), force=force)

    def _columns(self) -> list[Column]:
        columns = [Column("t", self.t, "s")]
        equivalent, signed, main = self.von_mises, self.signed_von_mises, self.principal
        for m, label in enumerate(self.labels):
            columns += [Column(f"{label} {name}", self.stress[:, m, c], "Pa") for c, name in enumerate(COMPONENTS)]
            columns += [
                Column(f"{label} von_mises", equivalent[:, m], "Pa"),
                Column(f"{label} signed_von_mises", signed[:, m], "Pa"),
                *(Column(f"{label} principal {p + 1}", main[:, m, p], "Pa") for p in range(3)),
            ]
        return columns


def stress_history(body: FlexibleBody, name: str, nodes: Sequence[int], times: np.ndarray, q: np.ndarray, at: str) -> StressHistory:
    """Stress at ``nodes`` (numbers of the mesh file) in states q (k, n): ``Result.stress_at``."""
    modes, positions, node_ids = stress_modes_at(body, at)
    chosen, labels = [], []
    for node in nodes:
        points = np.flatnonzero(node_ids == node)
        if not len(points):
            raise FlexmbsError(f"stress_at: {_why_not(body, name, node, at)}")
        chosen += points.tolist()
        labels += [f"node {node}"] if len(points) == 1 else [f"node {node} point {i + 1}" for i in range(len(points))]
    size = 48.0 * len(times) * len(chosen)
    if size > _MAX_BYTES:
        raise FlexmbsError(
            f"stress_at: {len(times)} times of {len(chosen)} points take {size_text(size)}; give fewer nodes or times "
            "(stress_envelope keeps no times)"
        )
    stress = np.tensordot(q, modes[:, chosen], axes=(-1, 0))
    return StressHistory(name, times, stress, node_ids[chosen], positions[chosen], tuple(labels))


def _why_not(body: FlexibleBody, name: str, node: int, at: str) -> str:
    if node not in np.asarray(body.node_ids):
        return f"body '{name}' has no node {node}; its numbers run from {body.node_ids.min()} to {body.node_ids.max()}"
    if at == "surface" and body.stress_modes is None:
        return f"node {node} of body '{name}' is not on its surface; reduce the mesh with stress='nodes' and give at='nodes'"
    return f"node {node} of body '{name}' has no stress" + ("; try at='nodes'" if at == "surface" else "")


def node_numbers(structure: Structure, body: FlexibleBody, name: str, nodes) -> list[int]:
    """Numbers of ``nodes``: numbers, or names of markers that stand on a node; one of them or several."""
    given = [nodes] if isinstance(nodes, str | int | np.integer) else list(nodes)
    if not given:
        raise FlexmbsError("stress_at: no nodes are given; give their numbers in the mesh file, or names of markers")
    return [_at_marker(structure, body, name, node) if isinstance(node, str) else int(node) for node in given]


def _at_marker(structure: Structure, body: FlexibleBody, name: str, marker: str) -> int:
    known = {entry.name: entry.fields for entry in structure.markers if entry.body == name and entry.fields is not None}
    known = {**body.markers, **known}
    if marker not in known:
        raise FlexmbsError(f"stress_at: body '{name}' has no marker '{marker}'; its markers: {', '.join(known) or 'none'}")
    distance = np.linalg.norm(body.points - known[marker].position, axis=1)
    nearest = int(np.argmin(distance))
    if distance[nearest] > _SAME_PLACE * float(np.ptp(body.points, axis=0).max()):
        raise FlexmbsError(
            f"stress_at: marker '{marker}' of body '{name}' does not stand on a node (the nearest one, "
            f"{body.node_ids[nearest]}, is {1e3 * distance[nearest]:.3g} mm away); give numbers of nodes"
        )
    return int(body.node_ids[nearest])
