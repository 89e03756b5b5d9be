"""Whether the figures that a study asks for are there, as soon as a run has finished."""

from __future__ import annotations

from collections.abc import Sequence

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.execution.messages import Answer
from flexmbs.study.store.run_record import FINISHED
from flexmbs.study.store.store import Store


class FigureCheck:
    """Looks at the first run that has finished for the figures of the study: unknown names stop it at once."""

    def __init__(self, case: str, figures: Sequence[str], store: Store) -> None:
        self._case, self._figures, self._store = case, figures, store
        self._waiting = bool(figures)

    def __call__(self, index: int, answer: Answer) -> None:
        if not self._waiting or answer.status != FINISHED:
            return
        self._waiting = False
        record = self._store.record(answer.key)
        if record is None:
            return
        for name in self._figures:
            if name.partition("[")[0] not in record.figures:
                raise StudyError(f"the case {self._case} has no figure {name!r}. {near_names(name, record.figures)}")
