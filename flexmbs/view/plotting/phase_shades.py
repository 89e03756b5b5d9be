"""Phases of a contact as colours behind curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.view.contact_phases import FREE, PHASES, ContactPhases
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.plotting.scales import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHADE = 0.22  # opacity


def shade_phases(axis: Axes, phases: ContactPhases, index: int, window: tuple[float, float], times: Scale) -> list:
    """Phases of a contact in a window of time, behind the curves of a matplotlib axis; returns handles for a legend."""
    from matplotlib.collections import PolyCollection

    history, handles = phases.history(index), []
    low, high = window
    for number, phase in enumerate(PHASES):
        spans = history.spans(number)
        spans = np.clip(spans[(spans[:, 0] <= high) & (spans[:, 1] >= low)], low, high)
        if number == FREE or not len(spans):
            continue
        corners = [[(a, 0.0), (b, 0.0), (b, 1.0), (a, 1.0)] for a, b in times(spans)]
        shade = PolyCollection(
            corners,
            facecolors=phase.color,
            edgecolors=phase.color,
            linewidths=0.4,
            alpha=SHADE,
            zorder=0,
            label=phase.name,
            transform=axis.get_xaxis_transform(),
        )
        axis.add_collection(shade, autolim=False)
        handles.append(shade)
    return handles


def contact_of(result: DrawableResult, names: Sequence[str]) -> int | None:
    """Index of the contact that all of these histories are of ("C.force", "C.gap"); None: of none, or of several."""
    contacts = {pair.name: index for index, pair in enumerate(result.structure.contacts)}
    owners = [name.partition(".point.")[0] if ".point." in name else name.rpartition(".")[0] for name in names]
    found = {contacts.get(owner) for owner in owners}
    return found.pop() if len(found) == 1 else None
