"""What readers of a run look for first: what drives, presses and holds, then what moves; events besides impacts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from flexmbs.view.drawable import DrawableResult

CURVES = 4  # of one kind in a plot that is chosen here
LISTED = 60  # of one kind that are looked at for the largest of them
SAMPLED = 300  # steps at which they are
NO_ARM = 1e-8  # m
SMALL = 1e-6  # of the largest of its kind: a history that stays below is not worth a curve
DRIVING, CONTACTS, FORCES = "Driving forces", "Contact forces", "Forces of elements"
REACTIONS, MOMENTS, JOINTS = "Reaction forces", "Reaction moments", "Joint coordinates"
DISPLACEMENTS, PLACES, ENERGY = "Displacements of markers", "Places of bodies and markers", "Energy"


def by_kind(result: DrawableResult) -> dict[str, list[str]]:
    """Title of each kind -> its histories, all in the order in which they are looked for."""
    forces = {f"{pair.name}.force" for pair in result.structure.contacts}
    joints = {f"{joint.name}.{kind}" for joint in result.structure.joints for kind in ("angle", "displacement")}
    kinds = {
        DRIVING: lambda name: name.endswith(".driving_force"),
        CONTACTS: lambda name: name in forces,
        FORCES: lambda name: name.endswith((".force", ".torque", ".moment", ".effort", ".tension")),
        REACTIONS: lambda name: ".reaction.force" in name,
        MOMENTS: lambda name: ".reaction.moment" in name,
        JOINTS: lambda name: name in joints,
        DISPLACEMENTS: lambda name: ".displacement." in name,
        PLACES: lambda name: ".position." in name and ".origin." not in name,
        ENERGY: lambda name: name in ("energy.kinetic", "energy.gravity", "energy.elastic", "energy.total"),
    }
    found: dict[str, list[str]] = {title: [] for title in kinds}
    for name in result.names:
        title = next((title for title, belongs in kinds.items() if belongs(name)), None)
        if title is not None and not name.startswith("ground."):
            found[title].append(name)
    return found


def ranked(result: DrawableResult) -> list[str]:
    """All histories, those that are looked for first; without modal coordinates and quaternions."""
    first = [name for names in by_kind(result).values() for name in names]
    bodies = [body for body in result.structure.bodies if body.flexible is not None]
    modal = {f"{body.name}.{label}" for body in bodies for label in body.flexible.mode_labels}
    rest = [name for name in result.names if name.removesuffix(".rate").removesuffix(".acceleration") not in modal]
    return list(dict.fromkeys([*first, *(name for name in rest if ".quaternion." not in name and not name.startswith("ground."))]))


def key_histories(result: DrawableResult) -> dict[str, list[str]]:
    """Title -> the largest forces, or what changes most, of each kind (energies: all); without kinds of which none does."""
    chosen, steps = {}, result.t[:: max(1, len(result.t) // SAMPLED)]
    few = result.resampled(steps) if len(steps) < len(result.t) else result
    for title, names in by_kind(result).items():
        here = result if title in (DRIVING, CONTACTS) else few  # which are stored, and of which peaks count
        size = np.ptp if title in (JOINTS, DISPLACEMENTS, PLACES) else lambda values: np.abs(values).max()
        chosen[title] = names if title == ENERGY else _largest(here, names[:LISTED], size)
    if _size(few, chosen[MOMENTS]) < NO_ARM * _size(few, chosen[REACTIONS]):  # rounding of a joint without friction
        chosen[MOMENTS] = []
    if chosen[DISPLACEMENTS]:
        chosen[PLACES] = []
    return {title: names for title, names in chosen.items() if names}


def _size(result: DrawableResult, names: list[str]) -> float:
    return max((float(np.abs(result[name]).max()) for name in names), default=0.0)


def _largest(result: DrawableResult, names: Iterable[str], size: Callable[[np.ndarray], float]) -> list[str]:
    sizes = {name: float(size(result[name])) for name in names if len(result[name])}
    most = max(sizes.values(), default=0.0)
    order = sorted((name for name in sizes if sizes[name] > max(SMALL * most, 1e-300)), key=lambda name: -sizes[name])
    return order[:CURVES]


MOST = 200  # events that are shown


class Instant(NamedTuple):
    """``what`` happens to ``name`` at a time (s): "lock", "release", "event", or the mode that a contact takes."""

    time: float
    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def other_events(result: DrawableResult, first: float, last: float, most: int = MOST) -> list[Instant]:
    """Those from ``first`` to ``last`` (s), in order of time; above ``most``, changes of mode are left out first."""
    inside = [event for event in result.events if event.kind != "impact" and first <= event.time <= last]
    chosen = sorted(inside, key=lambda event: event.kind == "transition")[:most]
    return sorted(Instant(event.time, event.name, event.kind if event.kind != "transition" else event.mode) for event in chosen)
