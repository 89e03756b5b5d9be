"""The methods of integration: what each needs from the loop, and its compiled functions.

A method is two entries, ``attempt`` and ``keep`` (core.methods.interface); the loop does everything else: step
control, events, constraints at the end of a step, charts, the log. A new method is a file with these two, and a line
here.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.abi.kernel import Entry
from flexmbs.core.methods import bdf, explicit, generalised_alpha, inner_rows, radau


@dataclass(frozen=True)
class Method:
    """A method of integration.

    Attributes
    ----------
    name : as in ``simulate(integrator=...)``
    history : rows of the history in the state
    stages : rows of Scratch.stages
    attempt, keep : entries of core.methods.interface
    inner_rows : entry that finds rows inside a step, of methods with long steps
    """

    name: str
    history: int
    stages: int
    attempt: Entry
    keep: Entry
    inner_rows: Entry | None = None


METHODS = {
    method.name: method
    for method in (
        Method("radau", radau.HISTORY, 0, radau.attempt_radau, radau.keep_radau),
        Method(
            "generalised_alpha", generalised_alpha.HISTORY, 0, generalised_alpha.attempt_alpha,
            generalised_alpha.keep_alpha,
        ),
        Method("bdf", bdf.HISTORY, 0, bdf.attempt_bdf, bdf.keep_bdf),
        Method(
            "explicit", explicit.HISTORY, explicit.MOST_STAGES, explicit.attempt_explicit, explicit.keep_explicit,
            inner_rows.fill_inner,
        ),
    )
}  # fmt: skip
