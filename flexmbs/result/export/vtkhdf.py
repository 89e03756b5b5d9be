"""VTKHDF files of surfaces for ParaView and VTK: all of a result as one grid that moves, or one with values at its points.

The layout is version 2.0 of the format, which VTK 9.3 (ParaView 5.12) and later read: points and point data of all
times stand one behind the other, cells are stored once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.hdf5_files import writing_hdf5
from flexmbs.common.progress import on_progress, stage
from flexmbs.reduction.recovery import surface_stress, von_mises_into
from flexmbs.result.export.checks import SIZE_LIMIT, check_size, checked_path, chosen_bodies, chosen_times, ready_folder
from flexmbs.result.export.parts import Motion, exported_parts
from flexmbs.result.stress_peak import nearest_nodes
from flexmbs.view.scene_parts import Part
from flexmbs.view.solids import Solid, joined

#: Point data that can be asked for: components, and what they are.
FIELDS = {
    "displacement": (3, "m, by deformation, in the axes of the world"),
    "von_mises": (1, "Pa; NaN where there is no stress (rigid bodies)"),
    "stress": (6, "Pa, XX, YY, ZZ, XY, YZ, XZ in the axes of the body; NaN where there is none"),
}
_VTK_ORDER = [0, 1, 2, 5, 3, 4]  # of the components of stress
_BLOCK = 32e6  # bytes of points at a time
_ENDINGS = (".vtkhdf", ".hdf", ".h5")
_KINDS = {1: 1, 2: 3, 3: 5, 4: 9}  # cells of VTK by their number of points: vertex, line, triangle, quadrilateral
_POLYGON = 7


@on_progress()
def to_vtkhdf(
    self: Any,
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
    body_names = [body.name for body in self.structure.bodies]
    path = checked_path(path, _ENDINGS, force, body_names)
    if dtype not in ("float32", "float64"):
        raise FlexmbsError(f"dtype is {dtype!r}; it must be 'float32' (7 digits) or 'float64'")
    chosen = chosen_times(self.t, times, start, end)
    parts = exported_parts(self, chosen_bodies(self.structure, bodies))
    names = _fields(parts, fields)
    whole = joined([Solid(part.points, part.faces) for part in parts])
    count, numbers = len(whole.points), 3 + sum(FIELDS[name][0] for name in names)
    if not count:
        raise FlexmbsError(f"{path}: the chosen bodies have no surfaces to write")
    each = [len(_cells(part.faces)[1]) for part in parts]
    once = 8.0 * len(whole.faces) + 5.0 * sum(each) + 4.0 * count  # cells, kinds and bodies, nodes
    remedy = f"take fewer than {len(chosen)} times, some of the bodies, fields=('displacement',)"
    remedy += ", dtype='float32'" if dtype == "float64" else ""
    check_size(path, once + float(len(chosen)) * count * numbers * np.dtype(dtype).itemsize, size_limit, remedy)
    ready_folder(path)
    motion = Motion(self, chosen)
    nodes = [np.zeros(len(p.points), int) if p.flexible is None else nearest_nodes(p.flexible, p.points) for p in parts]
    owners = np.repeat([part.body for part in parts], each).astype(np.int32)
    fixed = {"node": np.concatenate(nodes).astype(np.int32)}
    constant = {"PointData": fixed, "CellData": {"body": owners}, "FieldData": {"body_names": body_names}}
    with writing_hdf5(path) as file:
        group = _write_mesh(file, count, whole.faces, constant)
        data = _write_steps(group, chosen, count, {name: FIELDS[name][0] for name in names}, dtype)
        _write_blocks(data, parts, motion, names, count)
    return path


def write_surface(
    path: str | Path, points: np.ndarray, faces: np.ndarray, fields: Mapping[str, np.ndarray], *, force: bool
) -> Path:
    """Write points (m, 3), faces (VTK style) and point data (m, ...) by name."""
    path = checked_path(path, _ENDINGS, force)
    ready_folder(path)
    with writing_hdf5(path) as file:
        group = _write_mesh(file, len(points), faces, {"PointData": fields})
        group["Points"] = np.asarray(points, dtype=float)
    return path


def _fields(parts: Sequence[Part], fields: Sequence[str] | None) -> list[str]:
    """Names of the point data; FlexmbsError for an unknown one, or for stress that no body has."""
    deformed = [part.flexible for part in parts if part.flexible is not None]
    has_stress = any(body.has_stress for body in deformed)
    if fields is None:
        return (["displacement"] if deformed else []) + (["von_mises"] if has_stress else [])
    names = [fields] if isinstance(fields, str) else list(fields)
    for name in names:
        if name not in FIELDS:
            raise FlexmbsError(f"unknown field {name!r}; choose from {', '.join(FIELDS)}")
        if name != "displacement" and not has_stress:
            for body in deformed:
                body.surface_stress_modes  # noqa: B018  says why it has none, and what to do
            raise FlexmbsError(
                f"{name}: none of the chosen bodies is flexible, so there is no stress; add a body that fm.reduce made of a mesh"
            )
    return names


def _cells(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Point indices of all faces (VTK style), one after the other, and (faces,) how many each has."""
    numbers, starts, at = np.asarray(faces, dtype=np.int64), [], 0
    values = numbers.tolist()
    while at < len(values):
        starts.append(at)
        at += 1 + values[at]
    return np.delete(numbers, starts), numbers[starts]


