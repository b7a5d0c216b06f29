"""What a batch of models has found: points and their norms, losses, predictions for rows that they were not fitted to."""

import numpy as np
from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import LOOP
from cesaro.compiled.llvm_vectors import maximum, minimum
from cesaro.compiled.vector_ops import map_lanes
from cesaro.dual_form import LOGISTIC
from cesaro.linear.model_selection.path_kernels import OUT, A, batch_margins, load_targets
from cesaro.linear.problem.csr import ahead
from cesaro.linear.problem.scalar_losses import value


def value_formula(a, bend, half, eps, low, high, cap, zero, mask, y, m, total):
    """total + a phi(m, y) for the models that learn from the row."""
    r = y - m
    bottom, top = low + cap * minimum(y, zero), high + cap * maximum(y, zero)
    b = minimum(top, maximum(bottom, (maximum(r - eps, zero) - maximum(-r - eps, zero)) / bend))
    return (total + a * mask * (b * (r - half * b) - eps * maximum(b, -b)),)


value_lanes = map_lanes(value_formula)
SQUARES, SIZES, PLANES = range(3)


@njit(**LOOP)
def find_points(batch, norms):
    """The averages become the points w. norms (3, L) receive |w|^2, |w|_1 without the intercept, and the square of the
    cutting planes' s behind their thresholds, |(|s| - l1)_+|^2."""
    h, W, last = batch.h, batch.average, batch.h.shape[0] - 1
    for k in range(norms.shape[1]):
        batch.m[k] = 1.0 / batch.sums[OUT, k]
        batch.g[k] = 1.0 / max(batch.sums[A, k], 1e-300)
        norms[:, k] = 0.0
    for j in range(h.shape[0]):
        penalty = 0.0 if j == last else 1.0
        for k in range(norms.shape[1]):
            w = batch.m[k] * W[j, k]
            W[j, k] = w
            s = max(0.0, abs(np.float64(batch.g[k] * h[j, k])) - penalty * batch.l1[k])
            norms[SQUARES, k] += np.float64(w) * w
            norms[SIZES, k] += penalty * abs(w)
            norms[PLANES, k] += s * s


@register_jitable(**LOOP)
def add_losses(loss, a, y, m, mask, total):
    """The losses of every model."""
    real = m.dtype.type
    low, high, cap = real(loss.low), real(loss.high), real(loss.cap)
    bend, half, eps = real(loss.bend + 1e-30), real(loss.bend / 2), real(loss.eps)
    value_lanes((real(a), bend, half, eps, low, high, cap, real(0)), (mask, y, m, total), (0, 0))


@njit(**LOOP)
def evaluate_models(rows, Y, v, pattern, order, loss, batch, total, held, held_out, place):
    """total += every model's loss at its point on the rows it learns from. Its prediction on another row i goes to held_out[i]:

    held[p] lists the models (then L) that pattern p leaves out, place[k] is model k's column."""
    m, y, L = batch.m, batch.y, batch.mu.shape[0]
    for k in range(order.shape[0]):
        ahead(rows, Y, v, order, k)
        i = order[k]
        p = np.intp(pattern[i])
        batch_margins(rows, i, batch.average, m, (0, 0))
        load_targets(Y, i, batch.target, y)
        if loss.kind == LOGISTIC:
            for model in range(L):
                total[model] += v[i] * batch.mask[p, model] * value(loss, float(m[model]), float(y[model]))
        else:
            add_losses(loss, v[i], y, m, batch.mask[p], batch.cut)
        if k % 256 == 255 or k == order.shape[0] - 1:
            for model in range(L):
                total[model] += batch.cut[model]
                batch.cut[model] = 0
        for j in range(held.shape[1]):
            if held[p, j] < L:
                held_out[i, place[held[p, j]]] = m[held[p, j]]
