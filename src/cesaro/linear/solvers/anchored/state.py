"""The state of anchored dual sweeps: the dual values, h, the anchor, the order of the rows; one sweep, one evaluation.

The dual values are feasible whatever the anchor, so that at any time

    f* >= theta D + min_{|w| <= R}  mu/2 |w|^2 + l1 |w|_1 - theta <g, w> ,     g = mean b_i x_i,  D = -mean phi*(-b_i)

for every theta in [0, 1]. From this an allowance for rounding is taken off: 4 standard deviations of a sum of as many
errors of one ulp as there were additions. Where that would matter for `tol`, g is summed afresh.
"""

import math
from typing import NamedTuple

import numpy as np

from cesaro.linear.bounds.dual_bound import lower_bound
from cesaro.linear.problem.block_order import pieces
from cesaro.linear.problem.csr import bare
from cesaro.linear.problem.problem import Problem
from cesaro.linear.problem.row_order import by_length, shuffle
from cesaro.linear.problem.scalar_losses import MODIFIED_HUBER, code_of
from cesaro.linear.solvers.anchored import kernels as passes

EPS = float(np.finfo(float).eps)
SAMPLE = 2000  # rows from which the mean of |x|^2 is taken: the first pass measures the others as it meets them


class Standing(NamedTuple):
    """What a run needs between two sweeps to go on as if it had never stopped."""

    b: np.ndarray
    order: np.ndarray
    g: np.ndarray
    center: np.ndarray
    numbers: np.ndarray  # K, noise, swing, rate, least, seed


