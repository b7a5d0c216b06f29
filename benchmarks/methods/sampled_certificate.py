"""Could a run with sampled subgradients prove its gap? Coverage and looseness of an empirical-Bernstein lower bound.

    python benchmarks/methods/sampled_certificate.py

The cut of the sample i_t at x_t, evaluated at w*, has conditional mean at most f*: for the hinge loss it is
mu/2 |w*|^2 + [active] (1 - y <x_i, w*>). So the weighted average of the cuts at w*, less a width for its deviation, is below f*
with probability 1 - delta; w* is not known, and the minimum over |w| <= 1/sqrt(mu), which holds it, is taken. The deviation at
w grows with |w| like the square root of the largest eigenvalue of the second moments of the active rows; that makes it loose.
The width is that of Audibert, Munos and Szepesvari (Theoretical Computer Science 410, 2009), and an optimistic one: it has the
second moments that were met in the place of conditional variances.
"""

import math

import numpy as np
from numba import njit

from cesaro.data import load
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.mean_loss import objective_at
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.parallel import solve
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Hinge

DELTA = 0.01


@njit(cache=True)
def sampled_gda(data, col, ptr, y, mu, samples, mean, s, second):
    """GDA with weights t on these rows. Fills the average, sum a act y x and sum a^2 act x x'; returns sums of a act, "
    "a^2 act, a, a^2."""
    x = np.zeros(len(mean))
    total, square, A, A2 = 0.0, 0.0, 0.0, 0.0
    for k in range(len(samples)):
        i, a = samples[k], k + 1.0
        A += a
        A2 += a * a
        margin = 0.0
        for j in range(ptr[i], ptr[i + 1]):
            margin += data[j] * x[col[j]]
        active = y[i] * margin < 1.0
        mean += a / A * (x - mean)
        x *= 1.0 - a / A
        if active:
            total += a
            square += a * a
            for j in range(ptr[i], ptr[i + 1]):
                x[col[j]] += a / A / mu * y[i] * data[j]
                s[col[j]] += a * y[i] * data[j]
                for m in range(ptr[i], ptr[i + 1]):
                    second[col[j], col[m]] += a * a * data[j] * data[m]
    return total, square, A, A2


def lower_bound(problem, samples, rng):
    """The bound after so many samples, the same without any width, and f at GDA's weighted average."""
    rows, mu = problem.rows, problem.mu
    mean, s, second = np.zeros(rows.d), np.zeros(rows.d), np.zeros((rows.d, rows.d))
    drawn = rng.integers(rows.n, size=samples)
    total, square, A, _ = sampled_gda(rows.data, rows.col, rows.ptr, problem.y, mu, drawn, mean, s, second)
    largest = max(0.0, float(np.linalg.eigvalsh(second)[-1]))
    R = math.sqrt(max(float(rows.data[p:q] @ rows.data[p:q]) for p, q in zip(rows.ptr[:-1], rows.ptr[1:], strict=True)))
    log = math.log(3 / DELTA)
    step = 3 * log * samples / A  # the largest weight, times the range, in Bernstein's second term
    k0, k1 = math.sqrt(2 * log * square) / A + step, math.sqrt(2 * log * largest) / A + 2 * R * step
    c, slope = total / A, float(np.linalg.norm(s)) / A

    def least(fall, constant):
        r = min(fall / mu, mu**-0.5)
        return constant - fall * r + mu / 2 * r * r

    return least(slope + k1, c - k0), least(slope, c), objective_at(problem, mean)


def coverage(problems=2000, samples=2000):
    """The share of false bounds on random problems, and how loose the bound is in the median."""
    false, loose = 0, []
    for seed in range(problems):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 100)), int(rng.integers(1, 6))
        X = rng.normal(size=(n, d))
        y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1.0, -1.0)
        problem = Problem(make_rows(X), y, np.ones(n), Hinge(), float(10 ** rng.uniform(-2, 0)))
        fit = solve(problem, Settings(tol=1e-9))
        bound, _, value = lower_bound(problem, samples, rng)
        false += bound > fit.objective
        loose.append((fit.objective - bound) / max(value - fit.lower_bound, 1e-12))
    error = math.sqrt(DELTA * (1 - DELTA) / problems)
    print(
        f"{problems} problems, {samples} samples each: {false} false bounds, {DELTA * problems:.0f} +- "
        f"{error * problems:.0f} allowed"
    )
    print(f"proved gap over true gap, quartiles: {np.percentile(loose, [25, 50, 75]).round(1).tolist()}\n")


def on_a9a(epochs=(1, 10, 100)):
    data = load("a9a")
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    print(f"{'a9a, mu':>8s} {'epochs':>6s} {'f - f*':>9s} {'f* - bound':>11s} {'without width':>14s}   f*")
    for mu in (1e-2, 1e-4, 1 / len(y)):
        problem = Problem(make_rows(data.X), y, np.ones(len(y)), Hinge(), mu)
        best = solve(problem, Settings(tol=1e-9)).objective
        for count in epochs:
            bound, bare, value = lower_bound(problem, count * len(y), np.random.default_rng(0))
            print(
                f"{mu:8.1e} {count:6d} {value - best:9.1e} {best - bound:11.1e} {best - bare:14.1e}   {best:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    coverage()
    on_a9a()
