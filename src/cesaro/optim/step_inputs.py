"""What every step begins with: the closure's loss, and the parameters that have a gradient, checked before anything changes."""

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer

from cesaro.optim.validation import check_gradients, check_shapes

Active = list[tuple[dict[str, Any], Any]]  # a group, and a parameter of it that has a gradient


def loss_and_active(
    optimizer: Optimizer, closure: Callable[[], Any] | None, averages: tuple[str, ...]
) -> tuple[Any, Active]:
    """The closure's loss, if there is a closure, and the parameters with a gradient; `averages`: what their states may have."""
    loss = None
    if closure is not None:
        with torch.enable_grad():
            loss = closure()
    active = [(group, p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    check_gradients(type(optimizer).__name__, active)
    check_shapes(active, optimizer.state, averages)
    return loss, active
