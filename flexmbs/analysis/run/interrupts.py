"""Ctrl-C during a run: noted at once, obeyed between two chunks of steps, so that nothing is torn.

Functions of the user may never return. Where Python runs one of them, the first Ctrl-C interrupts it, and the run ends
as usual. In compiled code no Python can run: there the second Ctrl-C ends the process as the system does, which loses
only what came after the last chunk file.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress


class DeferredInterrupt:
    """Context manager: while it lasts, the first Ctrl-C only sets ``asked``; a second one interrupts at once.

    The first one interrupts where ``inside()`` is true: in a function of the user. A second one that comes before the
    first was noted ends the process. Only in the main thread and where nobody else handles Ctrl-C (Python delivers it
    there alone).
    """

    def __init__(self, inside: Callable[[], bool] = lambda: False) -> None:
        self.asked = False
        self._inside = inside
        self._installed = False

    def __enter__(self) -> DeferredInterrupt:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
            _let_the_next_one_kill()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False

    def _note(self, number, frame) -> None:
        signal.signal(signal.SIGINT, self._note)  # Python runs, so it handles the next one too
        again, self.asked = self.asked, True
        if again or self._inside():
            raise KeyboardInterrupt


def _let_the_next_one_kill() -> None:
    """After the next SIGINT, which goes to Python, the system's own handler takes over, until Python sets another.

    Nothing is done where the layout of ``struct sigaction`` is not known (Windows has none).
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
