"""Hits that were shorter than the modes of the bodies resolve: said at the end of a run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmbs.mechanism.contact.shapes import Sphere
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.hit_advice import PERIODS
from flexmbs.result.trajectory import ContactRecord


class ImpactNotes:
    """The hardest hit of each contact of a run, and what the modes of the bodies make of it."""

    def __init__(self, system: Mechanism) -> None:
        self.system = system
        self.hardest: dict[str, ContactRecord] = {}

    def of(self, model: Model, contacts: Iterable[ContactRecord]) -> str:
        """With these contacts (some may be known): the hardest hit of each body, if its modes do not resolve it.

        Of a law with stiffness: a rigid impact takes no time, with any number of modes.

        It is then shorter than a few periods of the highest mode with inertia that moves the marker;
        ``body.advice(contact=...)`` says the same before a run. Empty if there is none.
        """
        for record in contacts:
            if record.name not in self.hardest or record.peak_force > self.hardest[record.name].peak_force:
                self.hardest[record.name] = record
        return "; ".join(
            f"contact '{record.name}' of {record.duration:.2g} s is only {periods:.2g} periods of the highest mode of "
            f"'{body}' there, which has too few modes for it (docs/impact_modes.md; advice(contact=...) of the body "
            "says how many it needs)"
            for body, (record, periods) in self._of_bodies(model).items()
            if periods < PERIODS
        )

    def _of_bodies(self, model: Model) -> dict[str, tuple[ContactRecord, float]]:
        """Flexible body -> its hardest hit, and the periods of its highest mode in it."""
        found: dict[str, tuple[ContactRecord, float]] = {}
        for contact in self.system.contacts.values() if self.hardest else ():
            if contact.law.is_rigid:
                continue
            for name, point in zip(contact.point_names, contact.points, strict=True):
                record = self.hardest.get(name)
                for marker in (point.a, point.b) if record is not None else ():
                    highest = _highest(model, marker)
                    known = found.get(marker.body)
                    if highest > 0.0 and (known is None or record.peak_force > known[0].peak_force):
                        found[marker.body] = record, record.duration * highest
        return found


def soft_contacts(system: Mechanism, records: Iterable[ContactRecord]) -> list[str]:
    """Contacts into which a ball has sunk by more than its radius: their law is too soft, or in other units."""
    deepest: dict[str, float] = {}
    for record in records:
        deepest[record.name] = max(deepest.get(record.name, 0.0), record.max_depth or 0.0)
    radii: dict[str, float] = {}
    for contact in system.contacts.values():
        found = [shape.radius for shape in (contact.first, contact.second) if isinstance(shape, Sphere) and shape.radius > 0.0]
        radii |= dict.fromkeys(contact.point_names, min(found, default=np.inf))
    return [
        f"contact '{name}': one body sinks into the other by {depth:.3g} m, more than the radius {radii[name]:g} m: its law is far "
        "too soft (N and m: Hertz between steel balls of 10 mm has 1e10 N/m^1.5)"
        for name, depth in deepest.items()
        if depth > radii.get(name, np.inf)
    ]


def _highest(model: Model, marker) -> float:
    """Hz: highest mode with inertia of the marker's body that moves it; 0 on rigid bodies."""
    body = model.bodies.get(marker.body)
    if not isinstance(body, FlexibleBody) or marker.fields is None or not body.mode_count:
        return 0.0
    reach = np.linalg.norm(marker.fields.Phi, axis=1)
    condensed = model.condensed_units[model.modal[marker.body]] != 0.0
    moving = ~condensed & (reach > 1e-6 * reach.max(initial=0.0))
    return float(body.frequencies[moving].max(initial=0.0))
