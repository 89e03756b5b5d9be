"""Two ways through a run: steps whose error is controlled, which end on events, and steps of fixed length."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flexmbs.core.stepping.moreau.step_in_time import advance_in_time, start_in_time
from flexmbs.core.stepping.step_loop import advance, start


class Steps(NamedTuple):
    """Entries ``start(tables, state, settings, scratch, work, log, *arrays)``, ``advance(..., *arrays, max_steps)``."""

    start: Callable[..., int]
    advance: Callable[..., int]


WITH_EVENTS = Steps(start, advance)
IN_TIME = Steps(start_in_time, advance_in_time)
