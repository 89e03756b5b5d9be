"""A flexible body in an HDF5 file (or a group of one), bit for bit; docs/reduced_bodies.md describes the layout."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import BodyError, BodyWarning
from flexmbs.common.hdf5_files import damage, refuse_external_links, writing_hdf5
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.stored_arrays import HDF5_DAMAGE, read_dataset, text_of
from flexmbs.common.user_warnings import warn
from flexmbs.mesh.marker_places import places_of_text, places_text
from flexmbs.reduction.body_layout import LAYOUT, checked_body, part_class
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields

FORMAT = "flexmbs body 3"
BODY_ENDINGS = (".h5", ".hdf5")  # of file names


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
    if not isinstance(body, FlexibleBody):
        raise TypeError(f"expected a flexible body, not {body!r}")
    group.attrs["format"] = FORMAT
    refuse_unwritable((body.name, *body.mode_labels, *body.markers), "body", BodyError)
    _write_part(group, body)


def read_body(group, where: str = "HDF5 group") -> FlexibleBody:
    """Read a body from an open HDF5 group; ``where`` names it in errors.

    Raises
    ------
    BodyError
        Something is missing or cannot be read, or the numbers are those of no body (reduction.body_layout).
    """
    try:
        found = group.attrs.get("format")
        if not isinstance(found, str) or found != FORMAT:
            other = str(found).startswith("flexmbs body ")
            advice = "; it was written by another version of flexmbs: update flexmbs, or reduce again" if other else ""
            raise BodyError(f"{where}: contains {found or 'no flexible body'}; expected {FORMAT}{advice}")
        return checked_body(_read_part(group, FlexibleBody, where), where)
    except HDF5_DAMAGE as error:
        raise BodyError(f"{where}: the body is incomplete or damaged ({text_of(error)})") from error


def _write_part(group, part) -> None:
    """Arrays become datasets; numbers, text and tuples of text become attributes; parts become groups.

    None: no group of a part, and an attribute that says so of a value.
    """
    import h5py

    for name in (entry.name for entry in fields(part)):
        value = getattr(part, name)
        if is_dataclass(value):
            _write_part(group.create_group(name), value)
        elif name == "markers":
            markers = group.create_group(name, track_order=True)
            for key, marker in value.items():
                _write_part(markers.create_group(_escaped(key)), marker)
        elif name == "options":
            group.create_group(name, track_order=True).attrs.update(value)
        elif isinstance(value, np.ndarray):
            group.create_dataset(name, data=value)
        elif isinstance(value, tuple) or name == "places":
            texts = places_text(value) if name == "places" else value
            group.create_dataset(name, data=np.array(texts, dtype=object), dtype=h5py.string_dtype())
        elif value is not None:
            group.attrs[name] = value
        elif part_class(LAYOUT[type(part)][name]) is None:
            group.attrs[name + " is none"] = True


def _read_part(group, kind: type, where: str):
    """The part of a body that the group holds, unchecked."""
    values = {}
    for name in (entry.name for entry in fields(kind)):
        declared = LAYOUT[kind].get(name)
        inner = part_class(declared)
        if inner is not None:
            present = name in group or declared is inner
            values[name] = _read_part(group[name], inner, where) if present else None
        elif name == "markers":
            values[name] = {_unescaped(key): _read_part(marker, PointFields, where) for key, marker in group[name].items()}
        elif name == "options":
            values[name] = {key: _plain(value) for key, value in group[name].attrs.items()}
        elif name == "places":
            values[name] = places_of_text(_read_value(group, name), where)
        else:
            values[name] = _read_value(group, name)
    return kind(**values)


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
