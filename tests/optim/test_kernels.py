"""One pass over memory gives the numbers of torch's operations: large parameters, with one thread and with several."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from cesaro.optim import GDA, SCPDA, Averaged, Interpolated, kernel_calls

SHAPE = (160, 130)  # larger than kernel_calls.SMALLEST
CASES = {
    "averaged": lambda p, **s: Averaged(torch.optim.SGD(p, lr=0.1), start=3, weight_decay=0.1),
    "averaged, no look-ahead": lambda p, **s: Averaged(torch.optim.SGD(p, lr=0.1), start=3, ahead=0.0),
    "gda, ball": lambda p, **s: GDA(p, lr=0.1, start=3, radius=40.0, weight_decay=0.1, **s),
    "sc-pda, ball": lambda p, **s: SCPDA(p, lr=0.1, start=3, radius=40.0, weight_decay=0.1, maximize=True, **s),
    "sc-pda, loose ball": lambda p, **s: SCPDA(p, lr=0.1, start=3, radius=1e4, **s),
    "interpolated": lambda p, **s: Interpolated(p, lr=0.1, weight_decay=0.1, maximize=True, **s),
    "interpolated, dual average": lambda p, **s: Interpolated(p, lr=0.1, b=0.6, dual="average", start=3, **s),
    "interpolated, decoupled": lambda p, **s: Interpolated(
        p, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True, **s
    ),
    "interpolated, ball": lambda p, **s: Interpolated(p, lr=0.1, radius=40.0, **s),
}


def run(make, dtype, steps=8):
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.randn(SHAPE, dtype=dtype))
    optimizer = make([p])
    for t in range(steps):

        def closure(t=t):
            p.grad = torch.sin(p.detach() * (t + 1))
            return torch.tensor(0.0)

        optimizer.step(closure)
    return p.detach()


@pytest.fixture
def several_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_a_kernel_is_torch_s_operations(case, dtype, monkeypatch):
    fast = run(CASES[case], dtype)
    monkeypatch.setattr(kernel_calls, "which", lambda *lists: [False] * len(lists[0]))
    slow = run(CASES[case], dtype)
    assert (fast - slow).abs().max() < (1e-4 if dtype == torch.float32 else 1e-12)
    assert not torch.equal(slow, run(CASES[case], dtype, steps=7))


@pytest.mark.parametrize("case", CASES)
def test_several_threads_are_one(case, several_threads):
    fast = run(CASES[case], torch.float64)
    torch.set_num_threads(1)
    assert (fast - run(CASES[case], torch.float64)).abs().max() < 1e-12


def test_between_equal_numbers_an_average_is_that_number_to_the_bit():
    for case in ("averaged, no look-ahead", "sc-pda, loose ball", "interpolated, dual average"):
        p = torch.nn.Parameter(torch.randn(SHAPE, generator=torch.Generator().manual_seed(0)))
        before, optimizer = p.detach().clone(), CASES[case]([p])

        def closure(p=p):
            p.grad = torch.zeros_like(p)
            return 0.0

        for _ in range(6):
            optimizer.step(closure)
        assert torch.equal(p, before), case


def test_kernels_take_dense_tensors_of_one_type_if_there_are_many_elements():
    large, small, turned = torch.zeros(SHAPE), torch.zeros(5), torch.ones(SHAPE[::-1]).t()
    images = torch.zeros(2, 3, 8, 8).to(memory_format=torch.channels_last)
    assert kernel_calls.which([large, small], [torch.ones(SHAPE), small]) == [True, True]
    assert kernel_calls.which([small], [small]) == [False]
    assert kernel_calls.which([large], [large.double()]) == [False]
    assert kernel_calls.which([large, turned, small], [turned, turned, small]) == [False, False, True]
    assert kernel_calls.which([large, images, images], [large, images, images.contiguous()]) == [True, True, False]
    assert kernel_calls.which([large], [torch.ones(SHAPE[0] * SHAPE[1] + 1)]) == [False]
    assert kernel_calls.which([large.to(torch.bfloat16)], [large.to(torch.bfloat16)]) == [False]


@pytest.mark.parametrize("case", CASES)
def test_many_tensors_of_all_layouts_are_as_with_torch_s_operations(case, monkeypatch, several_threads):
    """One call takes what fits, cut into parts for the threads; torch takes the rest."""

    def train():
        generator = torch.Generator().manual_seed(0)
        shapes = [(3,), (200, 150), (), (0, 4), (6, 5, 40, 40), (70, 80), (1,), (130, 160)]
        values = [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
        values[4], values[5] = values[4].to(memory_format=torch.channels_last), values[5].t()
        params = [torch.nn.Parameter(value) for value in values]
        optimizer = CASES[case](params)
        for t in range(5):

            def closure(t=t):
                for p in params:
                    p.grad = torch.sin(p.detach() * (t + 1)).contiguous()  # not the layout of every parameter
                return 0.0

            optimizer.step(closure)
        return params

    fast = train()
    monkeypatch.setattr(kernel_calls, "which", lambda *lists: [False] * len(lists[0]))
    for p, expected in zip(fast, train(), strict=True):
        assert p.numel() == 0 or (p - expected).abs().max() < 1e-12


@pytest.mark.parametrize("exact", [False, True])
def test_an_error_in_the_closure_restores_large_parameters_to_rounding_and_to_the_bit_where_gradients_are_checked(
    exact,
):
    p = torch.nn.Parameter(torch.randn(SHAPE))
    optimizer = Interpolated([p], lr=0.1, error_if_nonfinite=exact)

    def closure():
        p.grad = p.detach().sin()
        return 0.0

    for _ in range(3):
        optimizer.step(closure)
    before, difference = p.detach().clone(), optimizer.state[p]["d"].clone()

    def failing():
        assert (p - before).abs().max() > 1e-3
        raise KeyError("on purpose")

    after = []
    for _ in range(5):
        with pytest.raises(KeyError):
            optimizer.step(failing)
        after.append(p.detach().clone())
    assert torch.equal(optimizer.state[p]["d"], difference)
    size = torch.finfo(p.dtype).eps * (before.abs() + 0.1 * difference.abs())
    assert ((after[0] - before).abs() <= size).all()
    assert all(torch.equal(each, after[0]) for each in after)  # it does not add up
    if exact:
        assert torch.equal(after[0], before)
        p.grad = torch.full_like(p, torch.nan)
        with pytest.raises(RuntimeError, match="NaN or inf"):
            optimizer.step(lambda: 0.0)
        assert torch.equal(p, before)


def test_a_large_parameter_without_a_gradient_stays_where_it_is_while_others_step():
    still, moving = (torch.nn.Parameter(torch.randn(SHAPE)) for _ in range(2))
    optimizer = Interpolated([still, moving], lr=0.1)

    def closure():
        still.grad, moving.grad = torch.ones_like(still), torch.ones_like(moving)
        return 0.0

    for _ in range(3):
        optimizer.step(closure)
    before = still.detach().clone()

    def without():
        still.grad, moving.grad = None, torch.ones_like(moving)
        return 0.0

    for _ in range(20):
        optimizer.step(without)
    assert (still - before).abs().max() < 1e-6


def test_autograd_notices_that_a_kernel_has_changed_a_parameter():
    p = torch.nn.Parameter(torch.randn(SHAPE))
    optimizer = Interpolated([p], lr=0.1)
    p.grad = torch.ones_like(p)
    optimizer.step(lambda: 0.0)
    loss = (p * p).sum()
    optimizer.step(lambda: 0.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
