"""Parameters that take the same step, and the two moves that the primal-dual methods make with them."""

from typing import Any, NamedTuple

from torch import Tensor

from cesaro.optim import fused as fused_sgd
from cesaro.optim import kernel_calls, kernels
from cesaro.optim.ball import ball_scale, squares_of
from cesaro.optim.foreach import ForeachOps, LoopOps, lerp_, move_towards_


class ParameterBatch(NamedTuple):
    """Parameters that take the same step."""

    group: dict[str, Any]
    t: Any  # the number of this step; inside torch.compile a tensor with one entry per parameter
    x: list[Tensor]  # what is updated: the parameters, or their averages in a longer type
    g: list[Tensor]
    states: list[dict[str, Any]]
    ops: type[ForeachOps] | type[LoopOps]  # how sums over lists of tensors are done

    def get(self, key: str) -> list[Tensor]:
        """One entry of every parameter's state."""
        return [state[key] for state in self.states]

    def without(self, done: list[bool]) -> "ParameterBatch":
        """The batch without some of its parameters."""
        kept = [i for i, each in enumerate(done) if not each]
        return self._replace(
            x=[self.x[i] for i in kept], g=[self.g[i] for i in kept], states=[self.states[i] for i in kept]
        )

    def use_fused(self, *tensors: list[Tensor]) -> bool:
        """Whether torch's fused kernel is wanted, and supports these lists."""
        wanted = self.group["fused"] or (self.group["fused"] is None and self.group["foreach"] is None)
        return bool(wanted) and fused_sgd.is_supported(*tensors)

    def shrink(self, factor: Any, averages: list[Tensor]) -> float:
        """Decoupled weight decay of x and an average; returns the weight decay that is left for the gradient."""
        decay: float = self.group["weight_decay"]
        if not decay or not self.group["decoupled_weight_decay"]:
            return decay
        for tensors in (self.x, averages):
            self.ops.scale_(tensors, 1 - factor * decay)
        return 0.0

    def move_by_difference(self, *, momentum: Any, rate: Any, decay: float, share: Any) -> None:
        """d <- momentum d + rate (g + decay x), then x <- x - share d: one pass over memory where the fused kernel fits."""
        x, g, d, ops = self.x, self.g, self.get("d"), self.ops
        sign = -1.0 if self.group["maximize"] else 1.0
        if self.use_fused(x, g, d) and momentum > 0:
            given = {"momentum": momentum, "dampening": 1 - rate, "weight_decay": decay, "maximize": sign < 0}
            fused_sgd.step_(x, g, d, lr=share, **given)
            return
        ops.scale_(d, momentum)
        ops.add_(d, g, sign * rate)
        if decay:
            ops.add_(d, x, rate * decay)
        ops.add_(x, d, -share)

    def move_to_projection(self, factors: Any, point: list[Tensor], rate: Any, dual: Any, decay: float) -> None:
        """v <- (1 - dual) v + dual point - rate (g + decay point), then x <- x + c' (P(v) - x): with a ball."""
        x, g, v, ops = self.x, self.g, self.get("v"), self.ops
        sign = -1.0 if self.group["maximize"] else 1.0
        (taken_v, *others), (some_v, some_y, some_g) = kernel_calls.divide(v, point, g)
        squares: dict[int, float] = {}
        if taken_v:
            numbers = (dual, sign * rate, rate * decay)
            totals = kernel_calls.run_kernel(kernels.dual_step, [taken_v], others, *numbers, totals=True)
            squares = dict(zip(map(id, taken_v), totals, strict=True))
        if some_v:
            lerp_(some_v, some_y, dual)
            if decay:
                ops.add_(some_v, some_y, -rate * decay)
            ops.add_(some_v, some_g, -sign * rate)
            squares |= squares_of(some_v)
        scales = [ball_scale(each, self.group, squares.get(id(each))) for each in v]
        move_towards_(x, v, scales, factors.next_primal)
