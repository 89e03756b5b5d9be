"""What a run does between two chunks of steps: it tells its progress, with the time left at its recent pace, and ends on Ctrl-C.

Ctrl-C is recorded at once and handled between two chunks, so that all data stay consistent. A user function may never
return. In a Python function the first Ctrl-C interrupts it, and the run ends as usual. Compiled code cannot be
interrupted: a second Ctrl-C then kills the process, which loses only the steps after the last chunk file.
"""

from __future__ import annotations

import ctypes
import math
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from flexmbs.analysis.run.run_notes import vibrations_that_decide
from flexmbs.common.progress import Progress
from flexmbs.core.layout.state import State
from flexmbs.model.compiled_model import Model

WINDOW, BETWEEN = 20.0, 0.25  # s of the clock: what the pace is measured over, and between two marks of it
MIN_MEASURED = 0.5  # s of the clock before anything is said


class RunProgress:
    """What a run tells ``callback`` between its chunks of steps; None: nobody listens."""

    def __init__(self, callback: Callable[[Progress], object] | None) -> None:
        self._callback, self._clock = callback, RunClock()

    def tell(self, model: Model, state: State, t_end: float, result_bytes: float) -> None:
        """Progress up to ``state``; ``result_bytes`` that the result is expected to take."""
        if self._callback is None:
            return
        now = float(state.time)
        self._callback(
            Progress(
                time=now,
                t_end=t_end,
                step=float(state.step_size),
                steps=int(state.steps_accepted),
                result_bytes=result_bytes,
                note=vibrations_that_decide(model, state),
                seconds_left=self._clock.seconds_left(now, t_end),
            )
        )


class RunClock:
    """Simulated times beside the clock. The pace is that of the last seconds: impacts slow a run down for a while."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, float]] = deque()  # s of the clock, s simulated

    def seconds_left(self, t: float, t_end: float, now: float | None = None) -> float:
        """Seconds of the clock to ``t_end`` from the simulated time ``t``; nan while nothing is known.

        ``now``: reading of the clock in s (None: of this moment).
        """
        now = time.perf_counter() if now is None else now
        if not self._marks or now - self._marks[-1][0] >= BETWEEN:
            self._marks.append((now, t))
        while len(self._marks) > 2 and now - self._marks[0][0] > WINDOW:
            self._marks.popleft()
        begin, t_begin = self._marks[0]
        if now - begin < MIN_MEASURED or t <= t_begin:
            return math.nan
        return max(t_end - t, 0.0) * (now - begin) / (t - t_begin)


class DeferredInterrupt:
    """Context manager within which the first Ctrl-C only sets ``requested``; a second one interrupts at once.

    At its end what was requested is a KeyboardInterrupt, also where the run was over by then and only had to be written.
    The first one interrupts at once if ``inside()`` is true, that is, in a user function. A second one that arrives
    before the first was recorded ends the process. Active only in the main thread (Python delivers signals there) and
    if Ctrl-C has no other handler.
    """

    def __init__(self, inside: Callable[[], bool] = lambda: False) -> None:
        self.requested = False
        self._inside = inside
        self._installed = False

    def __enter__(self) -> DeferredInterrupt:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
            _reset_handler_after_next()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # calls _note first, if a signal has just arrived
            self._installed = False
        if self.requested and kind is not KeyboardInterrupt:
            raise KeyboardInterrupt

    def _note(self, number, frame) -> None:
        signal.signal(signal.SIGINT, self._note)  # Python runs, so it handles the next one too
        again, self.requested = self.requested, True
        if again or self._inside():
            raise KeyboardInterrupt


def _reset_handler_after_next() -> None:
    """Deliver the next SIGINT to Python, then restore the system's handler until Python sets another.

    Does nothing on systems whose ``struct sigaction`` layout is unknown (Windows has none).
    """
    layout = {"linux": (136, 0x80000000), "darwin": (12, 0x4)}.get(sys.platform)  # offset of sa_flags, SA_RESETHAND
    if layout is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        return
    offset, reset = layout
    with suppress(OSError, AttributeError):
        library, action = ctypes.CDLL(None), ctypes.create_string_buffer(512)
        if library.sigaction(signal.SIGINT, None, action) == 0:
            flags = ctypes.c_uint32.from_buffer(action, offset)
            flags.value |= reset
            library.sigaction(signal.SIGINT, action, None)
