"""AdamW set up for averaging around it."""

import inspect
from typing import Any

from torch import Tensor
from torch.optim import AdamW

from cesaro.optim.averaged_wrapper import Averaged

WARMUP, WARMUP_FRACTION = 100, 0.05


def averaged_adamw(
    params: Any,
    lr: float | Tensor = 4e-3,
    *,
    beta2: float = 0.99,
    eps: float = 1e-8,
    weight_decay: float = 0.01,
    steps: int | None = None,
    warmup: int | None = None,
    averaging: Any = "linear",
    start: int | None = None,
    t0: int | None = None,
    ahead: float = 2.0,
    dual: str = "average",
    error_if_nonfinite: bool = False,
    **settings: Any,
) -> Averaged:
    """`Averaged` around torch's AdamW, without momentum and with a warm-up.

    Parameters
    ----------
    params : iterable
        Parameters or groups of them, each with its own settings.
    lr : float or Tensor, default=0.004
        The rate of the constant phase. Begin with the peak rate of your AdamW schedule, and try half and twice of it.
    beta2, eps, weight_decay : float
        As in AdamW. beta1 is 0: averaging acts as momentum.
    steps : int, optional
        The number of steps that you will take, if you know it: it sets `start` and `warmup`.
    warmup : int, optional
        Steps over which the rate rises. By default a twentieth of `steps`, or 100.
    averaging, start, t0, ahead, dual : as in `Averaged`
        The weights, the step at which they begin to advance, where they begin; the point of the gradients, the dual step.
    error_if_nonfinite : bool, default=False
        Raise if a gradient has NaN or inf, before anything is changed.
    **settings : dict
        Further settings of AdamW (fused=True, foreach=True, maximize=True).

    Returns
    -------
    Averaged
        The optimiser.

    Raises
    ------
    TypeError
        If a setting is unknown, or `betas`, of which the first is 0 here.
    ValueError
        If a setting is invalid; the message says what was expected.

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = averaged_adamw(model.parameters(), lr=1e-3, steps=10_000)
    >>> optimizer.param_groups[0]["betas"], optimizer.param_groups[0]["averaging_warmup"]
    ((0.0, 0.99), 500)
    """
    if "betas" in settings:
        raise TypeError(
            "averaged_adamw takes beta2, not betas: beta1 is 0, because averaging acts as momentum. For another beta1 write "
            "Averaged(AdamW(params, lr, betas=...))."
        )
    if unknown := sorted(settings.keys() - inspect.signature(AdamW).parameters.keys()):
        raise TypeError(f"averaged_adamw does not know {unknown[0]!r}: it takes {', '.join(_known())}.")
    if warmup is None:
        warmup = WARMUP if steps is None else int(WARMUP_FRACTION * steps)
    base = AdamW(params, lr=lr, betas=(0.0, beta2), eps=eps, weight_decay=weight_decay, **settings)
    chosen: dict[str, Any] = {"averaging": averaging, "start": start, "t0": t0, "ahead": ahead, "dual": dual}
    return Averaged(base, steps=steps, warmup=warmup, error_if_nonfinite=error_if_nonfinite, **chosen)


def _known() -> list[str]:
    """The settings: ours, then AdamW's further ones."""
    ours = [name for name in inspect.signature(averaged_adamw).parameters if name not in ("params", "settings")]
    return ours + [name for name in inspect.signature(AdamW).parameters if name not in ("params", "betas", *ours)]
