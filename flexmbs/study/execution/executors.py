"""Where runs are computed: processors of this machine, a Dask cluster, or any executor that the user brings."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Protocol

from flexmbs.study.execution.messages import Answer, Task, WorkerSettings
from flexmbs.study.execution.worker_pool import WorkerPool, end_tasks, interrupt_tasks, kill_tasks, run_task


class RunExecutor(Protocol):
    """What the scheduler needs: as :class:`concurrent.futures.Executor`, with means to stop runs that have begun."""

    @property
    def parallel(self) -> int:
        """How many runs are computed at the same time."""

    @property
    def is_here(self) -> bool:
        """Whether runs are computed on this machine."""

    def submit(self, task: Task) -> Future[Answer]:
        """Have a task computed."""

    def interrupt(self) -> None:
        """Have all runs stopped as soon as their states are saved."""

    def kill(self) -> None:
        """End all worker processes now."""

    def close(self) -> None:
        """Release what this executor has made."""


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalExecutor:
    """``workers`` supervised worker processes on this machine, one for each thread that waits for them."""

    is_here = True

    def __init__(self, settings: WorkerSettings, workers: int | None = None) -> None:
        self.parallel = workers or processors()
        self._pool = WorkerPool(settings)
        self._threads = ThreadPoolExecutor(self.parallel, thread_name_prefix="flexmbs-run")

    def submit(self, task: Task) -> Future[Answer]:
        return self._threads.submit(self._pool.run, task)

    def interrupt(self) -> None:
        self._pool.interrupt()

    def kill(self) -> None:
        self._pool.kill()

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._pool.close()


class GivenExecutor:
    """A :class:`concurrent.futures.Executor` of the user, which stays theirs."""

    is_here = True

    def __init__(self, settings: WorkerSettings, executor: Executor, workers: int | None = None) -> None:
        self.parallel = workers or getattr(executor, "_max_workers", None) or processors()
        self._executor, self._settings = executor, settings.to_json()

    def submit(self, task: Task) -> Future[Answer]:
        return self._executor.submit(run_task, self._settings, task)

    def interrupt(self) -> None:
        """Threads of this process; processes have got Ctrl-C themselves, or finish the runs that they have begun."""
        interrupt_tasks(self._settings)

    def kill(self) -> None:
        kill_tasks(self._settings)

    def close(self) -> None:
        end_tasks(self._settings)
