"""
Minimise your own function
==========================

A portfolio: shares of ten assets, not negative and adding up to one, with a small expected shortfall in bad months.
That is a function with thousands of kinks over a simplex. ``minimize`` needs its value, a subgradient and the domain,
and says how far from the best portfolio it can still be.
"""

# %%
# Ten assets with a common factor and heavy tails, a thousand months. The objective: minus the mean return, plus the
# mean loss below -2 %, plus a little of the squared norm, which spreads the shares and makes it strongly convex.

import matplotlib.pyplot as plt
import numpy as np

import cesaro

rng = np.random.default_rng(4)
market = rng.standard_t(4, size=(1000, 1))
beta = np.linspace(0.3, 1.6, 10)
returns = 0.006 * beta + 0.03 * (
    beta * market + rng.standard_t(4, size=(1000, 10)) * np.linspace(0.4, 1.5, 10)
)
MU = 0.01


def objective(w):
    month = returns @ w
    short = -0.02 - month
    value = -month.mean() + 2 * np.maximum(short, 0).mean() + MU / 2 * w @ w
    return value, -returns.mean(axis=0) - 2 * returns[short > 0].sum(axis=0) / len(
        returns
    ) + MU * w


res = cesaro.minimize(
    objective,
    np.full(10, 0.1),
    mu=MU,
    domain=cesaro.domains.Simplex(),
    tol=2e-6,
    max_iter=50_000,
)
print(res.message)
print(f"{res.lower_bound:.6f} <= best value <= {res.fun:.6f}")

# %%
# Left, the shares; right, how the certificate closed.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
left.bar(np.arange(10), res.x, color="C0")
left.set(
    xlabel="asset, from calm to volatile",
    ylabel="share",
    xticks=np.arange(10),
    title="The portfolio",
)
left.grid(axis="x", visible=False)
trace = res.trace
right.fill_between(
    trace.iteration,
    trace.lower_bound,
    trace.value,
    color="C0",
    alpha=0.18,
    label="duality gap",
)
right.plot(trace.iteration, trace.value, color="C0", label="value reached")
right.plot(trace.iteration, trace.lower_bound, color="C1", label="lower bound, proved")
margin = 25 * res.gap
right.set(
    xscale="log",
    xlabel="step",
    ylim=(res.lower_bound - margin, res.fun + margin),
    title="The certificate",
)
right.legend()
plt.show()
