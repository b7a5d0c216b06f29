"""min |A'x|^2 / 2 - c'x  over  low <= x <= high  and  e'x = t: a primal-dual interior point method, then the exact face.

The multipliers l, h of the two bounds and nu of the equation satisfy  A A'x - c + nu e = l - h  and
l (x - low) = h (high - x) -> 0 (Mehrotra 1992). A step solves  (A A' + D) dx + dnu e = r,
D = l/(x - low) + h/(high - x),  in the smaller dimension of A (Ferris and Munson 2002).
"""

from collections import deque

import numpy as np


def minimise(
    A: np.ndarray,
    c: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    e: np.ndarray | None = None,
    t: float = 0.0,
    enough: float = 0.0,
) -> tuple[np.ndarray, list]:
    """x, and candidates for A'x that have fewer rounding errors than the product; rows of A may be repeated.

    A value within `enough` of the least will do.
    """
    e = np.zeros_like(c) if e is None else e
    x, nu, unit = (low + high) / 2.0, 0.0, max(float(np.abs(c).max()), np.finfo(np.float64).tiny)
    l, h = np.full_like(c, unit), np.full_like(c, unit)  # noqa: E741
    best, least, late, idle = (x, nu), np.inf, deque([(x, np.zeros_like(x))], maxlen=8), 0
    for _ in range(80):
        room = x - low, high - x
        gradient = A @ (A.T @ x) - c + nu * e
        left = above_minimum(gradient, low, high, x) + unit * abs(e @ x - t)
        if not np.isfinite(left):
            break
        try:
            solve = _solver(A, l / room[0] + h / room[1], e)
            dx, dnu, dl, dh = _direction(solve, gradient, e @ x - t, room, l, h, 0.0, 0.0)
        except np.linalg.LinAlgError:  # repeated rows inside, D down to nothing: as good as it gets
            break
        late.append((x, dx))
        idle += 1
        if left < least:
            best, least, idle = (x, nu), left, 0
        if least <= enough:
            return x, [A.T @ x]
        if least <= 1e-15 * abs(c @ x) or idle == 4:
            break
        size = _length(room, l, h, dx, dl, dh)
        now = (l @ room[0] + h @ room[1]) / (2 * len(x))
        after = ((l + size * dl) @ (room[0] + size * dx) + (h + size * dh) @ (room[1] - size * dx)) / (2 * len(x))
        aim = now * min(1.0, after / now) ** 3
        dx, dnu, dl, dh = _direction(solve, gradient, e @ x - t, room, l, h, aim - dx * dl, aim + dx * dh)
        size = 0.995 * _length(room, l, h, dx, dl, dh)
        x, nu, l, h = x + size * dx, nu + size * dnu, l + size * dl, h + size * dh  # noqa: E741
    return _face(A, c, low, high, e, t, *best, late)


def above_minimum(gradient, low, high, x) -> float:
    """At most so much is x above the minimum (Frank and Wolfe's bound); where e'x = t is asked for, nu e is in the gradient."""
    return float(gradient @ (x - np.where(gradient > 0.0, low, high)))


def _direction(solve, gradient, off, room, l, h, below, above):  # noqa: E741
    """The Newton direction towards  l (x - low) = below,  h (high - x) = above,  e'x = t, from which x is `off`."""
    pull, push = (below - l * room[0]) / room[0], (above - h * room[1]) / room[1]
    dx, dnu = solve(pull - push - (gradient - l + h), -off)
    return dx, dnu, pull - l / room[0] * dx, push + h / room[1] * dx


def _solver(A, D, e):
    """(r, t) -> dx, dnu  with  (A A' + D) dx + dnu e = r  and  e'dx = t."""
    inverse = _inverse(A, D)
    if not e.any():
        return lambda r, t: (inverse(r), 0.0)
    border = inverse(e)

    def solve(r, t):
        dx = inverse(r)
        dnu = (e @ dx - t) / (e @ border)
        return dx - dnu * border, dnu

    return solve


def _inverse(A, D):
    """r -> (A A' + D)^-1 r."""
    if len(A) <= A.shape[1]:
        M = A @ A.T + np.diag(D)
        return lambda r: np.linalg.solve(M, r)
    M = np.eye(A.shape[1]) + A.T @ (A / D[:, None])
    return lambda r: (r - A @ np.linalg.solve(M, A.T @ (r / D))) / D


def _length(room, l, h, dx, dl, dh) -> float:  # noqa: E741
    """How far all four stay positive, at most 1."""
    values, change = np.concatenate([*room, l, h]), np.concatenate([dx, -dx, dl, dh])
    down = change < 0.0
    return min(1.0, float((-values[down] / change[down]).min(initial=1.0)))


def _face(A, c, low, high, e, t, x, nu, late) -> tuple[np.ndarray, list]:
    """x, or better: the variables that head for a bound put there and the others solved for; and the A'x of such faces.

    Near the end the direction without a barrier takes a variable all the way to its bound, or leaves it where it is;
    at the very end rounding blurs it, so that the last few are tried.
    """
    best, products, unit = x, [A.T @ x], float(np.abs(c).max())
    least = above_minimum(A @ products[0] - c + nu * e, low, high, x)
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
            gradient, size = A @ (A.T @ exact) - c, float(e[free] @ e[free])
            multiplier = -(e[free] @ gradient[free]) / size if size > 0.0 else nu
            left = above_minimum(gradient + multiplier * e, low, high, exact) + unit * abs(e @ exact - t)
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