def _write_mesh(file: Any, points: int, faces: np.ndarray, constant: Mapping[str, Mapping[str, Any]]) -> Any:
    """The group VTKHDF with cells and constant data ("PointData", "CellData", "FieldData"); without points."""
    import h5py

    group = file.create_group("VTKHDF")
    group.attrs["Version"] = np.array([2, 0], dtype=np.int64)
    group.attrs.create("Type", b"UnstructuredGrid", dtype=h5py.string_dtype("ascii", len("UnstructuredGrid")))
    connectivity, sizes = _cells(faces)
    for name, count in (("Points", points), ("Cells", len(sizes)), ("ConnectivityIds", len(connectivity))):
        group[f"NumberOf{name}"] = np.array([count], dtype=np.int64)
    group["Connectivity"], group["Offsets"] = connectivity, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    kinds = [_KINDS.get(size, _POLYGON) for size in range(int(sizes.max(initial=0)) + 1)]
    group["Types"] = np.array(kinds, dtype=np.uint8)[sizes]
    for kind, arrays in constant.items():
        inner = group.create_group(kind)
        for name, values in arrays.items():
            if isinstance(values, list):
                texts = np.array([text.encode() for text in values], dtype=object)  # VTK takes them for UTF-8 if they claim ASCII
                inner.create_dataset(name, data=texts, dtype=h5py.string_dtype("ascii"))
            else:
                inner[name] = values
    return group


def _write_steps(group: Any, times: np.ndarray, count: int, fields: Mapping[str, int], dtype: str) -> dict[str, Any]:
    """The group of the times, and empty data sets of points and of point data for all of them, by their names."""
    steps, own = len(times), group.create_group("Steps")
    own.attrs["NSteps"] = np.int64(steps)
    own["Values"] = np.asarray(times, dtype=float)
    once, nothing = np.ones(steps, dtype=np.int64), np.zeros(steps, dtype=np.int64)
    moving = count * np.arange(steps, dtype=np.int64)
    own["NumberOfParts"], own["PartOffsets"], own["PointOffsets"] = once, nothing, moving
    own["CellOffsets"], own["ConnectivityIdOffsets"] = nothing[:, None], nothing[:, None]
    for kind in ("PointData", "CellData", "FieldData"):
        offsets = own.create_group(f"{kind}Offsets")
        for name in group[kind]:
            offsets[name] = nothing
    for name, values in group["FieldData"].items():  # of all steps; readers before version 2.2 take the first
        own[f"FieldDataSizes/{name}"] = np.tile(np.array([1, len(values)], dtype=np.int64), (steps, 1))
    data = {"Points": group.create_dataset("Points", (steps * count, 3), dtype)}
    for name, width in fields.items():
        shape = (steps * count,) if width == 1 else (steps * count, width)
        data[name] = group["PointData"].create_dataset(name, shape, dtype)
        own[f"PointDataOffsets/{name}"] = moving
    return data


def _write_blocks(data: dict[str, Any], parts: Sequence[Part], motion: Motion, names: Sequence[str], count: int) -> None:
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
            _fill(block, own, part, moved, motion.modal(part.body)[times])
        data["Points"][rows] = points.reshape(-1, 3)
        for name, values in block.items():
            data[name][rows] = values.reshape(-1, FIELDS[name][0]).squeeze(-1 if FIELDS[name][0] == 1 else ())


def _fill(block: dict[str, np.ndarray], own: slice, part: Part, moved: np.ndarray, q: np.ndarray) -> None:
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
