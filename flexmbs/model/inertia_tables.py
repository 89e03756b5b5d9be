"""The inertia of flexible bodies and the fields of their markers as entries of the flat tables."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import NONE, make_records, table_of
from flexmbs.model.inertia_layout import InertiaLayout
from flexmbs.model.pool import Pool
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields


class InertiaTables:
    """Collects the layouts of bodies, in the order of the bodies."""

    def __init__(self, pool: Pool):
        self.pool = pool
        self.pairs: list[np.ndarray] = []
        self.mode_order: list[np.ndarray] = []
        self.runs: list[np.ndarray] = []
        self.blocks: list[np.ndarray] = []
        self.places = 0

    def nothing(self) -> dict[str, int]:
        """Fields of the record of a body that does not deform."""
        return self._spans(0, 0, 0, 0, 0)

    def add(self, body: FlexibleBody, layout: InertiaLayout) -> dict[str, object]:
        """Fields of the record (core.layout.tables.BODY) of a flexible body."""
        if body.mode_count == 0:
            return {**self.nothing(), "rank": layout.X.shape[1], "x_at": self.pool.add(layout.X)}
        chosen, cubic, add = layout.form_order, body.cubic, self.pool.add
        forms = None if layout.by_pairs else body.forms
        pairs = np.asarray(body.pairs, dtype=np.int64).reshape(-1, 2)
        pairs = pairs[chosen] if forms is None else pairs[: len(pairs) if len(chosen) else 0]
        a, b = np.sort(np.argsort(layout.mode_order)[pairs], axis=1)[:, ::-1].T  # places of the modes
        known = sum(map(len, self.runs))
        spans = self._spans(layout.places, layout.first_form, len(chosen), len(layout.starts), len(pairs))
        self.pairs.append(make_records(t.PAIR, len(pairs), product=a * body.mode_count + b))
        self.mode_order.append(layout.mode_order)
        self.runs.append(make_records(t.RUN, len(layout.runs), first=layout.runs[:, 0], count=layout.runs[:, 1]))
        first = np.concatenate([[0], layout.ends[:-1, 2]])
        at = add(layout.coefficients) + layout.starts
        self.blocks.append(make_records(t.BLOCK, len(at), at=at, run=known + first, ends=known + layout.ends))
        return {
            **spans,
            "rank": layout.X.shape[1],
            "x_at": add(layout.X),
            "form_at": NONE if forms is None else add(forms[chosen].T),
            "cubic_at": NONE if cubic is None else add(cubic[chosen]),
        }

    def _spans(self, places: int, first_form: int, forms: int, blocks: int, pairs: int) -> dict[str, int]:
        """Where the next body has its places, blocks and pairs; all that it adds follows."""
        place, block, pair = self.places, sum(map(len, self.blocks)), sum(map(len, self.pairs))
        self.places += places
        return {
            "place_start": place,
            "place_end": place + places,
            "form_start": place + first_form,
            "form_end": place + first_form + forms,
            "order_start": sum(map(len, self.mode_order)),
            "block_start": block,
            "block_end": block + blocks,
            "pair_start": pair,
            "pair_end": pair + pairs,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """The tables that are collected here."""
        return {
            "pairs": table_of(t.PAIR, self.pairs),
            "runs": table_of(t.RUN, self.runs),
            "blocks": table_of(t.BLOCK, self.blocks),
            "mode_order": np.concatenate([np.zeros(0, dtype=np.int64), *self.mode_order]),
        }


def placed_fields(fields: PointFields, body: FlexibleBody, layout: InertiaLayout) -> np.ndarray:
    """(6, places) displacement and rotation of a marker by each field of its body, in the order of their places."""
    spread = body.forms is not None and layout.by_pairs
    found = np.zeros((6, layout.places))
    forms = slice(layout.first_form, layout.first_form + len(layout.form_order))
    for rows, linear, second in ((slice(0, 3), fields.Phi, fields.Zu), (slice(3, 6), fields.Psi, fields.Zr)):
        found[rows, : len(layout.mode_order)] = linear[layout.mode_order].T
        found[rows, forms] = (body.forms.T @ second if spread else second)[layout.form_order].T
    return found


def marker_moves(fields: PointFields | None) -> bool:
    """False for rigid markers, among them the one that a clamped-free body's frame is fixed to."""
    if fields is None:
        return False
    return any(np.any(values != 0.0) for values in (fields.Phi, fields.Psi, fields.Zu, fields.Zr))
