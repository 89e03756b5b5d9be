"""The model of a result as it was stated, read from what runs store (``Structure.stated``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from flexmbs.common.errors import SimulationError
from flexmbs.result.structure import Structure

ReportableResult = Any  # flexmbs.Result, which imports this file


@dataclass(frozen=True)
class StatedModel:
    """Entries of the parts, with the attributes of :class:`flexmbs.Description` that the picture of a topology needs."""

    bodies: tuple[Any, ...]
    joints: tuple[Any, ...]
    constraints: tuple[Any, ...]
    forces: tuple[Any, ...]
    contacts: tuple[Any, ...]
    mobility: Any
    redundant: int
    coordinates: str
    run: Mapping[str, Any]


def stated_model(structure: Structure) -> StatedModel:
    """The model of a result; SimulationError if the result does not hold it, or what it holds is damaged."""
    try:
        return _from_plain(structure.stated)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SimulationError(
            f"what the result says of its model is missing or damaged ({type(error).__name__}: {error}): it was made by another "
            "version of flexmbs, or changed since: run again"
        ) from error


def _from_plain(stated: Mapping[str, Any]) -> StatedModel:
    return StatedModel(
        bodies=tuple(_entry(body, name=str, kind=str, mass=float, modes=int) for body in stated["bodies"]),
        joints=tuple(_entry(joint, name=str, kind=str, closes_loop=bool, a=_end, b=_end) for joint in stated["joints"]),
        **{
            kind: tuple(_entry(one, name=str, kind=str, acts_on=tuple, bodies=tuple) for one in stated[kind])
            for kind in ("constraints", "forces", "contacts")
        },
        mobility=SimpleNamespace(freedoms=int(stated["freedoms"])),
        redundant=int(stated["redundant"]),
        coordinates=str(stated["coordinates"]),
        run=dict(stated.get("run", {})),
    )


def _end(value: Any) -> tuple[str, str]:
    body, marker = value
    return str(body), str(marker)


def _entry(plain: Mapping[str, Any], **kinds: Any) -> SimpleNamespace:
    """An entry with all of its fields, those named here of the type that they must have."""
    return SimpleNamespace(**{**plain, **{name: kind(plain[name]) for name, kind in kinds.items()}})
