"""The share c_t = a_t / A_t of the newest point in an average, for networks.

    c_t = a_s / A_s   at   s = t0 + max(1, t - start),     t = 1, 2, ...

Until step `start` the share is constant, so the averages are exponential ones; after it the weights advance
from there, and c_t is continuous at the switch. start = 0, t0 = 0 is the paper: c_1 = 1, and c_t = 2/(t + 1) if a_t = t.
If neither start nor the number of steps is known, the share is constant for START steps and then falls slowly, like 1/sqrt(t):
s = (t0 + 1) sqrt(t / START). The functions take t as a number, or as a float64 tensor of counters so that a compiled step
never sees t change.
"""

import functools
import math
from numbers import Real
from typing import Any, NamedTuple

import torch

from cesaro.weights import Geometric, Linear, Power, Uniform, head

START = 1000  # steps of the constant phase, where neither they nor the number of steps is known
MEMORY = 20  # its averages remember about this many steps: c = 1/20
LARGEST_POWER = 1e5  # four times as many sums are made before the first step
CONSTANT_FRACTION = 2 / 3  # the constant phase, where the number of steps is known


class AveragingSchedule(NamedTuple):
    """Weights, the step at which they begin to advance (None: slowly), and where they begin (t0 = inf: at the share's limit).

    Everything is a number, because torch.compile wants it so.
    """

    power: float | None
    rate: float | None  # of geometric weights, or None
    start: int | None
    t0: float
    head: tuple[float, ...]  # A_s / a_s for the first s; then there is a formula
    initial_share: float = 0.0  # c_1, the share of the constant phase

    def share(self, t: Any) -> Any:
        """c_t, for a number t or a tensor of them."""
        if isinstance(t, torch.Tensor):
            if self.start is None:
                return self.share_at((self.t0 + 1.0) * (t / START).clamp(min=1.0).sqrt())
            return self.share_at((self.t0 + (t - self.start).clamp(min=1.0)).clamp(min=1.0))
        if self.start is None:
            return self.share_at((self.t0 + 1.0) * math.sqrt(max(1.0, t / START)))
        return self.share_at(max(1.0, self.t0 + max(1.0, t - self.start)))

    def complete(self) -> "AveragingSchedule":
        """With its initial share."""
        return self._replace(initial_share=self.share(1.0))

    def share_at(self, s: Any) -> Any:
        """a_s / A_s for a position or a tensor of them."""
        few = len(self.head)
        if self.rate is not None:
            grown = s * math.log1p(-self.rate)
            return self.rate / -(torch.expm1(grown) if isinstance(s, torch.Tensor) else math.expm1(grown))
        if self.power in (0, 1):
            return 1.0 / s if self.power == 0 else 2.0 / (s + 1.0)
        if not isinstance(s, torch.Tensor):
            return 1.0 / (self.head[int(s) - 1] if s <= few else self._expanded(s))
        known = torch.tensor(self.head, dtype=s.dtype, device=s.device)[(s.long() - 1).clamp(max=few - 1)]
        return 1.0 / torch.where(s <= few, known, self._expanded(s.clamp(min=float(few))))

    def _expanded(self, s: Any) -> Any:
        """A_s / a_s by Euler and Maclaurin's formula: the terms at s, and what those at the head's end leave over, decayed."""
        p, few = self.power, len(self.head)
        assert p is not None
        rest = self.head[-1] - _ends(p, float(few))
        return rest * (s / few) ** -p + _ends(p, s)


class StepFactors(NamedTuple):
    """The coefficients of step t: numbers, or tensors with an entry per parameter."""

    dual: Any  # c_t, the newest point's share in the dual average
    primal: Any  # c'_t, its share in the primal average; the same weights
    next_primal: Any  # c'_{t+1}
    rate: Any  # c_t / mu, what a gradient is multiplied with
    decay: Any  # the rate by which decoupled weight decay shrinks
    lr: Any  # the rate of the plain dual step


@torch.compiler.assume_constant_result
def make_averaging_schedule(
    averaging: Any, start: int | None, t0: int | None, steps: int | None = None
) -> AveragingSchedule:
    """The schedule of a parameter group; None stands for the defaults above."""
    weights = make_averaging(averaging)
    if start is None and steps is not None:
        start = int(CONSTANT_FRACTION * steps)
    if isinstance(weights, Geometric):
        return AveragingSchedule(None, weights.rate, start, math.inf if t0 is None else t0, ()).complete()
    return _power_schedule(float(weights.p), start, t0)


