"""What PyTorch users expect of an optimiser, checked for every entry of the table. torch's SGD passes too: it is fair."""

import copy
import io
import pickle

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import TABLE, closure_of, make_batch, make_model, same, train, trained, weights

pytestmark = pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE.keys())


def one_parameter(entry, value, grad, **settings):
    """A parameter after one step with a given gradient."""
    p = torch.nn.Parameter(value)
    optimizer = entry.make([p], **settings)

    def closure():
        p.grad = grad.clone()
        return torch.tensor(0.0)

    entry.step(optimizer, closure)
    return p, optimizer


# training


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
    assert (trained(entry, lr=0.0) - weights(make_model())).abs().max() < 1e-6


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
    model = make_model()
    optimizer = entry.make(model.parameters(), lr=0.1)

    def closure():
        loss = closure_of(model, optimizer, 0)()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        return loss

    before = weights(model)
    entry.step(optimizer, closure)
    assert 0 < (weights(model) - before).norm() <= 1.01e-4


# closures


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
    assert torch.equal(weights(model), before)
    assert same(state, optimizer.state_dict())


# what parameters may be


def test_parameters_without_gradients_are_left_alone(entry):
    used, unused = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3))
    optimizer = entry.make([used, unused])

    def closure():
        used.grad = torch.ones(3)
        return torch.tensor(0.0)

    entry.step(optimizer, closure)
    assert torch.equal(unused, torch.ones(3))
    assert not torch.equal(used, torch.ones(3))


def test_frozen_parameters_stay_and_can_be_thawed(entry):
    model = make_model()
    model[0].requires_grad_(False)
    optimizer = entry.make(model.parameters())
    first = model[0].weight.clone()
    train(entry, model, optimizer, 3)
    assert torch.equal(model[0].weight, first)
    model[0].requires_grad_(True)
    train(entry, model, optimizer, 3)
    assert not torch.equal(model[0].weight, first)


