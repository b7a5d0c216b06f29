"""
A corollary and the average that it needs
=========================================

Corollary 1 of Tao, Li, Pan and Tao (2021) says 1/t for the averaged output of GDA with weights t, and the only average
that the paper defines is the uniform one. Of that it is false: on a function of one variable a logarithm stays for ever.
The average with the weights t, of which Theorem 1 speaks, has 1/t.
"""

# %%
# ``w²/2 + max(w, -π w)`` has its minimum, 0, at 0, and mu = 1. Both averages are of the same points: GDA as printed, that is
# with ``anchor=0.0``. In a dict every run of ``compare`` has arguments of its own; what they share stands outside. The
# callback notes every uniform average, of T = 2, 3, ... points.

import matplotlib.pyplot as plt
import numpy as np

import cesaro


def f(w):
    x = w[0]
    return x * x / 2 + max(x, -np.pi * x), w + (1.0 if x >= 0 else -np.pi)


uniform = []
averages = {
    "uniform average": {
        "output": cesaro.outputs.Average(),
        "callback": uniform.append,
    },
    "average with weights t": {},
}
steps = 10**5 - 1
runs = cesaro.compare(f, [1.0], averages, method="gda", mu=1.0, anchor=0.0, max_iter=steps)

# %%
# T (f - minimum) of the uniform average grows by (π - 1) ln 10 = 4.931 in every decade, in the limit (:doc:`the proof
# </proofs>`, section 3). With the rate 1/T it would stay below a constant.

reached = [T * f(uniform[T - 2])[0] for T in [10**2, 10**3, 10**4, 10**5]]
print("T (f - minimum):", *(f"{value:.3f}" for value in reached))
print("growth a decade:", *(f"{value:.3f}" for value in np.diff(reached)))

# %%
# The dashed line is the limit, put through the last point.

figure, ax = plt.subplots()
for (name, res), colour in zip(runs.results.items(), ["C1", "C0"], strict=True):
    t, value = res.trace.t, res.trace.value
    ax.plot(t, t * value, color=colour)
    ax.annotate(
        name,
        (t[-1], t[-1] * value[-1]),
        xytext=(0, 10),
        textcoords="offset points",
        ha="right",
        color=colour,
        weight="bold",
    )
T = np.array([10.0, 1e5])
ax.plot(
    T,
    reached[-1] + (np.pi - 1) * np.log(T / 1e5),
    "--",
    color="#333333",
    lw=1.2,
    zorder=3,
    label="(π - 1) ln 10 a decade",
)
ax.set(
    xscale="log",
    xlim=(8, 1.3e5),
    ylim=(0, 26),
    xlabel="T, points in the average",
    ylabel="T (f - minimum)",
    title="One run, two averages: only one has 1/T",
)
ax.legend(loc="upper left")
plt.show()
