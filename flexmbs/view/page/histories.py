"""Histories of a page: which are shown, which are there to choose from, and at how many times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.view.drawable import DrawableResult

SHOWN = 4  # histories that are plotted at first
MOST = 60  # histories in a page


def history_records(
    result: DrawableResult, here: DrawableResult, names: Sequence[str] | None
) -> tuple[list[dict[str, Any]], int]:
    """The chosen histories, and others that may be plotted; and how many of the result are left out."""
    chosen = _default(result) if names is None else checked_names(result, names)
    others = [name for name in _ranked(result) if name not in chosen][: max(MOST - len(chosen), 0)]
    found = [_record(result, here, name, name in chosen) for name in [*chosen, *others]]
    return found, len(result.names) - len(found)


def checked_names(result: DrawableResult, names: Sequence[str]) -> list[str]:
    """``names`` as a list; FlexmbsError with near names for one that the result does not have."""
    names = [names] if isinstance(names, str) else list(names)
    known = set(result.names)
    for name in names:
        if name not in known:
            raise FlexmbsError(f"no history named {name!r}. {near_names(str(name), result.names)}")
    return names


def _record(result: DrawableResult, here: DrawableResult, name: str, shown: bool) -> dict[str, Any]:
    unit = result.unit(name)
    return {
        "name": name, "group": _group(name), "unit": unit, "factor": 1.0, "t": None,
        "values": here[name].astype("f4"), "shown": shown,
    }  # fmt: skip


def _group(name: str) -> str:
    """What histories are listed under: the joint, body or contact that they are of."""
    return name.split(".")[0]


def _ranked(result: DrawableResult) -> list[str]:
    """Histories in the order in which they are of interest."""
    modal = {label for body in result.structure.bodies if body.flexible for label in _coordinates(body)}

    def rank(name: str) -> int:
        if name.startswith("energy."):
            return 2
        if ".quaternion." in name or name.startswith("ground."):
            return 8
        if name.endswith((".angle", ".displacement")) or name in modal:
            return 0
        if name.endswith((".force", ".gap")):
            return 1
        if ".reaction.force" in name or ".displacement." in name:
            return 3
        if ".position." in name or name.endswith(".rate"):
            return 4
        return 6

    return sorted(result.names, key=rank)


def _coordinates(body) -> list[str]:
    return [f"{body.name}.{label}" for label in body.flexible.mode_labels]


def _default(result: DrawableResult) -> list[str]:
    """The strongest contacts, the first coordinates of joints, the energy."""
    names = set(result.names)
    forces = result.trajectory.contact_force.max(axis=0, initial=0.0)
    strongest = [result.structure.contacts[k].name for k in np.argsort(-forces, kind="stable")[:2] if forces[k] > 0.0]
    joints = [joint.name for joint in result.structure.joints]
    coordinates = [f"{joint}.{kind}" for joint in joints for kind in ("angle", "displacement")]
    wanted = [*coordinates[:4], *(f"{name}.force" for name in strongest), *coordinates[4:], "energy.total"]
    return [name for name in dict.fromkeys(wanted) if name in names][:SHOWN]
