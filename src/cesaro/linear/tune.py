"""The anchor, chosen from the data: every candidate is a lane of one pass over a sample of the rows.

An anchor of strength K = R / c, with R the mean of |x|^2, makes the first step at most c / R: so c is a step size in
units that do not depend on the scale of X. Each lane runs the first pass of `passes.sweep` (the same h, r and C, side
by side in memory, so that one gather of a feature serves them all); the lane with the smallest objective wins. A step
that is best after m rows is too long for n of them: (m/n)^(1/3) corrects it.
"""

import numpy as np
from numba import njit

from cesaro.linear.jit import KERNEL
from cesaro.linear.loss_codes import value
from cesaro.linear.passes import ONE, V, Y, square
from cesaro.linear.steps import best

LANES = 8
WIDEST = 500_000  # features up to which the lanes' state (64 MB) is worth its memory
SAMPLE = 50_000  # rows at most of a file, where each may be a page to be read
CANDIDATES = 4.0 ** np.arange(-4, LANES - 4)


@njit(**KERNEL)
def pilot(rows, record, order, fresh, code, param, S, mu, W, room):
    """Into room[0]: the objective of each lane's average after one pass over the rows of `order`; its loss on `fresh`.

    S holds the lanes' anchors; W, of d + 1 rows, and room, of 4, are 2 LANES wide and zero.
    """
    data, col, ptr, d, bias = rows.data, rows.col, rows.ptr, rows.d, rows.bias
    n, L, A, total = order.shape[0], S.shape[0], 0.0, 0.0
    f, C, m, delta = room[0], room[1], room[2], room[3]
    for k in range(n):
        i = order[k]
        q, y, v = square(data, ptr[i], ptr[i + ONE], bias), record[i, Y], record[i, V]
        for lane in range(LANES):
            m[lane] = bias * W[d, lane]
        for j in range(ptr[i], ptr[i + ONE]):
            for lane in range(LANES):
                m[lane] += data[j] * W[col[j], lane]
        o = ((k + 1.0) / n) ** 3
        A += o
        for lane in range(L):  # not unrolled: eight copies of every loss take long to compile
            S[lane] += v * mu
            s = 1.0 / S[lane]
            delta[lane] = v * best(code, param, y, m[lane] * s, v * q * s, 0.0)
            delta[LANES + lane] = -C[lane] * delta[lane]
            C[lane] += o * s
        for j in range(ptr[i], ptr[i + ONE]):
            for lane in range(2 * LANES):
                W[col[j], lane] += data[j] * delta[lane]
        for lane in range(2 * LANES):
            W[d, lane] += bias * delta[lane]
    for j in range(d + 1):
        for lane in range(L):
            w = (C[lane] * W[j, lane] + W[j, LANES + lane]) / A
            W[j, lane] = w
    for k in range(fresh.shape[0]):
        i = fresh[k]
        total += record[i, V]
        for lane in range(LANES):
            m[lane] = bias * W[d, lane]
        for j in range(ptr[i], ptr[i + ONE]):
            for lane in range(LANES):
                m[lane] += data[j] * W[col[j], lane]
        for lane in range(L):
            f[lane] += record[i, V] * value(code, param, m[lane], record[i, Y])
    for lane in range(L):
        f[lane] /= total
        for j in range(d + 1):
            f[lane] += mu / 2.0 * W[j, lane] * W[j, lane]


def choose(run):
    """The best c on a sample of the rows of the run's order, which is shuffled."""
    n, order = run.n, run.order
    if run.mu * n >= 10.0 * run.R or run.rows.d > WIDEST:
        return 0.5
    m = min(n, max(n // 60, 2000), SAMPLE if run.layout is not None else n)
    fresh = order[m : m + m // 2] if n >= 2 * m else order
    f = objectives(run, order[:m], fresh, run.R / CANDIDATES)
    return CANDIDATES[int(np.nanargmin(f))] * (m / n) ** (1 / 3)


def objectives(run, order, fresh, K):
    """What the pilot finds for the anchors K."""
    W, room = np.zeros((run.rows.d + 1, 2 * LANES)), np.zeros((4, 2 * LANES))
    pilot(run.rows, run.record, order, fresh, run.code, run.param, K.copy(), run.mu, W, room)
    return room[0, :LANES]
