"""Runs on a Dask cluster: its workers supervise processes of their own, and send back keys and figures."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from flexmbs.common.errors import StudyError
from flexmbs.study.execution.executors import processors
from flexmbs.study.execution.messages import Answer, Task, WorkerSettings
from flexmbs.study.execution.worker_pool import end_tasks, interrupt_tasks, kill_tasks, run_task

_CONNECT = 30.0  # s to reach a Dask scheduler


class DaskExecutor:
    """Threads of Dask workers, each with a supervised worker process beside it.

    ``cluster`` is the address of a Dask scheduler, a ``distributed.Client`` (which stays the user's), or None for one
    in this process: the computing is done by the worker processes anyway. The study's folder must have the same path
    on all machines.
    """

    def __init__(self, settings: WorkerSettings, cluster: Any = None, workers: int | None = None) -> None:
        self._settings = settings.to_json()
        self.is_here = cluster is None
        self._own: list[Any] = []  # to be closed
        self._client = self._connected(cluster, workers)
        self._futures = self._client.get_executor(pure=False)

    @property
    def parallel(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, task: Task) -> Future[Answer]:
        found: Future[Answer] = self._futures.submit(run_task, self._settings, task)
        return found

    def interrupt(self) -> None:
        self._on_all(interrupt_tasks)

    def kill(self) -> None:
        self._on_all(kill_tasks)

    def close(self) -> None:
        self._on_all(end_tasks)
        for part in reversed(self._own):
            part.close()

    def _connected(self, cluster: Any, workers: int | None) -> Any:
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise StudyError("Dask is not installed: pip install 'flexmbs[cluster]', or leave out executor") from None
        if isinstance(cluster, Client):
            return cluster
        if cluster is None:
            cluster = LocalCluster(n_workers=1, threads_per_worker=workers or processors(), processes=False, dashboard_address=None)
            self._own.append(cluster)
        try:
            client = Client(cluster, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise StudyError(f"no Dask scheduler answers at {cluster}: {error}") from None
        self._own.append(client)
        return client

    def _on_all(self, function: Any) -> None:
        with suppress(OSError, TimeoutError):  # the cluster has gone: its processes end by themselves
            self._client.run(function, self._settings, on_error="ignore")
