"""Averaged inside torch.compile with its default backend, inductor: parameters and z of every step are those of eager code."""

import shutil

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from cesaro.optim import Averaged

SGD, AdamW = torch.optim.SGD, torch.optim.AdamW
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a C++ compiler"),
    pytest.mark.filterwarnings("ignore"),  # torch's own, of its own parts
]


def trajectory(make, dtype=torch.float32, compiled=None):
    """The parameters and their averages after each of five steps, the second parameter larger than a block of the kernels."""
    torch._dynamo.reset()
    params = [torch.nn.Parameter(torch.linspace(-1, 1, n).to(dtype)) for n in (3, 50_000)]
    optimizer = make(params)
    step = compiled(optimizer) if compiled else optimizer.step
    seen = []
    for t in range(5):
        for p in params:
            p.grad = torch.cos(t + torch.arange(p.numel())).to(dtype)
        step()
        kept = [optimizer.state[p][key] for p in params for key in ("averaged_z", "averaged_step")]
        seen += [value.detach().to(torch.float64, copy=True) for value in (*params, *kept)]
    return seen


def inside_a_function(optimizer):
    @torch.compile
    def train():
        optimizer.step()

    return train


def the_method(optimizer):
    return torch.compile(optimizer.step)


CASES = {
    "SGD, foreach": (lambda p: SGD(p, 0.1, foreach=True), {}, the_method),
    "SGD, loop, tensor lr": (lambda p: SGD(p, torch.tensor(0.1), foreach=False), {}, inside_a_function),
    "AdamW, foreach": (lambda p: AdamW(p, 0.1, betas=(0.0, 0.9), foreach=True), {"warmup": 2}, inside_a_function),
    "AdamW, loop, tensor lr": (lambda p: AdamW(p, torch.tensor(0.1), betas=(0.0, 0.9), foreach=False), {}, the_method),
    "SGD, plain": (lambda p: SGD(p, 0.1), {"dual": "plain", "weight_decay": 0.1}, the_method),
}


@pytest.mark.parametrize(("base", "settings", "compiled"), CASES.values(), ids=CASES.keys())
def test_compiled_steps_are_those_of_eager_code_with_z(base, settings, compiled):
    make = lambda p: Averaged(base(p), steps=3, **settings)  # noqa: E731
    for eager, ours in zip(trajectory(make), trajectory(make, compiled=compiled), strict=True):
        assert (eager - ours).abs().max() < 1e-6


def test_compiled_averages_of_bfloat16_parameters_are_not_rounded_to_16_bits():
    make = lambda p: Averaged(SGD(p, 0.1), steps=3)  # noqa: E731
    for compiled in (None, the_method):
        *_, z, _ = trajectory(make, torch.bfloat16, compiled)
        assert (z != z.bfloat16().double()).double().mean() > 0.9
