"""Checks of the indices in a saved state, before compiled code uses them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import state as s
from flexmbs.machine_code.blocks import Block

#: Values determined by the method and the mechanism; a saved state with other values is damaged.
_OF_METHOD = (
    ("settings", "formulation"),
    ("settings", "max_order"),
    ("settings", "explicit"),
    ("settings", "projection_levels"),
    ("scratch", "algebraic"),
)


# The same of arrays, which kernels use as indices.
_OF_MECHANISM = ("by_motion", "scale_body", "point_start", "point_Phi_at", "pairs")


def saved_choice(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The choice of unknowns in the ``arrays`` of a saved state; MechanismError unless it is one."""
    free, band = arrays["tables.free"], arrays["tables.band"]
    if free.ndim != 1 or band.shape != () or free.dtype.kind != "i" or band.dtype.kind != "i":
        raise MechanismError("start: the saved state is damaged: its choice of unknowns has another shape or type")
    if len(np.unique(free)) < len(free):
        raise MechanismError("start: the saved state is damaged: an unknown is listed twice")
    return {"free": free, "band": band}


def check_indices(arrays: Mapping[str, np.ndarray], blocks: Mapping[str, Block]) -> None:
    """MechanismError if the saved ``arrays`` (of the same shapes as the ``blocks``) hold invalid indices."""
    state = blocks["state"]
    unknowns, slots, rows = len(state.replaced), len(state.replaced_rows), len(state.history_t)

    def check(name: str, values, end: int) -> None:
        values = np.asarray(values)
        bad = (values < 0) | (values >= end)
        if bad.any():
            raise MechanismError(f"start: the saved state is damaged: {name} is {values[bad].ravel()[0]}; expected 0 to {end - 1}")

    for block, name in _OF_METHOD:
        own, there = getattr(blocks[block], name), arrays[f"{block}.{name}"]
        if int(there) != int(own):
            raise MechanismError(f"start: the saved state is damaged: {name} is {there}; expected {own}")
    for name in _OF_MECHANISM:
        if not np.array_equal(arrays[f"settings.{name}"], getattr(blocks["settings"], name)):
            raise MechanismError(f"start: the saved state is damaged: settings.{name} is not that of this mechanism")
    for block, content in blocks.items():
        for name in content.fields:
            if name.endswith("pivots") and name not in s.NOT_SAVED:
                check(f"{block}.{name}", arrays[f"{block}.{name}"], slots if name.startswith("schur") else unknowns)
    replaced = int(s.named(arrays, "replaced_count"))
    check("the number of replaced constraints", replaced, slots + 1)
    check("state.replaced_rows", arrays["state.replaced_rows"][:replaced], unknowns)
    check("state.replaced", arrays["state.replaced"], 2)
    for c, pairs in enumerate(blocks["settings"].pairs):
        check("state.active", arrays["state.active"][c], int(pairs) + 1)
    check("the order", s.named(arrays, "order"), max(rows, int(blocks["settings"].max_order) + 1))
    check("the length of the history", s.named(arrays, "history_length"), rows + 1)
    check("the worst coordinate", s.named(arrays, "worst_coordinate"), len(state.q))
    check("state.count", arrays["state.count"], np.iinfo(np.int64).max)
    check("state.samples", arrays["state.samples"], np.iinfo(np.int64).max)
