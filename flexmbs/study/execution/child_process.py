"""A worker process as its parent sees it: lines to it, lines from it, what it has printed, what it uses, its end."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from typing import Any, BinaryIO

import psutil

from flexmbs.study.execution.captured_output import text_in

_WORKER = "flexmbs.study.execution.worker"  # module
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)


class ChildProcess:
    """A running worker process.

    It is in a session of its own: Ctrl-C in a terminal reaches its parent only. On systems without sessions it is in a
    process group of its own.
    """

    def __init__(self, threads: int) -> None:
        """Start it; the linear algebra in it uses this many threads."""
        self._printed = _file_for_output()
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            env=_environment(threads),
            **apart,
        )
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writing = threading.Lock()
        self._watched: psutil.Process | None = None
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def was_killed(self) -> bool:
        """Whether a signal has ended it."""
        return (self._process.returncode or 0) < 0

    def send(self, message: str | dict[str, Any]) -> None:
        """Send a line; nothing happens if the process has ended, which :meth:`line` then says."""
        text = message if isinstance(message, str) else json.dumps(message)
        with self._writing, suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()

    def line(self, timeout: float) -> bytes | None:
        """The next line from the process, None if it has ended; queue.Empty if neither comes within ``timeout`` s."""
        try:
            return self._lines.get(timeout=timeout)
        except queue.Empty:
            if self._process.poll() is None or not self._lines.empty():
                raise
            self._kill_group()  # a process that it had forked still holds the pipe, and the lock of the run
            return None

    def printed(self) -> str:
        """What it has printed since its last run began."""
        return text_in(self._printed.fileno())

    def printed_size(self) -> int:
        return os.fstat(self._printed.fileno()).st_size

    def memory(self) -> int:
        """Resident memory of the process and of those that it has started, bytes; 0 once it has ended."""
        try:
            if self._watched is None:
                self._watched = psutil.Process(self.pid)
            total: int = self._watched.memory_info().rss
            for child in self._watched.children(recursive=True):
                with suppress(psutil.Error):
                    total += child.memory_info().rss
            return total
        except psutil.Error:
            return 0

    def kill(self) -> None:
        """End it and the processes that it has started, now."""
        if sys.platform == "win32":
            with suppress(psutil.Error):
                for child in psutil.Process(self.pid).children(recursive=True):
                    child.kill()
            self._process.kill()
        elif self._process.returncode is None:  # not reaped yet, so the number is still its own
            self._kill_group()

    def _kill_group(self) -> None:
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> str:
        """Wait for a process that has ended or was killed, and remove what is left of it; how it ended, as text."""
        self.kill()
        code = self._process.wait()
        self._release()
        return how_it_ended(code)

    def close_input(self) -> None:
        """Tell it that nothing more will come: it saves the state of its run and ends."""
        with self._writing, suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def close(self, patience: float) -> None:
        """Let it end by itself, which it does once the state of its run is saved; kill it after ``patience`` s."""
        self.close_input()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._release()

    def _release(self) -> None:
        for stream in (self._process.stdin, self._printed):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        if sys.platform == "win32":
            with suppress(OSError):
                os.unlink(self._printed.name)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines, suppress(ValueError):
            for line in lines:
                self._lines.put(line)
        self._lines.put(None)


def how_it_ended(code: int) -> str:
    """An exit code of subprocess as text: "was killed by SIGKILL", "ended with exit code 3"."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = " (the system may have run out of memory)" if name == "SIGKILL" else ""
    return f"was killed by {name}{hint}"


def _file_for_output() -> BinaryIO:
    """A file without a name (Windows: with one), to whose end each write appends, whoever has read in between."""
    handle, name = tempfile.mkstemp(prefix="flexmbs-run-")
    os.close(handle)
    file = open(name, "ab+", buffering=0)  # noqa: SIM115 - as long as the process lives
    if sys.platform != "win32":
        os.unlink(name)
    return file


def _environment(threads: int) -> dict[str, str]:
    return dict(os.environ) | dict.fromkeys(_THREADS, str(threads))
