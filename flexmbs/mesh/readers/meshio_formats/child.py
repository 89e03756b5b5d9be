"""The program that lets meshio read a file, in a process of its own: its parsers can loop without end or crash.

Run as a script: path, seconds of processor time. It writes a pickled dict to its standard output, and what went wrong
to its standard error. It imports nothing of flexmbs.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time

TOO_LONG = 97  # exit code


def main() -> None:
    """Read the file of the command line."""
    path, seconds = sys.argv[1], float(sys.argv[2])
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what meshio prints is no part of the answer
    import meshio

    _limit_in_compiled_code(time.process_time() + seconds)
    threading.Thread(target=_stop_after, args=(seconds,), daemon=True).start()
    try:
        mesh = meshio.read(path)
    except (Exception, SystemExit) as error:  # its parsers meet broken files with whatever they run into
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    content = {
        "points": mesh.points,
        "cells": [(block.type, block.data) for block in mesh.cells],
        "point_data": dict(mesh.point_data),
        "cell_data": dict(mesh.cell_data),
        "point_sets": dict(mesh.point_sets),
        "cell_sets": dict(mesh.cell_sets),
    }
    pickle.dump(content, answer, protocol=pickle.HIGHEST_PROTOCOL)
    answer.close()


def _stop_after(seconds: float) -> None:
    """End the process when it has used so much processor time (not time on the wall: the machine may be busy)."""
    start = time.process_time()
    while time.process_time() - start < seconds:
        time.sleep(0.05)
    os._exit(TOO_LONG)


def _limit_in_compiled_code(seconds: float) -> None:
    """An endless regular expression lets no other thread run: there the system ends the process, where it can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))


if __name__ == "__main__":
    main()
