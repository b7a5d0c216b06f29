"""What PyTorch users expect of an optimiser: parameters and groups. Every check runs over the table."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import TABLE, closure_of, make_model, one_parameter, train, trained, weights

pytestmark = pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE.keys())


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
