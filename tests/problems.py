"""Random strongly convex problems whose solution is known exactly.

Take any convex h, any point z, w* = P_Q(z) and a subgradient u of h at w* (where h has a kink, so that u is one of many).
Then z - w* is normal to Q at w*, so

    f(w) = mu/2 |w|^2 + h(w) + <b, w>   with   b = -(z - w*) - mu w* - u   has its minimum over Q at w*.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import cesaro
from cesaro.domains import Ball, Box, Everywhere, Simplex
from cesaro.methods import Schedule


@dataclass(frozen=True)
class Hinges:
    """Mean of hinge losses."""

    X: np.ndarray

    def __call__(self, w):
        slack = 1.0 - self.X @ w
        return np.maximum(slack, 0.0).mean(), (slack > 0) @ -self.X / len(self.X)


@dataclass(frozen=True)
class Absolute:
    """Weighted absolute values around a point."""

    scale: np.ndarray
    center: np.ndarray

    def __call__(self, w):
        return self.scale @ np.abs(w - self.center), self.scale * np.sign(w - self.center)


@dataclass(frozen=True)
class MaxQuadratics:
    """The largest of a few convex quadratics."""

    curvature: np.ndarray
    center: np.ndarray
    offset: np.ndarray

    def pieces(self, w):
        return self.curvature / 2 * ((w - self.center) ** 2).sum(axis=1) + self.offset

    def __call__(self, w):
        values = self.pieces(w)
        top = np.argmax(values)
        return values[top], self.curvature[top] * (w - self.center[top])


def hinges_with_kinks_at(w, rng):
    """A third of the rows have margin 1 at w; each contributes any slope between 0 and -x."""
    X = rng.normal(size=(int(rng.integers(3, 30)), len(w)))
    margin, slope = X @ w, rng.uniform(size=len(X))
    tight = (np.arange(len(X)) % 3 == 0) & (np.abs(margin) > 0.1)
    X[tight] /= margin[tight, None]
    slope = np.where(tight, slope, X @ w < 1)
    return Hinges(X), slope @ -X / len(X)


def absolute_with_kinks_at(w, rng):
    """Half of the coordinates have their kink at w."""
    scale, tight = rng.uniform(0, 1, len(w)), rng.integers(0, 2, len(w)) == 1
    h = Absolute(scale, np.where(tight, w, rng.normal(size=len(w))))
    return h, np.where(tight, scale * rng.uniform(-1, 1, len(w)), h(w)[1])


def quadratics_that_meet_at(w, rng):
    """Two of four quadratics are the largest at w."""
    h = MaxQuadratics(rng.uniform(0, 2, 4), rng.normal(size=(4, len(w))), rng.normal(size=4))
    first, second = np.argsort(h.pieces(w))[-2:]
    h.offset[first] += h.pieces(w)[second] - h.pieces(w)[first]
    gradients = h.curvature[:, None] * (w - h.center)
    share = rng.uniform()
    return h, share * gradients[first] + (1 - share) * gradients[second]


@dataclass(frozen=True)
class Known:
    """A problem with its solution."""

    h: Any
    b: np.ndarray
    mu: float
    domain: Any
    w: np.ndarray
    x0: np.ndarray

    def __call__(self, w):
        value, u = self.h(w)
        return self.mu / 2 * w @ w + value + self.b @ w, self.mu * w + u + self.b

    @property
    def minimum(self):
        return self(self.w)[0]


KINDS = {"hinge": hinges_with_kinks_at, "absolute": absolute_with_kinks_at, "quadratics": quadratics_that_meet_at}
DOMAINS = {"everywhere": Everywhere(), "ball": Ball(1.0), "box": Box(-0.5, 0.7), "simplex": Simplex(1.0)}


def make(seed: int, kind: str, region: str, d: int | None = None, mu: float | None = None) -> Known:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 51)) if d is None else d
    mu = float(10 ** rng.uniform(-2, 0.5)) if mu is None else mu
    domain = DOMAINS[region]
    z = rng.normal(size=d)
    w = domain.project(z)
    h, u = KINDS[kind](w, rng)
    return Known(h, -(z - w) - mu * w - u, mu, domain, w, domain.project(rng.normal(size=d) * rng.integers(0, 2)))


def iterate(method, problem, schedule: Schedule, steps: int):
    """x_k, f(x_k), g_k for k = 1 .. steps, and the last state."""
    state, xs, values, gs = method.start(problem.x0, schedule.anchor), [], [], []
    for t in range(1, steps + 1):
        value, g = problem(state.x)
        xs.append(state.x), values.append(value), gs.append(g)
        state = method.step(state, g, schedule.at(t), problem.domain)
    return np.array(xs), np.array(values), np.array(gs)


PROBLEM = make(1, "hinge", "everywhere", d=6, mu=0.5)


def solve(problem, **options):
    """minimize, with what the problem knows of itself."""
    options = {"mu": problem.mu, "domain": problem.domain, "max_iter": 300} | options
    return cesaro.minimize(problem, problem.x0, **options)


class Sampled:
    """PROBLEM, one row at a time."""

    def value(self, x):
        return PROBLEM(x)[0]

    def subgradient(self, x):
        return PROBLEM(x)[1]

    def sample(self, x, rng):
        row = PROBLEM.h.X[rng.integers(len(PROBLEM.h.X))]
        return PROBLEM.mu * x + PROBLEM.b - row * (row @ x < 1)
