"""What PyTorch users expect of an optimiser: checkpoints and compilation. Every check runs over the table."""

import copy
import io
import pickle

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from optim.optimisers import TABLE, closure_of, make_model, same, train, trained, weights

pytestmark = pytest.mark.parametrize("entry", TABLE.values(), ids=TABLE.keys())


def halfway(entry, **settings):
    model = make_model()
    optimizer = entry.make(model.parameters(), **settings)
    train(entry, model, optimizer, 6)
    return model, optimizer


def test_a_checkpoint_in_mid_run_continues_bit_identically(entry):
    model, optimizer = halfway(entry)
    stream = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, stream)
    train(entry, model, optimizer, range(6, 12))
    stream.seek(0)
    saved = torch.load(stream, weights_only=True)
    again = make_model(seed=1)
    fresh = entry.make(again.parameters())
    again.load_state_dict(saved["model"])
    fresh.load_state_dict(saved["optimizer"])
    train(entry, again, fresh, range(6, 12))
    assert torch.equal(weights(model), weights(again))


def test_a_checkpoint_carries_the_settings(entry):
    _, optimizer = halfway(entry, lr=0.07, weight_decay=0.2)
    fresh = entry.make(make_model().parameters())
    fresh.load_state_dict(optimizer.state_dict())
    assert fresh.param_groups[0]["lr"] == 0.07
    assert fresh.param_groups[0]["weight_decay"] == 0.2


def test_loading_leaves_the_checkpoint_alone(entry):
    _, optimizer = halfway(entry)
    saved = copy.deepcopy(optimizer.state_dict())
    untouched = copy.deepcopy(saved)
    fresh = entry.make(make_model().parameters())
    fresh.load_state_dict(saved)
    assert same(saved, untouched)


def test_a_loaded_optimiser_saves_what_it_has_loaded(entry):
    _, optimizer = halfway(entry)
    saved = copy.deepcopy(optimizer.state_dict())
    fresh = entry.make(make_model().parameters())
    fresh.load_state_dict(copy.deepcopy(saved))
    assert same(fresh.state_dict(), saved)


def test_saving_twice_gives_the_same(entry):
    _, optimizer = halfway(entry)
    assert same(optimizer.state_dict(), optimizer.state_dict())


def test_a_checkpoint_of_another_shape_is_refused(entry):
    _, optimizer = halfway(entry)
    with pytest.raises(ValueError, match="parameter group"):
        entry.make([torch.nn.Parameter(torch.ones(1))]).load_state_dict(optimizer.state_dict())


def test_an_old_checkpoint_without_newer_options_loads_with_defaults(entry):
    model, optimizer = halfway(entry)
    saved = copy.deepcopy(optimizer.state_dict())
    for group in saved["param_groups"]:
        for key in ("maximize", "foreach", "fused", "per_row", "average_dtype", "decoupled_weight_decay", "averaging"):
            group.pop(key, None)
    fresh = entry.make(model.parameters())
    fresh.load_state_dict(saved)
    train(entry, model, fresh, 2)
    assert set(optimizer.param_groups[0]) <= set(fresh.param_groups[0])


def test_a_fresh_optimiser_s_checkpoint_loads(entry):
    model = make_model()
    optimizer = entry.make(model.parameters())
    optimizer.load_state_dict(entry.make(make_model().parameters()).state_dict())
    train(entry, model, optimizer, 10)
    assert torch.equal(weights(model), trained(entry))


def test_deep_copies_continue_alike_and_apart(entry):
    model, optimizer = halfway(entry)
    twin, copied = copy.deepcopy((model, optimizer))
    train(entry, model, optimizer, range(6, 10))
    train(entry, twin, copied, range(6, 10))
    assert torch.equal(weights(model), weights(twin))
    train(entry, model, optimizer, range(10, 12))
    assert not torch.equal(weights(model), weights(twin))


def test_pickles_continue_alike(entry):
    model, optimizer = halfway(entry)
    twin, copied = pickle.loads(pickle.dumps((model, optimizer)))
    train(entry, model, optimizer, range(6, 10))
    train(entry, twin, copied, range(6, 10))
    assert torch.equal(weights(model), weights(twin))


def test_the_state_lives_where_the_parameters_live(entry):
    model, optimizer = halfway(entry)
    for p in model.parameters():
        for key, value in optimizer.state[p].items():
            if isinstance(value, torch.Tensor) and key not in ("step", "averaged_step"):
                assert (value.dtype, value.device, value.shape) == (p.dtype, p.device, p.shape)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_compiled_step_is_the_same_and_compiles_once(entry):
    from torch._dynamo.testing import CompileCounterWithBackend

    if entry.needs_closure:
        return  # closures run the model inside the step; compile the model instead
    torch._dynamo.reset()
    model = make_model(torch.float64)
    optimizer = entry.make(model.parameters(), lr=torch.tensor(0.1, dtype=torch.float64), weight_decay=0.01)
    counter = CompileCounterWithBackend("eager")
    step = torch.compile(optimizer.step, backend=counter)
    frames = []
    for t in range(8):
        closure_of(model, optimizer, t)()
        step()
        frames.append(counter.frame_count)
    eager = make_model(torch.float64)
    train(entry, eager, entry.make(eager.parameters(), weight_decay=0.01), 8)
    # inside torch.compile Adam's own bias correction is computed in float32
    assert (weights(model) - weights(eager)).abs().max() < (1e-6 if entry.scale_free else 1e-12)
    assert frames[-1] > 0, "nothing was compiled"
    assert frames[-1] == frames[2], f"compiled again and again: {frames}"
