"""Averaged around other optimisers: what it is under other names, and what it promises beside the conformance checks."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import Lion, closure_of, make_batch, make_model, parameter, weights

from cesaro.optim import SCPDA, Averaged, averaged_adamw
from cesaro.optim.averaged_step import coefficients

SGD, AdamW = torch.optim.SGD, torch.optim.AdamW
SCHEDULES = [{}, {"start": 0, "t0": 0}, {"start": 5, "t0": 3, "averaging": 2.5}, {"averaging": 0.1}, {"steps": 30}]


def run(make, steps=40, dtype=torch.float64, large=False, seen=None):
    """A model (one of its parameters larger than a block of memory, on request) after some steps."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, 12_000 if large else 8), torch.nn.Tanh(), torch.nn.LazyLinear(1)).to(
        dtype
    )
    model(make_batch(0, dtype)[0])
    optimizer = make(model.parameters())
    for t in range(steps):
        closure_of(model, optimizer, t)()
        optimizer.step()
        if seen:
            seen(model, optimizer)
    return model


@pytest.mark.parametrize("weight_decay", [0.0, 0.05])
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_around_sgd_and_without_look_ahead_it_is_sc_pda(schedule, weight_decay):
    ours = run(lambda p: Averaged(SGD(p, lr=0.05), ahead=0.0, weight_decay=weight_decay, **schedule))
    theirs = run(lambda p: SCPDA(p, lr=0.05, weight_decay=weight_decay, **schedule))
    assert (weights(ours) - weights(theirs)).abs().max() < 1e-13


def test_large_parameters_are_updated_in_blocks_to_the_same_numbers():
    ours = run(lambda p: Averaged(SGD(p, lr=1e-4), ahead=0.0, start=4), steps=8, large=True)
    theirs = run(lambda p: SCPDA(p, lr=1e-4, start=4), steps=8, large=True)
    assert (weights(ours) - weights(theirs)).abs().max() < 1e-13


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("ahead", [0.0, 2.0])
@pytest.mark.parametrize("dual", ["average", "plain"])
@pytest.mark.parametrize(
    "base",
    [
        lambda p: SGD(p, lr=0.1, weight_decay=0.1),
        lambda p: AdamW(p, lr=0.02, betas=(0.0, 0.9), weight_decay=0.1),
        lambda p: AdamW(p, lr=0.02, betas=(0.0, 0.9), fused=True),
        lambda p: Lion(p, lr=0.01),
    ],
    ids=["SGD", "AdamW", "AdamW fused", "Lion"],
)
def test_with_a_share_of_one_it_is_the_base_itself_bit_by_bit(base, dual, ahead, dtype):
    ours = run(lambda p: Averaged(base(p), start=10**6, t0=0, ahead=ahead, dual=dual), dtype=dtype)
    assert torch.equal(weights(ours), weights(run(base, dtype=dtype)))


def test_the_plain_form_at_a_constant_share_is_an_exponential_average_of_the_base_s_iterates():
    share, average = 0.2, None

    def follow(model, optimizer):
        nonlocal average
        z = torch.cat([optimizer.state[p]["averaged_z"].flatten() for p in model.parameters()])
        average = torch.lerp(first, z, share) if average is None else torch.lerp(average, z, share)

    make = lambda p: Averaged(AdamW(p, lr=0.01, betas=(0.0, 0.9)), averaging=share, dual="plain", ahead=0.0)  # noqa: E731
    first = weights(run(make, steps=0))
    model = run(make, seen=follow)
    assert (weights(model) - average).abs().max() < 1e-13


@pytest.mark.parametrize("dual", ["average", "plain"])
@pytest.mark.parametrize("ahead", [0.0, 2.0, 30.0])
def test_it_is_its_printed_formula(ahead, dual):
    """With RMSprop written out: three sequences, none of them recovered from the others."""
    settings = {"averaging": 2, "start": 6, "t0": 9, "ahead": ahead, "dual": dual, "warmup": 5, "weight_decay": 0.03}
    lr, alpha, eps = 0.01, 0.9, 1e-8
    ours = run(lambda p: Averaged(torch.optim.RMSprop(p, lr=lr, alpha=alpha, eps=eps), **settings))
    model = run(SGD, steps=0)
    params = list(model.parameters())
    x, z = [p.detach().clone() for p in params], [p.detach().clone() for p in params]
    square = [torch.zeros_like(p) for p in params]
    group = Averaged(SGD([parameter(1)], lr=lr), **settings).param_groups[0]
    for t in range(1, 41):
        now = coefficients(group, t)
        assert now.ahead == min(ahead * (now.dual if dual == "average" else coefficients(group, t - 1).primal), 0.5)
        closure_of(model, SGD(params), t - 1)()
        for i, p in enumerate(params):
            y = p.detach().clone()
            z[i] = z[i] + now.dual * (y - z[i]) - lr * now.rate * 0.03 * y
            square[i] = alpha * square[i] + (1 - alpha) * p.grad**2
            z[i] = z[i] - lr * now.rate * p.grad / (square[i].sqrt() + eps)
            x[i] = x[i] + now.primal * (z[i] - x[i])
            p.data.copy_((1 - now.next_ahead) * x[i] + now.next_ahead * z[i])
    assert (weights(ours) - weights(model)).abs().max() < 1e-10


