"""The bundle of cutting planes: every epoch of a run gives a cut, a lower bound of the objective that holds everywhere,

    f(w) >= mu/2 |w|^2 + l1 |w|_1 + <s, w> + c,      s = sum v_i u_i x_i / V,   c = -sum v_i phi*(u_i) / V,

with u_i the slope at which row i was visited. Any mean of cuts is one, and so is s = 0, c = 0, for no loss is negative.
With l1 |w|_1 >= <b, w> for |b_j| <= l1, and -R|s| >= -|s|^2/(2 m) - m R^2/2 for every m, the best mean of the cuts is

    max   <c, lam> - |S lam + b|^2 / (2 m) - (m - mu) R^2 / 2     over lam in the simplex, |b_j| <= l1, m >= mu:

a tiny quadratic programme in lam, solved in turns with b and m. Wherever it stops, what it has found is a proof.
"""

import math
from typing import Any

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL
from cesaro.linear.bounds.rounding import PAIRWISE, U, norm
from cesaro.linear.problem.problem import Problem


class CuttingPlanes:
    """The last cuts of a run and the mean of them all."""

    def __init__(self, problem: Problem, keep: int = 20):
        width = problem.rows.width
        keep = int(min(keep, max(4, 2e7 // max(1, width))))
        self.mu, self.radius = problem.mu, problem.radius
        self.l1 = np.full(width, problem.l1)
        self.l1[problem.rows.d :] = 0.0
        self.S, self.c = np.zeros((keep, width)), np.full(keep, -np.inf)
        self.c[0] = 0.0  # the cut of non-negative losses; place 1 is the mean, the rest the last epochs in turn
        self.lost = np.zeros(keep)
        self.gram, self.stale = np.zeros((keep, keep)), np.zeros(keep, dtype=bool)  # those whose products are not known
        self.lam = np.eye(keep)[0]
        self.epochs = 0

    def add(self, s: np.ndarray, c: float, share: float, lost: float) -> None:
        """The cut of one more epoch; `share` is its weight in the mean of all, `lost` bounds the rounding error of s."""
        if not (math.isfinite(c) and math.isfinite(lost) and np.isfinite(s).all()):
            return
        first, place = self.epochs == 0 or math.isinf(self.c[1]), 2 + self.epochs % (len(self.c) - 2)
        self.epochs += 1
        self._put(place, s, c, lost)
        if first or share == 1.0:  # a run begins: nothing of one that has exploded may round this
            self._put(1, s, c, lost)
            return
        rest, old = 1.0 - share, self.c[1]
        rounded = 4.0 * U * (norm(self.S[1]) + share * norm(s))  # of every epoch anew, in the mean of all
        mean, size = self.S[1] + share * (s - self.S[1]), rest * abs(old) + share * abs(c)
        self._put(1, mean, rest * old + share * c - 4.0 * U * size, rest * self.lost[1] + share * lost + rounded)

    def state(self) -> dict[str, Any]:
        """All that changes, by name."""
        return {name: getattr(self, name) for name in ("S", "c", "lost", "gram", "stale", "lam", "epochs")}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from the state of an earlier run."""
        vars(self).update(state)

    def _put(self, place, s, c, lost):
        self.S[place], self.c[place], self.lost[place], self.stale[place] = s, c, lost, True

    def bound(self, rounds: int = 4) -> float:
        """The best proved lower bound of the optimal value."""
        used, new = np.isfinite(self.c), self.S[self.stale]
        self.gram[self.stale] = new @ self.S.T
        self.gram[:, self.stale] = self.gram[self.stale].T
        self.stale[:] = False
        S, c, lam = self.S[used], self.c[used], self.lam[used]
        gram, plain = self.gram[np.ix_(used, used)], not self.l1.any()
        best = 0.0
        for _ in range(1 if plain and math.isinf(self.radius) else rounds):
            s = lam @ S
            b = -np.clip(s, -self.l1, self.l1)
            m = max(self.mu, np.linalg.norm(s + b) / self.radius)
            if not plain:
                gram = (S + b) @ (S + b).T
            climb(gram, m, lam, c - gram @ lam / m, 300)
            lam /= lam.sum()
            summed = 32.0 * U * (lam @ np.sqrt(np.maximum(np.einsum("ij,ij->i", S, S), 0.0)))
            best = max(best, self._value(lam @ S, lam @ c, lam @ np.abs(c), lam @ self.lost[used] + summed))
        self.lam[used] = lam
        return best

    def _value(self, s, c, size, lost):
        """min over |w| <= R of mu/2 |w|^2 + l1 |w|_1 + <s, w> + c, less what rounding may have added."""
        length = norm(np.maximum(np.abs(s) - self.l1, 0.0)) + lost
        reach = min(length / self.mu, self.radius)
        gain, loss = self.mu * reach / 2.0 * reach, reach * length
        value = c - 2.0 * PAIRWISE * U * size + (gain - loss) - PAIRWISE * U * (gain + loss)
        return float(value) if math.isfinite(value) else 0.0


@njit(**KERNEL)
def climb(gram, m, lam, slope, steps):
    """Maximise <c, lam> - <lam, gram lam> / (2m) over the simplex, in place, moving weight between two at a time.

    `slope` is the gradient c - gram lam / m, kept up to date."""
    for _ in range(steps):
        i, j = 0, -1
        for k in range(lam.shape[0]):
            if slope[k] > slope[i]:
                i = k
            if lam[k] > 0.0 and (j < 0 or slope[k] < slope[j]):
                j = k
        rise, bend = slope[i] - slope[j], (gram[i, i] + gram[j, j] - 2.0 * gram[i, j]) / m
        if rise <= 1e-14 * abs(slope[i]):
            break
        move = min(lam[j], rise / bend) if bend > 0.0 else lam[j]
        lam[i] += move
        lam[j] = max(0.0, lam[j] - move)
        for k in range(lam.shape[0]):
            slope[k] -= move * (gram[i, k] - gram[j, k]) / m