def test_a_parameter_that_is_skipped_for_a_while_goes_on(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    train(entry, model, optimizer, 3)
    model[0].requires_grad_(False)
    train(entry, model, optimizer, 3)
    model[0].requires_grad_(True)
    before = model[0].weight.clone()
    train(entry, model, optimizer, 3)
    assert not torch.equal(model[0].weight, before)
    assert torch.isfinite(weights(model)).all()


def test_zero_size_parameters_are_fine(entry):
    p, _ = one_parameter(entry, torch.zeros(0, 3), torch.zeros(0, 3))
    assert p.shape == (0, 3)


def test_numbers_are_parameters(entry):
    p, _ = one_parameter(entry, torch.tensor(1.0), torch.tensor(1.0))
    assert p.item() < 1.0


def test_parameters_of_several_types_in_one_group(entry):
    params = [torch.nn.Parameter(torch.ones(3, dtype=d)) for d in (torch.float32, torch.float64, torch.bfloat16)]
    optimizer = entry.make(params)

    def closure():
        for p in params:
            p.grad = torch.full_like(p, 0.5)
        return torch.tensor(0.0)

    for _ in range(3):
        entry.step(optimizer, closure)
    assert (params[0].double() - params[1]).abs().max() < 1e-6
    assert (params[2].double() - params[1]).abs().max() < 1e-2


def test_channels_last_parameters_take_the_same_step(entry):
    value, grad = torch.randn(4, 3, 2, 2), torch.randn(4, 3, 2, 2)
    plain, _ = one_parameter(entry, value.clone(), grad)
    last, _ = one_parameter(entry, value.clone().to(memory_format=torch.channels_last), grad)
    assert (plain - last).abs().max() < 1e-6


def test_gradients_with_other_strides_are_understood(entry):
    value, grad = torch.randn(5, 5), torch.randn(5, 5)
    plain, _ = one_parameter(entry, value.clone(), grad)
    p = torch.nn.Parameter(value.clone())
    optimizer = entry.make([p])

    def closure():
        p.grad = grad.t().contiguous().t()
        return torch.tensor(0.0)

    entry.step(optimizer, closure)
    assert (plain - p).abs().max() < 1e-6


def test_complex_parameters_are_pairs_of_real_ones(entry):
    value, grad = torch.randn(4, dtype=torch.complex64), torch.randn(4, dtype=torch.complex64)
    p, _ = one_parameter(entry, value.clone(), grad)
    pair, _ = one_parameter(entry, torch.view_as_real(value).clone().flatten(), torch.view_as_real(grad).flatten())
    assert (torch.view_as_real(p.detach()).flatten() - pair).abs().max() < 1e-6


def test_named_parameters_are_accepted(entry):
    model = make_model()
    train(entry, model, entry.make(model.named_parameters()), 10)
    assert torch.equal(weights(model), trained(entry))


def test_no_parameters_is_an_error(entry):
    with pytest.raises(ValueError, match="empty"):
        entry.make([])


def test_things_that_are_no_tensors_are_an_error(entry):
    with pytest.raises(TypeError):
        entry.make(["weights"])


# groups


def test_a_parameter_in_two_groups_is_an_error(entry):
    p = torch.nn.Parameter(torch.ones(1))
    with pytest.raises(ValueError, match="more than one"):
        entry.make([{"params": [p]}, {"params": [p]}])


def test_every_group_has_its_own_rate(entry):
    model = make_model()
    optimizer = entry.make([{"params": model[0].parameters(), "lr": 0.0}, {"params": model[2].parameters()}])
    first = [p.clone() for p in model[0].parameters()]
    second = model[2].weight.clone()
    train(entry, model, optimizer, 3)
    assert all((p - q).abs().max() < 1e-6 for p, q in zip(model[0].parameters(), first, strict=True))
    assert not torch.equal(model[2].weight, second)


def test_groups_with_the_same_settings_are_one_group(entry):
    model = make_model()
    optimizer = entry.make([{"params": model[0].parameters()}, {"params": model[2].parameters()}])
    train(entry, model, optimizer, 10)
    assert (weights(model) - trained(entry)).abs().max() < 1e-7


def test_a_group_can_be_added_in_mid_run(entry):
    model = make_model()
    optimizer = entry.make(model[2].parameters())
    train(entry, model, optimizer, 3)
    before = model[0].weight.clone()
    optimizer.add_param_group({"params": list(model[0].parameters()), "lr": 0.05})
    train(entry, model, optimizer, 3)
    assert not torch.equal(model[0].weight, before)
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.05]


def test_defaults_fill_the_groups(entry):
    optimizer = entry.make([{"params": make_model().parameters(), "weight_decay": 0.5}])
    assert optimizer.param_groups[0]["weight_decay"] == 0.5
    assert set(optimizer.defaults) <= set(optimizer.param_groups[0])


def test_zero_grad_forgets_or_zeroes(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    closure_of(model, optimizer, 0)()
    optimizer.zero_grad(set_to_none=False)
    assert all(torch.equal(p.grad, torch.zeros_like(p)) for p in model.parameters())
    optimizer.zero_grad()
    assert all(p.grad is None for p in model.parameters())


def test_repr_names_the_class_and_the_rate(entry):
    optimizer = entry.make(make_model().parameters(), lr=0.125)
    assert type(optimizer).__name__ in repr(optimizer)
    assert "0.125" in repr(optimizer)


# settings


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


# schedulers and scalers

SCHEDULERS = {
    "step": lambda o: torch.optim.lr_scheduler.StepLR(o, 3, gamma=0.5),
    "cosine": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 10),
    "warm-up": lambda o: torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=5),
}


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


# checkpoints


def halfway(entry, **settings):
    model = make_model()
    optimizer = entry.make(model.parameters(), **settings)
    train(entry, model, optimizer, 6)
    return model, optimizer


def test_a_checkpoint_in_mid_run_continues_bit_identically(entry):
    model, optimizer = halfway(entry)
    stream = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, stream)
    train(entry, model, optimizer, range(6, 12))
    stream.seek(0)
    saved = torch.load(stream, weights_only=True)
    again = make_model(seed=1)
    fresh = entry.make(again.parameters())
    again.load_state_dict(saved["model"])
    fresh.load_state_dict(saved["optimizer"])
    train(entry, again, fresh, range(6, 12))
    assert torch.equal(weights(model), weights(again))