def test_the_rate_warms_up_and_is_handed_back():
    p = parameter(2)
    optimizer = Averaged(SGD([p], lr=0.5), warmup=4)
    seen = []
    optimizer.base.register_step_pre_hook(lambda base, *_: seen.append(base.param_groups[0]["lr"]))
    for _ in range(6):
        optimizer.step()
        assert optimizer.param_groups[0]["lr"] == 0.5
    full = 0.5 * (2 - 0.05)
    assert seen == pytest.approx([full / 4, full / 2, full * 3 / 4, full, full, full])


def test_a_base_that_fails_leaves_its_rate_and_the_parameters_and_trains_on():
    model = make_model()
    optimizer = Averaged(AdamW(model.parameters(), lr=0.01, betas=(0.0, 0.9)))
    optimizer.base.register_step_pre_hook(lambda *_: 1 / 0)
    before = weights(model)
    closure_of(model, optimizer, 0)()
    with pytest.raises(ZeroDivisionError):
        optimizer.step()
    assert torch.equal(weights(model), before)
    assert optimizer.param_groups[0]["lr"] == 0.01
    assert not optimizer.state_dict()["state"]
    optimizer.base._optimizer_step_pre_hooks.clear()
    optimizer.step()
    assert not torch.equal(weights(model), before)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ahead": -1.0}, "ahead must be finite and not negative: got -1"),
        ({"dual": "primal"}, 'dual must be "plain" or "average"'),
        ({"steps": 0}, "steps must be None or a whole number, at least 1: got 0"),
        ({"warmup": -1}, "warmup must be"),
        ({"weight_decay": math.nan}, "weight_decay must be finite"),
        ({"averaging": "cubic"}, "averaging must be"),
    ],
)
def test_bad_settings_are_refused_and_the_base_is_unchanged(settings, message):
    base = SGD([parameter(1)], lr=0.1)
    before = dict(base.param_groups[0])
    with pytest.raises(ValueError, match=message):
        Averaged(base, **settings)
    assert base.param_groups[0] == before


def test_groups_may_differ_and_one_that_is_added_later_starts_its_own_clock():
    first, second = make_model(torch.float64), make_model(torch.float64)
    together = Averaged(SGD(first[0].parameters(), lr=0.1), start=2)
    alone = [
        Averaged(SGD(second[0].parameters(), lr=0.1), start=2),
        Averaged(SGD(second[2].parameters(), lr=0.05), start=0, t0=4, ahead=0.0),
    ]
    for t in range(12):
        if t == 5:
            added = {"lr": 0.05, "averaging_start": 0, "averaging_t0": 4, "averaging_ahead": 0.0}
            together.add_param_group({"params": list(first[2].parameters()), **added})
        closure_of(first, together, t)()
        together.step()
        closure_of(second, torch.optim.SGD(second.parameters()), t)()
        for optimizer in alone[: 1 if t < 5 else 2]:
            optimizer.step()
    assert torch.equal(weights(first), weights(second))


def test_parameters_of_one_group_at_different_steps_have_rates_of_their_own():
    """The second parameter has no gradient for a while: it is as if it had a group for itself."""
    shared, own = [parameter(3), parameter(3)], [parameter(3), parameter(3)]
    together = Averaged(AdamW(shared, lr=0.05, betas=(0.0, 0.9)), start=1, t0=3)
    apart = [Averaged(AdamW([p], lr=0.05, betas=(0.0, 0.9)), start=1, t0=3) for p in own]
    for t in range(8):
        for p, q in zip(shared, own, strict=True):
            p.grad, q.grad = torch.full((3,), 0.3 + t), torch.full((3,), 0.3 + t)
        if t < 3:
            shared[1].grad = own[1].grad = None
        together.step()
        for optimizer in apart:
            optimizer.step()
    assert all(torch.equal(p, q) for p, q in zip(shared, own, strict=True))
    assert len(together.param_groups) == 1


def test_tied_weights_are_one_parameter():
    table = torch.nn.Embedding(7, 4)
    model = torch.nn.ModuleDict({"in": table, "out": torch.nn.Linear(4, 7, bias=False)})
    model["out"].weight = table.weight
    optimizer = averaged_adamw(model.parameters(), lr=0.05, steps=60)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        logits = model["out"](model["in"](torch.arange(7)))
        loss = torch.nn.functional.cross_entropy(logits, torch.arange(7))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert len(optimizer.state) == 1
    assert losses[-1] < 0.5 * losses[0]
    assert model["out"].weight is table.weight


def test_the_scaler_unscales_for_a_fused_base():
    """A fused base unscales in its own step, which would happen at z: the wrapper must not say that it can."""
    optimizer = averaged_adamw([parameter(1)], fused=True)
    assert optimizer.base._step_supports_amp_scaling
    assert not getattr(optimizer, "_step_supports_amp_scaling", False)
