"""Ctrl-C during a run: noted at once, obeyed between two chunks of steps, so that nothing is torn."""

from __future__ import annotations

import signal
import threading


class DeferredInterrupt:
    """Context manager: while it lasts, the first Ctrl-C only sets ``asked``; a second one interrupts at once.

    Only in the main thread and where nobody else handles Ctrl-C (Python delivers it there alone).
    """

    def __init__(self) -> None:
        self.asked = False
        self._installed = False

    def __enter__(self) -> DeferredInterrupt:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._installed = False

    def _note(self, number, frame) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
