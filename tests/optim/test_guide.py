"""The examples of the guide run as they stand: a loop, Lightning, Hugging Face's Trainer, accelerate, JAX."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install cesaro[torch]")

from cesaro.optim import GDA, SCPDA, averaged_adamw

GUIDE = Path(__file__).parents[2] / "docs" / "networks.md"

PRELUDE = """
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
inputs = torch.randn(1280, 4)
data = torch.utils.data.TensorDataset(inputs, inputs[:, :1] - inputs[:, 1:2])
batches = torch.utils.data.DataLoader(data, batch_size=16)
loss = torch.nn.functional.mse_loss

def evaluate(model):
    return loss(model(inputs), data.tensors[1]).item()

before = evaluate(model)
"""
TRANSFORMER = """
from transformers import GPT2Config, GPT2LMHeadModel
tokens = torch.arange(24).repeat(16, 1) % 7
dataset = [{"input_ids": row, "labels": row} for row in tokens]
transformer = GPT2LMHeadModel(GPT2Config(vocab_size=8, n_positions=24, n_embd=16, n_layer=1, n_head=2))

def evaluate(model):
    model.eval()
    return model(input_ids=tokens, labels=tokens).loss.item()

model = transformer
before = evaluate(model)
"""
CHECK = """
after = evaluate(getattr(model, "module", model))
assert after < 0.8 * before, (before, after)
print("trained", before, after)
"""


STEPS = """
for x, y in batches:
    optimizer.zero_grad()
    loss(model(x), y).backward()
    optimizer.step()
"""


def example(word: str, language: str = "python") -> str:
    """The block of the guide that has this word in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    (found,) = [block for block in blocks if word in block]
    return found


def side_of_diff(sign: str) -> str:
    """The program before (-) or after (+) the change that the guide asks for."""
    lines = example("averaged_adamw", "diff").splitlines()
    return "\n".join(line[1:] for line in lines if line[:1] in (sign, " ")) + "\n"


def skip_without(module: str) -> None:
    parent = module.split(".")[0]  # find_spec imports it, and raises where there is none
    if importlib.util.find_spec(parent) is None or importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install cesaro[frameworks]")


@pytest.mark.parametrize(
    ("needs", "word", "prelude"),
    [
        ("lightning.pytorch", "import lightning", PRELUDE),  # another package is called lightning too
        ("transformers", "import Trainer", PRELUDE + TRANSFORMER),
        ("accelerate", "import Accelerator", PRELUDE),
    ],
)
def test_the_example_trains(needs, word, prelude, tmp_path):
    for package in (needs, "accelerate") if needs == "transformers" else (needs,):
        skip_without(package)
    run_example(prelude + example(word) + CHECK, tmp_path)


@pytest.mark.parametrize("sign", ["-", "+"])
def test_either_side_of_the_change_from_adamw_trains(sign, tmp_path):
    code = side_of_diff(sign)
    assert ("averaged_adamw" in code) == (sign == "+") == ("schedule." not in code)
    run_example(PRELUDE + code + CHECK, tmp_path)


def test_a_run_goes_on_from_the_checkpoint_of_the_guide(tmp_path):
    run_example(PRELUDE + side_of_diff("+") + example("torch.save") + STEPS + CHECK, tmp_path)


def test_mixed_precision_trains_with_the_scaler_of_the_guide(tmp_path):
    run_example(PRELUDE + example("GradScaler").replace('"cuda"', '"cpu"') + CHECK, tmp_path)


