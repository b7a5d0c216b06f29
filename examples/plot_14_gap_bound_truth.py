"""
The gap, the theorem and the truth
==================================

Of a run of ``minimize`` three numbers can be drawn: how far the answer is from the minimum, where that is known; the gap,
which the run has proved; and what the method's theorem says, before the run and after it.
"""

# %%
# A function of Nesterov's, hard for every method: the largest of 200 coordinates, and ``mu/2 |w|²``. Its minimum is
# -1/(2 mu d), where all coordinates are -1/(mu d). Before each coordinate has had its subgradient one of them is still 0, so
# f is not below 0, wherever in the span of the subgradients a method goes.

import matplotlib.pyplot as plt
import numpy as np

import cesaro

MU, D = 0.1, 200
minimum = -1 / (2 * MU * D)


def f(w):
    top = np.argmax(w)
    return MU / 2 * w @ w + w[top], MU * w + np.eye(D)[top]


methods = {"gda": "GDA", "sc-pda": "SC-PDA"}
runs = cesaro.compare(f, np.zeros(D), list(methods), mu=MU, anchor=0.0, max_iter=10_000)

# %%
# ``trace`` has all that is drawn; ``trace.t`` is the t of the theorems. What is known before the run needs a bound M on
# all subgradients (:doc:`the table </minimize>`): along these runs ``mu |w|`` is at most 1, so M = 2. After a few
# subgradients the gap is less than twice the truth, and after 200 nearly the truth itself: the lower bound has become the
# minimum.

M = 2
before = {
    "gda": lambda t: 2 * M**2 / (MU * (t + 1)),
    "sc-pda": lambda t: 28 / 13 * M**2 / (MU * (t + 1)),
}
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.4), sharey=True)
for ax, (name, title) in zip(axes, methods.items(), strict=True):
    trace = runs[name].trace
    lines = {
        "known before the run": (before[name](trace.t), "#888888", ":"),
        "theorem, from the subgradients seen": (trace.bound, "C1", "-"),
        "gap, proved by the run": (trace.gap, "C0", "-"),
        "truth": (trace.value - minimum, "#333333", "--"),
    }
    for label, (line, colour, style) in lines.items():
        width = 1.3 if style == "--" else 2.4
        ax.loglog(trace.t, line, style, color=colour, lw=width, label=label)
    ax.set(xlabel="t, subgradients taken", title=title)
axes[0].set_ylabel("above the minimum")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
plt.show()

# %%
# The same in numbers, at the end.

for name, res in runs.results.items():
    print(
        f"{name:7} truth {res.fun - minimum:.1e} <= gap {res.gap:.1e} <= theorem {res.bound:.1e} "
        f"<= before {before[name](res.trace.t[-1]):.1e}"
    )
