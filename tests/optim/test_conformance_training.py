"""What PyTorch users expect of an optimiser: training and closures. Every check runs over the table."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import TABLE, closure_of, make_batch, make_model, same, train, trained, weights

pytestmark = pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE.keys())


def test_it_is_a_torch_optimizer(entry):
    assert isinstance(entry.make(make_model().parameters()), torch.optim.Optimizer)


def test_the_loss_falls(entry):
    model = make_model()
    losses = train(entry, model, entry.make(model.parameters(), lr=0.2), 60)
    assert sum(losses[-10:]) < 0.9 * sum(losses[:10])


def test_two_runs_are_identical(entry):
    assert torch.equal(trained(entry), trained(entry))


def test_parameters_stay_where_they_are_in_memory(entry):
    model = make_model()
    before = [p.data_ptr() for p in model.parameters()]
    train(entry, model, entry.make(model.parameters()), 3)
    assert [p.data_ptr() for p in model.parameters()] == before


def test_parameters_stay_leaves_that_require_gradients(entry):
    model = make_model()
    train(entry, model, entry.make(model.parameters()), 3)
    assert all(p.is_leaf and p.requires_grad for p in model.parameters())


def test_gradients_are_never_modified(entry):
    model = make_model()
    optimizer = entry.make(model.parameters(), weight_decay=0.1)
    for t in range(6):
        kept = []

        def closure(t=t, kept=kept):
            loss = closure_of(model, optimizer, t)()
            kept.extend(p.grad.clone() for p in model.parameters())
            return loss

        entry.step(optimizer, closure)
        assert all(torch.equal(p.grad, g) for p, g in zip(model.parameters(), kept, strict=True))


def test_a_rate_of_zero_moves_nothing(entry):
    assert torch.equal(trained(entry, lr=0.0), weights(make_model()))


def test_in_float64_it_follows_float32(entry):
    assert (trained(entry, dtype=torch.float64) - trained(entry)).abs().max() < 1e-5


def test_bfloat16_parameters_train(entry):
    model = make_model(torch.bfloat16)
    losses = train(entry, model, entry.make(model.parameters(), lr=0.2), 40)
    assert losses[-1] < losses[0]
    assert all(p.dtype == torch.bfloat16 for p in model.parameters())


def test_autocast_trains(entry):
    model = make_model()
    optimizer = entry.make(model.parameters(), lr=0.2)
    losses = []
    for t in range(40):

        def closure(t=t):
            optimizer.zero_grad()
            inputs, targets = make_batch(t)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = (model(inputs) - targets).square().mean()
            loss.backward()
            return loss

        losses.append(float(entry.step(optimizer, closure).detach()))
    assert losses[-1] < losses[0]


def test_accumulated_gradients_are_those_of_the_large_batch(entry):
    model, large = make_model(torch.float64), make_model(torch.float64)
    ours, theirs = entry.make(model.parameters()), entry.make(large.parameters())
    for t in range(5):
        inputs, targets = make_batch(t, torch.float64)

        def halves(inputs=inputs, targets=targets):
            ours.zero_grad()
            for half in (slice(0, 8), slice(8, 16)):
                loss = (model(inputs[half]) - targets[half]).square().mean() / 2
                loss.backward()
            return loss

        entry.step(ours, halves)
        entry.step(theirs, closure_of(large, theirs, t))
    assert (weights(model) - weights(large)).abs().max() < 1e-12


def test_clipping_works_before_the_step(entry):
    if entry.scale_free:
        return
    model = make_model()
    optimizer = entry.make(model.parameters(), lr=0.1)

    def closure():
        loss = closure_of(model, optimizer, 0)()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        return loss

    before = weights(model)
    entry.step(optimizer, closure)
    assert 0 < (weights(model) - before).norm() <= 1.01e-4


def test_step_returns_the_closure_s_loss(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    inputs, targets = make_batch(0)
    expected = (model(inputs) - targets).square().mean()
    assert torch.equal(optimizer.step(closure_of(model, optimizer, 0)), expected)


def test_the_closure_is_called_once_with_gradients_enabled(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    calls = []

    def closure():
        calls.append(torch.is_grad_enabled())
        return closure_of(model, optimizer, 0)()

    with torch.no_grad():
        optimizer.step(closure)
    assert calls == [True]


def test_step_without_a_closure_returns_none_or_says_that_it_needs_one(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    closure_of(model, optimizer, 0)()
    if entry.needs_closure:
        with pytest.raises(RuntimeError, match="needs a closure"):
            optimizer.step()
    else:
        assert optimizer.step() is None


def test_step_with_and_without_a_closure_is_the_same(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    for t in range(10):
        optimizer.step(closure_of(model, optimizer, t))
    assert torch.equal(weights(model), trained(entry))


def test_an_error_in_the_closure_changes_nothing(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    train(entry, model, optimizer, 5)
    before, state = weights(model), copy.deepcopy(optimizer.state_dict())

    def closure():
        raise KeyError("on purpose")

    with pytest.raises(KeyError):
        optimizer.step(closure)
    roundings = 4 * torch.finfo(torch.float32).eps if entry.returns_to_rounding else 0.0
    assert ((weights(model) - before).abs() <= roundings * before.abs().max()).all()
    assert same(state, optimizer.state_dict())