def test_a_checkpoint_carries_the_settings(entry):
    _, optimizer = halfway(entry, lr=0.07, weight_decay=0.2)
    fresh = entry.make(make_model().parameters())
    fresh.load_state_dict(optimizer.state_dict())
    assert fresh.param_groups[0]["lr"] == 0.07
    assert fresh.param_groups[0]["weight_decay"] == 0.2


def test_loading_leaves_the_checkpoint_alone(entry):
    _, optimizer = halfway(entry)
    saved = copy.deepcopy(optimizer.state_dict())
    untouched = copy.deepcopy(saved)
    fresh = entry.make(make_model().parameters())
    fresh.load_state_dict(saved)
    assert same(saved, untouched)


def test_saving_twice_gives_the_same(entry):
    _, optimizer = halfway(entry)
    assert same(optimizer.state_dict(), optimizer.state_dict())


def test_a_checkpoint_of_another_shape_is_refused(entry):
    _, optimizer = halfway(entry)
    with pytest.raises(ValueError, match="parameter group"):
        entry.make([torch.nn.Parameter(torch.ones(1))]).load_state_dict(optimizer.state_dict())


def test_an_old_checkpoint_without_newer_options_loads_with_defaults(entry):
    model, optimizer = halfway(entry)
    saved = copy.deepcopy(optimizer.state_dict())
    for group in saved["param_groups"]:
        for key in ("maximize", "foreach", "fused", "per_row", "average_dtype", "decoupled_weight_decay", "averaging"):
            group.pop(key, None)
    fresh = entry.make(model.parameters())
    fresh.load_state_dict(saved)
    train(entry, model, fresh, 2)
    assert set(optimizer.param_groups[0]) <= set(fresh.param_groups[0])


def test_a_fresh_optimiser_s_checkpoint_loads(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    optimizer.load_state_dict(entry.make(make_model().parameters()).state_dict())
    train(entry, model, optimizer, 10)
    assert torch.equal(weights(model), trained(entry))


def test_deep_copies_continue_alike_and_apart(entry):
    model, optimizer = halfway(entry)
    twin, copied = copy.deepcopy((model, optimizer))
    train(entry, model, optimizer, range(6, 10))
    train(entry, twin, copied, range(6, 10))
    assert torch.equal(weights(model), weights(twin))
    train(entry, model, optimizer, range(10, 12))
    assert not torch.equal(weights(model), weights(twin))


def test_pickles_continue_alike(entry):
    model, optimizer = halfway(entry)
    twin, copied = pickle.loads(pickle.dumps((model, optimizer)))
    train(entry, model, optimizer, range(6, 10))
    train(entry, twin, copied, range(6, 10))
    assert torch.equal(weights(model), weights(twin))


def test_the_state_lives_where_the_parameters_live(entry):
    model, optimizer = halfway(entry)
    for p in model.parameters():
        for key, value in optimizer.state[p].items():
            if isinstance(value, torch.Tensor) and key != "step":
                assert (value.dtype, value.device, value.shape) == (p.dtype, p.device, p.shape)


# compilation


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_compiled_step_is_the_same_and_compiles_once(entry):
    from torch._dynamo.testing import CompileCounterWithBackend

    if entry.needs_closure:
        return  # closures run the model inside the step; compile the model instead
    torch._dynamo.reset()
    model = make_model(torch.float64)
    optimizer = entry.make(model.parameters(), lr=torch.tensor(0.1, dtype=torch.float64))
    counter = CompileCounterWithBackend("eager")
    step = torch.compile(optimizer.step, backend=counter)
    frames = []
    for t in range(8):
        closure_of(model, optimizer, t)()
        step()
        frames.append(counter.frame_count)
    eager = make_model(torch.float64)
    train(entry, eager, entry.make(eager.parameters()), 8)
    assert (weights(model) - weights(eager)).abs().max() < 1e-12
    assert frames[-1] > 0, "nothing was compiled"
    assert frames[-1] == frames[2], f"compiled again and again: {frames}"
