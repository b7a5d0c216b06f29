"""What PyTorch users expect of an optimiser: settings, schedulers and scalers. Every check runs over the table."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import TABLE, make_batch, make_model, one_parameter, train, trained, weights

from cesaro.optim import Averaged

pytestmark = pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE.keys())


@pytest.mark.parametrize("lr", [-1.0, float("nan")])
def test_a_bad_rate_is_an_error_or_at_least_no_surprise(entry, lr):
    if isinstance(entry.make(make_model().parameters()), torch.optim.SGD) and lr != lr:
        return  # torch lets NaN through
    with pytest.raises(ValueError, match=r"lr|learning rate"):
        entry.make(make_model().parameters(), lr=lr)


def test_a_negative_weight_decay_is_an_error(entry):
    with pytest.raises(ValueError, match="weight_decay"):
        entry.make(make_model().parameters(), weight_decay=-1.0)


def test_weight_decay_pulls_towards_zero(entry):
    assert trained(entry, steps=30, weight_decay=0.5).norm() < trained(entry, steps=30).norm()


def test_maximising_is_minimising_the_negative(entry):
    value, grad = torch.randn(6), torch.randn(6)
    up, _ = one_parameter(entry, value.clone(), grad, maximize=True)
    down, _ = one_parameter(entry, value.clone(), -grad)
    assert (up - down).abs().max() < 1e-7


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_all_together_is_one_by_one(entry, weight_decay):
    together = trained(entry, foreach=True, weight_decay=weight_decay)
    assert (together - trained(entry, foreach=False, weight_decay=weight_decay)).abs().max() < 1e-6


@pytest.mark.parametrize("maximize", [False, True])
def test_fused_is_one_by_one(entry, maximize):
    fused = trained(entry, fused=True, weight_decay=0.1, maximize=maximize)
    loop = trained(entry, foreach=False, weight_decay=0.1, maximize=maximize)
    assert (fused - loop).abs().max() < 1e-6 * max(1.0, loop.abs().max())


def test_a_tensor_rate_is_a_number(entry):
    assert (trained(entry, lr=torch.tensor(0.1)) - trained(entry, lr=0.1)).abs().max() < 1e-6


def test_a_rate_with_two_elements_is_refused_before_anything_changes(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    if type(optimizer).__module__.startswith("torch"):
        return  # where torch fails depends on the optimiser
    train(entry, model, optimizer, 2)
    before = weights(model)
    optimizer.param_groups[0]["lr"] = torch.tensor([0.1, 0.2])
    with pytest.raises(ValueError, match="one element"):
        train(entry, model, optimizer, 1)
    assert torch.equal(weights(model), before)


def test_meta_tensors_take_steps(entry):
    p = torch.nn.Parameter(torch.ones(3, 2, device="meta"))
    by_torch = isinstance(entry.make([p]), torch.optim.SGD | Averaged)  # which refuses fused=True for them
    optimizer = entry.make([p], fused=None if by_torch else True)

    def closure():
        p.grad = torch.ones_like(p)
        return torch.tensor(0.0)

    for _ in range(2):
        entry.step(optimizer, closure)
    assert p.is_meta


SCHEDULERS = {
    "step": lambda o: torch.optim.lr_scheduler.StepLR(o, 3, gamma=0.5),
    "cosine": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 10),
    "warm-up": lambda o: torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=5),
}


@pytest.mark.filterwarnings("ignore:.*scheduler:UserWarning")  # Averaged says that the rate falls twice
@pytest.mark.parametrize("schedule", SCHEDULERS)
@pytest.mark.parametrize("tensor", [False, True])
def test_schedulers_set_the_rate(entry, schedule, tensor):
    """The scheduled run equals a run in which the rate is set by hand."""
    model, other = make_model(), make_model()
    ours = entry.make(model.parameters(), lr=torch.tensor(0.1) if tensor else 0.1)
    theirs = entry.make(other.parameters())
    scheduler = SCHEDULERS[schedule](ours)
    for t in range(8):
        theirs.param_groups[0]["lr"] = float(ours.param_groups[0]["lr"])
        train(entry, model, ours, range(t, t + 1))
        train(entry, other, theirs, range(t, t + 1))
        scheduler.step()
    assert (weights(model) - weights(other)).abs().max() < 1e-6
    assert float(ours.param_groups[0]["lr"]) != pytest.approx(0.1) or schedule == "warm-up"


def test_reduce_on_plateau_lowers_the_rate(entry):
    optimizer = entry.make(make_model().parameters())
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    for _ in range(3):
        scheduler.step(1.0)
    assert optimizer.param_groups[0]["lr"] < 0.1


def test_the_gradient_scaler_unscales_and_skips_overflows(entry):
    if entry.needs_closure:
        return  # torch's GradScaler refuses closures
    model = make_model()
    optimizer = entry.make(model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for t in range(10):
        optimizer.zero_grad()
        inputs, targets = make_batch(t)
        scaler.scale((model(inputs) - targets).square().mean()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert (weights(model) - trained(entry)).abs().max() < 1e-6
    before = weights(model)
    for p in model.parameters():
        p.grad = torch.full_like(p, float("inf"))
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(weights(model), before)
    assert scaler.get_scale() < 1024.0


def test_hooks_run_once_per_step(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    calls = []
    optimizer.register_step_pre_hook(lambda *_: calls.append("before"))
    optimizer.register_step_post_hook(lambda *_: calls.append("after"))
    train(entry, model, optimizer, 2)
    assert calls == ["before", "after"] * 2
