"""A flexible body in an HDF5 file (or a group of one), bit for bit; docs/reduced_bodies.md describes the layout."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import BodyError, BodyWarning
from flexmbs.common.hdf5_files import damage, refuse_external_links, writing_hdf5
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.stored_arrays import HDF5_DAMAGE, read_dataset, text_of
from flexmbs.common.user_warnings import warn
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.stress_field import StressModes, StressPoints
from flexmbs.mesh.marker_places import places_of_text, places_text
from flexmbs.reduction.body_checks import checked_body
from flexmbs.reduction.flexible_body import FlexibleBody, InertiaFields, PointFields, SurfaceFields

FORMAT = "flexmbs body 3"
PARTS = {"inertia": InertiaFields, "surface": SurfaceFields, "stress_modes": StressModes, "section_force_modes": SectionForceModes}
BODY_ENDINGS = (".h5", ".hdf5")  # of file names
NESTED = {(StressModes, "points"): StressPoints}


def save_body(body: FlexibleBody, path: str | Path) -> None:
    """Write ``body`` to an HDF5 file; an existing one is replaced once the new one is complete."""
    with writing_hdf5(path, BodyError) as file:
        write_body(file, body)


def load_body(path: str | Path) -> FlexibleBody:
    """Read a file written by ``save_body``; BodyError if it is missing, damaged or something else.

    A BodyWarning says if the file was changed after it was written but can still be read: its numbers may be wrong.
    """
    import h5py

    wrong = path_problem(path)
    if wrong == "does not exist":
        raise BodyError(f"{path}: no such file; a body is saved with save_body(body, path)")
    if wrong:
        raise BodyError(f"{path}: {wrong}; expected a body file")
    try:
        with h5py.File(path, "r") as file:
            refuse_external_links(file)
            body = read_body(file, str(path))
        wrong = damage(path)
    except HDF5_DAMAGE as error:
        raise BodyError(f"{path}: not an HDF5 file, or damaged ({text_of(error)})") from error
    if wrong:
        warn(f"{wrong}; it is damaged or was changed after save_body", BodyWarning, where=str(path))
    return body


def write_body(group, body: FlexibleBody) -> None:
    """Write ``body`` into an open, empty HDF5 group."""
    group.attrs["format"], parts = FORMAT, fields(body)
    refuse_unwritable((body.name, *body.mode_labels, *body.markers), "body", BodyError)
    for part in parts:
        value = getattr(body, part.name)
        if part.name in PARTS:
            if value is not None:
                _write_plain(group.create_group(part.name), value)
        elif part.name == "markers":
            markers = group.create_group("markers", track_order=True)
            for name, marker in value.items():
                _write_plain(markers.create_group(_escaped(name)), marker)
        elif part.name == "places":
            _write_value(group, "places", places_text(value))
        elif part.name == "options":
            options = group.create_group("options", track_order=True)
            for name, option in value.items():
                options.attrs[name] = option
        else:
            _write_value(group, part.name, value)


def read_body(group, where: str = "HDF5 group") -> FlexibleBody:
    """Read a body from an open HDF5 group; ``where`` names it in errors.

    Raises
    ------
    BodyError
        Something is missing or cannot be read, or the numbers are those of no body (reduction.body_checks).
    """
    try:
        return checked_body(_body_in(group, where), where)
    except HDF5_DAMAGE as error:
        raise BodyError(f"{where}: the body is incomplete or damaged ({text_of(error)})") from error


def _body_in(group, where: str) -> FlexibleBody:
    """The content of the group, unchecked."""
    found = group.attrs.get("format")
    if not isinstance(found, str) or found != FORMAT:
        other = str(found).startswith("flexmbs body ")
        advice = "; it was written by another version of flexmbs: update flexmbs, or reduce again" if other else ""
        raise BodyError(f"{where}: contains {found or 'no flexible body'}; expected {FORMAT}{advice}")
    values = {}
    for part in fields(FlexibleBody):
        if part.name in PARTS:
            if part.name in group or part.default is MISSING:
                values[part.name] = _read_plain(group[part.name], PARTS[part.name])
        elif part.name == "markers":
            values["markers"] = {_unescaped(k): _read_plain(g, PointFields) for k, g in group["markers"].items()}
        elif part.name == "places":
            values["places"] = places_of_text(_read_value(group, "places"), where)
        elif part.name == "options":
            values["options"] = {k: _plain(v) for k, v in group["options"].attrs.items()}
        else:
            values[part.name] = _read_value(group, part.name)
    return FlexibleBody(**values)


def _write_plain(group, value) -> None:
    for part in fields(value):
        inner = getattr(value, part.name)
        if is_dataclass(inner):
            _write_plain(group.create_group(part.name), inner)
        else:
            _write_value(group, part.name, inner)


def _read_plain(group, kind: type):
    values = {}
    for part in fields(kind):
        inner = NESTED.get((kind, part.name))
        values[part.name] = _read_plain(group[part.name], inner) if inner else _read_value(group, part.name)
    return kind(**values)


def _write_value(group, name: str, value) -> None:
    """Arrays become datasets; numbers, text and tuples of text become attributes; None is absent."""
    if value is None:
        group.attrs[name + " is none"] = True
    elif isinstance(value, np.ndarray):
        group.create_dataset(name, data=value)
    elif isinstance(value, tuple):
        import h5py

        group.create_dataset(name, data=np.array(value, dtype=object), dtype=h5py.string_dtype())
    else:
        group.attrs[name] = value


def _read_value(group, name: str):
    if name + " is none" in group.attrs:
        return None
    if name in group.attrs:
        return _plain(group.attrs[name])
    if name not in group:
        raise ValueError(f"{name} is missing: it was made by another version of flexmbs, or is damaged: reduce again")
    return read_dataset(group[name])


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")  # HDF5 takes a slash as a path


def _unescaped(name: str) -> str:
    return name.replace("%2F", "/").replace("%25", "%")
