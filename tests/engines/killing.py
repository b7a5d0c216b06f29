"""A cluster of which a worker process is killed (kill -9, by its pid) when a given round begins."""

import os
import signal
import time

from cesaro.engines.executors import DaskCluster


class Deadly(DaskCluster):
    """Counts the rounds of a mode, kills a worker as one of them begins, and remembers the longest round."""

    def __init__(self, client, function, number):
        super().__init__(client)
        self.pids = client.run(os.getpid, on_error="ignore")  # of an earlier test's victim there is none
        self.function, self.number, self.rounds, self.longest, self.killed = function, number, 0, 0.0, None

    def each(self, function, handles, order):
        return self._timed(super().each, function, handles, order)

    def each_at_home(self, function, handles, order):
        return self._timed(super().each_at_home, function, handles, order)

    def _timed(self, ask, function, handles, order):
        if function is self.function:
            self.rounds += 1
            if self.rounds == self.number:
                self.killed = next(self.pids[home] for home in self.homes if home in self.pids)
                os.kill(self.killed, signal.SIGKILL)
        began = time.monotonic()
        answers = ask(function, handles, order)
        self.longest = max(self.longest, time.monotonic() - began)
        return answers