class Run:
    """Everything that changes during a solve: the dual values, h, the anchor, the order of the rows."""

    def __init__(self, problem: Problem, seed):
        rows, y, v, loss, self.mu, self.l1, self.radius, self.layout = problem
        self.empty = np.empty if self.layout is None else self.layout.empty
        self.rows, (self.code, self.param) = bare(rows), code_of(loss)
        self.seed = int(np.random.default_rng(seed).integers(1, 2**32))
        self.record, self.order, self.rest = (
            self.empty((rows.n, 4)),
            self.empty(rows.n, np.uint32),
            self.empty(rows.n, np.uint32),
        )
        share = np.count_nonzero(v) / v.sum()
        self.n, self.zero = passes.prepare(y, v, share, self.code, self.param, self.record, self.order)
        self.slack = 0.2 if self.code <= MODIFIED_HUBER else 0.2 * mean_size(y)
        self.g, self.center, self.K = np.zeros(rows.d + 1), np.zeros(rows.d + 1), 0.0
        self.H = np.zeros((rows.d + 1, 2))
        self.noise, self.swing, self.rate, self.least = 0.0, math.log(0.6), math.log(1.25), math.log(0.15)
        self.order = self.order[: self.n]
        found = by_length(self.order, rows.ptr, self.layout)
        self.looks = None if found is None else found[0]
        self.mix(self.order)
        self.R = passes.measure(self.rows, self.record, self.order[:SAMPLE])

    def mix(self, order):
        """Shuffle an array in place."""
        self.seed = int(shuffle(order, np.uint64(self.seed)))

    def shuffle(self, first):
        """A new order of the same rows. The first is new already, but rows in a file have to come by groups."""
        if self.layout is not None and not (first and self.layout.single(self.rows.n)):
            self.order = self.layout.shuffle(self.order, self.rows.n, self.mix)
        elif not first:
            self.mix(self.order)

    def anchor_at(self, w, K):
        """Re-centre the anchor, and give it the strength K."""
        self.center, self.K = w, K
        self.H[:, 0], self.H[:, 1] = K * w + self.n * self.g, 0.0

    def point(self, S, T):
        """w of h."""
        h = self.H[:, 0]
        if T > 0.0:
            h = np.append(np.sign(h[:-1]) * np.maximum(np.abs(h[:-1]) - T, 0.0), h[-1])
        length = norm(h) / S
        return h / S * min(1.0, self.radius / length if length > 0.0 else 1.0)

    def sweep(self, first=False):
        """One pass over the order; the rows that are settled leave it. Returns the pass's average of w."""
        self.shuffle(first)
        n, mu, l1 = self.n, self.mu * first, self.l1 * first
        S, T = self.K + n * (self.mu - mu), n * (self.l1 - l1)
        parts = [self.order] if self.l1 == 0.0 else np.array_split(self.order, 8)
        several, average, total, kept, changed = len(parts) > 1, np.zeros_like(self.center), 0.0, [], 2
        for k, part in enumerate(parts):
            share = self.record[part, passes.V].sum() if several and first else 0.0
            C, A, stay, changes = passes.sweep(
                self.rows, self.record, part, self.H.reshape(-1), self.code, self.param, S, mu, (T, l1) if several else None,
                self.radius, self.slack,
            )  # fmt: skip
            if several and len(part):
                S, T = S + mu * share, T + l1 * share
                weight = (k + 1.0) ** (3 * first)
                average += weight * self.point(S, T)
                total += weight
            elif not several:
                average, total = C * self.H[:, 0] + self.H[:, 1], A
            kept.append(part[:stay])
            changed += changes
        self.g = (self.H[:, 0] - self.K * self.center) / n
        size = norm(self.H[:, 0]) + self.K * norm(self.center)
        self.noise += changed * float(size * size)
        self.order = np.concatenate(kept) if several else kept[0]
        return average / total

    def loosen(self, average):
        """The factor by which to lengthen the steps.

        A sweep that swings (from its average to its end) far less than it moves (from the anchor to its average) has
        solved the anchored problem too well: the anchor holds it back. One that swings more than it moves needs a
        tighter one. On 12 problems whose best fixed anchors differ 300-fold, the ratio at the best was about 0.1 to 1.
        """
        swing = norm(self.point(self.K + self.n * self.mu, self.n * self.l1) - average)
        move = norm(average - self.center)
        tiny = 1e-9 * (swing + move) + 1e-300
        self.swing = 0.8 * self.swing + 0.2 * math.log((swing + tiny) / (move + tiny))
        if self.least <= self.swing <= math.log(1.2):
            return 1.0
        if self.swing * self.rate > 0.0:  # a change of direction: with smaller steps, so that it settles
            self.rate *= -max(0.7, 0.03 / abs(self.rate))
            self.least = math.log(0.5)
        return math.exp(self.rate)

    def evaluate(self, w, tol=0.0):
        """Objective at w and a lower bound; every row that is not settled at w is visited next."""
        mean, D, size, k = passes.evaluate(
            self.rows, self.record, self.looks, w, self.code, self.param, self.slack, self.rest
        )
        f = mean + self.mu / 2.0 * (w @ w) + self.l1 * np.abs(w[:-1]).sum()
        length = norm(w)
        if EPS * math.sqrt(self.noise) / self.n * length > 0.01 * max(tol, 1e-9) * f:
            self.gather()
        drift = EPS * math.sqrt(self.noise) / self.n * length
        bound = lower_bound(D, self.g, self.mu, self.l1, self.radius)
        if k:
            self.order = self.empty(k, np.uint32)
            self.order[:] = self.rest[:k]
        else:
            self.order = np.flatnonzero(self.record[:, passes.V]).astype(np.uint32)
        return float(f), bound - 4.0 * (EPS * math.sqrt(self.n) * size + drift)

    def standing(self) -> Standing:
        """The state between two sweeps."""
        numbers = np.array([self.K, self.noise, self.swing, self.rate, self.least, self.seed])
        return Standing(self.record[:, passes.B], self.order, self.g, self.center, numbers)

    def resume(self, state: Standing) -> None:
        """Stand where an earlier run of the same problem stood. Squared norms are measured again when they are met."""
        K, self.noise, self.swing, self.rate, self.least, seed = state.numbers.tolist()
        self.record[:, passes.B], self.order, self.g, self.seed = state.b, state.order, state.g, int(seed)
        self.anchor_at(state.center, K)

    def recall(self, b, w):
        """Take over an earlier run's dual values, if it had as many rows, and its point."""
        if len(b) == len(self.record):
            passes.recall(b, self.code, self.param, self.record)
            self.gather()
        return w

    def gather(self):
        """g afresh from the dual values."""
        g = np.zeros_like(self.g)
        passes.gather(self.rows, self.record, g)
        self.g, self.noise = g / self.n, self.n * float(g @ g)
        self.anchor_at(self.center, self.K)


def norm(x) -> float:
    """|x|; np.linalg.norm would do more than that, several times a sweep."""
    return math.sqrt(x @ x)


def mean_size(y):
    """Mean |y|, a piece at a time."""
    return float(sum(np.abs(y[piece]).sum() for piece in pieces(len(y))) / len(y))
