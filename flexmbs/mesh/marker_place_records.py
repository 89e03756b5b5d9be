"""Places of markers as JSON data, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.common.stored_arrays import parsed_json
from flexmbs.mesh.fitted_shapes import FittedShape
from flexmbs.mesh.marker_places import Place

_KINDS = ("cylinder", "circle", "sphere", "plane")


def place_numbers(place: Place) -> dict:
    """Keys as the attributes of ``Place`` and ``FittedShape``; arrays as lists."""
    return {part.name: _plain(getattr(place, part.name)) for part in fields(place)}


def _plain(value):
    if isinstance(value, FittedShape):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, np.ndarray):
        return [float(number) for number in value]
    return value.item() if isinstance(value, np.generic) else value


def places_text(places: Mapping[str, Place]) -> tuple[str, ...]:
    """One JSON text for each place, with the name of its marker."""
    return tuple(json.dumps({"name": name, **place_numbers(place)}) for name, place in places.items())


def places_of_text(texts: Iterable[str], where: str) -> dict[str, Place]:
    """What ``places_text`` wrote, bit for bit; BodyError, with ``where``, when it is something else."""
    found = {}
    for text in texts:
        try:
            values = parsed_json(text)
            shape = values["shape"]
            found[str(values["name"])] = Place(
                position=_vector(values["position"]),
                by=str(values["by"]),
                mean=_vector(values["mean"]),
                centroid=_vector(values["centroid"]),
                left_out=int(values["left_out"]),
                shape=None if shape is None else _shape(shape),
                axis=None if values["axis"] is None else _direction(values["axis"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BodyError(f"{where}: places: not the place of a marker ({error}); the file is damaged") from None
    return found


def _shape(values: dict) -> FittedShape:
    if values["kind"] not in _KINDS:
        raise ValueError(f"unknown shape {values['kind']!r}")
    numbers = {name: _number(values[name]) for name in ("radius", "length", "arc", "rms", "largest")}
    axis = None if values["axis"] is None else _direction(values["axis"])
    return FittedShape(kind=values["kind"], center=_vector(values["center"]), axis=axis, **numbers)


def _number(value) -> float:
    if not np.isfinite(float(value)):
        raise ValueError(f"{value!r} is not finite")
    return float(value)


def _vector(values) -> np.ndarray:
    found = np.array(values, dtype=float)
    if found.shape != (3,) or not np.all(np.isfinite(found)):
        raise ValueError(f"{values!r} is not three finite numbers")
    return found


def _direction(values) -> np.ndarray:
    found = _vector(values)
    if abs(np.linalg.norm(found) - 1.0) > 1e-9:
        raise ValueError(f"{values!r} is no unit vector")
    return found
