"""The five methods of the paper's first experiment on a small support vector machine, with exact subgradients.

f(w) = mu/2 |w|^2 + mean_i max(0, 1 - y_i <x_i, w>)
"""

import numpy as np

from ..comparison import FIVE, Comparison, compare
from ..losses import Hinge


def problem(n: int = 400, d: int = 20, mu: float = 0.01, seed: int = 0):
    """A noisy two-class problem: f and its subgradient, as minimize wants them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    y = np.where(X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    loss = Hinge()

    def f(w):
        p = X @ w
        return mu / 2 * w @ w + loss.value(p, y).mean(), mu * w + loss.slope(p, y) @ X / n

    return f, np.zeros(d), mu


def run(max_iter: int = 10_000) -> Comparison:
    """Every method makes max_iter steps at its defaults."""
    f, x0, mu = problem()
    return compare(f, x0, FIVE, mu=mu, max_iter=max_iter)
