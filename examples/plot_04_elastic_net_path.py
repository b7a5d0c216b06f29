"""
An elastic net path
===================

With ``l1_ratio`` above zero weights become exactly zero. From strong to weak regularisation the features of a
diabetes study enter the model one after the other, and each point of the path has its certificate.
"""

# %%
# ``warm_start`` lets each fit begin where the one before ended.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import scale

from cesaro import DualAveragingRegressor

data = load_diabetes(scaled=False)
X, y = scale(data.data), scale(data.target)
alphas = np.geomspace(1.5, 1e-3, 60)
model = DualAveragingRegressor(
    "squared_error", l1_ratio=0.9, tol=1e-4, warm_start=True, random_state=0
)
path, gaps = [], []
for alpha in alphas:
    model.set_params(alpha=alpha).fit(X, y)
    path.append(model.coef_)
    gaps.append(model.relative_gap_)
path = np.array(path)
print(f"{len(alphas)} fits, largest relative gap {max(gaps):.1e}")

# %%
# Weights that are zero are exactly zero, not small.

figure, (top, bottom) = plt.subplots(
    2, 1, figsize=(7.6, 5.6), sharex=True, height_ratios=[4, 1]
)
order = np.argsort(-path[-1])
heights = path[-1][order].copy()
for k in range(1, len(order)):  # labels that would lie upon each other move down
    heights[k] = min(heights[k], heights[k - 1] - 0.045)
for feature, height in zip(order, heights, strict=True):
    (line,) = top.plot(
        alphas, path[:, feature], lw=2.2 if abs(path[-1, feature]) > 0.1 else 1.2
    )
    top.text(
        alphas[-1] * 0.95,
        height,
        data.feature_names[feature],
        va="center",
        fontsize=9,
        color=line.get_color(),
    )
top.axhline(0, color="#555555", lw=0.8)
top.set(ylabel="weight", title="Features enter one after the other")
bottom.step(alphas, (path != 0).sum(axis=1), color="#555555")
bottom.set(
    xlabel="alpha", ylabel="features", xscale="log", ylim=(-0.5, 10.8), yticks=[0, 5, 10]
)
bottom.invert_xaxis()
plt.show()
