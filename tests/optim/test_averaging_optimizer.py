"""What is particular to these optimisers: gradients they refuse, groups, long types, memory, decay, interpolation."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import OURS, TABLE, closure_of, make_model, parameter, same, train, weights

from cesaro.optim import GDA, SCPDA, Interpolated

BOTH = pytest.mark.parametrize("optimizer", [GDA, SCPDA])


@BOTH
def test_a_power_as_large_as_one_likes_takes_steps(optimizer):
    p = parameter(2)
    ours = optimizer([p], averaging=100, start=0)
    for _ in range(3):
        ours.step()
    assert torch.isfinite(p).all()


@pytest.mark.parametrize(
    "other",
    [lambda p: torch.optim.Adam(p), lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), GDA],
    ids=["adam", "sgd", "gda"],
)
@pytest.mark.parametrize("ours", [GDA, SCPDA, Interpolated])
def test_a_checkpoint_of_another_optimiser_is_refused_before_anything_changes(other, ours):
    if other is ours:
        return
    stranger, mine = other([parameter(2)]), ours([parameter(2)])
    stranger.step()
    before = copy.deepcopy(mine.state_dict())
    with pytest.raises(ValueError, match=f"not a checkpoint of {ours.__name__}"):
        mine.load_state_dict(stranger.state_dict())
    assert same(mine.state_dict(), before)


@pytest.mark.parametrize("name", OURS)
def test_sparse_gradients_are_refused_before_anything_changes(name):
    table = torch.nn.Embedding(5, 2, sparse=True)
    optimizer = OURS[name].make(table.parameters())

    def closure():
        loss = table(torch.tensor([1])).sum()
        loss.backward()
        return loss

    before = table.weight.detach().clone()
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        optimizer.step(closure)
    assert torch.equal(table.weight, before)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", OURS)
def test_nonfinite_gradients_raise_on_request_and_change_nothing(name, value):
    entry, model = OURS[name], make_model()
    optimizer = entry.make(
        [{"params": model[0].parameters(), "error_if_nonfinite": False}, {"params": model[2].parameters()}],
        error_if_nonfinite=True,
    )
    train(entry, model, optimizer, 3)
    before, state = weights(model), copy.deepcopy(optimizer.state_dict())

    def closure():
        loss = closure_of(model, optimizer, 3)()
        model[2].bias.grad[0] = value
        return loss

    with pytest.raises(RuntimeError, match="NaN or inf; nothing was changed"):
        entry.step(optimizer, closure)
    assert torch.equal(weights(model), before)
    assert same(state, optimizer.state_dict())


@BOTH
def test_by_default_nonfinite_gradients_pass_as_in_torch(optimizer):
    p = parameter(2)
    p.grad[0] = float("nan")
    optimizer([p]).step()
    assert p[0].isnan()
    assert p[1].isfinite()


@BOTH
def test_small_updates_of_bfloat16_parameters_survive_in_a_float32_average(optimizer):
    """1 - 1e-3 rounds to 1 in bfloat16: a hundred such steps are lost without the longer type."""
    lost, kept = parameter(4, dtype=torch.bfloat16), parameter(4, dtype=torch.bfloat16)
    for p, dtype in ((lost, None), (kept, torch.float32)):
        ours = optimizer([p], lr=1e-3, average_dtype=dtype)
        for _ in range(100):
            ours.step()
    assert lost[0] == 1
    assert 0.89 < kept[0] < 0.93
    assert kept.dtype == torch.bfloat16


@BOTH
def test_a_float32_average_goes_through_a_checkpoint_unrounded(optimizer):
    p = parameter(4, dtype=torch.bfloat16)
    ours = optimizer([p], lr=1e-3, average_dtype=torch.float32)
    for _ in range(5):
        ours.step()
    again = optimizer([torch.nn.Parameter(p.detach().clone())], average_dtype=torch.float32)
    again.load_state_dict(copy.deepcopy(ours.state_dict()))
    assert same(ours.state_dict()["state"], again.state_dict()["state"])
    assert next(iter(again.state.values()))["x"].dtype == torch.float32


def test_extra_memory_is_none_for_gda_and_one_copy_for_sc_pda():
    for optimizer, copies in ((GDA, 0), (SCPDA, 1)):
        p = parameter(1000)
        ours = optimizer([p])
        ours.step()
        assert sum(s.numel() for s in ours.state[p].values()) == copies * 1000 + 1


@BOTH
def test_groups_have_their_own_averaging_start_offset_and_ball(optimizer):
    settings = [
        {"averaging": "uniform", "start": 0, "t0": 0},
        {"averaging": 0.2},
        {"averaging": 3, "radius": 0.5},
        {"start": 2, "t0": 9},
    ]
    params = [parameter(3) for _ in settings]
    together = optimizer([{"params": [p], **s} for p, s in zip(params, settings, strict=True)], lr=0.05)
    alone = [parameter(3) for _ in settings]
    apart = [optimizer([p], lr=0.05, **s) for p, s in zip(alone, settings, strict=True)]
    for _ in range(6):
        together.step()
        for one in apart:
            one.step()
    for p, q in zip(params, alone, strict=True):
        assert torch.equal(p, q)


def test_decoupled_decay_shrinks_the_average_and_its_companion():
    """Without gradients d = 0, so x shrinks by 1 - lr * decay in each step of the constant phase."""
    for make in (
        lambda p: SCPDA(p, lr=0.1, weight_decay=0.5, decoupled_weight_decay=True),
        lambda p: SCPDA(p, lr=0.1, weight_decay=0.5, decoupled_weight_decay=True, radius=100.0),
        lambda p: GDA(p, lr=0.1, weight_decay=0.5, decoupled_weight_decay=True, radius=100.0),
        lambda p: GDA(p, lr=0.1, weight_decay=0.5),
        lambda p: Interpolated(p, lr=0.1, b=1.0, weight_decay=0.5, decoupled_weight_decay=True),
    ):
        p = parameter(2, dtype=torch.float64)
        p.grad.zero_()
        optimizer = make([p])
        for _ in range(3):
            optimizer.step()
        assert torch.allclose(p, torch.full_like(p, 0.95**3), rtol=1e-12)


@pytest.mark.parametrize("name", OURS)
def test_coupled_decay_is_the_gradient_of_a_penalty(name):
    entry = OURS[name]
    if "decoupled" in name:
        return
    first, second = make_model(torch.float64), make_model(torch.float64)
    ours, theirs = entry.make(first.parameters(), weight_decay=0.1), entry.make(second.parameters())
    for t in range(8):
        train(entry, first, ours, range(t, t + 1))

        def penalised(t=t):
            loss = closure_of(second, theirs, t)()
            for p in second.parameters():
                p.grad.add_(p.detach(), alpha=0.1)
            return loss

        entry.step(theirs, penalised)
    assert (weights(first) - weights(second)).abs().max() < 1e-12


def test_outside_of_step_interpolation_holds_the_answer_and_inside_the_point_of_the_gradient():
    model = make_model(torch.float64)
    optimizer = Interpolated(model.parameters(), lr=0.1, b=0.6)
    entry = TABLE["Interpolated"]
    train(entry, model, optimizer, 5)
    x, d = weights(model), torch.cat([optimizer.state[p]["d"].flatten() for p in model.parameters()])
    v = x - (1 - 1 / 5) * d  # d is of before the step to x, whose share in the uniform average was 1/5
    seen = []

    def closure():
        seen.append(weights(model))
        return closure_of(model, optimizer, 5)()

    optimizer.step(closure)
    assert torch.allclose(seen[0], 0.4 * v + 0.6 * x, rtol=1e-12)
    assert not torch.allclose(seen[0], x, rtol=1e-3)
