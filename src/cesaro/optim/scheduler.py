"""The schedule of GDA: without a ball GDA is SGD with the rate lr c_t / c_1, so SGD and this scheduler are GDA."""

from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from cesaro.optim.averaging_schedule import make_clock, plain
from cesaro.optim.validation import check_clock


class AveragingLR(LRScheduler):
    """Multiplies the rate with c_t / c_1, as GDA does inside: constant until step `start`, then falling as the weights advance.

    Call step() after every optimizer.step(). The arguments are those of `GDA`; the rate depends on the step alone.

    >>> import torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> schedule = AveragingLR(optimizer, start=0, t0=0)
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()      # 2 / (t + 1) at t = 4
    [0.4]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        averaging: Any = "linear",
        start: int | None = None,
        t0: int | None = None,
        last_epoch: int = -1,
    ) -> None:
        check_clock(averaging, start, t0)
        self.averaging, self.start, self.t0 = plain(averaging), start, t0
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of step t = last_epoch + 1."""
        clock = make_clock(self.averaging, self.start, self.t0)
        factor = clock.share(self.last_epoch + 1) / clock.first
        return [base * factor for base in self.base_lrs]
