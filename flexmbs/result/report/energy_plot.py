"""Plot of the energies of a run, its work and losses, and what the balance misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.result.energy_ledger import BALANCE, is_loss
from flexmbs.result.report.reportable import ReportableResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 600  # of a curve at least
STORED = ("kinetic", "gravity", "elastic")


def energy_figure(result: ReportableResult) -> Figure:
    """Stored energies and, by kind, work and losses over time; below, the balance. For a result with a ledger."""
    from matplotlib.figure import Figure

    t, energy, ledger = _curves(result)
    figure = Figure(figsize=(8.0, 4.6), dpi=120, layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    for k, name in enumerate(STORED):
        if np.any(energy[:, k]):
            upper.plot(t, energy[:, k], linewidth=1.3, label=name)
    for kind, values in _by_kind(result, ledger).items():
        if np.any(values):
            label = f"{kind} (loss)" if is_loss(kind) else f"{kind} (work)"
            upper.plot(t, values, linewidth=1.3, linestyle="--", label=label)
    upper.plot(t, energy.sum(axis=1), linewidth=1.0, color="#555555", label="stored in all")
    upper.set_ylabel("energy [J]")
    upper.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    lower.plot(t, ledger[:, BALANCE], linewidth=1.0, color="#b3261e")
    lower.set_ylabel("balance [J]")
    lower.set_xlabel("time [s]")
    for axis in (upper, lower):
        axis.grid(True, alpha=0.3)
    return figure


def _curves(result: ReportableResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times (k,), energies (k, 3) and the ledger (k, lines + 2): those stored, of runs of few steps also between."""
    trajectory = result.trajectory
    t, energy, ledger = result.t, trajectory.energy, trajectory.ledger
    if not 1 < len(t) < POINTS:
        return t, energy, ledger
    between = np.setdiff1d(np.linspace(t[0], t[-1], POINTS), t)
    found = result.resampled(between).trajectory
    times = np.concatenate([t, between])
    order = np.argsort(times, kind="stable")
    parts = np.concatenate([energy, found.energy]), np.concatenate([ledger, found.ledger])
    return times[order], parts[0][order], parts[1][order]


def _by_kind(result: ReportableResult, ledger: np.ndarray) -> dict[str, np.ndarray]:
    """(nt,) J of all lines of a kind, since the start."""
    found: dict[str, np.ndarray] = {}
    for column, kind in enumerate(result.structure.ledger_kinds):
        found[kind] = found.get(kind, 0.0) + ledger[:, column]
    return found
