"""The settings of Averaged: which bases and names are taken, what is warned of, and what a base's own checkpoint brings."""

import math
import warnings

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import Lion, closure_of, make_model, parameter, same, weights

from cesaro.optim import Averaged, averaged_adamw

SGD, AdamW = torch.optim.SGD, torch.optim.AdamW
CosineAnnealingLR, ReduceLROnPlateau = (
    torch.optim.lr_scheduler.CosineAnnealingLR,
    torch.optim.lr_scheduler.ReduceLROnPlateau,
)


class TwoGradients(SGD):
    """Takes its gradients itself, as SAM does."""

    def step(self, closure):
        closure()
        return super().step(closure)


@pytest.mark.parametrize("base", [1, torch.optim.LBFGS([parameter(1)]), Averaged(SGD([parameter(1)], lr=0.1))])
def test_what_is_no_base_is_refused(base):
    with pytest.raises(TypeError, match="takes one gradient a step: got"):
        Averaged(base)


def test_a_base_that_needs_a_closure_is_refused():
    with pytest.raises(TypeError, match=r"TwoGradients\.step\(\) cannot be called without 'closure'"):
        Averaged(TwoGradients([parameter(1)], lr=0.1))


@pytest.mark.parametrize(
    ("base", "advice"),
    [
        (lambda p: AdamW(p), r"betas=\(0\.0, \.\.\.\), or use averaged_adamw\(params, lr\)\.$"),
        (lambda p: SGD(p, lr=0.1, momentum=0.9), r"with momentum=0\.0\.$"),
        (lambda p: Lion(p, betas=(0.9, 0.99)), r"with betas=\(0\.0, \.\.\.\)\.$"),
    ],
)
def test_momentum_in_the_base_is_warned_of_with_what_applies_to_it(base, advice):
    with pytest.warns(UserWarning, match=r"has momentum 0\.9, and averaging acts as momentum already.*" + advice):
        Averaged(base([parameter(1)]))


SHORT = {"steps": 50, "start": 3, "t0": 4, "ahead": 0.0, "dual": "plain", "warmup": 2}


@pytest.mark.parametrize("added", [False, True])
def test_a_group_takes_the_settings_under_their_own_names(added):
    group = {"params": [parameter(1)], **SHORT, "beta2": 0.9, "weight_decay": 0.0}
    if added:
        optimizer = averaged_adamw([parameter(1)], steps=100)
        optimizer.add_param_group(group)
    else:
        optimizer = averaged_adamw([{"params": [parameter(1)]}, group], steps=100)
    first, second = optimizer.param_groups
    assert {name: second[f"averaging_{name}"] for name in SHORT} == SHORT
    assert (first["averaging_steps"], first["betas"], first["weight_decay"]) == (100, (0.0, 0.99), 0.01)
    assert (second["betas"], second["weight_decay"]) == ((0.0, 0.9), 0.0)
    assert not second.keys() & {*SHORT, "beta2"}


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"steps": 0}, "steps must be None or a whole number, at least 1: got 0"),
        ({"steps": 5, "averaging_steps": 6}, "has both 'steps' and 'averaging_steps'"),
        ({"beta2": 1.5}, r"beta2 must lie between 0 and 1, below 1: got 1\.5"),
        ({"warmup": -1}, "warmup must be"),
    ],
)
def test_a_group_with_a_bad_setting_is_refused_and_nothing_is_added(group, message):
    optimizer = averaged_adamw([parameter(1)])
    with pytest.raises(ValueError, match=message):
        optimizer.add_param_group({"params": [parameter(1)], **group})
    with pytest.raises(ValueError, match=message):
        averaged_adamw([{"params": [parameter(1)], **group}])
    assert len(optimizer.param_groups) == 1


class Restarted(SGD):
    """A base that has a setting called `steps` itself."""

    def __init__(self, params, lr, steps=7):
        super().__init__(params, lr)
        self.defaults["steps"] = steps
        for group in self.param_groups:
            group.setdefault("steps", steps)