@functools.lru_cache
def _power_schedule(p: float, start: int | None, t0: int | None) -> AveragingSchedule:
    known = [1.0]
    if p not in (0, 1):
        for s in range(2, head(p) + 1):
            known.append(1.0 + known[-1] * ((s - 1) / s) ** p)
    schedule = AveragingSchedule(p, None, start, 0, tuple(known))
    return schedule._replace(t0=_first_with_share(schedule, 1 / MEMORY) if t0 is None else t0).complete()


def step_factors(group: dict[str, Any], t: Any, b: float) -> StepFactors:
    """The coefficients of step t for gradients taken at (1-b) w + b x.

    1/mu = lr (1 + b (1 - c)) / c with the share c of the constant phase: in that phase a gradient moves the parameters by lr in
    the long run, whatever b, as it does in SGD. In the paper's setting c = 1 and lr = 1/mu.
    """
    schedule = make_averaging_schedule(group["averaging"], group["start"], group["t0"], group["steps"])
    lr = group["lr"] * torch.ones_like(t) if isinstance(t, torch.Tensor) else float(group["lr"])
    first, dual = schedule.initial_share, schedule.share(t)
    return StepFactors(
        dual, dual, schedule.share(t + 1), lr * (1 + b * (1 - first)) / first * dual, lr / first * dual, lr
    )


def make_averaging(averaging: Any) -> Power | Geometric:
    """Weights from what a user may write: a name, a power, a geometric rate, or an object from cesaro.weights.

    >>> make_averaging("linear"), make_averaging(3), make_averaging(0.05)
    (Power(p=1, scale=1.0), Power(p=3.0, scale=1.0), Geometric(rate=0.05))
    """
    if isinstance(averaging, Power):
        return _bounded(averaging)
    if isinstance(averaging, Geometric):
        return averaging
    if isinstance(averaging, Linear | Uniform):
        return Power(1 if isinstance(averaging, Linear) else 0)
    if isinstance(averaging, str) and averaging in ("linear", "uniform"):
        return Power(1 if averaging == "linear" else 0)
    if isinstance(averaging, tuple | list) and len(averaging) == 2 and averaging[0] == "power":
        return _bounded(Power(float(averaging[1])))
    if isinstance(averaging, Real) and not isinstance(averaging, bool) and math.isfinite(averaging):
        number = float(averaging)
        if number == 0.0 or number >= 1.0:
            return _bounded(Power(number))
        if number > 0.0:
            return Geometric(number)
    raise ValueError(
        'averaging must be "linear", "uniform", a power (0, or at least 1), a geometric rate (between 0 and 1), or '
        f"Uniform(), Linear(), Power(p) or Geometric(rate) from cesaro.weights: got {averaging!r}."
    )


def _bounded(weights: Power) -> Power:
    """Refuse powers whose sums would take minutes, and which average nothing anyway."""
    if abs(weights.p) > LARGEST_POWER:
        raise ValueError(
            f"averaging must be a power of at most {LARGEST_POWER:g}: got {weights.p:g}, with which the newest point is the "
            "average for as many steps. Use the optimiser's base method, or a smaller power."
        )
    return weights


def as_plain_value(averaging: Any) -> Any:
    """The weights as a name, number or tuple, which torch.load(weights_only=True) accepts in a checkpoint."""
    weights = make_averaging(averaging)
    if isinstance(weights, Geometric):
        return weights.rate
    return {0.0: "uniform", 1.0: "linear"}.get(weights.p, ("power", weights.p))


def _first_with_share(schedule: AveragingSchedule, share: float) -> int:
    """The smallest t0 for which the first share, at s = t0 + 1, is at most this."""
    low, high = 0, 1
    while schedule.share_at(high + 1.0) > share and high < 1e9:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if schedule.share_at(middle + 1.0) > share * (1 + 1e-9) else (low, middle)
    return high


def _ends(p: float, x: Any) -> Any:
    """(integral of x^p, half the last term, three derivatives) / x^p at x."""
    integral = x / (p + 1) if p != -1 else x * (torch.log(x) if isinstance(x, torch.Tensor) else math.log(x))
    d1 = p / x
    d3 = (p - 1) * (p - 2) * d1 / x**2
    d5 = (p - 3) * (p - 4) * d3 / x**2
    return integral + 0.5 + d1 / 12 - d3 / 720 + d5 / 30240
