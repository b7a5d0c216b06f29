"""What every step begins with: the closure's loss, and the parameters that have a gradient, checked before anything changes."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from cesaro.optim.validation import check_gradients, check_shapes

Active = list[tuple[dict[str, Any], list[Tensor]]]  # groups, and the parameters of them that have a gradient


def loss_of(closure: Callable[[], Any] | None) -> Any:
    """What the closure returns; None without a closure."""
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def active_parameters(optimizer: Optimizer, averages: tuple[str, ...]) -> Active:
    """The parameters with a gradient; `averages`: what their states may have."""
    active = [(group, [p for p in group["params"] if p.grad is not None]) for group in optimizer.param_groups]
    check_gradients(type(optimizer).__name__, active)
    for _, params in active:
        check_shapes(params, optimizer.state, averages)
    return active
