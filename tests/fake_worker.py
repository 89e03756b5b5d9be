"""Speaks the protocol of flexmbs.study.execution.worker, computes nothing, and starts in a twentieth of the time."""

import json
import os
import signal
import sys
import time


def answer(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main():
    settings = json.loads(sys.stdin.readline())
    if settings["spec"]["storage"].get("store_every") == 7:
        answer({"refused": "the case has changed"})
        return
    if settings["spec"]["storage"].get("store_every") == 8:
        print("Traceback: no module named flexmbs", file=sys.stderr)
        sys.exit(1)
    if settings["spec"]["storage"].get("store_every") == 9 and not os.path.exists(settings["directory"]):
        os.mkdir(settings["directory"])
        os.kill(os.getpid(), signal.SIGKILL)
    answer({"ready": os.getpid()})
    for line in sys.stdin:
        request = json.loads(line)
        if "run" in request:
            run(request)


def run(request):
    what, key = request["values"]["what"], request["run"]
    done = {"key": key, "status": "finished", "figures": {"pid": os.getpid(), "last": request["last"]}, "not_finite": []}
    if what == "segmentation fault":
        print("about to fail", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "again":
        done |= {"status": "again", "kind": "OSError", "message": "stale file handle"}
    if what == "deaf":
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
        time.sleep(1000.0)
    if what == "heeds":
        stop = json.loads(sys.stdin.readline())
        done |= {"status": "failed", "kind": stop["kind"], "message": stop["message"]}
    if what == "hoards":
        hoard = b"x" * 300_000_000
        time.sleep(1000.0 + len(hoard))
    answer(done)
    if what == "idle":
        answer({"idle": True})
        sys.exit(0)


if __name__ == "__main__":
    main()
