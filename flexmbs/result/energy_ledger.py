"""The energy ledger of a run: stored energies, the work of all that acts, and what has been dissipated, by element."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.result.stored_histories import StoredTrajectory
from flexmbs.result.structure import Structure
from flexmbs.result.trajectory import Trajectory

# kinds of lines: what supplies energy, and what dissipates it
DRIVER, LOAD, MOTOR = "driver", "load", "motor"
FRICTION, DAMPING, MODAL_DAMPING, CONTACT, CONTACT_FRICTION, IMPACT, LOCK = LOSSES = (
    "friction",
    "damping",
    "modal damping",
    "contact",
    "contact friction",
    "impact",
    "lock",
)
_ENDINGS = {CONTACT_FRICTION: "friction_loss", IMPACT: "impact", LOCK: "lock"}  # of histories of losses
#: What ``Trajectory.ledger`` holds behind the lines: energy stored in contacts, and the balance.
STORED_IN_CONTACTS, BALANCE = -2, -1


def is_loss(kind: str) -> bool:
    """Whether lines of this kind count what has been dissipated, not what has been supplied."""
    return kind in LOSSES


def history_name(kind: str, name: str) -> str:
    """Name of the history of a line: "NAME.work", "NAME.loss", of friction in a contact "NAME.friction_loss".

    Of impacts of a rigid contact "NAME.impact", of what locks "NAME.lock".
    """
    return f"{name}.{_ENDINGS.get(kind, 'loss') if is_loss(kind) else 'work'}"


@dataclass(frozen=True)
class LedgerLine:
    """What one element has supplied (``work``) or dissipated (``loss``) since the start of the run, J."""

    kind: str
    name: str
    energy: float

    @property
    def is_loss(self) -> bool:
        return is_loss(self.kind)


@dataclass(frozen=True)
class EnergyLedger:
    """Energies of a run up to the time ``t`` (s), J.

    Attributes
    ----------
    start, stored : kinetic, gravity and elastic energy at the start and at ``t``; the elastic one contains that of
        contacts
    contacts : what is stored in contacts at ``t``
    lines : work and losses by element
    balance : change of the stored energies less the work, plus the losses: what the integration has missed
    largest_balance : its largest absolute value at a stored step up to ``t``
    scale : largest energy exchanged up to ``t``, against which the balance is to be seen
    """

    t: float
    start: Mapping[str, float]
    stored: Mapping[str, float]
    contacts: float
    lines: tuple[LedgerLine, ...]
    balance: float
    largest_balance: float
    scale: float

    @property
    def work(self) -> float:
        """Everything that has been supplied."""
        return sum(line.energy for line in self.lines if not line.is_loss)

    @property
    def loss(self) -> float:
        """Everything that has been dissipated."""
        return sum(line.energy for line in self.lines if line.is_loss)

    def by_kind(self) -> dict[str, float]:
        """Work and losses summed over the elements of a kind."""
        kinds = dict.fromkeys(line.kind for line in self.lines)
        return {kind: sum(line.energy for line in self.lines if line.kind == kind) for kind in kinds}

    def summary(self) -> dict[str, object]:
        """Plain numbers and names, as in summary.json."""
        return {
            "start": dict(self.start),
            "stored": dict(self.stored),
            "stored_in_contacts": self.contacts,
            "work": {line.name: line.energy for line in self.lines if not line.is_loss},
            "loss": {history_name(line.kind, line.name): line.energy for line in self.lines if line.is_loss},
            "balance": self.balance,
            "largest_balance": self.largest_balance,
            "scale": self.scale,
        }

    def __str__(self) -> str:
        """A table."""
        rows = [("stored", name, self.stored[name] - self.start[name]) for name in self.stored]
        rows += [("work", f"{line.name} ({line.kind})", line.energy) for line in self.lines if not line.is_loss]
        rows += [("loss", f"{line.name} ({line.kind})", line.energy) for line in self.lines if line.is_loss]
        rows += [("balance", f"largest {self.largest_balance:.3g} J of {self.scale:.3g} J exchanged", self.balance)]
        width = [max(len(row[i]) for row in rows) for i in (0, 1)]
        body = [f"{a:<{width[0]}}  {b:<{width[1]}}  {value: .6e}" for a, b, value in rows]
        return "\n".join([f"energy (J) from the start to t = {self.t:.9g} s", *body])


def ledger_of(run: Trajectory | StoredTrajectory, structure: Structure, time: float | None) -> EnergyLedger:
    """The ledger of a run at its stored step at or before ``time`` (s; None: the last one).

    SimulationError if it has none, ValueError for a time before its start.
    """
    if not run.has("ledger"):
        raise SimulationError("this result has no energy ledger: it was made by kinematics or statics, or with energy_ledger=False")
    t, kinds, names = run.t, structure.ledger_kinds, structure.ledger_names
    i = len(t) - 1 if time is None else int(np.searchsorted(t, time, side="right")) - 1
    if i < 0:
        raise ValueError(f"energy_ledger: time = {time:g} s is before the start of the run, {t[0]:g} s")
    energy, ledger = run.energy[: i + 1], run.ledger[: i + 1]
    words = ("kinetic", "gravity", "elastic")
    lines = tuple(LedgerLine(kind, name, float(value)) for kind, name, value in zip(kinds, names, ledger[i], strict=False))
    return EnergyLedger(
        t=float(t[i]),
        start=dict(zip(words, energy[0].tolist(), strict=True)),
        stored=dict(zip(words, energy[i].tolist(), strict=True)),
        contacts=float(ledger[i, STORED_IN_CONTACTS]),
        lines=lines,
        balance=float(ledger[i, BALANCE]),
        largest_balance=float(np.abs(ledger[:, BALANCE]).max()),
        scale=float(exchanged(energy, ledger).max()),
    )


def exchanged(energy: np.ndarray, ledger: np.ndarray) -> np.ndarray:
    """(nt,) J: kinetic and elastic energy, change of gravity, and all that has been supplied and dissipated."""
    change = np.abs(energy - energy[0])
    stored = energy[:, 0] + change[:, 1] + np.maximum(np.abs(energy[:, 2]), change[:, 2])
    return np.maximum(stored, np.abs(ledger[:, :STORED_IN_CONTACTS]).sum(axis=1))
