"""Parameters that are elsewhere while a closure runs, and how they return: along the difference d, or from a copy."""

from typing import Any

import torch
from torch import Tensor

from cesaro.optim import kernel_calls, kernels
from cesaro.optim.foreach import ForeachOps


class WayBack:
    """Of the parameters of one step.

    Parameters
    ----------
    state : dict
        The optimiser's state, where the differences d are.
    """

    def __init__(self, state: Any) -> None:
        self.state = state
        self.moved: dict[int, tuple[Tensor, float]] = {}  # along d, by id: a tensor's own hash is slow
        self.copies: dict[Tensor, Tensor] = {}

    def move_along_d(self, params: list[Tensor], d: list[Tensor], distance: float) -> None:
        """p = p - distance d. No copy is made: they return to rounding."""
        _add_d(params, d, -distance)
        self.moved.update({id(p): (p, distance) for p in params})

    def move_to(self, p: Tensor, point: Tensor) -> None:
        """p = point. They return to the bit."""
        self.copies[p] = p.detach().clone()
        p.copy_(point)

    def leave_to_step(self, params: list[Tensor]) -> bool:
        """Those that have moved along d return by their step, if any; whether there are any among these."""
        moved = [self.moved.pop(id(p), None) for p in params]
        return moved.count(None) < len(moved)

    def return_copied(self) -> None:
        """Those that have a copy return."""
        while self.copies:
            p, before = self.copies.popitem()
            p.copy_(before)

    def return_along_d(self) -> None:
        """Those that have moved along d, and have not taken a step, return."""
        together: dict[tuple[float, torch.dtype], list[Tensor]] = {}
        while self.moved:
            _, (p, distance) = self.moved.popitem()
            together.setdefault((distance, p.dtype), []).append(p)
        for (distance, _), params in together.items():
            _add_d(params, [self.state[p]["d"] for p in params], distance)


def _add_d(params: list[Tensor], differences: list[Tensor], factor: float) -> None:
    (taken, its_d), (p, d) = kernel_calls.divide(params, differences)
    if taken:
        kernel_calls.run_kernel(kernels.move, [taken], [its_d], factor)
    if p:
        ForeachOps.add_(p, d, factor)