def test_a_setting_of_the_base_s_own_is_left_to_it():
    (group,) = Averaged(Restarted([parameter(1)], lr=0.1), steps=50).param_groups
    assert (group["steps"], group["averaging_steps"]) == (7, 50)


def test_averaged_adamw_sets_what_averaging_wants():
    group = averaged_adamw([parameter(1)], lr=1e-3, steps=2000).param_groups[0]
    assert group["betas"][0] == 0.0
    assert (group["averaging_steps"], group["averaging_warmup"], group["averaging_ahead"]) == (2000, 100, 2.0)
    assert averaged_adamw([parameter(1)]).param_groups[0]["averaging_warmup"] == 100


def test_averaged_adamw_names_itself_when_it_is_called_wrongly():
    with pytest.raises(TypeError, match="averaged_adamw takes beta2, not betas: beta1 is 0"):
        averaged_adamw([parameter(1)], betas=(0.9, 0.999))
    with pytest.raises(
        TypeError, match=r"averaged_adamw does not know 'stesp': it takes lr, beta2, .* steps, .* fused"
    ):
        averaged_adamw([parameter(1)], stesp=10)


def test_of_a_bare_base_s_checkpoint_the_state_is_taken_and_the_settings_are_not():
    """It has a rate that a schedule has brought to zero, and momentum."""
    model = make_model()
    adamw = AdamW(model.parameters(), lr=0.01)
    schedule = CosineAnnealingLR(adamw, 5)
    for t in range(5):
        closure_of(model, adamw, t)()
        adamw.step()
        schedule.step()
    optimizer = averaged_adamw(model.parameters(), lr=0.02, steps=40)
    before = [{**group, "params": 0} for group in optimizer.param_groups]
    optimizer.load_state_dict(adamw.state_dict())
    p = next(model.parameters())
    assert [{**group, "params": 0} for group in optimizer.param_groups] == before
    assert same(optimizer.state[p]["exp_avg_sq"], adamw.state[p]["exp_avg_sq"])
    start = weights(model)
    closure_of(model, optimizer, 5)()
    optimizer.step()
    assert optimizer.state[p]["averaged_step"] == 1
    assert not torch.equal(weights(model), start)


def test_a_run_is_extended_by_another_number_of_steps():
    """The rate is a function of t and of the settings: as if the number had been that one from the first."""
    p = parameter(2)
    optimizer = Averaged(SGD([p], lr=0.5), steps=30)
    for _ in range(30):
        optimizer.step()
    fallen = optimizer.effective_lr()
    optimizer.param_groups[0]["averaging_steps"] = 3000
    assert fallen[0] < 0.5 == optimizer.effective_lr()[0]


@pytest.mark.parametrize("settings", [{"steps": 30, "warmup": 4}, {"start": 5, "t0": 3}, {"dual": "plain"}], ids=str)
def test_the_effective_rate_is_what_the_base_is_given_up_to_a_constant(settings):
    optimizer = Averaged(SGD([parameter(2)], lr=0.5), **settings)
    given, told = [], []
    optimizer.base.register_step_pre_hook(lambda base, *_: given.append(base.param_groups[0]["lr"]))
    for _ in range(40):
        told += optimizer.effective_lr()
        optimizer.step()
    ratios = [b / a for a, b in zip(told, given, strict=True)]
    assert ratios == pytest.approx(40 * ratios[:1])
    assert max(told) == 0.5


def test_the_effective_rate_is_that_of_the_run_and_not_of_a_layer_that_was_frozen():
    late, early = parameter(2), parameter(2)
    optimizer = Averaged(SGD([late, early], lr=0.5), steps=30)
    late.grad = None
    for step in range(30):
        if step == 25:
            late.grad = torch.ones(2)
        optimizer.step()
    alone = Averaged(SGD([parameter(2)], lr=0.5), steps=30)
    for _ in range(30):
        alone.step()
    assert optimizer.effective_lr() == alone.effective_lr() < [0.5]


