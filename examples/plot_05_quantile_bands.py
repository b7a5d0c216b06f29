"""
Quantile regression with bands
==============================

The quantile loss has a kink at every prediction that is met exactly, which is where gradient methods hesitate and
dual ones do not. Five quantiles of data whose spread grows give a band instead of a line.
"""

# %%
# Noise that grows with x, on features that can bend: B-splines.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

from cesaro import DualAveragingRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 2_000))
noise = rng.gamma(2.0, size=x.size) - 2
y = np.sin(x) + 0.3 * x + (0.1 + 0.08 * x) * noise
X = x[:, None]

# %%
# One model for each quantile, each with a certified gap.

levels = [0.05, 0.25, 0.5, 0.75, 0.95]
models = {}
for level in levels:
    regressor = DualAveragingRegressor(
        "quantile", quantile=level, alpha=1e-5, tol=1e-3, random_state=0
    )
    models[level] = make_pipeline(SplineTransformer(n_knots=9), regressor).fit(X, y)
    below = np.mean(y <= models[level].predict(X))
    print(
        f"quantile {level:4}: {below:.3f} of the points are below, "
        f"gap {models[level][-1].relative_gap_:.0e}"
    )

# %%
# The bands follow the noise, which is skewed upwards.

grid = np.linspace(0, 10, 400)[:, None]
curve = {level: model.predict(grid) for level, model in models.items()}
figure, ax = plt.subplots(figsize=(7.6, 4.6))
ax.plot(x, y, ".", ms=3, color="#b8c0c9", zorder=0)
ax.fill_between(
    grid[:, 0], curve[0.05], curve[0.95], color="C0", alpha=0.18, lw=0, label="5 % to 95 %"
)
ax.fill_between(
    grid[:, 0], curve[0.25], curve[0.75], color="C0", alpha=0.35, lw=0, label="25 % to 75 %"
)
ax.plot(grid, curve[0.5], color="C1", label="median")
ax.set(xlabel="x", ylabel="y", title="Half of the points are in the dark band")
ax.legend(loc="upper left")
plt.show()
