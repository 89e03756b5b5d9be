"""Temporal VTKHDF files: all surfaces of a result as one unstructured grid of constant topology, for ParaView and VTK.

The layout is version 2.0 of the format, which VTK 9.3 (ParaView 5.12) and later read: points and point data of all
times stand one behind the other, cells are stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.hdf5_files import writing_hdf5
from flexmbs.common.progress import stage
from flexmbs.reduction.modal_fields import surface_stress
from flexmbs.reduction.stress_recovery import von_mises_into
from flexmbs.result.export.checks import check_size, checked_path, chosen_bodies, chosen_times, ready_folder
from flexmbs.result.export.parts import ExportedPart, Motion, exported_parts, motion_at
from flexmbs.result.export.vtkhdf_layout import Mesh, write_mesh, write_steps
from flexmbs.result.stress_peak import nearest_nodes

#: Point data that can be asked for: components, and what they are.
FIELDS = {
    "displacement": (3, "m, by deformation, in the axes of the world"),
    "von_mises": (1, "Pa; NaN where there is no stress (rigid bodies)"),
    "stress": (6, "Pa, XX, YY, ZZ, XY, YZ, XZ in the axes of the body; NaN where there is none"),
}
_VTK_ORDER = [0, 1, 2, 5, 3, 4]  # of the components of stress
_BLOCK = 32e6  # bytes of points at a time
_ENDINGS = (".vtkhdf", ".hdf", ".h5")


def write_vtkhdf(
    result: Any,
    path: str | Path,
    *,
    times: int | ArrayLike | None,
    start: float | None,
    end: float | None,
    bodies: str | Sequence[str] | None,
    fields: Sequence[str] | None,
    dtype: str,
    force: bool,
    size_limit: float | None,
) -> Path:
    """``Result.to_vtkhdf``."""
    path = checked_path(path, _ENDINGS, force, (body.name for body in result.structure.bodies))
    if dtype not in ("float32", "float64"):
        raise FlexmbsError(f"dtype is {dtype!r}; it must be 'float32' (7 digits) or 'float64'")
    chosen = chosen_times(result.t, times, start, end)
    parts = exported_parts(result, chosen_bodies(result.structure, bodies))
    names = _fields(result, parts, fields)
    mesh = _joined(parts)
    if not len(mesh.points):
        raise FlexmbsError(f"{path}: the chosen bodies have no surfaces to write")
    numbers = 3 + sum(FIELDS[name][0] for name in names)
    check_size(
        path,
        mesh.size + float(len(chosen)) * len(mesh.points) * numbers * np.dtype(dtype).itemsize,
        size_limit,
        f"take fewer than {len(chosen)} times, some of the bodies, fields=('displacement',)"
        + (", dtype='float32'" if dtype == "float64" else ""),
    )
    ready_folder(path)
    motion = motion_at(result, chosen)
    with writing_hdf5(path) as file:
        group = write_mesh(file, mesh, _constant(result, parts))
        data = write_steps(group, chosen, mesh, {name: FIELDS[name][0] for name in names}, dtype)
        _write_blocks(data, parts, motion, names, len(mesh.points))
    return path


def _fields(result: Any, parts: Sequence[ExportedPart], fields: Sequence[str] | None) -> list[str]:
    """Names of the point data; FlexmbsError for an unknown one, or for stress that no body has."""
    deformed = [part.flexible for part in parts if part.flexible is not None]
    if fields is None:
        has_stress = any(body.has_stress for body in deformed)
        return (["displacement"] if deformed else []) + (["von_mises"] if has_stress else [])
    names = [fields] if isinstance(fields, str) else list(fields)
    for name in names:
        if name not in FIELDS:
            raise FlexmbsError(f"unknown field {name!r}; choose from {', '.join(FIELDS)}")
        if name != "displacement" and not any(body.has_stress for body in deformed):
            for body in deformed:
                body.surface_stress_modes  # noqa: B018  says why it has none, and what to do
            raise FlexmbsError(
                f"{name}: none of the chosen bodies is flexible, so there is no stress; add a body that fm.reduce made of a mesh"
            )
    return names


def _joined(parts: Sequence[ExportedPart]) -> Mesh:
    """All surfaces as one, undeformed (each in its own axes)."""
    first = np.cumsum([0, *(len(part.points) for part in parts)])
    cells = np.cumsum([0, *(len(part.faces.connectivity) for part in parts)])
    join = np.concatenate
    return Mesh(
        points=join([np.zeros((0, 3)), *(part.points for part in parts)]),
        connectivity=join(
            [np.zeros(0, int), *(part.faces.connectivity + start for part, start in zip(parts, first, strict=False))]
        ),
        offsets=join([[0], *(part.faces.offsets[1:] + start for part, start in zip(parts, cells, strict=False))]).astype(np.int64),
    )


def _constant(result: Any, parts: Sequence[ExportedPart]) -> dict[str, dict[str, Any]]:
    """Data that do not change: numbers of nodes, numbers of bodies, their names."""
    nodes = [
        np.zeros(len(part.points), int) if part.flexible is None else nearest_nodes(part.flexible, part.points) for part in parts
    ]
    return {
        "PointData": {"node": np.concatenate(nodes).astype(np.int32)},
        "CellData": {"body": np.repeat(np.int32([part.body for part in parts]), [len(part.faces) for part in parts])},
        "FieldData": {"body_names": [body.name for body in result.structure.bodies]},
    }


def _write_blocks(data: dict[str, Any], parts, motion: Motion, names: Sequence[str], count: int) -> None:
    """Points and fields, as many times at once as stay small."""
    at_once = max(1, int(_BLOCK / (24.0 * count)))
    for begin in range(0, len(motion.t), at_once):
        stage("writing", begin, len(motion.t))
        times = slice(begin, min(begin + at_once, len(motion.t)))
        rows = slice(times.start * count, times.stop * count)
        block = {name: np.full((times.stop - begin, count, FIELDS[name][0]), np.nan) for name in names}
        points, first = np.empty((times.stop - begin, count, 3)), 0
        for part in parts:
            own = slice(first, first + len(part.points))
            first = own.stop
            points[:, own], moved = motion.world_points(part, times)
            _fill(block, own, part, moved, motion.modal(part)[times])
        data["Points"][rows] = points.reshape(-1, 3)
        for name, values in block.items():
            data[name][rows] = values.reshape(-1, FIELDS[name][0]).squeeze(-1 if FIELDS[name][0] == 1 else ())


def _fill(block: dict[str, np.ndarray], own: slice, part: ExportedPart, moved: np.ndarray, q: np.ndarray) -> None:
    """Fields of one part at some times."""
    if "displacement" in block:
        block["displacement"][:, own] = moved
    if part.flexible is None or not part.flexible.has_stress:
        return
    if "von_mises" in block:
        found = np.empty((len(q), own.stop - own.start))
        block["von_mises"][:, own, 0] = von_mises_into(found, part.flexible.surface_stress_modes, q)
    if "stress" in block:
        block["stress"][:, own] = surface_stress(part.flexible, q)[..., _VTK_ORDER]
