"""What the averaging optimisers are under other names, to 1e-12 in float64."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from cesaro.optim import GDA, SCPDA, Interpolated

STEPS = 60


def problem():
    """Parameters of a small network in float64 and a deterministic loss of step t."""
    generator = torch.Generator().manual_seed(0)
    params = [
        torch.nn.Parameter(torch.randn(*shape, generator=generator, dtype=torch.float64) / 3)
        for shape in [(5, 6), (5,), (1, 5)]
    ]
    inputs = torch.randn(STEPS, 8, 6, generator=generator, dtype=torch.float64)

    def loss(t):
        hidden = torch.tanh(inputs[t] @ params[0].T + params[1])
        return ((hidden @ params[2].T).squeeze() - inputs[t].sum(1)).square().mean()

    return params, loss


def distance(first, second):
    return max((p - q).abs().max().item() for p, q in zip(first, second, strict=True))


def train(make, steps=STEPS, closure=False, after=None):
    params, loss = problem()
    optimizer = make(params)
    for t in range(steps):

        def evaluate(t=t):
            optimizer.zero_grad()
            value = loss(t)
            value.backward()
            return value

        if closure:
            optimizer.step(evaluate)
        else:
            evaluate()
            optimizer.step()
        if after:
            after(t, params)
    return params


def test_geometric_sc_pda_is_the_heavy_ball():
    """x_{t+1} = x_t - alpha g_t + beta (x_t - x_{t-1}),  beta = (1-c)^2,  alpha = c (2-c) lr."""
    c, lr = 0.1, 0.2
    ours = train(lambda p: SCPDA(p, lr=lr, averaging=c))
    previous = [p.detach().clone() for p in problem()[0]]

    class HeavyBall(torch.optim.Optimizer):
        @torch.no_grad()
        def step(self):
            for i, p in enumerate(self.param_groups[0]["params"]):
                now = p.clone()
                p.add_(p - previous[i], alpha=(1 - c) ** 2).sub_(p.grad, alpha=c * (2 - c) * lr)
                previous[i] = now

    assert distance(ours, train(lambda p: HeavyBall(p, {}))) < 1e-12


def test_geometric_sc_pda_is_sgd_with_momentum():
    c, lr = 0.1, 0.2
    ours = train(lambda p: SCPDA(p, lr=lr, averaging=c))
    theirs = train(lambda p: torch.optim.SGD(p, lr=c * (2 - c) * lr, momentum=(1 - c) ** 2))
    assert distance(ours, theirs) < 1e-12


def test_sgd_with_momentum_is_primal_averaging():
    """SGD(lr, beta) is x <- (1-c) x + c w over w <- w - (lr/c) g with c = 1 - beta: a geometric average."""
    lr, beta = 0.05, 0.8
    ours = train(lambda p: Interpolated(p, lr=lr / (1 - beta), b=1.0, dual="plain", averaging=1 - beta, t0=10**6))
    assert distance(ours, train(lambda p: torch.optim.SGD(p, lr=lr, momentum=beta))) < 1e-12


def test_averaging_once_per_epoch_makes_gda_lookahead():
    """k steps of SGD are one long gradient step of GDA with c = 1/2: slow <- slow + (fast - slow)/2."""
    k, lr, c = 6, 0.1, 0.5
    slow = [p.detach().clone() for p in problem()[0]]

    @torch.no_grad()
    def synchronise(t, params):
        if (t + 1) % k == 0:
            for p, s in zip(params, slow, strict=True):
                s.lerp_(p, c)
                p.copy_(s)

    lookahead = train(lambda p: torch.optim.SGD(p, lr=lr), after=synchronise)

    params, loss = problem()
    gda = GDA(params, lr=c, averaging=c)  # x <- x - c d with the pseudo-gradient d = x - fast
    for epoch in range(STEPS // k):
        start = [p.detach().clone() for p in params]
        inner = torch.optim.SGD(params, lr=lr)
        for t in range(epoch * k, epoch * k + k):
            inner.zero_grad()
            loss(t).backward()
            inner.step()
        with torch.no_grad():
            for p, s in zip(params, start, strict=True):
                p.grad = s - p
                p.copy_(s)
        gda.step()
    assert distance(params, lookahead) < 1e-12


@pytest.mark.parametrize("weight_decay", [0.0, 0.01])
@pytest.mark.parametrize(("r", "averaging"), [(0.0, "uniform"), (1.0, "linear"), (2.0, 2)])
def test_interpolation_over_the_plain_dual_step_is_schedule_free(r, averaging, weight_decay):
    schedulefree = pytest.importorskip("schedulefree", reason="schedulefree is not installed")
    ours = train(lambda p: Interpolated(p, lr=0.1, b=0.9, averaging=averaging, weight_decay=weight_decay), closure=True)
    params, loss = problem()
    theirs = schedulefree.SGDScheduleFree(params, lr=0.1, momentum=0.9, r=r, weight_decay=weight_decay)
    theirs.train()
    for t in range(STEPS):
        theirs.zero_grad()
        loss(t).backward()
        theirs.step()
    theirs.eval()
    assert distance(ours, params) < 1e-12


def test_with_t0_0_it_is_schedule_free_as_printed_whose_average_counts_the_starting_point():
    """y = (1 - b) z + b x,   z <- z - lr g(y),   x <- (1 - c) x + c z   with c = 1/(t + 1), from z = x."""
    params, loss = problem()
    x, z = [p.detach().clone() for p in params], [p.detach().clone() for p in params]
    for t in range(STEPS):
        with torch.no_grad():
            for p, a, b in zip(params, x, z, strict=True):
                p.copy_(0.9 * a + 0.1 * b)
                p.grad = None
        loss(t).backward()
        for p, a, b in zip(params, x, z, strict=True):
            b.sub_(p.grad, alpha=0.1)
            a.add_((b - a) / (t + 2))
    ours = train(lambda p: Interpolated(p, lr=0.1, b=0.9, t0=0), closure=True)
    assert distance(ours, x) < 1e-12
    assert distance(train(lambda p: Interpolated(p, lr=0.1, b=0.9), closure=True), x) > 1e-3


def test_plain_primal_averaging_is_the_running_mean_of_sgd_s_iterates_at_its_own_gradients():
    params, loss = problem()
    w, mean = [p.detach().clone() for p in params], [p.detach().clone() for p in params]
    for t in range(STEPS):
        for p in params:
            p.grad = None
        loss(t).backward()
        with torch.no_grad():
            for p, z, m in zip(params, w, mean, strict=True):
                z.sub_(p.grad, alpha=0.1)
                m.add_((z - m) / (t + 1))
                p.copy_(m)
    assert distance(train(lambda p: Interpolated(p, lr=0.1, b=1.0)), params) < 1e-12


def test_a_ball_that_never_binds_changes_nothing():
    for optimizer in (GDA, SCPDA):
        free = train(lambda p, o=optimizer: o(p, lr=0.1, start=10))
        assert distance(train(lambda p, o=optimizer: o(p, lr=0.1, start=10, radius=1e6)), free) < 1e-12


def test_a_binding_ball_makes_gda_different_from_projected_sgd():
    @torch.no_grad()
    def project(t, params):
        for p in params:
            p.mul_((0.5 / p.norm()).clamp(max=1))

    ours = train(lambda p: GDA(p, lr=0.1, radius=0.5))
    assert distance(ours, train(lambda p: torch.optim.SGD(p, lr=0.1), after=project)) > 1e-2


def test_after_an_error_in_the_closure_interpolated_has_the_bits_of_before_if_it_was_asked_to_check_gradients():
    p = torch.nn.Parameter(torch.linspace(-1.0, 1.3, 7))
    optimizer = Interpolated([p], lr=0.1, error_if_nonfinite=True)

    def gradient():
        p.grad = p.detach().sin()
        return torch.zeros(())

    for _ in range(3):
        optimizer.step(gradient)
    before = p.detach().clone()

    def closure():
        raise KeyError("on purpose")

    with pytest.raises(KeyError):
        optimizer.step(closure)
    assert torch.equal(p, before)
