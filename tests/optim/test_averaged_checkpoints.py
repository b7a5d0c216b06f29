"""What Averaged puts into a checkpoint, what it takes from one, and what it refuses."""

import copy
import pickle

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import closure_of, make_model, parameter, same, weights

from cesaro.optim import GDA, SCPDA, Averaged, averaged_adamw

SGD, AdamW = torch.optim.SGD, torch.optim.AdamW


def train_one(model, optimizer, t):
    loss = closure_of(model, optimizer, t)()
    optimizer.step()
    return loss.item()


def test_averages_of_bfloat16_parameters_are_in_float32_and_go_through_a_checkpoint():
    def fresh():
        model = make_model(torch.bfloat16)
        return model, averaged_adamw(model.parameters(), lr=0.01, steps=40)

    model, optimizer = fresh()
    for t in range(20):
        closure_of(model, optimizer, t)()
        optimizer.step()
    state = optimizer.state[next(model.parameters())]
    assert state["averaged_z"].dtype == state["averaged_x"].dtype == torch.float32
    assert state["averaged_step"].dtype == torch.float64
    again, loaded = fresh()
    again.load_state_dict(model.state_dict())
    loaded.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert same(loaded.state_dict(), optimizer.state_dict())
    for t in range(20, 30):
        for m, o in ((model, optimizer), (again, loaded)):
            closure_of(m, o, t)()
            o.step()
    assert torch.equal(weights(model), weights(again))


@pytest.mark.parametrize(
    "other", [lambda p: SGD(p, lr=0.1, momentum=0.9), lambda p: SCPDA(p), lambda p: Averaged(SGD(p, lr=0.1))]
)
def test_a_checkpoint_of_another_kind_is_refused_before_anything_changes(other):
    stranger, mine = other([parameter(2)]), averaged_adamw([parameter(2)])
    stranger.step()
    before = copy.deepcopy(mine.state_dict())
    with pytest.raises(ValueError, match="not a checkpoint of Averaged"):
        mine.load_state_dict(stranger.state_dict())
    assert same(mine.state_dict(), before)


def test_a_checkpoint_of_a_later_format_is_refused():
    for optimizer in (averaged_adamw([parameter(1)]), GDA([parameter(1)])):
        saved = optimizer.state_dict()
        for group in saved["param_groups"]:
            group.update({"averaging_format": 2} if "averaging_format" in group else {"format": "GDA 2"})
        with pytest.raises(ValueError, match="has format 2, and formats up to 1 can be read"):
            optimizer.load_state_dict(saved)


def test_it_is_pickled_with_its_base():
    model, optimizer = make_model(), None
    optimizer = averaged_adamw(model.parameters(), lr=0.01)
    closure_of(model, optimizer, 0)()
    optimizer.step()
    again = pickle.loads(pickle.dumps(optimizer))
    assert type(again.base) is AdamW
    assert same(again.state_dict(), optimizer.state_dict())
    assert again.defaults == optimizer.defaults


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="this PyTorch has no Muon")
@pytest.mark.filterwarnings("ignore:Muon has momentum")
def test_around_muon_it_trains_and_goes_through_a_checkpoint():
    def fresh():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(6, 8, bias=False), torch.nn.Tanh(), torch.nn.Linear(8, 1, bias=False)
        )
        return model, Averaged(torch.optim.Muon(model.parameters(), lr=0.02), steps=60)

    model, optimizer = fresh()
    losses = [train_one(model, optimizer, t) for t in range(40)]
    again, loaded = fresh()
    again.load_state_dict(copy.deepcopy(model.state_dict()))
    loaded.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for t in range(40, 60):
        losses.append(train_one(model, optimizer, t))
        train_one(again, loaded, t)
    assert torch.equal(weights(model), weights(again))
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])


def test_weights_that_are_loaded_before_the_first_step_are_where_the_averages_begin():
    """Adagrad has a state from the beginning, and z in it: a copy of weights that nobody has trained."""
    models = [make_model(seed=1), make_model(seed=2)]
    optimizers = [Averaged(torch.optim.Adagrad(m.parameters(), lr=0.1), start=2) for m in models]
    models[0].load_state_dict(models[1].state_dict())
    for model, optimizer in zip(models, optimizers, strict=True):
        for t in range(3):
            train_one(model, optimizer, t)
    assert torch.equal(weights(models[0]), weights(models[1]))
