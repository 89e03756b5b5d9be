"""Results of analyses that compute states directly: kinematics, statics, assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmbs.analysis.evaluation.constraint_directions import dense, null_space
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.recording.log_records import described_steps
from flexmbs.analysis.recording.reactions import reaction_settler
from flexmbs.analysis.recording.result_structure import result_structure
from flexmbs.core.laws.force.measure import keep_turns
from flexmbs.core.layout.log_rows import TIME, LogRow
from flexmbs.core.mechanics.signals import impose_drivers
from flexmbs.model.compiled_model import Model
from flexmbs.result.result import Result
from flexmbs.result.storage import RunWriter


@dataclass(frozen=True)
class Moment:
    """State at a time: coordinates, rates, accelerations followed by multipliers; flags and history of contacts."""

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    reference: np.ndarray
    active: np.ndarray
    contact_history: np.ndarray

    def row(self, columns: LogRow) -> np.ndarray:
        """The state as a log row."""
        row = np.zeros(columns.width)
        row[TIME], row[columns.q], row[columns.reference] = self.t, self.q, self.reference.ravel()
        row[columns.v], row[columns.a], row[columns.flags] = self.v, self.a, self.active
        row[columns.contact_history] = self.contact_history
        return row


def result_of(
    system, model: Model, moments: Sequence[Moment], status: str, stats: Mapping[str, object], out: str | Path | None = None
) -> Result:
    """A result with the same histories as a dynamic run, at the given moments."""
    rows = np.array([moment.row(model.log_row) for moment in moments])
    writer = RunWriter(out, result_structure(system, model))
    writer.append(described_steps(model, Evaluator(model).work, rows))
    settle = reaction_settler(model)
    return Result(writer.structure, writer.finish(status, stats, settle=settle), None if out is not None else settle)


def free_moment(model: Model, t: float, before: Moment | None = None) -> Moment:
    """Accelerations and multipliers of a prepared model at its own state, from the equations of motion.

    Motions without inertia have zero acceleration. Turns are counted on from those ``before``.
    """
    evaluator = Evaluator(model)
    zero = np.zeros_like(model.q)
    if before is not None:
        evaluator.contact_history[:] = before.contact_history
    keep_turns(model.tables, t, model.q, model.v, zero, model.reference, evaluator.work, evaluator.contact_history)
    free = model.free_coordinates
    r = evaluator.residual(model.q, model.v, zero, model.reference, t)
    G = dense(evaluator.constraint_matrix(model.q, model.reference, t))[:, free]
    M = evaluator.mass_matrix(model.q, model.reference, t)[np.ix_(free, free)]
    # accelerations that satisfy the constraints, then those within their null space; multipliers balance the rest
    a, motions = -np.linalg.lstsq(G, r[evaluator.rows], rcond=1e-10)[0], null_space(G)
    push = r[free] + M @ a
    if motions.shape[1]:
        a = a - motions @ np.linalg.lstsq(motions.T @ M @ motions, motions.T @ push, rcond=1e-14)[0]
    found = zero.copy()
    found[free] = a
    found[evaluator.rows] = np.linalg.lstsq(G.T, r[free] + M @ a, rcond=1e-10)[0]
    impose_drivers(model.tables, evaluator.work.signal, model.q.copy(), model.v.copy(), found)
    return Moment(t, model.q, model.v, found, model.reference, evaluator.active, evaluator.contact_history)
