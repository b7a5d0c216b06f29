"""The optimisers are the readable methods: same numbers in float64, with and without a ball, for several weights."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from cesaro import domains, methods
from cesaro.methods import Schedule
from cesaro.optim import GDA, SCPDA, AveragingLR, Interpolated
from cesaro.optim.averaging_schedule import make_averaging_schedule
from cesaro.weights import Geometric, Linear, Power, Uniform

STEPS, SHAPE, MU = 40, (3, 4), 2.0
WEIGHTS = {"linear": Linear(), "uniform": Uniform(), 2: Power(2), 3.5: Power(3.5), 0.2: Geometric(0.2)}
HOW = [{"fused": True}, {"foreach": True}, {"foreach": False}]


def gradient(x, t):
    """A noisy subgradient of mu/2 |x|^2 + |x - target|_1: depends on x, so errors would grow."""
    noise = np.random.default_rng(t).normal(size=SHAPE)
    return MU * x + np.sign(x - np.linspace(-1, 1, 12).reshape(SHAPE)) + noise


def start_point():
    return np.random.default_rng(100).normal(size=SHAPE) / 8


def reference(method, weights, radius):
    domain = domains.Ball(radius) if radius else domains.Everywhere()
    schedule = Schedule(weights, weights)
    state = method.start(start_point().ravel(), 0.0)
    path = []
    for t in range(1, STEPS + 1):
        g = gradient(state.x.reshape(SHAPE), t).ravel()
        state = method.step(state, g, schedule.at(t), domain)
        path.append(state.x.reshape(SHAPE))
    return np.array(path)


def run(make, steps=STEPS, closure=False, shape=SHAPE):
    p = torch.nn.Parameter(torch.tensor(start_point().reshape(shape)))
    optimizer = make([p])
    path = []
    for t in range(1, steps + 1):

        def evaluate(t=t):
            p.grad = torch.tensor(gradient(p.detach().numpy().reshape(SHAPE), t).reshape(shape))
            return 0.0

        if closure:
            optimizer.step(evaluate)
        else:
            evaluate()
            optimizer.step()
        path.append(p.detach().numpy().copy())
    return np.array(path)


@pytest.mark.parametrize(("optimiser", "method"), [(GDA, methods.GDA), (SCPDA, methods.SCPDA)], ids=["GDA", "SCPDA"])
@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("radius", [None, 0.7])
@pytest.mark.parametrize("averaging", WEIGHTS)
def test_the_optimiser_is_the_readable_method(averaging, radius, how, optimiser, method):
    ours = run(lambda p: optimiser(p, lr=1 / MU, averaging=averaging, start=0, t0=0, radius=radius, **how))
    np.testing.assert_allclose(ours, reference(method(MU), WEIGHTS[averaging], radius), rtol=0, atol=1e-12)


@pytest.mark.parametrize("radius", [None, 0.7])
@pytest.mark.parametrize(("b", "other"), [(0.0, GDA), (1.0, SCPDA)])
def test_interpolation_over_the_dual_average_ends_at_gda_and_sc_pda(b, other, radius):
    for settings in ({"start": 0, "t0": 0}, {"start": 10, "t0": 5}):
        ours = run(lambda p, s=settings: Interpolated(p, lr=0.5, b=b, dual="average", averaging=2, radius=radius, **s))
        theirs = run(lambda p, s=settings: other(p, lr=0.5, averaging=2, radius=radius, **s))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("radius", [None, 0.7])
@pytest.mark.parametrize("b", [0.3, 0.9])
@pytest.mark.parametrize("dual", ["plain", "average"])
def test_interpolation_is_its_printed_formula(dual, b, radius):
    domain = domains.Ball(radius) if radius else domains.Everywhere()
    weights, x, lr = Linear(), start_point(), 0.1
    v, w, path = x, x, []
    for t in range(1, STEPS + 1):
        y = (1 - b) * w + b * x
        g = gradient(y, t)
        c = 1 / weights.relative(t)
        v = v - lr * g if dual == "plain" else (1 - c) * v + c * y - c * lr * g
        w = domain.project(v)
        following = 1 / weights.relative(t + 1)
        x = (1 - following) * x + following * w
        path.append(x)
    make = lambda p: Interpolated(p, lr=lr, b=b, dual=dual, averaging="linear", start=0, t0=0, radius=radius)  # noqa: E731
    np.testing.assert_allclose(run(make, closure=True), np.array(path), rtol=0, atol=1e-12)


def test_the_average_of_gda_is_the_paper_s_output():
    p = torch.nn.Parameter(torch.tensor(start_point()))
    optimizer = GDA([p], lr=1 / MU, start=0, t0=0, average=True)
    seen = []
    for t in range(1, STEPS + 1):
        seen.append(p.detach().numpy().copy())
        p.grad = torch.tensor(gradient(p.detach().numpy(), t))
        optimizer.step()
    last = p.detach().clone()
    with optimizer.averaged():
        expected = np.average(seen, axis=0, weights=np.arange(1, STEPS + 1))
        np.testing.assert_allclose(p.detach().numpy(), expected, rtol=0, atol=1e-12)
    assert torch.equal(p, last)


@pytest.mark.parametrize("optimizer", [GDA, SCPDA])
def test_max_norm_is_a_ball_for_every_row(optimizer):
    """Each row alone under its own ball gives the same as all rows together with per_row."""
    together = run(lambda p: optimizer(p, lr=0.5, radius=0.4, per_row=True, averaging=2, start=0, t0=0))
    apart = [torch.nn.Parameter(torch.tensor(row)) for row in start_point()]
    alone = optimizer(apart, lr=0.5, radius=0.4, averaging=2, start=0, t0=0)
    for t in range(1, STEPS + 1):
        now = gradient(np.array([p.detach().numpy() for p in apart]), t)
        for p, g in zip(apart, now, strict=True):
            p.grad = torch.tensor(g)
        alone.step()
    np.testing.assert_allclose(together[-1], [p.detach().numpy() for p in apart], rtol=0, atol=1e-12)
    assert np.all(np.linalg.norm(together, axis=2) <= 0.4 + 1e-12)


def test_from_outside_the_ball_gda_enters_at_once_and_sc_pda_step_by_step():
    for optimizer, steps in ((GDA, 1), (SCPDA, 200)):
        p = torch.nn.Parameter(torch.full((4,), 10.0))
        p.grad = torch.zeros(4)
        ours = optimizer([p], radius=1.0)
        for _ in range(steps):
            ours.step()
        assert p.norm() <= 1 + 1e-2


@pytest.mark.parametrize("averaging", ["linear", "uniform", 2, 3.5, 20, 0.05, Power(0.5), Power(-1)])
@pytest.mark.parametrize(("start", "t0"), [(0, 0), (7, 3), (None, None), (5, 0)])
def test_the_schedule_in_tensors_is_the_schedule_in_numbers(averaging, start, t0):
    schedule = make_averaging_schedule(averaging, start, t0)
    times = [1, 2, 3, 7, 8, 9, 24, 25, 26, 100, 999, 1000, 1001, 1002, 1050, 10_000_000]
    numbers = [schedule.share(t) for t in times]
    tensors = schedule.share(torch.tensor(times, dtype=torch.float64))
    np.testing.assert_allclose(tensors.numpy(), numbers, rtol=1e-12)


@pytest.mark.parametrize("averaging", ["linear", "uniform", 3])
def test_the_share_stands_still_until_start_and_falls_without_a_jump(averaging):
    schedule = make_averaging_schedule(averaging, 50, None)
    shares = np.array([schedule.share(t) for t in range(1, 200)])
    assert np.all(shares[:51] == shares[0])
    assert np.all(np.diff(shares[50:]) < 0)
    assert shares[50] - shares[51] < 0.1 * shares[50]


def test_before_start_gda_is_sgd_and_afterwards_sgd_with_the_scheduler():
    ours = run(lambda p: GDA(p, lr=0.3, start=20))

    class Scheduled(torch.optim.SGD):
        def __init__(self, p):
            super().__init__(p, lr=0.3)
            self.schedule = AveragingLR(self, start=20)

        def step(self, closure=None):
            super().step(closure)
            self.schedule.step()

    plain = run(lambda p: torch.optim.SGD(p, lr=0.3))
    np.testing.assert_allclose(ours[:20], plain[:20], rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours, run(Scheduled), rtol=0, atol=1e-12)
    assert np.abs(ours[-1] - plain[-1]).max() > 1e-3
