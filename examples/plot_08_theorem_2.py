"""
A counterexample to a printed theorem
=====================================

Theorem 2 of Tao, Li, Pan and Tao (2021) bounds how far the last point of SC-PDA is above the minimum. A function of
one variable with two pieces, and two steps, are enough to exceed it. With a smaller number in the denominator the
theorem holds, and the rate stays 1/t.
"""

# %%
# The function is the larger of two parabolas, both with curvature mu = 1. The method starts where they cross, which
# is the minimum; the subgradient there is that of the first piece, and sends it away. With ``anchor=0.0`` it is the method
# as printed; the default remembers the start and stays below 7/18 here. ``res.bound`` is the corrected theorem's bound: it
# has Γ_{k-1} + γ_k a_k² / (γ_k A_{k-1} + a_k²) where print has Γ_k (:doc:`the proof </proofs>`, section 2).

import importlib.util
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import cesaro


def pieces(w):
    return np.array([-4 / 9 + w + w**2 / 2, -(w + 2 / 3) + (w + 2 / 3) ** 2 / 2])


def f(w):
    values = pieces(w[0])
    slope = w[0] + 1 if values[0] >= values[1] else w[0] + 2 / 3 - 1
    return values.max(), np.array([slope])


points = []
res = cesaro.minimize(
    f,
    [0.0],
    method="sc-pda",
    mu=1.0,
    anchor=0.0,
    max_iter=1,
    callback=lambda x: points.append(float(x[0])),
)
grid = np.linspace(-1.4, 0.6, 2001)
curve = pieces(grid).max(axis=0)
minimum = f([0.0])[0]
reached = res.fun - minimum
print(
    f"x_2 = {res.x[0]:.4f}, f(x_2) - minimum = {reached:.4f}; "
    f"printed bound 7/18 = {7 / 18:.4f}, corrected {res.bound:.4f}"
)

# %%
# What the theorem allows is the dashed line. The second point is above it.

figure, ax = plt.subplots()
for piece, colour in zip(pieces(grid), ["C0", "C2"], strict=True):
    ax.plot(grid, piece, color=colour, lw=1.2, ls=":")
ax.plot(grid, curve, color="#333333", label="f, the larger of two parabolas")
ax.axhline(minimum, color="#888888", lw=1)
ax.axhline(minimum + 7 / 18, color="C1", ls="--", label="minimum + printed bound, 7/18")
ax.plot([0.0, res.x[0]], [minimum, res.fun], "o", ms=9, color="C0", mec="white", zorder=3)
ax.annotate(
    "$x_1$, the minimum", (0.0, minimum), xytext=(12, -14), textcoords="offset points"
)
ax.annotate(
    f"$x_2$: {reached:.3f} above",
    (res.x[0], res.fun),
    xytext=(10, 12),
    textcoords="offset points",
)
ax.set(
    xlabel="w",
    ylabel="f(w)",
    ylim=(minimum - 0.12, 0.45),
    xlim=(-1.3, 0.75),
    title="Two steps above the printed bound",
)
ax.legend(loc="upper center", fontsize=10)
plt.show()

# %%
# How far above can a function be? The worst case over all functions is a semidefinite program. ``cesaro reproduce
# theorems`` solves it for the first steps, with PEPit, and keeps the answers; in a clone of the repository they are read
# here. The corrected bound is never exceeded.

package = Path(importlib.util.find_spec("cesaro").origin)
kept = package.parents[2] / "docs" / "figures" / "theorems.json"
if kept.exists():
    panels = json.loads(kept.read_text(encoding="utf-8"))["panels"]
    worst = next(
        panel for panel in panels if panel["title"] == "Theorem 2 in the worst case"
    )
    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    for series, marker, colour in zip(worst["series"], "so", ["C0", "C1"], strict=False):
        steps, ratio = series["x"]["t"], series["mean"]
        print(f"{series['method']:24}", *(f"{value:.3f}" for value in ratio))
        ax.plot(
            steps,
            ratio,
            marker + "-",
            color=colour,
            label=series["method"].removeprefix("SC-PDA, "),
        )
    ax.axhline(1, color="#333333", lw=1)
    ax.set(
        xlabel="steps",
        xticks=steps,
        ylabel="worst case / bound",
        title="The worst function for each bound",
    )
    ax.legend(loc="center right")
    plt.show()
