"""In place of flexmbs.study.compute_run in a worker process: computes nothing, and starts in a fraction of the time."""

import os
import signal
import sys
import time

from flexmbs.common.errors import StudyError
from flexmbs.study.run_record import RunFailure
from flexmbs.study.run_tasks import AGAIN, STOPPED, Answer

_start = ""


def begin(settings, printed, parent):
    """``settings.call`` says how it starts."""
    global _start
    _start = settings.call
    os.setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    signal.signal(signal.SIGINT, lambda number, frame: None)
    os.dup2(os.open(printed, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 2)
    if _start == "broken":
        print("Traceback: no module named flexmbs", file=sys.stderr, flush=True)
        os._exit(1)
    if _start.startswith("/") and not os.path.exists(_start):  # the first of two
        os.mkdir(_start)
        os.kill(os.getpid(), signal.SIGKILL)


def ready():
    if _start == "refuses":
        raise StudyError("the case has changed")


def compute(task):
    what = task.values["what"]
    if what == "segmentation fault":
        print("about to fail", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "again":
        return Answer(task.key, AGAIN, failure=RunFailure("OSError", "stale file handle", "Traceback of it"))
    if what == "deaf":
        time.sleep(1000.0)
    if what == "heeds":
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            time.sleep(1000.0)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, lambda number, frame: None)
            return Answer(task.key, STOPPED, failure=RunFailure("KeyboardInterrupt", "", "Traceback of it"))
    if what == "hoards":
        hoard = b"x" * 300_000_000
        time.sleep(1000.0 + len(hoard))
    return Answer(task.key, "finished", seconds=os.getpid())
