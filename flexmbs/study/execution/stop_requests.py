"""Stopping the run of a worker process so that its state is saved: asked for by its parent, or because that has gone.

The thread that reads the parent's messages interrupts the main thread as Ctrl-C would: ``System.simulate`` then saves
finished steps and state, and everything else raises KeyboardInterrupt. Between two runs an interrupt does nothing.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from flexmbs.study.execution.messages import INTERRUPT


class StopRequests:
    """What has asked the run of the main thread to stop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: str | None = None  # key of the run that an interrupt would stop
        self._asked: tuple[str, str] | None = None  # of that run: kind and message
        self._early: tuple[str, str, str] | None = None  # asked for before its run was listening: key, kind, message
        self.ending = False  # no further run is begun

    def install(self) -> None:
        """Take over Ctrl-C, which means nothing here, and the polite request to end (SIGTERM)."""
        signal.signal(signal.SIGINT, _nothing)
        signal.signal(signal.SIGTERM, self._terminate)

    @property
    def asked(self) -> tuple[str, str]:
        """Kind and message of the request that stopped the last run."""
        return self._asked or (INTERRUPT, "interrupted")

    def stop(self, key: str, kind: str, message: str) -> None:
        """Stop this run, if it is the one that is being computed, or about to be."""
        with self._lock:
            if self._running != key:
                self._early = key, kind, message
            elif self._asked is None:
                self._asked = kind, message
                _interrupt_main_thread()

    def end(self) -> None:
        """Stop whatever run is being computed, and begin none any more."""
        with self._lock:
            self.ending = True
            if self._running is not None and self._asked is None:
                self._asked = INTERRUPT, "the process that had started the run has ended"
                _interrupt_main_thread()

    @contextmanager
    def listening(self, key: str) -> Iterator[None]:
        """Within this context requests interrupt the main thread by KeyboardInterrupt."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self._lock:
                self._running, self._asked = key, None
                if self._early is not None and self._early[0] == key:
                    self._asked = self._early[1:]
            if self.ending or self._asked is not None:
                raise KeyboardInterrupt
            yield
        finally:
            self.deaf()

    def deaf(self) -> None:
        """Whatever is asked for from here on is too late for this run.

        Called again after ``listening``: what leaves that may be an interrupt that has struck within this very method.
        """
        signal.signal(signal.SIGINT, _nothing)
        with self._lock:
            self._running = None

    def _terminate(self, number: int, frame: FrameType | None) -> None:
        self.ending = True
        if self._running is not None:  # without the lock, which the main thread may hold
            signal.raise_signal(signal.SIGINT)


def _nothing(number: int, frame: FrameType | None) -> None:
    """An interrupt between two runs."""


def _interrupt_main_thread() -> None:
    """As Ctrl-C would, also while it sleeps or waits."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
