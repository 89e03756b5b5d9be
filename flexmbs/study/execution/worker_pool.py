"""Supervised workers for whoever computes runs here: the threads of this process, or of a Dask worker.

``run_task`` is what other executors call: the workers of a process outlive the single task.
"""

from __future__ import annotations

import threading

from flexmbs.study.execution.messages import Answer, Task, WorkerSettings
from flexmbs.study.execution.supervised_worker import SupervisedWorker

_pools: dict[str, WorkerPool] = {}
_lock = threading.Lock()


class WorkerPool:
    """As many supervised workers as tasks are computed at the same time."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._idle: list[SupervisedWorker] = []
        self._all: list[SupervisedWorker] = []
        self._stopped = False

    def run(self, task: Task) -> Answer:
        """Have a task computed by a worker that is free, or by a new one."""
        worker = self._taken()
        try:
            return worker.run(task)
        finally:
            with self._lock:
                self._idle.append(worker)

    def interrupt(self) -> None:
        """Have all runs stopped as soon as their states are saved."""
        with self._lock:
            self._stopped = True
            for worker in self._all:
                worker.interrupt()

    def kill(self) -> None:
        """End all processes now."""
        with self._lock:
            self._stopped = True
            for worker in self._all:
                worker.kill()

    def close(self) -> None:
        """End all processes; those that compute save their states first."""
        with self._lock:
            workers, self._all, self._idle = self._all, [], []
        for worker in workers:
            worker.begin_close()
        for worker in workers:
            worker.close()

    def _taken(self) -> SupervisedWorker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            worker = SupervisedWorker(self._settings)
            if self._stopped:
                worker.interrupt()
            self._all.append(worker)
            return worker


def run_task(settings: str, task: Task) -> Answer:
    """Compute a task in this process' workers for ``settings`` (as JSON); one pool for each study lasts."""
    with _lock:
        pool = _pools.get(settings)
        if pool is None:
            pool = _pools[settings] = WorkerPool(WorkerSettings.from_json(settings))
    return pool.run(task)


def interrupt_tasks(settings: str) -> None:
    """Stop what this process computes for ``settings``; :func:`end_tasks` follows."""
    with _lock:
        pool = _pools.get(settings)
    if pool is not None:
        pool.interrupt()


def kill_tasks(settings: str) -> None:
    """End what this process computes for ``settings`` now."""
    with _lock:
        pool = _pools.pop(settings, None)
    if pool is not None:
        pool.kill()


def end_tasks(settings: str) -> None:
    """End the worker processes for ``settings`` in this process."""
    with _lock:
        pool = _pools.pop(settings, None)
    if pool is not None:
        pool.close()
