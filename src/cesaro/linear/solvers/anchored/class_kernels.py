"""Epochs over the rows for many classes against the rest at once: an entry of X is read for all of them.

What `kernels` says of one problem holds for each; the vectors h of the classes lie side by side, (d, L), as single
numbers: a cache line holds a column of sixteen classes. What single numbers lose is lost for the steps alone. The
intercepts, to which every row adds, have their own doubles, and so have the sums of an evaluation (`class_evaluation`).
"""

from numba import njit

from cesaro.compiled.flags import KERNEL, LOOP
from cesaro.compiled.llvm_vectors import maximum, minimum, where_less
from cesaro.compiled.vector_ops import add_rows, dot_rows, map_lanes
from cesaro.dual_form import HINGE, LOGISTIC
from cesaro.linear.problem.csr import ahead_long, ahead_wide, rows_ahead, span
from cesaro.linear.problem.implicit_sigmoid import root_below_zero

ALL = (0, 0)  # no class is left out
STEPS = 4  # of Newton's for the logistic loss
FLUSH = 256  # rows whose gaps are summed as single numbers


def hinge_step(v, q, inverse, one, zero, y, s, S, m, gap, b, delta):
    """`kernels.run_epoch` at a row: the sum of the Fenchel-Young gaps, the new dual values, what they add to h."""
    p = s * m
    short = one - y * p
    new = y * minimum(one, maximum(zero, (short + y * q * s * b) * inverse * S))
    return gap + v * (maximum(short, zero) - y * b * short), new, v * (new - b)


def piecewise_step(v, q, bend, half, eps, low, high, cap, tiny, zero, y, s, S, m, gap, b, delta):
    """The same for the other losses of `dual_form`, but the logistic one."""
    p, pull = s * m, q * s
    bottom, top = low + cap * minimum(y, zero), high + cap * maximum(y, zero)
    r = y - p
    far = maximum(r - eps, zero) - maximum(-r - eps, zero)
    here = minimum(top, maximum(bottom, far / maximum(bend, tiny)))
    found = here * (far - half * here) + half * b * b + eps * maximum(b, -b) - b * r
    z = r + pull * b
    z = maximum(z - eps, zero) - maximum(-z - eps, zero)
    new = minimum(top, maximum(bottom, z / maximum(bend + pull, tiny)))
    return gap + v * found, new, v * (new - b)


def logistic_step(v, q, half, one, zero, tiny, y, s, m, gap, b, delta):
    """The same for the logistic loss; its gap as `fenchel_young` has it, to second order."""
    H = q * s
    middle = y * (s * m - H * b) + half * H
    _, _, small = root_below_zero(middle, H, half, one, zero, STEPS)
    a = where_less(middle, zero, one - small, small)
    new, curve = y * a, a * (one - a)
    step = maximum(new - b, b - new)
    far = step + H * curve * step
    return gap + v * half * far * far / maximum(curve, maximum(half * half * step, tiny)), new, v * (new - b)


def recenter_column(half, mean, mu, inverse, K, new, s, A, oscillation, move, gap, C, H):
    """`column_kernels.recenter` at a column; the average is that of the snapshot A and the epoch's end."""
    end = s * H
    a, u = half * (A + end), H - K * C
    off, far, g = end - a, a - C, mu * a - mean * u
    return oscillation + off * off, move + far * far, gap + inverse * (g * g), a, u + new * a


step_hinges, step_others, step_logistic = map_lanes(hinge_step), map_lanes(piecewise_step), map_lanes(logistic_step)
recenter_lanes = map_lanes(recenter_column)


@njit(**LOOP)
def run_epoch_classes(rows, record, Y, order, H, intercept, b, loss, K, mu, grow, at, A, gaps, work):
    """`kernels.run_epoch` for every class, over all rows; record (n, 2) holds their weights and squared norms.

    S = K + mu, and in the first epoch K + `grow` times the weight of the rows so far. A becomes w after `at` rows.
    `intercept` (L,) is h of the constant feature; work (6, L) is for single numbers.
    """
    real, L, near, weight = H.dtype.type, H.shape[1], rows_ahead(rows), 0.0
    m, s, S, gap, delta = work[0], work[1], work[2], work[3], work[4]
    for c in range(L):
        S[c] = real(K[c] + mu)
        s[c] = real(1.0) / S[c]
        gap[c] = real(0.0)
    for k in range(order.shape[0]):
        ahead_long(rows, record, order, k, near)
        ahead_wide(Y, order, k)
        ahead_wide(b, order, k)
        i = order[k]
        v, q = record[i, 0], record[i, 0] * record[i, 1]
        start, stop = span(rows, i)
        for c in range(L):
            m[c] = real(rows.bias * intercept[c])
        dot_rows(m, rows.data, rows.col, start, stop, H, ALL)
        if grow > 0.0:
            weight += v
            for c in range(L):
                S[c] = real(K[c] + grow * weight)
                s[c] = real(1.0) / S[c]
        if step_classes(loss, v, q, Y[i], s, S, m, gap, b[i], delta):
            add_rows(H, rows.data, rows.col, start, stop, delta, ALL)
            for c in range(L):
                intercept[c] += rows.bias * delta[c]
        if k % FLUSH == 0 or k == order.shape[0] - 1:
            for c in range(L):
                gaps[c] += gap[c]
                gap[c] = real(0.0)
        if k == at:
            for j in range(H.shape[0]):
                for c in range(L):
                    A[j, c] = s[c] * H[j, c]
            for c in range(L):
                work[5, c] = s[c] * real(intercept[c])


@njit(**LOOP)
def step_classes(loss, v, q, y, s, S, m, gap, b, delta):
    """The step of every class at one row; whether any dual value changes."""
    real = m.dtype.type
    one, zero, tiny = real(1.0), real(0.0), real(1e-30)
    if loss.kind == HINGE:
        inverse = real(1.0 / max(q, 1e-30))
        return step_hinges((real(v), real(q), inverse, one, zero), (y, s, S, m, gap, b, delta), ALL)
    if loss.kind == LOGISTIC:
        numbers = (real(v), real(q), real(0.5), one, zero, tiny)
        return step_logistic(numbers, (y, s, m, gap, b, delta), ALL)
    others = (
        real(v), real(q), real(loss.bend), real(loss.bend / 2.0), real(loss.eps), real(loss.low), real(loss.high),
        real(loss.cap), tiny, zero,
    )  # fmt: skip
    return step_others(others, (y, s, S, m, gap, b, delta), ALL)


@njit(**KERNEL)
def recenter_classes(H, A, C, n, mu, K, new, s, sums):
    """`recenter_column` at every column; sums (3, L): of the squared oscillations and moves, and of the penalty's gap."""
    real = H.dtype.type
    numbers = (real(0.5), real(1.0 / n), real(mu), real(0.5 / mu))
    for j in range(H.shape[0]):
        recenter_lanes(numbers, (K, new, s, A[j], sums[0], sums[1], sums[2], C[j], H[j]), ALL)