@pytest.mark.parametrize("name", [*SHORT, "beta2"])
def test_a_setting_that_is_written_into_a_group_under_the_constructor_s_name_is_refused_before_anything_changes(name):
    p = parameter(2)
    optimizer = averaged_adamw([p], steps=30)
    optimizer.param_groups[0][name] = 50
    with pytest.raises(
        ValueError, match=rf"has been given '{name}', which does nothing there: .* set group\['(aver|betas)"
    ):
        optimizer.step()
    assert torch.equal(p, torch.ones(2))
    del optimizer.param_groups[0][name]
    optimizer.step()
    assert not torch.equal(p, torch.ones(2))


def scheduled(schedule, **settings):
    """What is warned of in ten steps under a scheduler."""
    optimizer = averaged_adamw([parameter(2)], lr=0.5, **settings)
    schedule = schedule(optimizer)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(10):
            optimizer.step()
            schedule.step(*[1.0] if isinstance(schedule, ReduceLROnPlateau) else [])
    return [str(each.message) for each in seen]


def cosine(optimizer):
    return CosineAnnealingLR(optimizer, 20)


def warm_up(optimizer):
    return torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=5)


def plateau(optimizer):
    return ReduceLROnPlateau(optimizer, patience=2)


def one_cycle(optimizer, cycle_momentum=False):
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.5, total_steps=20, cycle_momentum=cycle_momentum)


class ByHand:
    def __init__(self, optimizer):
        self.group = optimizer.param_groups[0]

    def step(self):
        self.group["lr"] *= 0.99


class TensorByHand(ByHand):
    def __init__(self, optimizer):
        super().__init__(optimizer)
        self.group["lr"] = torch.tensor(0.5)


@pytest.mark.parametrize("schedule", [cosine, plateau, one_cycle, ByHand, TensorByHand])
def test_whoever_lowers_the_rate_again_is_warned_once(schedule):
    (message,) = scheduled(schedule, steps=100)
    assert "lr has been lowered from 0.5 to 0." in message


def test_momentum_that_a_scheduler_brings_is_warned_of_once():
    (message,) = [
        each for each in scheduled(lambda o: one_cycle(o, cycle_momentum=True), steps=100) if "lowered" not in each
    ]
    assert "the base has momentum 0.95, where it had 0, and averaging acts as momentum already" in message


def test_momentum_that_the_constructor_has_told_of_is_not_told_again():
    with pytest.warns(UserWarning, match="has momentum"):
        optimizer = Averaged(AdamW([parameter(2)], lr=0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step()


def test_a_checkpoint_with_a_lower_rate_is_no_decay():
    p = parameter(2)
    optimizer, saved = (Averaged(SGD([p], lr=lr), steps=30) for lr in (0.5, 0.1))
    optimizer.step()
    optimizer.load_state_dict(saved.state_dict())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step()
    assert optimizer.param_groups[0]["lr"] == 0.1


@pytest.mark.parametrize(
    ("schedule", "settings"),
    [(warm_up, {"steps": 100}), (cosine, {"dual": "plain"}), (cosine, {"averaging": 0.05})],
    ids=["warm-up", "plain", "a share that does not fall"],
)
def test_schedulers_that_are_wanted_are_not_warned_of(schedule, settings):
    assert scheduled(schedule, **settings) == []


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_gradient_that_is_not_finite_raises_on_request_before_anything_changes(value):
    p = parameter(3)
    optimizer = averaged_adamw([p], error_if_nonfinite=True)
    optimizer.step()
    before = p.detach().clone()
    p.grad[1] = value
    with pytest.raises(RuntimeError, match="contains NaN or inf; nothing was changed"):
        optimizer.step()
    assert torch.equal(p, before)
    assert optimizer.state[p]["averaged_step"] == 1


def test_the_package_shows_its_public_names_alone():
    import cesaro.optim

    assert set(dir(cesaro.optim)) == set(cesaro.optim.__all__)
    with pytest.raises(ImportError, match="cannot import name 'averaged'"):
        from cesaro.optim import averaged  # noqa: F401