def test_steps_that_the_scaler_skips_do_not_count():
    p = torch.nn.Parameter(torch.ones(3))
    optimizer, scaler = averaged_adamw([p], steps=10), torch.amp.GradScaler("cpu")
    for value in (1.0, float("inf"), 1.0):
        optimizer.zero_grad()
        scaler.scale(value * p.sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert optimizer.state[p]["averaged_step"] == 2


@pytest.mark.parametrize("kind", ["Adam", "AdamW"])
def test_a_run_of_adamw_goes_on_as_the_guide_says(kind, tmp_path):
    begun = side_of_diff("-").replace("AdamW", kind).replace("weight_decay=0.1", "weight_decay=0")
    saved = 'torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "adamw.pt")\n'
    saved += "remaining = len(batches)\n"
    check = 'assert optimizer.state[next(model.parameters())]["step"] == len(batches)\n'
    run_example(PRELUDE + begun + saved + example("adamw.pt") + check + STEPS + CHECK, tmp_path)


def test_back_in_adamw_beta1_would_stay_0_as_the_guide_says():
    p = torch.nn.Parameter(torch.ones(3))
    optimizer = averaged_adamw([p], steps=10)
    p.sum().backward()
    optimizer.step()
    adamw = torch.optim.AdamW([p])
    adamw.load_state_dict(optimizer.state_dict())
    assert adamw.param_groups[0]["betas"] == (0.0, 0.99)


def test_the_base_of_the_guide_s_own_trains(tmp_path):
    run_example(PRELUDE + example("class SignSGD").replace("1e-3", "1e-2") + STEPS + CHECK, tmp_path)


def run_example(code: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "trained" in done.stdout


@pytest.mark.parametrize("radius", [None, 0.7])
@pytest.mark.parametrize("primal", [True, False])
@pytest.mark.parametrize(("start", "t0"), [(0, 0), (10, 5)])
def test_the_recipe_for_jax_is_gda_and_sc_pda(start, t0, primal, radius):
    for package in ("jax", "optax"):
        skip_without(package)
    import jax
    import jax.numpy as jnp
    import optax

    jax.config.update("jax_enable_x64", True)
    namespace: dict = {}
    exec(example("class AveragedState"), namespace)

    def project(v):
        return v if radius is None else jax.tree.map(lambda p: p * jnp.minimum(1, radius / jnp.linalg.norm(p)), v)

    transformation = namespace["averaged"](optax.sgd(0.3), start, t0, primal, project)
    x0 = np.random.default_rng(0).normal(size=(2, 6)) / 8
    params = {"a": jnp.asarray(x0[0]), "b": jnp.asarray(x0[1])}
    state = transformation.init(params)
    ours = [torch.nn.Parameter(torch.tensor(row)) for row in x0]
    kind = SCPDA if primal else GDA
    optimizer = kind(ours, lr=0.3, start=start, t0=t0, radius=radius)
    update = jax.jit(transformation.update)
    for t in range(40):
        noise = np.random.default_rng(t).normal(size=(2, 6))
        grads = {name: params[name] + jnp.sign(params[name] - 0.3) + n for name, n in zip("ab", noise, strict=True)}
        updates, state = update(grads, state, params)
        params = optax.apply_updates(params, updates)
        for p, n in zip(ours, noise, strict=True):
            p.grad = p.detach() + torch.sign(p.detach() - 0.3) + torch.tensor(n)
        optimizer.step()
        for p, name in zip(ours, "ab", strict=True):
            np.testing.assert_allclose(p.detach().numpy(), np.asarray(params[name]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [SCPDA, GDA])
def test_a_run_that_is_extended_before_its_rate_falls_is_the_longer_run(kind):
    def after(steps, later):
        weights = torch.nn.Parameter(torch.arange(4.0))
        optimizer = kind([weights], lr=0.1, steps=steps)
        for step in range(40):
            if step == 15:
                optimizer.param_groups[0]["steps"] = later
            optimizer.zero_grad()
            (weights - 1.0).abs().sum().backward()
            optimizer.step()
        return weights.detach()

    assert torch.equal(after(30, 60), after(60, 60))
    assert not torch.equal(after(30, 30), after(60, 60))


def test_the_memory_of_the_guide_is_three_tensors_beside_the_parameters():
    weights = torch.nn.Parameter(torch.ones(50))
    optimizer = averaged_adamw([weights], steps=10)
    weights.sum().backward()
    optimizer.step()
    assert sum(value.numel() == 50 for value in optimizer.state[weights].values()) == 3
