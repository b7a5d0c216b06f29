"""Parameters that are elsewhere while a closure runs, and how they return: along the difference d, or from a copy."""

from collections.abc import Iterable
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
        self.distances: dict[Tensor, float] = {}
        self.copies: dict[Tensor, Tensor] = {}

    def move_along_d(self, params: list[Tensor], distance: float) -> None:
        """p = p - distance d. No copy is made: they return to rounding."""
        self._add_d(params, -distance)
        self.distances.update(dict.fromkeys(params, distance))

    def move_to(self, p: Tensor, point: Tensor) -> None:
        """p = point. They return to the bit."""
        self.copies[p] = p.detach().clone()
        p.copy_(point)

    def leave_to_step(self, params: list[Tensor]) -> bool:
        """Those that have moved along d return by their step, if any; whether there are any among these."""
        distances = [self.distances.pop(p, None) for p in params]
        return any(distance is not None for distance in distances)

    def return_copied(self) -> None:
        """Those that have a copy return."""
        while self.copies:
            p, before = self.copies.popitem()
            p.copy_(before)

    def return_along_d(self, params: Iterable[Tensor]) -> None:
        """These return, of those that have moved along d."""
        together: dict[tuple[float, torch.dtype], list[Tensor]] = {}
        for p in params:
            together.setdefault((self.distances.pop(p), p.dtype), []).append(p)
        for (distance, _), same in together.items():
            self._add_d(same, distance)

    def _add_d(self, params: list[Tensor], factor: float) -> None:
        (taken, its_d), (p, d) = kernel_calls.divide(params, [self.state[p]["d"] for p in params])
        if taken:
            kernel_calls.run(kernels.move, [taken], [its_d], factor)
        if p:
            ForeachOps.add_(p, d, factor)
