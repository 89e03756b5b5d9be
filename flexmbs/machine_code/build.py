"""Compiles entries in processes of their own, as many as there are processors, and says so."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from flexmbs.machine_code.sources import PACKAGE, size_of
from flexmbs.machine_code.switches import BOUNDS_VARIABLE, NUMBA_VARIABLE, PLAIN_VARIABLE
from flexmbs.machine_code.target_processor import Target

WORKER = "flexmbs.machine_code.compile_worker"


def object_files(modules: list[str], target: Target, reason: str) -> dict[str, bytes]:
    """Object file of each module; RuntimeError with what the compiler said where it fails.

    Parameters
    ----------
    modules : names of modules that hold entries
    reason : why they are compiled, for the message
    """
    count = max(1, min(len(modules), processors()))
    processes = f"{count} processes" if count > 1 else "one process"
    parts = f"{len(modules)} parts" if len(modules) > 1 else modules[0].partition(".")[2]
    _say(f"compiling the kernels ({parts}, for {target.name}, by {processes}): {reason} ...")
    begin = time.perf_counter()
    waiting = sorted(modules, key=size_of)
    found: dict[str, bytes] = {}
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="flexmbs-") as folder:  # nobody else can write there
        threads = [threading.Thread(target=_serve, args=(waiting, Path(folder), target, found, failures)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise RuntimeError(f"the kernels cannot be compiled: {failures[0]}")
    _say(f"compiled in {time.perf_counter() - begin:.0f} s")
    return found


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _say(text: str) -> None:
    if sys.stderr is not None:  # print would take stdout for it
        print(f"flexmbs: {text}", file=sys.stderr, flush=True)


def _environment(target: Target) -> dict[str, str]:
    """That of this process, without what would make numba do otherwise."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    path = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(path),
        "NUMBA_CPU_NAME": target.name,
        "NUMBA_CPU_FEATURES": target.features,
        NUMBA_VARIABLE: "1",
        PLAIN_VARIABLE: "0",
        BOUNDS_VARIABLE: os.environ.get(BOUNDS_VARIABLE, "0"),
        "PYTHONHASHSEED": "0",  # numba writes sets into the names of functions
    }


def _serve(waiting: list[str], folder: Path, target: Target, found: dict[str, bytes], failures: list[str]) -> None:
    """Hand modules to one process, one by one, until none is left or one has failed."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", WORKER],
            env=_environment(target),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        with process:
            while waiting and not failures:
                try:
                    module = waiting.pop()
                except IndexError:  # another thread has just taken the last one
                    break
                path = folder / f"{module}.o"
                try:
                    process.stdin.write(f"{module}\t{path}\n")
                    process.stdin.flush()
                    done = process.stdout.readline().strip() == module
                except OSError:
                    done = False
                if not done:
                    process.wait()
                    said.seek(0)
                    failures.append(f"{module}\n{said.read()}")
                    break
                found[module] = path.read_bytes()
            try:
                process.stdin.close()
            except OSError:
                pass
