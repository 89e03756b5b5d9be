"""Samplers by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.space.grid import Grid
from flexmbs.study.space.point_list import PointList
from flexmbs.study.space.salib_samplers import Morris, SobolIndices
from flexmbs.study.space.samplers import Halton, LatinHypercube, RandomSample, Sampler, Sobol

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
    known = _options(kind)
    for option in options:
        if option not in known:
            raise StudyError(f"the sampler {name} has no option {option!r}. {near_names(option, known)}")
    if kind.size_field is None and "runs" not in known:
        return kind(**options)
    size = kind.size_field or "runs"
    if size not in options:
        raise StudyError(f"the sampler {name} needs {size}, for example {size}={16 if size != 'runs' else 128}")
    return kind(**options)


def sampler_from_json(data: Mapping[str, Any]) -> Sampler:
    """The sampler that ``to_json`` of a sampler wrote, without its warnings; StudyError for other data."""
    options = dict(data)
    name = options.pop("sampler", None)
    if name == PointList.name:
        return PointList.from_json(data)
    if name not in SAMPLERS:
        raise StudyError(f"the stored sampler {name!r} is none that this version of flexmbs knows")
    kind = SAMPLERS[name]
    if kind in (Sobol, SobolIndices):
        options["quiet"] = True
    try:
        return kind(**options)
    except TypeError as error:
        raise StudyError(f"the stored sampler {dict(data)!r} cannot be read ({error})") from None


def _options(kind: type[Sampler]) -> list[str]:
    known = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
    return [*known, "quiet"] if kind in (Sobol, SobolIndices) else known
