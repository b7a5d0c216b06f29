"""The anchor, chosen from the data: every candidate is a lane of one pass over a sample of the rows.

An anchor of strength K = R / c, with R the mean of |x|^2, makes the first step at most c / R: so c is a step size in units
that do not depend on the scale of X. Each lane runs the first pass of `passes.sweep` (the same h, r and C, side by side
in memory, so that one gather of a feature serves all of them), and the lane with the smallest objective wins.
"""

import numpy as np
from numba import njit

from cesaro.linear.loss_codes import value
from cesaro.linear.passes import V, Y
from cesaro.linear.steps import best

CANDIDATES = 4.0 ** np.arange(-4, 4)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def pilot(rows, record, order, code, param, K, mu):
    """Objective on the rows of `order` of each lane's average after one pass with anchor K[lane]."""
    data, col, ptr, d, bias = rows.data, rows.col, rows.ptr, rows.d, rows.bias
    L, n = K.shape[0], order.shape[0]
    W, S, m, C, f = np.zeros((d + 1, 2 * L)), K.copy(), np.zeros(L), np.zeros(L), np.zeros(L)
    delta, A, total = np.zeros(2 * L), 0.0, 0.0
    for k in range(n):
        i = order[k]
        lo, hi = ptr[i], ptr[i + np.uint32(1)]
        q, y, v = bias * bias, record[i, Y], record[i, V]
        for lane in range(L):
            m[lane] = bias * W[d, lane]
        for j in range(lo, hi):
            q += np.float64(data[j]) * data[j]
            for lane in range(L):
                m[lane] += data[j] * W[col[j], lane]
        o = ((k + 1.0) / n) ** 3
        A += o
        for lane in range(L):
            S[lane] += v * mu
            delta[lane] = v * best(code, param, y, m[lane] / S[lane], v * q / S[lane])
            delta[L + lane] = -C[lane] * delta[lane]
            C[lane] += o / S[lane]
        for j in range(lo, hi):
            for lane in range(2 * L):
                W[col[j], lane] += data[j] * delta[lane]
        for lane in range(2 * L):
            W[d, lane] += bias * delta[lane]
    for j in range(d + 1):
        for lane in range(L):
            W[j, lane] = (C[lane] * W[j, lane] + W[j, L + lane]) / A
    for k in range(n):
        i = order[k]
        y, v = record[i, Y], record[i, V]
        for lane in range(L):
            m[lane] = bias * W[d, lane]
        for j in range(ptr[i], ptr[i + np.uint32(1)]):
            for lane in range(L):
                m[lane] += data[j] * W[col[j], lane]
        total += v
        for lane in range(L):
            f[lane] += v * value(code, param, m[lane], y)
    for lane in range(L):
        square = 0.0
        for j in range(d + 1):
            square += W[j, lane] * W[j, lane]
        f[lane] = f[lane] / total + mu / 2.0 * square
    return f


def choose(rows, record, order, code, param, R, mu):
    """The best c on a sample of the rows of `order` (shuffled)."""
    n = len(order)
    if mu * n >= 10.0 * R:
        return 0.5
    m = min(n, 5000, max(n // 10, 500))
    f = pilot(rows, record, order[:m], code, param, R / CANDIDATES, mu)
    return CANDIDATES[int(np.nanargmin(f))] * (m / n) ** (1 / 3)
