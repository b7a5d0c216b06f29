"""What is particular to these optimisers: groups, errors that help, long types, and what a step may not touch."""

import copy
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import TABLE, closure_of, make_model, same, train, weights

from cesaro.optim import GDA, SCPDA, AveragingLR, Interpolated, fused
from cesaro.weights import Geometric, Linear, Power, Uniform

OURS = {name: entry for name, entry in TABLE.items() if "torch" not in name}
BOTH = pytest.mark.parametrize("optimizer", [GDA, SCPDA])


def parameter(*shape, dtype=torch.float32):
    p = torch.nn.Parameter(torch.ones(*shape, dtype=dtype))
    p.grad = torch.ones_like(p)
    return p


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lr": -0.1}, "lr must be finite and not negative: got -0.1"),
        ({"lr": "fast"}, "lr must be finite"),
        ({"lr": torch.ones(2)}, "one element"),
        ({"averaging": "cubic"}, "averaging must be.*got 'cubic'"),
        ({"averaging": -1.0}, "averaging must be"),
        ({"start": -1}, "start must be None or a whole number, at least 0: got -1"),
        ({"start": 0.5}, "start must be"),
        ({"t0": -1}, "t0 must be None or a whole number, at least 0: got -1"),
        ({"radius": 0.0}, "radius must be positive and finite: got 0.0"),
        ({"per_row": True}, "per_row=True needs a radius"),
        ({"weight_decay": float("nan")}, "weight_decay must be finite"),
        ({"average_dtype": torch.int64}, "average_dtype must be a floating"),
        ({"foreach": True, "fused": True}, "cannot both be True"),
    ],
)
@BOTH
def test_bad_settings_are_refused_with_advice(optimizer, settings, message):
    with pytest.raises(ValueError, match=message):
        optimizer([parameter(2)], **settings)
    good = optimizer([parameter(2)])
    with pytest.raises(ValueError, match=message):
        good.add_param_group({"params": [parameter(2)], **settings})
    assert len(good.param_groups) == 1


@BOTH
def test_weights_and_numbers_may_come_from_elsewhere(optimizer):
    for averaging, name in ((Linear(), "linear"), (Uniform(), "uniform"), (np.int64(1), "linear")):
        settings = {"lr": np.float32(0.5), "averaging": averaging, "start": np.int64(3), "t0": np.int32(0)}
        group = optimizer([parameter(2)], **settings).param_groups[0]
        assert group["averaging"] == name
        assert [type(group[key]) for key in ("lr", "start", "t0")] == [float, int, int]


@BOTH
def test_a_power_as_large_as_one_likes_takes_steps(optimizer):
    p = parameter(2)
    ours = optimizer([p], averaging=100, start=0)
    for _ in range(3):
        ours.step()
    assert torch.isfinite(p).all()


@BOTH
def test_complex_parameters_do_not_fit_a_real_average(optimizer):
    with pytest.raises(ValueError, match="cannot hold complex"):
        optimizer([parameter(2, dtype=torch.complex64)], average_dtype=torch.float32)


@pytest.mark.parametrize(
    "other",
    [lambda p: torch.optim.Adam(p), lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), GDA],
    ids=["adam", "sgd", "gda"],
)
@pytest.mark.parametrize("ours", [SCPDA, Interpolated])
def test_a_checkpoint_of_another_optimiser_is_refused_before_anything_changes(other, ours):
    stranger, mine = other([parameter(2)]), ours([parameter(2)])
    stranger.step()
    before = copy.deepcopy(mine.state_dict())
    with pytest.raises(ValueError, match=f"not a checkpoint of {ours.__name__}"):
        mine.load_state_dict(stranger.state_dict())
    assert same(mine.state_dict(), before)


def test_a_bad_interpolation_is_refused_with_advice():
    with pytest.raises(ValueError, match=r"b must lie between 0 and 1: got 1\.5"):
        Interpolated([parameter(2)], b=1.5)
    with pytest.raises(ValueError, match='dual must be "plain" or "average"'):
        Interpolated([parameter(2)], dual="primal")


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


def test_averaging_objects_become_plain_values_that_a_checkpoint_can_hold():
    given = [Power(1), Power(0), Power(0.5), Power(2), Geometric(0.1)]
    kept = [GDA([parameter(1)], averaging=a).param_groups[0]["averaging"] for a in given]
    assert kept == ["linear", "uniform", ("power", 0.5), ("power", 2), 0.1]


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
    x, v = weights(model), torch.cat([optimizer.state[p]["v"].flatten() for p in model.parameters()])
    seen = []

    def closure():
        seen.append(weights(model))
        return closure_of(model, optimizer, 5)()

    optimizer.step(closure)
    assert torch.allclose(seen[0], 0.4 * v + 0.6 * x, rtol=1e-12)
    assert not torch.allclose(seen[0], x, rtol=1e-3)


def test_where_the_private_kernel_is_missing_lists_take_over(monkeypatch):
    expected = make_model(torch.float64)
    train(TABLE["SC-PDA"], expected, SCPDA(expected.parameters()), 10)
    monkeypatch.delattr(torch, "_fused_sgd_")
    fused._means_what_we_think.cache_clear()
    try:
        model = make_model(torch.float64)
        train(TABLE["SC-PDA"], model, SCPDA(model.parameters(), fused=True), 10)
    finally:
        fused._means_what_we_think.cache_clear()
    assert (weights(model) - weights(expected)).abs().max() < 1e-12


def test_a_kernel_that_means_something_else_is_not_used(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(torch, "_fused_sgd_", lambda *_, **__: None)
        fused._means_what_we_think.cache_clear()
        assert not fused.fits([torch.ones(2)], [torch.ones(2)])
    fused._means_what_we_think.cache_clear()
    assert fused.fits([torch.ones(2)], [torch.ones(2)])


def test_the_averaged_weights_of_gda_need_to_be_asked_for():
    with pytest.raises(RuntimeError, match="average=True"), GDA([parameter(1)]).averaged():
        pass


def test_the_scheduler_refuses_what_the_optimisers_refuse():
    optimizer = torch.optim.SGD([parameter(1)], lr=0.5)
    with pytest.raises(ValueError, match="start must be None or a whole number, at least 0: got -3"):
        AveragingLR(optimizer, start=-3)
    with pytest.raises(ValueError, match="averaging must be"):
        AveragingLR(optimizer, averaging="sharp")


def test_the_scheduler_continues_from_its_checkpoint():
    def rates(steps, state=None):
        optimizer = torch.optim.SGD([parameter(1)], lr=0.5)
        schedule = AveragingLR(optimizer, averaging=2, start=3, t0=5)
        if state:
            schedule.load_state_dict(state)
        seen = []
        for _ in range(steps):
            optimizer.step()
            schedule.step()
            seen.append(schedule.get_last_lr()[0])
        return seen, schedule.state_dict()

    whole, _ = rates(12)
    first, state = rates(6)
    assert first + rates(6, state)[0] == whole
    assert whole[1] == 0.5 > whole[-1]


def test_without_torch_the_import_says_what_to_install():
    code = "import sys; sys.modules['torch'] = None\nfrom cesaro.optim import GDA"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install cesaro[torch]" in done.stderr
