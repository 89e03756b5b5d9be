"""Samplers by their names, as command lines, scripts and stored studies give them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.point_list import PointList
from flexmbs.study.samplers import Grid, Halton, LatinHypercube, Morris, RandomSample, Sampler, Sobol, SobolIndices

SAMPLERS: dict[str, type[Sampler]] = {
    kind.name: kind for kind in (LatinHypercube, Sobol, Halton, RandomSample, Grid, SobolIndices, Morris)
}


def sampler_by_name(name: str, **options: Any) -> Sampler:
    """A sampler by its name, such as ``sampler_by_name("lhs", runs=100)``.

    Raises StudyError for an unknown name, a missing option or one that the sampler does not have.
    """
    if name not in SAMPLERS:
        raise StudyError(f"no sampler {name!r}. {near_names(name, SAMPLERS)} A list of points is given as FILE.csv")
    kind = SAMPLERS[name]
    known = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
    for option in options:
        if option not in known:
            raise StudyError(f"the sampler {name} has no option {option!r}. {near_names(option, known)}")
    if kind.size not in options and kind is not Grid:
        raise StudyError(f"the sampler {name} needs {kind.size}, for example {kind.size}={128 if kind.size == 'runs' else 16}")
    return kind(**options)


def sampler_from_json(data: Mapping[str, Any]) -> Sampler:
    """The sampler that ``to_json`` of a sampler wrote, without its warnings; StudyError for other data."""
    options = dict(data)
    if data.get("sampler") == PointList.name:
        return PointList.from_json(data)
    kind = SAMPLERS.get(options.pop("sampler", ""))
    if kind is None:
        raise StudyError(f"the stored sampler {data.get('sampler')!r} is none that this version of flexmbs knows")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StudyWarning)
            return kind(**options, **({"confirmed": True} if kind is Grid else {}))
    except TypeError as error:
        raise StudyError(f"the stored sampler {dict(data)!r} cannot be read ({error})") from None
