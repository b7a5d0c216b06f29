"""Hostile use: parameters that change their shape, huge entries, points outside the ball, long runs, absurd powers."""

import time

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import OURS, TABLE, parameter

from cesaro.optim import GDA, SCPDA, Averaged, Interpolated, averaged_adamw
from cesaro.weights import Power

AVERAGING = {name: entry for name, entry in TABLE.items() if not name.startswith("torch")}
INSIDE = {"gda": GDA, "sc_pda": SCPDA, "interpolated": lambda p, **settings: Interpolated(p, b=1.0, **settings)}


@pytest.mark.parametrize("shape", [(2, 8), (1,), (40,), (4, 2)])
@pytest.mark.parametrize("name", [n for n in AVERAGING if not n.startswith("GDA") or "average" in n])
def test_a_parameter_that_is_resized_between_steps_is_refused_and_left_alone(name, shape):
    entry = AVERAGING[name]
    p = parameter(8, 2)
    optimizer = entry.make([p])

    def closure():
        p.grad = torch.ones_like(p)
        return torch.tensor(0.0)

    for _ in range(2):
        entry.step(optimizer, closure)
    p.data, p.grad = torch.full(shape, 7.0), None
    with pytest.raises(RuntimeError, match="has been resized"):
        entry.step(optimizer, closure)
    assert torch.equal(p, torch.full(shape, 7.0))
    del optimizer.state[p]
    entry.step(optimizer, closure)
    assert p.isfinite().all()


@pytest.mark.parametrize("per_row", [False, True])
@pytest.mark.parametrize("make", INSIDE.values(), ids=INSIDE.keys())
def test_every_parameter_is_in_the_ball_after_its_first_step(make, per_row):
    p = torch.nn.Parameter(torch.full((5, 5), 10.0))
    p.grad = torch.randn(5, 5, generator=torch.Generator().manual_seed(0))
    optimizer = make([p], lr=0.1, radius=1.0, per_row=per_row)
    for _ in range(3):
        optimizer.step()
        norms = p.norm(dim=1) if per_row else p.norm()
        assert norms.max() <= 1 + 1e-6


@pytest.mark.parametrize("per_row", [False, True])
@pytest.mark.parametrize("make", INSIDE.values(), ids=INSIDE.keys())
@pytest.mark.parametrize(
    ("dtype", "entry"), [(torch.float32, 1e30), (torch.bfloat16, 1e30), (torch.float64, 1e200)], ids=str
)
def test_entries_whose_squares_overflow_are_projected_and_not_lost(make, per_row, dtype, entry):
    p = torch.nn.Parameter(torch.tensor([[entry, -entry], [entry, 0.0]], dtype=dtype))
    p.grad = torch.zeros_like(p)
    make([p], radius=2.0, per_row=per_row).step()
    row = torch.tensor([[1.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    expected = 2 * row / (row.norm(dim=1, keepdim=True) if per_row else row.norm())
    assert torch.allclose(p.double(), expected, rtol=1e-2 if dtype == torch.bfloat16 else 1e-6)


@pytest.mark.parametrize("name", OURS)
def test_counters_go_on_beyond_2_to_the_24(name):
    p = parameter(2)
    optimizer = OURS[name].make([p])

    def closure():
        p.grad = torch.ones_like(p)
        return torch.tensor(0.0)

    OURS[name].step(optimizer, closure)
    optimizer.state[p]["step"].fill_(2**24)
    for _ in range(2):
        OURS[name].step(optimizer, closure)
    assert optimizer.state[p]["step"] == 2**24 + 2


def test_the_counter_of_averaged_goes_on_beyond_2_to_the_24():
    p = parameter(2)
    optimizer = averaged_adamw([p])
    optimizer.step()
    optimizer.state[p]["averaged_step"].fill_(2**24)
    for _ in range(2):
        optimizer.step()
    assert optimizer.state[p]["averaged_step"] == 2**24 + 2


@pytest.mark.parametrize("averaging", [1000, 1e4, 1e5])
def test_absurd_powers_cost_no_more_than_others(averaging):
    p = parameter(2)
    begin = time.process_time()
    for optimizer in (SCPDA([p], averaging=averaging), Averaged(torch.optim.SGD([p], lr=0.1), averaging=averaging)):
        for _ in range(100):
            optimizer.step()
    assert time.process_time() - begin < 2
    assert p.isfinite().all()


@pytest.mark.parametrize("averaging", [1e6, 1e300, ("power", 1e7), Power(1e9)])
def test_powers_whose_sums_would_take_minutes_are_refused(averaging):
    with pytest.raises(ValueError, match="a power of at most 100000"):
        SCPDA([parameter(2)], averaging=averaging)
    with pytest.raises(ValueError, match="a power of at most 100000"):
        Averaged(torch.optim.SGD([parameter(2)], lr=0.1), averaging=averaging)
