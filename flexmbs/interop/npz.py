"""Flexible bodies as NumPy .npz files: complete bodies bit for bit, or plain arrays of a body made elsewhere."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import write_arrays
from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.stored_arrays import read_npz_arrays, text_of
from flexmbs.fem.solvers.memory import require_memory
from flexmbs.interop.arrays import body_from_arrays
from flexmbs.interop.moments import InertiaMoments
from flexmbs.mesh.marker_places import places_of_text, places_text
from flexmbs.reduction.body_layout import LAYOUT, checked_body, part_class
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields

FORMAT = "flexmbs body 2"
_MOMENTS = {part.name for part in fields(InertiaMoments)}
_ARGUMENTS = set(inspect.signature(body_from_arrays).parameters) - {"moments", "markers", "warnings"}


def write_npz(body: FlexibleBody, path: str | Path) -> None:
    """Write every number of ``body``; keys are its attributes, ``inertia.X``, ``markers.0.Phi``, ..."""
    refuse_unwritable((body.name, *body.mode_labels, *body.markers), path, BodyError)
    content = _attributes(body)
    texts = {"mode_labels": body.mode_labels, "warnings": body.warnings, "places": places_text(body.places)}
    texts |= {"marker_names": tuple(body.markers), "absent": tuple(name for name, value in content.items() if value is None)}
    content |= {name: np.array(text, dtype=str) for name, text in texts.items()}
    content |= {"format": FORMAT, "markers": dict(enumerate(body.markers.values()))}
    write_arrays(path, _flat(content), BodyError, compressed=True)


def _attributes(value: Any) -> dict[str, Any]:
    return {part.name: getattr(value, part.name) for part in fields(value)}


def _flat(content: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """What nested mappings and dataclasses hold, by keys with a dot between their parts; without None."""
    flat: dict[str, Any] = {}
    for name, value in content.items():
        inner = _attributes(value) if is_dataclass(value) else value
        if isinstance(inner, Mapping):
            flat |= _flat(inner, f"{prefix}{name}.")
        elif inner is not None:
            flat[f"{prefix}{name}"] = inner
    return flat


def read_npz(path: str | Path) -> FlexibleBody:
    """Read a file of ``write_npz``, or a body from arrays named like the arguments of ``body_from_arrays``.

    In the second case: points, modes, K and M, or the attributes of ``InertiaMoments`` instead of M; ``marker_names``
    and ``marker_nodes`` define the markers. BodyError says which array is missing, unknown or has a wrong shape.
    """
    try:
        arrays = read_npz_arrays(
            path, lambda size: require_memory(size, str(path), "Use a machine with more memory, or a body with fewer modes.")
        )
    except ValueError as error:
        raise BodyError(f"{path}: cannot be read as an .npz file of named arrays ({error})") from error
    try:
        if "format" not in arrays:
            return _from_plain(arrays, str(path))
        if str(arrays["format"]) != FORMAT:
            raise BodyError(f"{path}: contains '{arrays['format']}'; expected '{FORMAT}', of this version of flexmbs: reduce again")
        return checked_body(_from_whole(arrays, str(path)), str(path))
    except KeyError as error:
        text = f"the body is incomplete ({error} is missing): it was made by another version of flexmbs, or is damaged"
        raise BodyError(f"{path}: {text}: reduce again") from error
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError, MemoryError) as error:
        raise BodyError(f"{path}: an array has an unexpected type or shape ({text_of(error)})") from error


def _from_whole(arrays: dict[str, np.ndarray], where: str) -> FlexibleBody:
    values: dict[str, Any] = dict.fromkeys(_texts(arrays, "absent"))
    if not values.keys() <= FlexibleBody.__dataclass_fields__.keys():
        raise KeyError("absent")
    names, options = _texts(arrays, "marker_names"), [key for key in arrays if key.startswith("options.")]
    values["markers"] = {name: _unflat(arrays, f"markers.{k}", PointFields) for k, name in enumerate(names)}
    values["places"] = places_of_text(_texts(arrays, "places"), where)
    values["options"] = {key.removeprefix("options."): _plain(arrays[key]) for key in options}
    values |= {name: tuple(_texts(arrays, name)) for name in ("mode_labels", "warnings")}
    for name in FlexibleBody.__dataclass_fields__:
        if name not in values:
            inner = part_class(LAYOUT[FlexibleBody].get(name))
            values[name] = _unflat(arrays, name, inner) if inner else _plain(arrays[name])
    return FlexibleBody(**values)


def _texts(arrays: dict[str, np.ndarray], name: str) -> list[str]:
    """A list of texts (a single text is rejected)."""
    found = arrays[name]
    if found.ndim != 1 or found.size and found.dtype.kind != "U":
        raise ValueError(f"{name} is {found.dtype} of shape {found.shape}; expected a list of texts")
    return found.tolist()


def _unflat(arrays: dict[str, np.ndarray], prefix: str, kind: type):
    values = {}
    for part in fields(kind):
        key, inner = f"{prefix}.{part.name}", part_class(LAYOUT[kind][part.name])
        if inner:
            values[part.name] = _unflat(arrays, key, inner)
        elif key in arrays or part.default is MISSING:
            values[part.name] = _plain(arrays[key])
    return kind(**values)


def _plain(value: np.ndarray):
    return value.item() if value.ndim == 0 else value


def _from_plain(arrays: dict[str, np.ndarray], where: str) -> FlexibleBody:
    known = _ARGUMENTS | _MOMENTS | {"marker_names", "marker_nodes"}
    if unknown := sorted(set(arrays) - known):
        raise BodyError(f"{where}: unknown array '{unknown[0]}'; known arrays: {', '.join(sorted(known))}")
    if missing := [name for name in ("points", "modes", "K") if name not in arrays]:
        raise BodyError(f"{where}: array '{missing[0]}' is missing; required: points, modes, K, and M or moments")
    given = {name: _plain(value) for name, value in arrays.items() if name in _ARGUMENTS}
    if integrals := {name: _plain(value) for name, value in arrays.items() if name in _MOMENTS}:
        if absent := [part.name for part in fields(InertiaMoments)[:6] if part.name not in integrals]:
            raise BodyError(f"{where}: array '{absent[0]}' of the inertia integrals is missing")
        given["moments"] = InertiaMoments(**integrals)
    if ("marker_names" in arrays) != ("marker_nodes" in arrays):
        raise BodyError(f"{where}: marker_names and marker_nodes must be given together")
    if "marker_names" in arrays:
        names, nodes = arrays["marker_names"].tolist(), arrays["marker_nodes"].tolist()
        if np.ndim(names) != 1 or np.shape(names) != np.shape(nodes):
            raise BodyError(f"{where}: marker_names and marker_nodes must be lists of equal length")
        given["markers"] = dict(zip(map(str, names), nodes, strict=True))
    return body_from_arrays(**{"name": Path(where).stem, "source": where, **given})
