"""min |A'x|^2 / 2 - c'x  over  low <= x <= high  and  e'x = t: a primal-dual interior point method, then the exact face.

The multipliers l, h of the two bounds and nu of the equation satisfy  A u - c + nu e = l - h  with u = A'x  and
l (x - low) = h (high - x) -> 0  (Mehrotra 1992). A step solves

    D dx + A du + dnu e = r ,   du - A'dx = A'x - u ,   e'dx = t - e'x ,       D = l/(x - low) + h/(high - x) ,

in the smaller dimension of A (Ferris and Munson 2002). u is kept beside x: where columns of A are large, the sum A'x has too
few digits to tell A u.
"""

from collections import deque

import numpy as np

TOO_LARGE = 1e12  # an entry of I + A'A/D beside which 1 has too few digits


def minimise(
    A: np.ndarray,
    c: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    e: np.ndarray | None = None,
    t: float = 0.0,
    enough: float = 0.0,
) -> tuple[np.ndarray, list]:
    """x, and candidates for u = A'x that have fewer rounding errors than the product; rows of A may be repeated.

    A value within `enough` of the least will do.
    """
    e = np.zeros_like(c) if e is None else e
    x, nu, unit = (low + high) / 2.0, 0.0, max(float(np.abs(c).max()), np.finfo(np.float64).tiny)
    u, l, h = A.T @ x, np.full_like(c, unit), np.full_like(c, unit)  # noqa: E741
    best, least, late, idle = (x, u, nu), np.inf, deque([(x, np.zeros_like(x))], maxlen=8), 0
    for _ in range(80):
        room, off, far = (x - low, high - x), e @ x - t, u - A.T @ x
        gradient = A @ u - c + nu * e
        left = above_minimum(gradient, low, high, x) + unit * abs(off) + far @ far / 2.0
        if not np.isfinite(left):
            break
        try:
            solve = _solver(A, l / room[0] + h / room[1], e)
            dx, du, dnu, dl, dh = _direction(solve, gradient, off, far, room, l, h, 0.0, 0.0)
        except np.linalg.LinAlgError:  # repeated rows inside, D down to nothing: as good as it gets
            break
        late.append((x, dx))
        idle += 1
        if left < least:
            best, least, idle = (x, u, nu), left, 0
        if least <= enough:
            return x, [u]
        if least <= 1e-15 * abs(c @ x) or idle == 4:
            break
        size = _length(room, l, h, dx, dl, dh)
        now = (l @ room[0] + h @ room[1]) / (2 * len(x))
        after = ((l + size * dl) @ (room[0] + size * dx) + (h + size * dh) @ (room[1] - size * dx)) / (2 * len(x))
        aim = now * min(1.0, after / now) ** 3
        dx, du, dnu, dl, dh = _direction(solve, gradient, off, far, room, l, h, aim - dx * dl, aim + dx * dh)
        size = 0.995 * _length(room, l, h, dx, dl, dh)
        x, u, nu, l, h = x + size * dx, u + size * du, nu + size * dnu, l + size * dl, h + size * dh  # noqa: E741
    return _face(A, c, low, high, e, t, *best, late)


def above_minimum(gradient, low, high, x) -> float:
    """At most so much is x above the minimum (Frank and Wolfe's bound); where e'x = t is asked for, nu e is in the gradient."""
    return float(gradient @ (x - np.where(gradient > 0.0, low, high)))


def _direction(solve, gradient, off, far, room, l, h, below, above):  # noqa: E741
    """The Newton direction towards  l (x - low) = below,  h (high - x) = above, from `off` = e'x - t, `far` = u - A'x."""
    pull, push = (below - l * room[0]) / room[0], (above - h * room[1]) / room[1]
    dx, du, dnu = solve(pull - push - (gradient - l + h), -far, -off)
    return dx, du, dnu, pull - l / room[0] * dx, push + h / room[1] * dx


