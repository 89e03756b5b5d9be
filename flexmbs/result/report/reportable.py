"""What a report needs of the result that it is about; :class:`flexmbs.Result` has it, and says what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from flexmbs.result.energy_ledger import EnergyLedger
from flexmbs.result.event_records import EventRecord
from flexmbs.result.structure import Structure
from flexmbs.result.trajectory import ContactRecord
from flexmbs.view.drawable import DrawableResult


class ReportableResult(DrawableResult, Protocol):
    """A result with its structure, statistics, contacts, events and energy ledger."""

    @property
    def structure(self) -> Structure: ...
    @property
    def trajectory(self) -> Any: ...
    @property
    def contacts(self) -> Sequence[ContactRecord]: ...
    @property
    def events(self) -> Sequence[EventRecord]: ...
    @property
    def stats(self) -> Mapping[str, Any]: ...
    @property
    def status(self) -> str: ...
    def energy_ledger(self, time: float | None = None) -> EnergyLedger: ...
    def resampled(self, times: Any) -> ReportableResult: ...
