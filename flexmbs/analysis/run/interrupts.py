"""Ctrl-C during a run: recorded at once and handled between two chunks of steps, so that all data stay consistent.

A user function may never return. In a Python function the first Ctrl-C interrupts it, and the run ends as usual.
Compiled code cannot be interrupted: a second Ctrl-C then kills the process, which loses only the steps after the last
chunk file.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress


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