def _solver(A, D, e):
    """(r, q, t) -> dx, du, dnu  with  D dx + A du + dnu e = r,  du - A'dx = q,  e'dx = t."""
    inverse = _inverse(A, D)
    if not e.any():
        return lambda r, q, t: (*inverse(r, q), 0.0)
    border = inverse(e, np.zeros(A.shape[1]))

    def solve(r, q, t):
        dx, du = inverse(r, q)
        dnu = (e @ dx - t) / (e @ border[0])
        return dx - dnu * border[0], du - dnu * border[1], dnu

    return solve


def _inverse(A, D):
    """(r, q) -> dx, du  with  D dx + A du = r,  du - A'dx = q."""
    if len(A) <= A.shape[1]:
        M = A @ A.T + np.diag(D)

        def by_rows(r, q):
            dx = np.linalg.solve(M, r - A @ q)
            return dx, A.T @ dx + q

        return by_rows
    M = np.eye(A.shape[1]) + A.T @ (A / D[:, None])
    if not np.diag(M).max() < TOO_LARGE:
        return _by_least_squares(A, D)

    def by_columns(r, q):
        du = np.linalg.solve(M, A.T @ (r / D) + q)
        return (r - A @ du) / D, du

    return by_columns


def _by_least_squares(A, D):
    """The same, of  min |(r - A du) / sqrt(D)|^2 + |q - du|^2: half as many digits are lost. Large rows come first (Powell
    and Reid 1969).
    """
    root = np.sqrt(D)
    stacked = np.vstack([A / root[:, None], np.eye(A.shape[1])])
    order = np.argsort(-np.abs(stacked).max(axis=1))
    Q, R = np.linalg.qr(stacked[order])

    def inverse(r, q):
        du = np.linalg.solve(R, Q.T @ np.concatenate([r / root, q])[order])
        return (r - A @ du) / D, du

    return inverse


def _length(room, l, h, dx, dl, dh) -> float:  # noqa: E741
    """How far all four stay positive, at most 1."""
    values, change = np.concatenate([*room, l, h]), np.concatenate([dx, -dx, dl, dh])
    down = change < 0.0
    return min(1.0, float((-values[down] / change[down]).min(initial=1.0)))


def _face(A, c, low, high, e, t, x, u, nu, late) -> tuple[np.ndarray, list]:
    """x, or better: the variables that head for a bound put there and the others solved for; and the A'x of such faces.

    Near the end the direction without a barrier takes a variable all the way to its bound, or leaves it where it is;
    at the very end rounding blurs it, so that the last few are tried.
    """
    best, products, unit = x, [u], float(np.abs(c).max())
    least = above_minimum(A @ u - c + nu * e, low, high, x)
    for at, drift in late:
        exact = np.where(drift > (high - at) / 2.0, high, np.where(drift < (low - at) / 2.0, low, at))
        for _ in range(5):
            free = (exact > low) & (exact < high)
            fixed = np.where(free, 0.0, exact)
            part, span = _particular(e[free], t - e @ fixed)
            rest, B = A.T @ fixed + A[free].T @ part, span(A[free])
            product = rest + _least_squares(B, span(c[free] - A[free] @ rest))
            exact[free] = part + span(_least_squares(B.T, product - rest))
            outside = (exact < low) | (exact > high)
            exact = np.clip(exact, low, high)
            far = product - A.T @ exact
            gradient, size = A @ product - c, float(e[free] @ e[free])
            multiplier = -(e[free] @ gradient[free]) / size if size > 0.0 else nu
            left = above_minimum(gradient + multiplier * e, low, high, exact) + unit * abs(e @ exact - t)
            left += far @ far / 2.0
            if left < least:
                best, least = exact.copy(), left
            if not outside.any():
                products.append(product + _least_squares(B, span(c[free] - A[free] @ product)))
                break
        if len(products) > 1 and least <= 1e-14 * abs(c @ best):
            break
    return best, products


def _particular(e, t):
    """A solution z of e'z = t, and the projection of vectors or matrices onto e'z = 0."""
    size = float(e @ e)
    if size == 0.0:
        return np.zeros_like(e), lambda z: z
    return e * (t / size), lambda z: z - np.multiply.outer(e, e @ z / size)


def _least_squares(A, b) -> np.ndarray:
    return np.linalg.lstsq(A, b, rcond=None)[0]
