"""
A network whose weights are an average
======================================

SC-PDA takes its gradients at a running average of the iterates, and that average is the network: nothing has to be
copied or switched before it is evaluated. Here on two spirals, beside SGD with momentum 0.9, whose steps are as long
in the long run.
"""

# %%
# Two spirals with noise, and a network that can tell them apart.

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from cesaro.optim import SCPDA

rng = np.random.default_rng(0)
turn = np.sqrt(rng.uniform(0.02, 1, 400)) * 3.2 * np.pi
arm = np.stack([turn * np.cos(turn), turn * np.sin(turn)], axis=1) / 10
X = torch.tensor(np.concatenate([arm, -arm]) + rng.normal(scale=0.05, size=(800, 2)), dtype=torch.float32)
y = torch.cat([torch.zeros(400), torch.ones(400)])
torch.set_num_threads(1)
STEPS = 1_500


def train(make_optimizer):
    """The network and its loss on all points, every ten steps."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer, losses = make_optimizer(model.parameters()), []
    draw = torch.Generator().manual_seed(1)
    for step in range(STEPS):
        batch = torch.randint(len(X), (32,), generator=draw)
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(X[batch])[:, 0], y[batch]).backward()
        optimizer.step()
        if step % 10 == 0:
            with torch.no_grad():
                losses.append(nn.functional.binary_cross_entropy_with_logits(model(X)[:, 0], y).item())
    return model, losses


contenders = {
    "SGD, momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "SC-PDA": lambda parameters: SCPDA(parameters, lr=1.0, start=2 * STEPS // 3),
}
trained = {name: train(make) for name, make in contenders.items()}

# %%
# Until two thirds of the steps the two are nearly the same method. Then the weights of the average advance, and its
# curve becomes smooth; SGD is lower at some moments and far higher at others, and its last point is whichever one
# stops at.

side = torch.linspace(-1.25, 1.25, 300)
plane = torch.stack(torch.meshgrid(side, side, indexing="xy"), dim=-1).reshape(-1, 2)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.5), width_ratios=[1.5, 1, 1])
for name, (_, losses) in trained.items():
    axes[0].semilogy(np.arange(len(losses)) * 10, losses, lw=1.4, label=name)
axes[0].axvline(2 * STEPS // 3, color="#888888", ls=":", lw=1)
axes[0].set(xlabel="step", ylabel="loss on all points", title="Training")
axes[0].legend(loc="lower left")
for ax, (name, (model, losses)) in zip(axes[1:], trained.items(), strict=True):
    with torch.no_grad():
        share = torch.sigmoid(model(plane)[:, 0]).reshape(300, 300).numpy()
    ax.imshow(share, origin="lower", extent=(-1.25, 1.25, -1.25, 1.25), cmap="RdBu_r", vmin=-0.3, vmax=1.3)
    ax.scatter(*X.T.numpy(), c=np.where(y.numpy() > 0, "#8c2d04", "#08306b"), s=3, lw=0)
    ax.set(title=f"{name}: {losses[-1]:.3f}", xticks=[], yticks=[], xlim=(-1.25, 1.25), ylim=(-1.25, 1.25))
    ax.grid(False)
plt.show()
