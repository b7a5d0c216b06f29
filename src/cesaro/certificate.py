"""Certificates: lower bounds on the optimum that hold during the run, and the theorems' bounds in computable form.

Strong convexity at x_k is a cut  f(w) >= c_k + <s_k, w> + mu/2 |w|^2  with  s_k = g_k - mu x_k  and
c_k = f(x_k) - <g_k, x_k> + mu/2 |x_k|^2. Cuts can be averaged with any weights and stay true, so

    f* >= min over w in Q of  c + <s, w> + mu/2 |w|^2,    attained at P_Q(-s / mu),

is a proof, whatever made the points x_k. What rounding can have done to it is subtracted.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from cesaro.domains import Domain, Everywhere, Simplex
from cesaro.methods import DA, GDA, PDA, SCPDA, Method, StepWeights
from cesaro.vectors import combine

EPS = float(np.finfo(float).eps)


class Cut(NamedTuple):
    """f(w) >= c + <s, w> + mu/2 |w|^2 for all w in Q, up to rounding."""

    s: np.ndarray
    c: float
    size: float  # of the terms that c was made from
    slope: float  # of the terms that s was made from
    merged: int  # how many cuts were averaged into this one


def mix(keep: float, old: Cut, share: float, new: Cut) -> Cut:
    """keep old + share new, where keep + share = 1."""
    return Cut(
        combine((keep, old.s), (share, new.s)),
        keep * old.c + share * new.c,
        keep * old.size + share * new.size,
        keep * old.slope + share * new.slope,
        old.merged + new.merged,
    )


def lower_bound(cut: Cut, mu: float, domain: Domain, eps: float = EPS) -> float:
    """The minimum of a cut over the domain, less a bound on all rounding errors; -inf where the minimum is.

    eps is the precision of the oracle's answers, if that is lower than float64's. What s may be off by moves the minimiser
    too, by that over mu: docs/proofs.md, section 9.
    """
    slack = (cut.s.size + 2 * cut.merged + 4) * eps
    if mu == 0:
        bound = cut.c + domain.lowest(cut.s) - slack * (cut.size + cut.slope * domain.reach(np.zeros_like(cut.s)))
        return bound if math.isfinite(bound) else -math.inf
    m = domain.project(cut.s / -mu)
    mm = float(m @ m)
    far = min(math.sqrt(mm) + slack * cut.slope / (2 * mu), domain.reach(np.zeros_like(m)))
    bound = cut.c + float(cut.s @ m) + mu / 2 * mm - slack * (cut.size + mu * mm + cut.slope * far)
    return bound if math.isfinite(bound) else -math.inf


def tighten(cuts: list[Cut], mu: float, domain: Domain, eps: float = EPS) -> float:
    """The best bound over all averages of the cuts: maximise a concave function on the simplex, then check the maximiser.

    Any weights give a proof, so the accelerated gradient method need not converge; its last point is what is checked.
    """
    S, c = np.stack([cut.s for cut in cuts]), np.array([cut.c for cut in cuts])
    gram = S @ S.T / mu
    curvature = np.trace(gram)  # not less than the largest eigenvalue
    if not (curvature > 0 and math.isfinite(curvature)):
        return max(lower_bound(cut, mu, domain, eps) for cut in cuts)
    curvature = np.linalg.eigvalsh(gram / curvature)[-1] * curvature
    unconstrained = isinstance(domain, Everywhere)
    rounds = 60 if unconstrained else int(np.clip(4e7 / S.size, 5, 60))
    weights = ahead = np.full(len(cuts), 1.0 / len(cuts))
    for k in range(rounds):
        uphill = c - gram @ ahead if unconstrained else c + S @ domain.project(ahead @ S / -mu)
        previous, weights = weights, Simplex().project(ahead + uphill / curvature)
        ahead = weights + k / (k + 3) * (weights - previous)
    weights = weights / weights.sum()  # the projection leaves a sum that is 1 only about
    mixed = Cut(
        weights @ S,
        float(weights @ c),
        float(weights @ [cut.size for cut in cuts]),
        float(weights @ [cut.slope for cut in cuts]),
        max(cut.merged for cut in cuts) + len(cuts),
    )
    return lower_bound(mixed, mu, domain, eps)


class Bundle:
    """The run's own average of all its cuts, and the averages of its last few segments; the best bound they have given."""

    def __init__(self, mu: float, domain: Domain, d: int, capacity: int = 20) -> None:
        self.mu, self.domain, self.d = mu, domain, d
        self.capacity = int(np.clip(8_000_000 // d, 2, capacity))  # at most 64 MB of cuts
        self.best = -math.inf
        self.begin()

    def begin(self) -> None:
        """A new run on the same problem: old bounds hold, old segments are dropped."""
        self.whole: Cut | None = None
        self.segments: list[Cut] = []
        self._open()

    def _open(self) -> None:
        self.segment, self.weight = Cut(np.zeros(self.d), 0.0, 0.0, 0.0, 0), 0.0

    @np.errstate(over="ignore", invalid="ignore")
    def add(self, value: float, g: np.ndarray, x: np.ndarray, gg: float, xx: float, share: float) -> None:
        """Take in the cut at x_t, where gg = <g, g>, xx = <x, x> and share = a_t / A_t."""
        self.weight = self.weight * (1.0 - share) + share  # the segment's share of A_t
        share, old, mu = share / self.weight if self.weight else 1.0, self.segment, self.mu
        keep, norm_g, norm_x = 1.0 - share, math.sqrt(gg), math.sqrt(xx)
        self.segment = Cut(
            combine((keep, old.s), (share, g), (-share * mu, x)),
            keep * old.c + share * (value - float(g @ x) + mu / 2 * xx),
            keep * old.size + share * (abs(value) + norm_g * norm_x + mu / 2 * xx),
            keep * old.slope + share * (norm_g + mu * norm_x),
            old.merged + 1,
        )

    @np.errstate(over="ignore", invalid="ignore")
    def bound(self, eps: float = EPS) -> float:
        """Close the segment and return the best lower bound so far."""
        if self.segment.merged:
            whole = self.whole or self.segment
            self.whole = mix(1.0 - self.weight, whole, self.weight, self.segment)
            self.segments = [*self.segments, self.segment][-self.capacity :]
            self._open()
            self.best = max(self.best, lower_bound(self.whole, self.mu, self.domain, eps))
            if self.mu > 0 and len(self.segments) > 1:
                self.best = max(self.best, tighten(self.segments, self.mu, self.domain, eps))
        return self.best


class Theorem(Protocol):
    """A theorem's bound, from the subgradients that were seen.

    `add` takes in step t and |g_t|^2, `value` bounds the suboptimality of the method's output.
    """

    def add(self, now: StepWeights, gg: float) -> None: ...
    @property
    def value(self) -> float: ...


class StronglyConvex:
    """(1/2A_t) sum_k [ a_k^2/(mu Gamma_k) |g_k|^2 + mu (gamma_k - a_k)_+ |x_k - w*|^2 ] + mu gamma_0/(2A_t) |x_1 - w*|^2.

    The unknown |x_k - w*| is replaced by |g_k|/mu, which is not smaller. Theorem 1 says this of GDA's a-average. Theorem 2 says
    it of SC-PDA's last point and is false; it holds with  Gamma~_k = Gamma_{k-1} + gamma_k a_k^2 / (gamma_k A_{k-1} + a_k^2).
    """

    def __init__(self, mu: float, corrected: bool) -> None:
        self.mu, self.corrected, self.value = mu, corrected, 0.0

    def add(self, now: StepWeights, gg: float) -> None:
        if now.step == 0.0 or self.value == math.inf:  # a_k is negligible against gamma_k
            self.value = math.inf
            return
        ratio, step = now.dual / now.step, now.step  # gamma_k / a_k and a_k / Gamma_k
        if self.corrected:
            before = 1.0 / now.share - 1.0  # A_{k-1} / a_k
            step /= 1.0 - now.dual + step * ratio / (ratio * before + 1.0)
        anchor = (1.0 - now.dual) / now.step if now.t == 1 else 0.0  # gamma_0 / a_1
        self.value += now.share * ((step + max(0.0, ratio - 1.0) + anchor) * gg / (2 * self.mu) - self.value)


class DualAveraging:
    """(1/A_t) [ gamma_t |x_1 - w*|^2/2 + sum_k a_k^2/(2 gamma_{k-1}) |g_k|^2 ] for DA's a-average and PDA's last point.

    Here gamma_0 = gamma_1, and |x_1 - w*| is at most the reach of the domain, or |g_1|/mu. As printed (gamma_k) it is false.
    """

    def __init__(self, mu: float, reach: float) -> None:
        self.mu, self.far, self.sum, self.scale, self.valid = mu, reach, 0.0, 0.0, True

    def add(self, now: StepWeights, gg: float) -> None:
        if now.t == 1:
            self.far = min(self.far, math.sqrt(gg) / self.mu if self.mu else math.inf)
            step = now.scale
        elif now.share == 1.0:  # A_{t-1} is negligible against a_t
            self.valid = False
            return
        else:
            step = self.scale * now.share / (1.0 - now.share)  # a_t / gamma_{t-1}
            self.valid &= now.scale * (1.0 - now.share) <= self.scale * (1 + 1e-12)  # gamma does not decrease
        self.sum += now.share * (step * gg / 2 - self.sum)
        self.scale = now.scale

    @property
    def value(self) -> float:
        return self.far**2 / (2 * self.scale) + self.sum if self.valid and self.scale > 0.0 else math.inf


def theorem_1(mu: float, reach: float) -> Theorem:
    """For the a-weighted average of GDA."""
    return StronglyConvex(mu, corrected=False)


def theorem_2(mu: float, reach: float) -> Theorem:
    """For the last point of SC-PDA, corrected."""
    return StronglyConvex(mu, corrected=True)


THEOREMS: dict[type[Method], Callable[[float, float], Theorem]] = {  # from mu and the reach of the domain from x_1
    GDA: theorem_1,
    SCPDA: theorem_2,
    DA: DualAveraging,
    PDA: DualAveraging,
}
