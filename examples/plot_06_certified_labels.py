"""
Which labels are certified
==========================

A duality gap is also a statement about predictions. The objective is strongly convex, so the exact optimum is at most
sqrt(2 gap / mu) away from the model, and rows that are far enough from the boundary keep their label whatever the
optimum is. The smaller the gap, the thinner the strip where nothing can be said.
"""

# %%
# Two classes in the plane, and three tolerances.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_blobs

from cesaro import DualAveragingClassifier

X, y = make_blobs(600, centers=[(-1.3, -0.4), (1.3, 0.6)], cluster_std=1.15, random_state=3)
COLOURS = ListedColormap(["#cfe3f2", "#fbdccb", "#ffffff"])
side = np.linspace(-5, 5, 400)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)

figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.7), sharey=True)
for ax, tol in zip(axes, [1e-1, 1e-2, 1e-4], strict=True):
    model = DualAveragingClassifier(
        alpha=0.02, solver="gda", tol=tol, max_iter=20_000, random_state=0
    ).fit(X, y)
    labels, certified = model.predict_certified(plane)
    shade = np.where(certified, labels, 2).reshape(400, 400)
    ax.imshow(shade, origin="lower", extent=(-5, 5, -5, 5), cmap=COLOURS, vmin=0, vmax=2)
    ax.scatter(*X.T, c=np.array(["C0", "C1"])[y], s=7, lw=0)
    sure = model.predict_certified(X)[1].mean()
    ax.set(
        title=f"tol = {tol:g}",
        xlabel=f"{sure:.0%} of the points certified",
        xticks=[],
        yticks=[],
    )
    ax.grid(False)
figure.suptitle("White: the exact optimum might disagree", x=0.01, ha="left", fontsize=11)
plt.show()

# %%
# The boundary hardly moves from the first to the last picture. What grows is what one knows about it.
