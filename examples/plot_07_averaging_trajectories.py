"""
All averaging schemes on one function
=====================================

A function of two variables with a kink along a line: a subgradient points across the valley, not along it, so the
plain method jumps from side to side. Averages do not. Where the average is taken, in the dual, in the primal, or of
the output, makes the difference.
"""

# %%
# ``mu/2 |w|² + |<p, w>| + max(2 - <q, w>, 0) / 2`` is strongly convex, and has its minimum on the kink.

import matplotlib.pyplot as plt
import numpy as np

import cesaro

MU, ACROSS, ALONG = 0.4, np.array([1, -np.e / 2]), np.array([np.pi / 2, 1])


def f(w):
    across, along = ACROSS @ w, 2 - ALONG @ w
    value = MU / 2 * w @ w + abs(across) + max(along, 0.0) / 2
    return value, MU * w + np.sign(across) * ACROSS - (along > 0) * ALONG / 2


start = np.array([-1.2, 1.4])
schemes = {
    "pegasos": "no average (Pegasos)",
    "gda": "dual and output average (GDA)",
    "sc-rda": "regularised dual average (SC-RDA)",
    "pa-psg-sc": "primal average (PA-PSG)",
    "sc-pda": "dual and primal average (SC-PDA)",
    "anytime": "gradients at the average (anytime)",
}

# %%
# The points where the subgradients are taken, for sixty steps; large dots are what the method returns. A ``callback``
# would see what would be returned, so the function itself notes where it is asked for a subgradient.


class Noted:
    """f, and the points at which a subgradient was asked for."""

    def __init__(self):
        self.points = []

    def value(self, w):
        return f(w)[0]

    def subgradient(self, w):
        self.points.append(w.copy())
        return f(w)[1]


side = np.linspace(-1.6, 1.8, 300)
surface = np.array([[f(np.array([a, b]))[0] for a in side] for b in side])
figure, axes = plt.subplots(2, 3, figsize=(9.6, 6.6), sharex=True, sharey=True)
for ax, (method, name) in zip(axes.flat, schemes.items(), strict=True):
    noted = Noted()
    res = cesaro.minimize(noted, start, method=method, mu=MU, anchor=0.0, max_iter=60)
    path = np.array(noted.points)
    ax.contour(
        side,
        side,
        surface,
        levels=np.geomspace(0.25, 4.5, 12),
        colors="#c9d0d8",
        linewidths=0.9,
    )
    ax.plot(*path.T, "-", lw=1.1, color="C0", alpha=0.7)
    ax.plot(*path.T, ".", ms=4, color="C0")
    ax.plot(*res.x, "o", ms=9, color="C1", mec="white")
    ax.set_title(name, fontsize=10.5)
    ax.text(0.03, 0.04, f"f = {res.fun:.4f}", transform=ax.transAxes, fontsize=10)
    ax.set(xticks=[], yticks=[], xlim=(-1.6, 1.8), ylim=(-1.6, 1.8), aspect="equal")
    ax.grid(False)
plt.show()

# %%
# The same in numbers: how far each is from the minimum, and what has been proved about it.

comparison = cesaro.compare(f, start, list(schemes), mu=MU, anchor=0.0, max_iter=2_000)
print(comparison.table())
figure, ax = plt.subplots()
comparison.plot(ax=ax)
plt.show()
