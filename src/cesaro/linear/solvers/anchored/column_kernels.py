"""Passes over the columns: an epoch's average, and the move of the prox center, each in one pass.

BLAS would wake its threads for vectors as long as these, and NumPy would read them once for every operation.
"""

from numba import njit
from numba.extending import register_jitable

from cesaro.compiled.flags import KERNEL, LOOP


@njit(**LOOP)
def add_point(average, h, scale, sparse, T, weight, fresh):
    """average += weight * w, or = where it is `fresh`; w is scale * h, or scale * soft(h, T) but for the intercept."""
    d, factor = h.shape[0] - 1, weight * scale
    for j in range(d + 1):
        z = h[j]
        if sparse is not None:
            z -= min(T, max(-T, z)) if j < d else 0.0
        average[j] = factor * z if fresh else average[j] + factor * z


@register_jitable(**KERNEL, forceinline=True)
def squared_norm(h):
    """|h|^2."""
    total = 0.0
    for k in range(h.shape[0]):
        total += h[k] * h[k]
    return total


@njit(**LOOP)
def recenter(h, average, center, total, share, scale, sparse, K, new, n, mu, l1, free):
    """Move the prox center to the epoch's average, with prox weight `new` instead of K; total += share * average.

    All that needs a pass over the columns, in one: returns |w_end - average|^2, |average - center|^2, |h|^2, |center|^2
    as they were, and what the penalty has of the duality gap, mu/2 |w|^2 + l1 |w|_1 and its conjugate at g less <g, w>.
    A `free` intercept has a prox weight that is larger by n mu, and no penalty; its center moves to the epoch's end.
    """
    oscillation, move, hh, cc, gap, d = 0.0, 0.0, 0.0, 0.0, 0.0, h.shape[0] - 1
    last_h, last_center = h[d], center[d]
    half, mean = 0.5 / mu if mu > 0.0 else 0.0, 1.0 / n
    for j in range(d + 1):
        a, c, z = average[j], center[j], h[j]
        u = z - K * c
        g = mean * u
        if sparse is None:
            end = scale * z
            gap += half * (mu * a - g) * (mu * a - g)
        else:
            T, cut = (sparse[0], l1) if j < d else (0.0, 0.0)
            end = scale * (z - min(T, max(-T, z)))
            beyond = max(0.0, abs(g) - cut)
            gap += 0.5 * mu * a * a + cut * abs(a) + half * beyond * beyond - g * a
        oscillation += (end - a) * (end - a)
        move += (a - c) * (a - c)
        hh += z * z
        cc += c * c
        h[j] = u + new * a
        center[j] = a
        total[j] += share * a
    if free:
        more = n * mu
        a = last_h / max(K + more, 1e-300)
        total[d] += share * (a - average[d])
        center[d] = a
        g, u = mean * (last_h - K * last_center), last_h - (K + more) * last_center
        gap -= half * (mu * a - g) * (mu * a - g) if sparse is None else 0.5 * mu * a * a + half * g * g - g * a
        gap -= mean * u * a
        h[d] = u + (new + more) * a
    return oscillation, move, hh, cc, gap


@njit(**LOOP)
def mean_of_dual_values(h, center, K, more, n, g):
    """g = (h - K center) / n, the mean of b_i x_i; the intercept's prox weight is larger by `more`."""
    mean, d = 1.0 / n, h.shape[0] - 1
    for j in range(d + 1):
        g[j] = mean * (h[j] - K * center[j])
    g[d] -= mean * more * center[d]


@njit(**LOOP)
def mixed_point(total, weight, h, center, K, part, scale, w):
    """w = (1 - part) total / weight + part * scale (h - K center); the intercept's entry is that of the average."""
    d, rest = h.shape[0] - 1, (1.0 - part) / weight
    for j in range(d):
        w[j] = rest * total[j] + part * scale * (h[j] - K * center[j])
    w[d] = total[d] / weight


@njit(**LOOP)
def resting_products(h, center, K, chosen):
    """|c|^2, <c, u>, |u|^2 with u = h - K c, over the columns that are not chosen."""
    cc, cu, uu = 0.0, 0.0, 0.0
    for j in range(h.shape[0]):
        c = center[j]
        u = h[j] - K * c
        cc += c * c
        cu += c * u
        uu += u * u
    for k in range(chosen.shape[0]):
        c = center[chosen[k]]
        u = h[chosen[k]] - K * c
        cc -= c * c
        cu -= c * u
        uu -= u * u
    return max(cc, 0.0), cu, max(uu, 0.0)


@njit(**LOOP)
def follow(h, center, total, before, now, a, b, e, f):
    """Bring all columns to where resting ones are: the prox weight was `before` and is `now`."""
    for j in range(h.shape[0]):
        c = center[j]
        u = h[j] - before * c
        there = a * c + b * u
        total[j] += e * c + f * u
        center[j] = there
        h[j] = u + now * there
