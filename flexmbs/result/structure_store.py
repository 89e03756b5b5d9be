"""model.h5: the constant part of a result in one HDF5 file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TypeVar

import numpy as np

from flexmbs.common.errors import ResultFolderError
from flexmbs.common.hdf5_files import damage, refuse_external_links, writing_hdf5
from flexmbs.common.stored_arrays import read_dataset
from flexmbs.reduction.body_store import read_body, write_body
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields
from flexmbs.result.chunks import reading
from flexmbs.result.structure import (
    BodyRecord,
    ClearanceRecord,
    ContactPair,
    JointRecord,
    LinkRecord,
    MarkerRecord,
    OutlineRecord,
    Structure,
)
from flexmbs.result.structure_checks import check_structure
from flexmbs.result.trajectory import OTHER_VERSION

Record = TypeVar("Record")
#: Fields of a Structure that are tuples of plain records.
_RECORDS = {
    "contacts": ContactPair,
    "joints": JointRecord,
    "clearances": ClearanceRecord,
    "outlines": OutlineRecord,
    "links": LinkRecord,
}


def save_structure(structure: Structure, path: str | Path, run: str = "") -> None:
    """Write ``structure`` of the run ``run`` to an HDF5 file; a flexible body used twice is stored once."""
    stored: dict[int, int] = {}
    with writing_hdf5(path, ResultFolderError, owner=run) as file:
        file.attrs["run"] = run
        for index, body in enumerate(structure.bodies):
            group = file.create_group(f"bodies/{index}")
            _write_plain(group, body, skip=("flexible",))
            if body.flexible is None:
                continue
            first = stored.setdefault(id(body.flexible), index)
            group.attrs["flexible"] = first
            if first == index:
                write_body(group.create_group("flexible"), body.flexible)
        for index, marker in enumerate(structure.markers):
            group = file.create_group(f"markers/{index}")
            _write_plain(group, marker, skip=("fields",))
            if marker.fields is not None:
                _write_plain(group.create_group("fields"), marker.fields)
        for kind in _RECORDS:
            for index, record in enumerate(getattr(structure, kind)):
                _write_plain(file.create_group(f"{kind}/{index}"), record)
        _write_plain(file, structure, skip=("bodies", "markers", *_RECORDS))


@contextmanager
def opened(path: str | Path) -> Iterator:
    """An HDF5 file of a result, open for reading; ResultFolderError if its checksum is wrong, or it links to others."""
    import h5py

    with reading(Path(path)):
        wrong = damage(path)
        if wrong:
            raise ValueError(wrong)
        with h5py.File(path, "r") as file:
            refuse_external_links(file)
            yield file


def run_of(path: str | Path) -> str:
    """Identity of the run that a model.h5 belongs to."""
    with opened(path) as file:
        if "run" not in file.attrs:
            raise ValueError(f"the identity of its run is missing: {OTHER_VERSION}")
        return str(file.attrs["run"])


def load_structure(path: str | Path) -> Structure:
    """Read what :func:`save_structure` wrote; ResultFolderError when it is damaged."""
    with opened(path) as file:
        structure = _structure_in(file, str(path))
        check_structure(structure, str(path))
    return structure


def _structure_in(file, where: str) -> Structure:
    """The content of the file; only its flexible bodies are checked."""
    flexible = {
        index: read_body(group["flexible"], f"{where}: body {index}")
        for index, group in _numbered(file, "bodies")
        if "flexible" in group
    }
    bodies = tuple(_read_body_record(group, flexible) for _, group in _numbered(file, "bodies"))
    markers = tuple(_read_marker(group) for _, group in _numbered(file, "markers"))
    records = {kind: tuple(_read_plain(group, record) for _, group in _numbered(file, kind)) for kind, record in _RECORDS.items()}
    return _read_plain(file, Structure, bodies=bodies, markers=markers, **records)


def _read_body_record(group, flexible: dict[int, FlexibleBody]) -> BodyRecord:
    reference = group.attrs.get("flexible")
    body = None if reference is None else flexible[int(reference)]
    return _read_plain(group, BodyRecord, flexible=body)


def _read_marker(group) -> MarkerRecord:
    moves = _read_plain(group["fields"], PointFields) if "fields" in group else None
    return _read_plain(group, MarkerRecord, fields=moves)


def _numbered(file, kind: str):
    if kind not in file:
        return []
    return [(index, file[kind][str(index)]) for index in range(len(file[kind]))]


def _write_plain(group, record, skip: tuple[str, ...] = ()) -> None:
    """Arrays as data sets, everything else (names, numbers, None) as one JSON text."""
    plain = {}
    for entry in fields(record):
        value = getattr(record, entry.name)
        if entry.name in skip:
            continue
        if isinstance(value, np.ndarray):
            group.create_dataset(entry.name, data=value)
        else:
            plain[entry.name] = value.item() if isinstance(value, np.generic) else value
    # A data set, not an attribute: HDF5 attributes end at 64 kB, which many coordinate names would exceed.
    group.create_dataset("plain", data=json.dumps(plain))


def _read_plain(group, kind: type[Record], **known) -> Record:
    """A record of a kind, whose fields are ``known`` or in the group; ValueError if one is missing."""
    import h5py

    values = json.loads(group["plain"][()].decode())
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    for name, item in group.items():
        if isinstance(item, h5py.Dataset) and name != "plain":
            values[name] = read_dataset(item)
    missing = [entry.name for entry in fields(kind) if entry.name not in values | known]
    if missing:
        raise ValueError(f"{group.name}: {', '.join(missing)} is missing: {OTHER_VERSION}")
    return kind(**known, **values)
