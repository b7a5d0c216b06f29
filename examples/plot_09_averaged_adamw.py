"""
A network whose weights are an average: Averaged(AdamW)
=======================================================

``Averaged`` puts the paper's averaging around any optimiser of PyTorch. The parameters are always the point to evaluate,
the average and a step ahead of it: nothing has to be copied or switched. Here on two spirals, beside AdamW at a constant
rate and with a cosine schedule, each at the best of five rates.
"""

# %%
# Two spirals with noise, and a network that can tell them apart.

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from cesaro.optim import averaged_adamw

rng = np.random.default_rng(0)
turn = np.sqrt(rng.uniform(0.02, 1, 400)) * 3.2 * np.pi
arm = np.stack([turn * np.cos(turn), turn * np.sin(turn)], axis=1) / 10
X = torch.tensor(
    np.concatenate([arm, -arm]) + rng.normal(scale=0.05, size=(800, 2)), dtype=torch.float32
)
y = torch.cat([torch.zeros(400), torch.ones(400)])
torch.set_num_threads(1)
STEPS, RATES = 600, (0.01, 0.02, 0.04, 0.08, 0.16)


def train(make_optimizer, make_schedule=None):
    """The network and its loss on all points, every ten steps."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)
    )
    optimizer, losses = make_optimizer(model.parameters()), []
    schedule = make_schedule(optimizer) if make_schedule else None
    draw = torch.Generator().manual_seed(1)
    for step in range(STEPS):
        batch = torch.randint(len(X), (32,), generator=draw)
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(
            model(X[batch])[:, 0], y[batch]
        ).backward()
        optimizer.step()
        if schedule:
            schedule.step()
        if step % 10 == 9:
            with torch.no_grad():
                losses.append(
                    nn.functional.binary_cross_entropy_with_logits(model(X)[:, 0], y).item()
                )
    return model, losses


def cosine(optimizer):
    return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)


# %%
# Each optimiser is trained with each rate, and the run with the least last loss is kept.

contenders = {
    "AdamW, constant rate": (torch.optim.AdamW, None, {}),
    "AdamW, cosine": (torch.optim.AdamW, cosine, {}),
    "Averaged(AdamW)": (averaged_adamw, None, {"steps": STEPS}),
}
trained = {}
for name, (optimizer, schedule, settings) in contenders.items():
    runs = {
        rate: train(partial(optimizer, lr=rate, **settings), schedule) for rate in RATES
    }
    best = min(runs, key=lambda rate: runs[rate][1][-1])
    trained[name] = runs[best]
    ends = "  ".join(f"{rate:g}: {losses[-1]:.3f}" for rate, (_, losses) in runs.items())
    print(
        f"{name}\n    last loss by rate  {ends}\n"
        f"    at {best:g} the largest of the last twenty: {max(runs[best][1][-20:]):.3f}"
    )

# %%
# The loss on all points, at the weights that one would evaluate. They can be evaluated at any step, but are best at the end,
# when the rate has fallen: over the last twenty points cosine varies less. One seed of one small problem, with the rates chosen
# by the very loss that is shown: a picture of how the three end, not a ranking. That is :doc:`in the guide </networks>`.

side = torch.linspace(-1.25, 1.25, 300)
plane = torch.stack(torch.meshgrid(side, side, indexing="xy"), dim=-1).reshape(-1, 2)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=[1.5, 1])
for (name, (_, losses)), colour in zip(
    trained.items(), ["#9aa3ad", "C0", "C1"], strict=True
):
    left.semilogy(
        np.arange(1, len(losses) + 1) * 10, losses, lw=1.6, color=colour, label=name
    )
left.set(xlabel="step", ylabel="loss on all points", title="Training")
left.legend(loc="lower left")
with torch.no_grad():
    share = (
        torch.sigmoid(trained["Averaged(AdamW)"][0](plane)[:, 0]).reshape(300, 300).numpy()
    )
right.imshow(
    share,
    origin="lower",
    extent=(-1.25, 1.25, -1.25, 1.25),
    cmap="RdBu_r",
    vmin=-0.3,
    vmax=1.3,
)
right.scatter(*X.T.numpy(), c=np.where(y.numpy() > 0, "#8c2d04", "#08306b"), s=4, lw=0)
right.set(
    title="What it has learned",
    xticks=[],
    yticks=[],
    xlim=(-1.25, 1.25),
    ylim=(-1.25, 1.25),
)
right.grid(False)
plt.show()
