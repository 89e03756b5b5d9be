"""Modes of a reduced body as a universal file (UFF): nodes, faces and mode shapes for programs of modal testing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder
from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.versions import require
from flexmbs.reduction.flexible_body import FlexibleBody

ENDINGS = (".uff", ".unv")
_NEAR = 1e-9  # of the size of the body: a point of the surface so near to a node is that node
_SHELLS = {3: 91, 4: 94, 6: 92, 8: 95}  # number of points -> descriptor of a thin shell in data set 2412


def write_uff(body: FlexibleBody, path: str | Path, *, force: bool = False) -> Path:
    """Write the modes of a flexible body to a universal file (.uff, .unv), which needs the library pyuff.

    Data sets 151 (header), 164 (SI units), 2411 (nodes with their numbers), 2412 (faces of solids), and 55 for each
    mode: shape at all nodes (with rotations of shells and beams), frequency, modal mass, damping ratio, in six digits.

    Raises
    ------
    BodyError : the file exists and ``force`` is not set, or has another ending
    FlexmbsError : pyuff is not installed
    """
    path = checked_uff_path(path, force, (body.name, *body.mode_labels))
    parts = [header(f"modes of {body.name}"), units(), _nodes(body), _faces(body)]
    write_sets(path, [part for part in (*parts, *(_mode(body, a) for a in range(body.mode_count))) if part])
    return path


def checked_uff_path(path: str | Path, force: bool, names: Iterable[str]) -> Path:
    """``path`` if a universal file with these names may be written there; else BodyError. FlexmbsError without pyuff."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise BodyError(f"{path}: the name of a universal file must end in {' or '.join(ENDINGS)}")
    refuse_existing(path, force, BodyError)
    refuse_unwritable(names, path, BodyError)
    require("pyuff", "a universal file")
    return path


def write_sets(path: Path, sets: Sequence[dict[str, Any]]) -> None:
    """Write data sets, each as pyuff describes it."""
    import pyuff

    with replacing_in_folder(path) as temporary:
        pyuff.UFF(str(temporary)).write_sets(list(sets), mode="overwrite")


def header(title: str) -> dict[str, Any]:
    """Data set 151, without dates of a data base."""
    dates = dict.fromkeys((f"{what}_{how}" for what in ("date_db", "time_db") for how in ("created", "saved", "written")), " ")
    title = " ".join(title.split())
    names = {"model_name": title, "description": title, "db_app": "flexmbs", "program": "flexmbs"}
    return {"type": 151, **names, **dates, "version_db1": 0, "version_db2": 0, "file_type": 0}


def line(text: str) -> str:
    """``text`` in one of the lines of 80 characters that data sets begin with."""
    return " ".join(text.split())[:80]


def units() -> dict[str, Any]:
    """Data set 164: SI."""
    factors = {"length": 1.0, "force": 1.0, "temp": 1.0, "temp_offset": 273.15}
    return {"type": 164, "units_code": 1, "units_description": "SI: Meter (newton)", "temp_mode": 1, **factors}


def _nodes(body: FlexibleBody) -> dict[str, Any]:
    count = len(body.points)
    x, y, z = body.points.T
    once = np.zeros(count, dtype=int)
    return {"type": 2411, "node_nums": body.node_ids, "def_cs": once, "disp_cs": once, "color": once + 1, "x": x, "y": y, "z": z}


def _faces(body: FlexibleBody) -> dict[Any, Any]:
    """Data set 2412 of the faces whose points are nodes; empty without such (shells, beams)."""
    from scipy.spatial import cKDTree

    surface = body.surface
    if not len(surface.faces):
        return {}
    distance, nearest = cKDTree(body.points).query(surface.points)
    if distance.max() > _NEAR * float(np.ptp(body.points, axis=0).max()):
        return {}
    numbers = np.asarray(body.node_ids)[nearest]
    found: dict[Any, Any] = {}
    at = count = 0
    while at < len(surface.faces):
        size = int(surface.faces[at])
        corners = numbers[surface.faces[at + 1 : at + 1 + size]]
        at += 1 + size
        if size in _SHELLS:
            count += 1
            entry = {"element_nums": count, "fe_descriptor": _SHELLS[size], "phys_table": 1, "mat_table": 1, "color": 1}
            found.setdefault(_SHELLS[size], []).append({**entry, "num_nodes": size, "nodes_nums": corners.tolist()})
    return {"type": 2412, **found} if found else {}


def _mode(body: FlexibleBody, a: int) -> dict[str, Any]:
    """Data set 55 of a normal mode."""
    mass, stiffness, damping = (float(matrix[a, a]) for matrix in (body.Me, body.Ke, body.De))
    critical = 2.0 * np.sqrt(max(mass * stiffness, 0.0))
    kind = {"type": 55, "model_type": 1, "analysis_type": 2, "spec_data_type": 8, "data_type": 2, "load_case": 1, "mode_n": a + 1}
    texts = {"id1": line(body.mode_labels[a]), "id2": " ".join(body.name.split())[-80:], "id3": "made by flexmbs"}
    values = {"freq": float(body.frequencies[a]), "modal_m": mass, "modal_damp_his": 0.0, "node_nums": body.node_ids}
    found = {**kind, **texts, "id4": "NONE", "id5": "NONE", **values, "data_ch": 2 if body.rotations is None else 3}
    found["modal_damp_vis"] = damping / critical if critical > 0.0 else 0.0
    shape = body.modes[a] if body.rotations is None else np.column_stack([body.modes[a], body.rotations[a]])
    return found | {f"r{i + 1}": column for i, column in enumerate(shape.T)} | {"n_data_per_node": shape.shape[1]}
