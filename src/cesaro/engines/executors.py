"""Where tasks run: a Dask cluster, or this process. Both offer load, make, each and forget; handles stand for values.

A handle on the cluster is the future of a deterministic call, never scattered data: if its worker dies, the scheduler
calls again. Tasks that work on a state kept by their worker are pinned to it; if it dies they go to another one, which
finds no state and says so by building one.
"""

import asyncio
import time
from typing import Any

import dask
from distributed import wait

POLL = 0.5  # seconds between looks at whether the workers of pinned tasks are alive
DESERTED = 60.0  # seconds without any worker after which a fit gives up; a nanny needs a few for a new one


class ThisProcess:
    """This process."""

    def load(self, delayed: list) -> list:
        return list(dask.compute(*delayed, scheduler="synchronous"))

    def make(self, function, *arguments, place: int = 0) -> Any:
        return function(*arguments)

    def each(self, function, handles: list, order) -> list:
        return [function(handle, order) for handle in handles]

    def each_at_home(self, function, handles: list, order) -> list:
        return [function(handle, order, k) for k, handle in enumerate(handles)]

    def forget(self, function, key: str) -> None:
        function(key)


def hold(value):
    """The order of a round as a task: computed once, fetched by the workers from each other, made again if lost."""
    return value


class DaskCluster:
    """The workers of a Dask client."""

    def __init__(self, client):
        if client.status in ("closed", "closing"):
            raise RuntimeError("the Dask client is closed: make a new one, client = dask.distributed.Client(...).")
        self.client = client
        self.homes = sorted(client.nthreads())
        self.met = time.monotonic()  # a worker, the last time
        if not self.homes:
            raise RuntimeError("the Dask cluster has no workers: start some, for example with cluster.scale(2).")

    def load(self, delayed: list) -> list:
        """Futures of delayed chunks."""
        return self.client.compute(delayed, optimize_graph=True)

    def make(self, function, *arguments, place: int = 0) -> Any:
        """The future of function(*arguments), preferably on the worker of this place."""
        home = self.homes[place % len(self.homes)]
        return self._submit(function, *arguments, workers=[home], allow_other_workers=True)

    def _submit(self, function, *arguments, **where):
        """A future. Orders and kept states are as large as they are: Dask's advice to scatter them is not for us."""
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self.client.submit(function, *arguments, pure=False, **where)

    def each(self, function, handles: list, order) -> list:
        """function(value, order) of every handle, wherever the scheduler likes."""
        shared, patience, self.met = self._submit(hold, order), 5.0, time.monotonic()
        futures = [self._submit(function, handle, shared) for handle in handles]
        while True:
            try:
                return self._answers(futures, patience)
            except TimeoutError:
                patience *= self._impatience(futures)

    def each_at_home(self, function, handles: list, order) -> list:
        """function(value, order, k) of every handle on the worker of place k; on another one if that has died."""
        shared = self._submit(hold, order)
        homes: list = [None] * len(handles)
        futures: list = [None] * len(handles)
        patience, self.met = 5.0, time.monotonic()
        while True:
            for k, handle in enumerate(handles):
                if homes[k] != self.homes[k % len(self.homes)]:
                    homes[k] = self.homes[k % len(self.homes)]
                    futures[k] = self._submit(function, handle, shared, k, workers=[homes[k]])
            try:
                return self._answers(futures, patience)
            except TimeoutError:  # a long task, or a worker that died with its task or with its answer
                patience *= self._impatience(futures)

    def _answers(self, futures: list, patience: float) -> list:
        """The futures' values; TimeoutError if they are not there soon."""
        wait(futures, timeout=POLL)
        return self.client.sync(self._collect, futures, patience)

    def _impatience(self, futures: list) -> float:
        """By how much to wait longer the next time; an error if there is nobody to wait for."""
        self._reassign()
        return 1.0 if any(not future.done() for future in futures) else 2.0

    async def _collect(self, futures: list, patience: float) -> list:
        return await asyncio.wait_for(self.client.gather(futures, asynchronous=True), patience)

    def _reassign(self) -> None:
        """Places of workers that are gone go to those that are there; the other places stay."""
        alive = sorted(self.client.nthreads())
        if alive:
            self.met = time.monotonic()
            self.homes = [w if w in alive else alive[k % len(alive)] for k, w in enumerate(self.homes)]
        elif time.monotonic() - self.met > DESERTED:
            raise RuntimeError(
                f"all workers of the Dask cluster have been gone for {DESERTED:g} seconds. Start some, for example with "
                "cluster.scale(2), and fit again; with checkpoint=DIR it goes on where it was."
            )

    def forget(self, function, key: str) -> None:
        """function(key) on every worker."""
        self.client.run(function, key, on_error="ignore")
