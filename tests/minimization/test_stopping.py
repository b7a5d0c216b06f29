"""What ends a run beside a proof, and what the clock counts."""

import time

import numpy as np
from problems import PROBLEM, solve

import cesaro


def test_the_clock_stands_still_while_it_measures():
    class Slow:
        def value(self, x):
            time.sleep(0.02)
            return x @ x / 2

        def subgradient(self, x):
            return x

        def sample(self, x, rng):
            return x

    res = cesaro.minimize(Slow(), np.ones(2), mu=1.0, method="gda", max_iter=20)
    assert len(res.trace) >= 10
    assert res.trace.elapsed < 0.02 * len(res.trace) / 2
    assert np.all(np.diff(res.trace.iteration) > 0)
    assert np.all(np.diff(res.trace.time) >= 0)


def test_time_limit_and_callbacks_stop_the_run():
    res = solve(PROBLEM, max_iter=10**9, time_limit=0.2)
    assert res.status == 2
    assert res.gap < 0.1
    seconds = res.trace.elapsed
    time.sleep(0.01)
    assert res.trace.elapsed == seconds

    seen = []

    def by_point(x):
        seen.append(x)
        if len(seen) == 7:
            raise StopIteration

    res = solve(PROBLEM, callback=by_point)
    assert (res.status, res.nit, len(seen)) == (3, 7, 7)
    assert np.array_equal(res.x, seen[-1])

    results = []
    res = solve(
        PROBLEM, method="gda", callback=lambda intermediate_result: results.append(intermediate_result), max_iter=9
    )
    assert [r.nit for r in results] == list(range(1, 10))
    assert results[-1].fun == res.fun
