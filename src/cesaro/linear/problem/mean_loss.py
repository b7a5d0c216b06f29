"""One pass over the rows as they are: the mean loss at a point, and the cut of remembered slopes."""

from numba import njit

from cesaro.compiled.flags import KERNEL, SCALAR
from cesaro.linear.problem.csr import ahead, margin
from cesaro.linear.problem.scalar_losses import conjugate, slope, value


@njit(**SCALAR)
def mean_loss(rows, y, v, order, code, param, w):
    """sum v_i phi(<x_i, w>, y_i) / sum v_i over the rows of `order`."""
    total, weight = 0.0, 0.0
    for k in range(order.shape[0]):
        ahead(rows, y, v, order, k)
        i = order[k]
        total += v[i] * value(code, param, margin(rows, i, w), y[i])
        weight += v[i]
    return total / weight


@njit(**KERNEL)
def recalled_cut(rows, y, v, how, seen, s):
    """s += sum v_i u_i x_i, and the sum of -v_i phi*(u_i): u_i is row i's mean slope so far (at 0 if never drawn).

    The mean is drawn towards 0, which every conjugate's domain contains, so that rounding cannot push it out.
    """
    data, col, ptr = rows.data, rows.col, rows.ptr
    total = 0.0
    for i in range(y.shape[0]):
        if v[i] > 0.0:
            u = slope(how.code, how.param, 0.0, y[i])
            if seen[i, 1] > 0.0:
                u = seen[i, 0] / seen[i, 1] * (1.0 - 1e-12)
            total -= v[i] * conjugate(how.code, how.param, u, y[i])
            for j in range(ptr[i], ptr[i + 1]):
                s[col[j]] += v[i] * u * data[j]
            s[rows.d] += v[i] * u * rows.bias
    return total
