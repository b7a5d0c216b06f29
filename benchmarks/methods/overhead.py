"""What a step costs beside the oracle.

    python benchmarks/methods/overhead.py

At d = 1e6 a step is compared with the least traffic that its vectors allow: GDA without a constraint reads x and g and writes
the new x (3 passes over a vector); SC-PDA reads v, x, g and writes v, x (5 passes). One pass is a third of NumPy's
add(a, b, out=c), timed in the same loop. At d = 100 the whole loop of `minimize` is timed, without its certificate (the oracle
is declared to be a sampling one) and with it.
"""

import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one thread, as NumPy's own passes

import numpy as np

import cesaro
from cesaro.domains import Everywhere
from cesaro.methods import GDA, SCPDA, Schedule
from cesaro.weights import Linear


def best_of(functions, repeats=40):
    """The least CPU time of each function, measured in turn."""
    best = [np.inf] * len(functions)
    for _ in range(repeats):
        for i, function in enumerate(functions):
            begin = time.process_time()
            function()
            best[i] = min(best[i], time.process_time() - begin)
    return best


def long_vectors(d=1_000_000):
    rng = np.random.default_rng(0)
    a, g, out = rng.normal(size=d), rng.normal(size=d), np.empty(d)
    now = Schedule(Linear(), Linear(), 1.0).at(50)
    kept = {}

    def stepper(method):
        kept[method] = method.start(a, 1.0)

        def step():
            kept[method] = method.step(kept[method], g, now, Everywhere())

        step()
        return step

    add, gda, scpda = best_of([lambda: np.add(a, g, out=out), stepper(GDA(1.0)), stepper(SCPDA(1.0))])
    print(f"d = {d:,}: one pass over a vector takes {add / 3 * 1e3:.2f} ms")
    for name, passes, seconds in (("GDA", 3, gda), ("SC-PDA", 5, scpda)):
        print(
            f"  {name:7s} {seconds * 1e3:5.2f} ms, {seconds / (passes * add / 3):.2f} times its {passes} passes (target 2)"
        )


class Bowl:
    """x'Cx/2, as an exact oracle."""

    curvature = np.linspace(1.0, 2.0, 100)

    def value(self, x):
        return 0.5 * (x @ (self.curvature * x))

    def subgradient(self, x):
        return self.curvature * x


class Sampled(Bowl):
    def sample(self, x, rng):
        return self.curvature * x


def short_vectors(steps=5000):
    x, bowl, sampled = np.ones(100), Bowl(), Sampled()

    def solve(oracle, name):
        return lambda: cesaro.minimize(oracle, x, mu=1.0, method=name, max_iter=steps, anchor=1.0)

    for name in ("gda", "sc-pda"):
        asked, both, bare, proved = best_of(
            [
                lambda: [bowl.subgradient(x) for _ in range(steps)],
                lambda: [(bowl.value(x), bowl.subgradient(x)) for _ in range(steps)],
                solve(sampled, name),
                solve(bowl, name),
            ],
            repeats=7,
        )
        bare, proved = (bare - asked) / steps * 1e6, (proved - both) / steps * 1e6
        print(
            f"d = 100: {name:6s} {bare:.1f} microseconds a step beside the oracle (target 30), {proved:.1f} with certificate"
        )


if __name__ == "__main__":
    long_vectors()
    short_vectors()
