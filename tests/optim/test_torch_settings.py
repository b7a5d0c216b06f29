"""The settings that torch's own suite tries for its optimisers: averaging around each, and ours with those they know."""

import copy
import inspect
import pickle
from typing import NamedTuple

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")
pytest.importorskip("expecttest", reason="torch's own tests need it: pip install expecttest")

from optim.optimisers import Lion, same
from torch.testing._internal.common_optimizers import get_error_inputs_for_all_optims, optim_db

from cesaro.optim import GDA, SCPDA, Averaged, Interpolated

pytestmark = pytest.mark.filterwarnings("ignore:.*has momentum:UserWarning")
OURS = (GDA, SCPDA, Interpolated)
BASES = {info.name: info for info in optim_db if info.name in {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Muon"}}


class Case(NamedTuple):
    kind: type
    settings: dict
    flags: tuple = ()  # other ways to compute the same

    def make(self, params, around=None, **flags):
        """`around`: what to put around a base of torch's."""
        optimizer = self.kind(params, **copy.deepcopy({**self.settings, **flags}))
        return optimizer if self.kind in OURS else (around or Averaged)(optimizer)


def cases():
    found = {}
    for name, info in BASES.items():
        for given in info.optim_inputs_func(device="cpu"):
            flags = tuple(flag for flag in info.supported_impls if flag != "differentiable")
            flags = () if torch.is_tensor(given.kwargs.get("lr")) else flags  # which torch refuses with some of them
            found[f"Averaged({name}), {given.desc}"] = Case(info.optim_cls, given.kwargs, flags)
    for settings in ({}, {"lr": 1e-3}, {"weight_decay": 0.1}, {"maximize": True}, {"lr": torch.tensor(1e-3)}):
        found[f"Averaged(Lion), {settings}"] = Case(Lion, settings)
    for kind in OURS:
        known = inspect.signature(kind).parameters
        for given in BASES["SGD"].optim_inputs_func(device="cpu"):
            if given.kwargs.keys() <= known.keys():
                found[f"{kind.__name__}, {given.desc}"] = Case(kind, given.kwargs, ("foreach", "fused"))
    return found


CASES = cases()
each = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


class Problem:
    """Two matrices, because Muon takes nothing else, and a loss that is far from its least value."""

    def __init__(self):
        generator = torch.Generator().manual_seed(0)
        self.params = [torch.nn.Parameter(torch.randn(shape, generator=generator) / 2) for shape in ((6, 5), (5, 3))]
        self.inputs = torch.randn(40, 6, generator=generator)
        self.targets = torch.randn(40, 3, generator=generator)

    def loss(self):
        first, second = self.params
        return ((self.inputs @ first).tanh() @ second - self.targets).square().mean()

    def train(self, optimizer, steps):
        def closure():
            optimizer.zero_grad()
            loss = self.loss()
            loss.backward()
            return loss

        for _ in range(steps):
            if isinstance(optimizer, Interpolated):
                optimizer.step(closure)
            else:
                closure()
                optimizer.step()
        return [p.detach().clone() for p in self.params]


@each
def test_the_loss_goes_the_right_way(case):
    problem = Problem()
    before = problem.loss().item()
    problem.train(case.make(problem.params), 30)
    assert problem.loss().item() > before if case.settings.get("maximize") else problem.loss().item() < before


@each
def test_a_checkpoint_continues_to_the_bit(case):
    problem, other = Problem(), Problem()
    optimizer, resumed = case.make(problem.params), case.make(other.params)
    other.params[0].data, other.params[1].data = problem.train(optimizer, 4)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert same(problem.train(optimizer, 4), other.train(resumed, 4))
    assert same(optimizer.state_dict()["state"], resumed.state_dict()["state"])


@each
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))], ids=["copy", "pickle"]
)
def test_a_copy_continues_alike(case, duplicate):
    problem = Problem()
    optimizer = case.make(problem.params)
    problem.train(optimizer, 4)
    other, resumed = duplicate((problem, optimizer))
    assert same(problem.train(optimizer, 4), other.train(resumed, 4))


@each
def test_every_way_to_compute_gives_the_same(case):
    plain = Problem()
    expected = plain.train(case.make(plain.params, **({"foreach": False} if case.flags else {})), 10)
    for flag in case.flags:
        problem = Problem()
        found = problem.train(case.make(problem.params, **{flag: True}), 10)
        assert all((p - q).abs().max() < 1e-5 * q.abs().max() for p, q in zip(found, expected, strict=True)), flag


@each
def test_without_gradients_nothing_happens(case):
    problem = Problem()
    before = [p.detach().clone() for p in problem.params]
    case.make(problem.params).step(lambda: 0.0)
    assert same(before, [p.detach() for p in problem.params])


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.kind not in OURS], ids=[n for n in CASES if "(" in n]
)
def test_with_the_newest_point_alone_averaging_around_a_base_is_the_base(case):
    bare, averaged = Problem(), Problem()
    expected = bare.train(case.make(bare.params, around=lambda base: base), 10)
    newest = {"dual": "plain", "averaging": "uniform", "start": 10**6, "t0": 0}
    assert same(averaged.train(case.make(averaged.params, lambda base: Averaged(base, **newest)), 10), expected)


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize(
    "error", get_error_inputs_for_all_optims("cpu", torch.float32), ids=lambda e: e.optimizer_error_input.desc
)
def test_what_torch_refuses_is_refused(kind, error):
    given = error.optimizer_error_input
    params = [torch.nn.Parameter(torch.ones(1, 1))] if given.params is None else given.params
    expect = pytest.warns if issubclass(error.error_type, Warning) else pytest.raises
    with expect(error.error_type):
        kind(params, **given.kwargs)
