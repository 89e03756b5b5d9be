"""Small runs of a study for tests of its store: records whose content follows from their keys."""

import hashlib
import multiprocessing
import os
import signal
import sys

from flexmbs.study.run_record import FAILED, FINISHED, RunFailure, RunRecord

FORK = multiprocessing.get_context("fork")  # others would import everything anew
CHANGES = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"}


def key_of(number):
    return hashlib.blake2b(str(number).encode(), digest_size=16).hexdigest()


def keys(count):
    return [key_of(number) for number in range(count)]


def figure(key):
    return int(key, 16) / 3.0


def record(key, status=FINISHED, **more):
    failure = RunFailure("WallTime", "took longer than 1 s", time=0.5) if status == FAILED else None
    more = {"attempts": 1, "failure": failure, **more}
    return RunRecord(key, status, {"length": 1.5}, {"force": figure(key), "none": float("nan")}, 0.1, **more)


def fill(store, names, keep="results"):
    """Finish runs with a result file each."""
    for key in names:
        with store.claim(key) as claim:
            assert claim.present is None
            claim.folder.mkdir()
            (claim.folder / "result.h5").write_bytes(key.encode() * 100)
            (claim.folder / "histories.npz").write_bytes(key.encode())
            claim.finish(record(key), keep)


def check_each_once(store, names):
    """Every run is there once with its own content, and found in each way of asking."""
    found = list(store.records())
    assert sorted(item.key for item in found) == sorted(names)
    assert all(item.figures["force"] == figure(item.key) for item in found)
    assert store.finished_keys() == {bytes.fromhex(key) for key in names}
    assert all(store.has(key) for key in names)


def in_child(task, *arguments):
    """Exit code of a task in a process of its own."""
    process = FORK.Process(target=task, args=arguments)
    process.start()
    process.join(60.0)
    assert process.exitcode is not None
    return process.exitcode


def killed_at(change, task, *arguments):
    """Run a task in a process that is killed at its n-th change of the file system; whether it was."""

    def child():
        seen = 0

        def count(event, _):
            nonlocal seen
            if event in CHANGES:
                seen += 1
                if seen == change:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        task(*arguments)

    code = in_child(child)
    assert code in (0, -signal.SIGKILL)
    return code != 0
