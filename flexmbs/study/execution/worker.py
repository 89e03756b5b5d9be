"""The worker process of a study: ``python -m flexmbs.study.execution.worker``, started and supervised by its parent.

Lines of JSON on stdin: the settings; then, one at a time, ``{"run": KEY, "values": ..., "last": ...}``, and while a run
is being computed ``{"stop": KEY, "kind": ..., "message": ...}``. Lines on stdout: ``{"ready": PID}`` or
``{"refused": TEXT}``; then one answer for each run; from a process that has long had nothing to do ``{"idle": true}``
before it ends. stdin at its end, which is also that of the parent, ends the process as soon as the state of its run is
saved.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import sys
import threading
from contextlib import suppress
from typing import TextIO

from flexmbs.case.case_source import difference, source_of
from flexmbs.case.cases import Case, load_case
from flexmbs.common.errors import FlexmbsError, StudyError
from flexmbs.machine_code.load_objects import load
from flexmbs.reduction.recent_bodies import bodies_kept_in_memory
from flexmbs.study.execution.captured_output import take_over_streams
from flexmbs.study.execution.compute_run import RunComputer
from flexmbs.study.execution.messages import Task, WorkerSettings
from flexmbs.study.execution.stop_requests import StopRequests
from flexmbs.study.execution.surroundings import host
from flexmbs.study.run_key import RunSpec, current_versions
from flexmbs.study.statement import Statement
from flexmbs.study.store import Store

_IDLE = 120.0  # s without a run, after which the process ends: its parent starts another one when it needs one
_COLLECT_EVERY = 20  # runs between two searches for cyclic garbage


def main() -> None:
    """Answer the parent until stdin ends."""
    requests, answers = take_over_streams()
    stops = StopRequests()
    stops.install()
    settings = WorkerSettings.from_json(requests.readline())
    sys.path += [place for place in settings.path if place not in sys.path]
    with suppress(OSError):  # on another machine, where only parameters that name files relative to it need it
        os.chdir(settings.directory or ".")
    try:
        store = Store(settings.study)
        statement = store.open()
        check_sources(statement)
        case = checked_case(settings.spec, statement)
        load()
    except FlexmbsError as error:
        _say(answers, {"refused": str(error)})
        return
    _say(answers, {"ready": os.getpid()})
    tasks: queue.SimpleQueue[tuple[Task, bool] | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, stops, tasks), daemon=True).start()
    computer = RunComputer(store, case, settings.spec, stops)
    with bodies_kept_in_memory():
        _serve(computer, tasks, answers, stops)


def checked_case(spec: RunSpec, statement: Statement) -> Case:
    """The case of the study; StudyError with the difference if its file is no longer what the study began with."""
    source = source_of(spec.case)
    case = load_case(spec.case)
    if source.digest != spec.case_digest:
        lines = difference(statement.case_text, source.text) or "a module that it imports is different"
        raise StudyError(
            f"{spec.case}: the case has changed since the study began, and results of two versions do not belong into "
            f"one study. Restore it, or begin a study of the changed case in another folder. The difference:\n{lines}"
        )
    return case


def check_sources(statement: Statement) -> None:
    """StudyError if this is another flexmbs than those with which the study is computed."""
    here = current_versions()
    if all(known["sources"] != here["sources"] for known in statement.versions):
        began = statement.versions[-1]
        raise StudyError(
            f"the workers on {host()} have another flexmbs ({here['flexmbs']}, sources {here['sources']}) than this "
            f"study ({began['flexmbs']}, sources {began['sources']}); install the same on all machines, and do not "
            "change it while a study runs"
        )


def _serve(computer: RunComputer, tasks: queue.SimpleQueue[tuple[Task, bool] | None], answers: TextIO, stops: StopRequests) -> None:
    count = 0
    while not stops.ending:
        try:
            task = tasks.get(timeout=_IDLE)
        except queue.Empty:
            _say(answers, {"idle": True})
            return
        if task is None:
            return
        answer = computer.run(*task)
        try:
            answers.write(answer.to_json() + "\n")
            answers.flush()
        except BrokenPipeError:  # the parent has gone; the record is in the store
            return
        count += 1
        if count % _COLLECT_EVERY == 0:
            gc.collect()


def _listen(requests: TextIO, stops: StopRequests, tasks: queue.SimpleQueue[tuple[Task, bool] | None]) -> None:
    """Take the parent's lines as they come, in a thread of its own."""
    for line in requests:
        request = json.loads(line)
        if "run" in request:
            tasks.put((Task(request["run"], request["values"]), request["last"]))
        else:
            stops.stop(request["stop"], request["kind"], request["message"])
    tasks.put(None)
    stops.end()


def _say(answers: TextIO, message: dict[str, object]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
