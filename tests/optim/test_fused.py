"""torch's private fused kernel is used only where it is there and computes what is expected."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import TABLE, make_model, train, weights

from cesaro.optim import GDA, SCPDA, fused


def test_where_the_private_kernel_is_missing_foreach_takes_over(monkeypatch):
    expected = make_model(torch.float64)
    train(TABLE["SC-PDA"], expected, SCPDA(expected.parameters()), 10)
    monkeypatch.delattr(torch, "_fused_sgd_")
    fused._behaves_as_expected.cache_clear()
    try:
        model = make_model(torch.float64)
        train(TABLE["SC-PDA"], model, SCPDA(model.parameters(), fused=True), 10)
    finally:
        fused._behaves_as_expected.cache_clear()
    assert (weights(model) - weights(expected)).abs().max() < 1e-12


def test_a_kernel_that_means_something_else_is_not_used(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(torch, "_fused_sgd_", lambda *_, **__: None)
        fused._behaves_as_expected.cache_clear()
        assert not fused.is_supported([torch.ones(2)], [torch.ones(2)])
    fused._behaves_as_expected.cache_clear()
    assert fused.is_supported([torch.ones(2)], [torch.ones(2)])


@pytest.mark.parametrize("kind", [GDA, SCPDA])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_every_entry_of_16_bit_parameters_moves(dtype, kind):
    params = [torch.nn.Parameter(torch.full((100,), 0.5, dtype=each)) for each in (dtype, torch.float64)]
    optimizer = kind(params, lr=1.0)
    for _ in range(3):
        for p in params:
            p.grad = torch.ones_like(p)
        optimizer.step()
    short, long = params
    assert (short - long).abs().max() < 0.02
