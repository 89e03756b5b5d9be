"""A model with only those second-order terms that its run needs, and what the run must stay within for that."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.tables import Tables
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.check_tables import check_tables
from flexmbs.model.compiled_model import Model
from flexmbs.model.inertia_layout import InertiaLayout
from flexmbs.model.inertia_tables import InertiaTables, marker_moves, placed_fields
from flexmbs.model.pool import Pool
from flexmbs.model.second_order_terms import layout_of
from flexmbs.reduction.flexible_body import FlexibleBody, assumed_amplitudes


def with_fewer_terms(system: Mechanism, model: Model, tolerance: float) -> Model:
    """``model`` with second-order terms left out as ``tolerance`` allows (model.second_order_terms)."""
    layouts = {}
    for name in model.layouts:
        moving = [m.fields for m in system.bodies[name].markers.values() if marker_moves(m.fields)]
        layouts[name] = layout_of(model.bodies[name], moving, tolerance)
    if all(layout is model.layouts[name] for name, layout in layouts.items()):
        return model
    pool = Pool()
    pool.add(model.tables.pool)  # what other tables refer to stays where it is
    collected, bodies, markers = InertiaTables(pool), model.tables.bodies.copy(), model.tables.markers.copy()
    for number, name in enumerate(model.body_names[1:], start=1):
        found = collected.add(model.bodies[name], layouts[name]) if name in layouts else collected.nothing()
        for key, value in found.items():
            bodies[key][number] = value
    for (name, marker), row in model.marker_index.items():
        if markers["flexible"][row]:
            fields = system.bodies[name].markers[marker].fields
            markers["fields_at"][row] = pool.add(placed_fields(fields, model.bodies[name], layouts[name]))
    others = {name: getattr(model.tables, name) for name in Tables.fields}
    tables = Tables(**{**others, **collected.arrays(), "bodies": bodies, "markers": markers, "pool": pool.array()})
    check_tables(tables)
    return replace(model, tables=tables, layouts=layouts)


@dataclass
class KeptTerms:
    """What a run keeps of the second-order terms, and how far its bodies have deformed.

    Attributes
    ----------
    stated, kept : layouts of all terms and of those kept
    reach : by body the largest root of sum (q_a / A_a)^2 so far; the bound of the error holds up to 1
    """

    stated: dict[str, InertiaLayout]
    kept: dict[str, InertiaLayout]
    amplitudes: dict[str, np.ndarray]
    places: dict[str, slice]
    reach: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, stated: Model, model: Model) -> KeptTerms:
        """Of a run of ``model``, which ``stated`` is with all terms."""
        bodies = {name: model.bodies[name] for name in model.layouts}
        amplitudes = {name: assumed_amplitudes(body) for name, body in bodies.items() if isinstance(body, FlexibleBody)}
        return cls(dict(stated.layouts), dict(model.layouts), amplitudes, dict(model.modal))

    def watch(self, q: np.ndarray) -> None:
        """Take in coordinates (rows, n) of accepted steps."""
        for name, amplitudes in self.amplitudes.items():
            if len(q) and len(amplitudes):
                shares = q[:, self.places[name]] / amplitudes
                found = float(np.sqrt(np.max(np.einsum("ia,ia->i", shares, shares))))
                self.reach[name] = max(found, self.reach.get(name, 0.0))

    def stats(self) -> dict[str, float]:
        """For the statistics of a result; nothing without flexible bodies."""
        if not self.kept:
            return {}
        return {
            "second_order_terms": sum(layout.kept for layout in self.kept.values()),
            "second_order_terms_in_all": sum(layout.kept for layout in self.stated.values()),
            "second_order_error": max(layout.error for layout in self.kept.values()),
            "second_order_reach": max(self.reach.values(), default=0.0),
        }

    def warn_of_reach(self) -> None:
        """Warn where a body has deformed further than the bound of the error assumes, if terms are left out of it."""
        for name, reach in self.reach.items():
            if reach > 1.0 and self.kept[name].kept < self.stated[name].kept:
                warn(
                    f"body '{name}' deforms {reach:.2g} times as far as assumed when second-order terms were left out "
                    f"(their error is then not bounded by {self.kept[name].error:.0e} of its inertia): use "
                    "second_order='all' in simulate",
                    ResultWarning,
                )
