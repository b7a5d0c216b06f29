"""Averaging around any torch optimiser (the formula: `averaged_step`)."""

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer

from cesaro.docstrings import complete
from cesaro.optim.averaged_settings import SettingsWatch, check_base, spell_out, warn_of_momentum
from cesaro.optim.averaged_step import (
    FORMAT,
    STEP,
    X,
    Z,
    effective_rate,
    initial_state,
    make_batches,
    scaled_rates,
    show_y,
    show_z,
)
from cesaro.optim.averaging_optimizer import AveragingOptimizer
from cesaro.optim.averaging_schedule import as_plain_value
from cesaro.optim.checkpoints import check_checkpoint_of_base, restore_types, with_own_settings
from cesaro.optim.step_inputs import active_parameters, loss_of
from cesaro.optim.validation import check_averaged_group


class Averaged(Optimizer):
    """Averaging around any torch optimiser. The parameters are always the ones to evaluate: there is no eval mode.

    State: one copy of the parameters beside the base's own (two in float32 for parameters of 16 bits), in the base's state;
    the settings are in its groups as `averaging`, `averaging_start` and so on. Groups may differ, and are given them under the
    names below; only `weight_decay` is the base's there. So schedulers, GradScaler, DDP, FSDP2 and checkpoints see an ordinary
    optimiser; the state of a checkpoint of the bare base loads too, and the averages begin where it stands. The rate falls by
    itself: of LR schedulers use warm-up only.

    Parameters
    ----------
    base : torch.optim.Optimizer
        Any optimiser that reads `lr` from its groups and whose `step()` needs no closure. Averaging acts as momentum: construct
        the base without (`AdamW(params, lr, betas=(0.0, 0.95))`, `SGD(params, lr)`), else there is a warning.
    averaging, start, t0 : as in `GDA`
        The weights, the step at which they begin to advance, and where they begin.
    ahead : float, default=2.0
        How far gradients are taken ahead of the average, towards z: k_t = min(ahead c_t, 1/2) falls with the share. 0: not.
    dual : {"average", "plain"}, default="average"
        The paper's dual average, whose rate falls with the share; or the base at a constant rate, and its iterates averaged.
    weight_decay : float, default=0.0
        Decoupled weight decay of the parameters y. The base's own, which it has been constructed with, acts on z.
    steps : int, optional
        The number of steps that you will take, if you know it: it sets `start`.
    warmup : int, default=0
        Steps over which the rate rises to its full value: none by default, unlike in `averaged_adamw`.
    error_if_nonfinite : bool, default=False
        Raise if a gradient has NaN or inf, before anything is changed.

    Raises
    ------
    TypeError
        If base is not an optimiser that takes one gradient a step.
    ValueError
        If a setting is invalid; the message says what was expected.

    Examples
    --------
    >>> import torch
    >>> w = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = Averaged(torch.optim.AdamW([w], lr=0.1, betas=(0.0, 0.95)), steps=100)
    >>> for _ in range(100):
    ...     optimizer.zero_grad()
    ...     (w**2).sum().backward()
    ...     optimizer.step()
    >>> abs(w.item()) < 0.1
    True
    """

    base: Optimizer
    _settings_watch: SettingsWatch

    def __init__(
        self,
        base: Optimizer,
        *,
        averaging: Any = "linear",
        start: int | None = None,
        t0: int | None = None,
        ahead: float = 2.0,
        dual: str = "average",
        weight_decay: float = 0.0,
        steps: int | None = None,
        warmup: int = 0,
        error_if_nonfinite: bool = False,
    ) -> None:
        check_base(base, Averaged, torch.optim.LBFGS)
        settings = {
            "averaging": averaging,
            "averaging_start": start,
            "averaging_t0": t0,
            "averaging_steps": steps,
            "averaging_ahead": ahead,
            "averaging_dual": dual,
            "averaging_weight_decay": weight_decay,
            "averaging_warmup": warmup,
            "averaging_format": FORMAT,
            "error_if_nonfinite": error_if_nonfinite,
        }
        groups = [spell_out(group, base.defaults) for group in base.param_groups]
        for group in groups:
            check_averaged_group({**settings, **group})
        warn_of_momentum(base, groups)
        super().__setstate__(self._fresh(base, {}))  # the hooks, as after unpickling: groups and state are the base's
        self.defaults = {**base.defaults, **settings}
        for group in base.param_groups:
            self._complete(group)

    @staticmethod
    def _fresh(base: Optimizer, defaults: dict[str, Any]) -> dict[str, Any]:
        return {"base": base, "defaults": defaults, "_settings_watch": SettingsWatch(base)}

    def _complete(self, group: dict[str, Any]) -> None:
        named = spell_out(group, self.base.defaults)
        group.clear()
        group.update(named)
        for key, value in self.defaults.items():
            group.setdefault(key, value)
        group["averaging"] = as_plain_value(group["averaging"])
        for p in group["params"]:  # Adagrad has a state from the beginning, and what loads into it looks for ours
            if self.state.get(p) and Z not in self.state[p]:
                self.state[p].update(initial_state(p))

    @property
    def state(self) -> Any:
        """The base's state."""
        return self.base.state

    @state.setter
    def state(self, state: Any) -> None:
        self.base.state = state

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """The base's groups."""
        return self.base.param_groups

    @param_groups.setter
    def param_groups(self, groups: list[dict[str, Any]]) -> None:
        self.base.param_groups = groups

    @complete(AveragingOptimizer.add_param_group)
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with settings of their own, the base's and ours."""
        named = spell_out(param_group, self.base.defaults)
        check_averaged_group({**self.defaults, **named})
        self.base.add_param_group(named)
        self._complete(self.base.param_groups[-1])

    def __getstate__(self) -> dict[str, Any]:
        return self._fresh(self.base, self.defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "base" in state:  # a pickle
            super().__setstate__(state)
            return
        self.base.__setstate__(state)  # a checkpoint: the base completes its own part
        for group in self.param_groups:
            self._complete(group)

    def __repr__(self) -> str:
        return f"Averaged({self.base!r})"

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a checkpoint of this optimiser, or one of the bare base.

        Of the bare base's only the state is taken: lr, betas and all other settings stay those of this optimiser, for the
        checkpoint has a decayed rate and momentum, and the averages begin at the present parameters.

        Parameters
        ----------
        state_dict : dict
            What `state_dict()` has returned.

        Raises
        ------
        ValueError
            If the checkpoint is that of another kind of optimiser or of other parameters.
        """
        check_checkpoint_of_base(state_dict, self.base, FORMAT)
        super().load_state_dict(with_own_settings(state_dict, self))
        restore_types(state_dict, self, own=(Z, X), counter=STEP)
        self._settings_watch.forget_rates()

    def effective_lr(self) -> list[float]:
        """The rate of the next step, of each group: what to log, where `param_groups[0]["lr"]` stays as it was given.

        Returns
        -------
        list of float
            lr c_t / c_1, with warm-up; dual="plain": lr. The base itself is given 2 - c_1 times that, 1.95 by default: z moves
            further, and returns to the average. Parameters without a gradient do not count a step: of a group that has such,
            it is the rate of those that have taken most steps.
        """
        return [effective_rate(group, self.state) for group in self.param_groups]

    @complete(AveragingOptimizer.step)
    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step. A closure is called once, and is not needed.

        Raises
        ------
        RuntimeError
            If a gradient is sparse, or not finite with error_if_nonfinite=True; nothing is changed then.
        ValueError
            If a setting has been written into a group under the constructor's name, where it would do nothing.
        """
        loss = loss_of(closure)
        active = active_parameters(self, (Z, X))
        self._settings_watch.look(self.base)
        batches = make_batches(active, self.state)
        for batch in batches:
            show_z(batch)
        try:
            with scaled_rates(self.base, batches):
                self.base.step()
        finally:  # if the base has failed this is a step without it
            for batch in batches:
                show_y(batch)
        for batch in batches:
            batch.save(self.state)
        return loss
