"""The schedule of GDA: without a ball GDA is SGD with the rate lr c_t / c_1, so SGD and this scheduler are GDA."""

from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from cesaro.optim.averaging_schedule import as_plain_value, make_averaging_schedule
from cesaro.optim.validation import check_schedule


class AveragingLR(LRScheduler):
    """Multiplies the rate with c_t / c_1, as GDA does inside: constant until step `start`, then falling as the weights advance.

    Call step() after every optimizer.step(); the rate depends on the step alone.

    Parameters
    ----------
    optimizer : torch.optim.Optimizer
        The optimiser whose rates are scheduled.
    averaging, start, t0 : as in `GDA`
        The weights, the step at which they begin to advance, and where they begin.
    last_epoch : int, default=-1
        As in torch's schedulers: the number of steps done, to resume from.
    steps : int, optional
        The number of steps that you will take, if you know it: it sets `start`.

    Raises
    ------
    ValueError
        If an argument is invalid; the message says what was expected.

    Examples
    --------
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
        steps: int | None = None,
    ) -> None:
        check_schedule(averaging, start, t0, steps)
        self.averaging, self.start, self.t0, self.steps = as_plain_value(averaging), start, t0, steps
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The rates of step t = last_epoch + 1, one per parameter group.

        Returns
        -------
        list of float
            lr c_t / c_1 for each group's own lr.
        """
        schedule = make_averaging_schedule(self.averaging, self.start, self.t0, self.steps)
        factor = schedule.share(self.last_epoch + 1) / schedule.initial_share
        return [base * factor for base in self.base_lrs]
