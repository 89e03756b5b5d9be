"""The methods of integration: what each needs from the loop, and where its compiled parts are.

A method is two compiled functions, ``attempt`` and ``keep`` (core.equations.calls); the loop does everything else: step
control, events, constraints at the end of a step, charts, the log.  A new method is a file with these two, one with
their C functions, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flexmbs.core.methods import bdf, explicit, generalised_alpha, radau


@dataclass(frozen=True)
class Method:
    """A method of integration.

    Attributes
    ----------
    name : as in ``simulate(integrator=...)``
    history : rows of the history in the state
    stages : rows of Scratch.stages
    entries : loads or compiles the C functions; their addresses (attempt, keep, and inner rows where it has them)
    """

    name: str
    history: int
    stages: int
    entries: Callable[[], tuple[int, ...]]


def _radau() -> tuple[int, int]:
    from flexmbs.core.methods.radau_entries import attempt_entry, keep_entry

    return attempt_entry.address, keep_entry.address


def _generalised_alpha() -> tuple[int, int]:
    from flexmbs.core.methods.alpha_entries import attempt_entry, keep_entry

    return attempt_entry.address, keep_entry.address


def _bdf() -> tuple[int, int]:
    from flexmbs.core.methods.bdf_entries import attempt_entry, keep_entry

    return attempt_entry.address, keep_entry.address


def _explicit() -> tuple[int, int, int]:
    from flexmbs.core.methods.explicit_entries import attempt_entry, inner_entry, keep_entry

    return attempt_entry.address, keep_entry.address, inner_entry.address


METHODS = {
    method.name: method
    for method in (
        Method("radau", radau.HISTORY, 0, _radau),
        Method("generalised_alpha", generalised_alpha.HISTORY, 0, _generalised_alpha),
        Method("bdf", bdf.HISTORY, 0, _bdf),
        Method("explicit", explicit.HISTORY, explicit.MOST_STAGES, _explicit),
    )
}
