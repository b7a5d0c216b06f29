"""
What a certificate looks like
=============================

A fit of a linear support vector machine ends when two curves have met: the value that was reached, and a lower bound
that no model can go below. The area between them is the duality gap, and ``tol`` is a limit on it.
"""

# %%
# The data set is inside the package. ``history_`` has the two curves, one point for each evaluation.

import matplotlib.pyplot as plt
import numpy as np

from cesaro import DualAveragingClassifier
from cesaro.data import load

a9a = load("a9a")
model = DualAveragingClassifier(alpha=1e-4, tol=1e-6, random_state=0).fit(a9a.X, a9a.y)
history = model.history_
print(f"{model.n_iter_} epochs, relative gap {model.relative_gap_:.1e}")

# %%
# Both bounds are certain at every moment of the run, so we may keep the best of each. On the left they close on the
# optimum; on the right the same gap on a logarithmic scale, down to six digits. How far the objective really was
# above the optimum is below that line, as it must be.

epoch = history["epoch"]
upper = np.minimum.accumulate(history["objective"])
lower = np.maximum.accumulate(history["lower_bound"])
optimum = upper[-1]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
left.plot(epoch, upper, label="value reached")
left.plot(epoch, lower, label="lower bound, proved")
left.fill_between(epoch, lower, upper, color="C0", alpha=0.15, label="duality gap")
left.set(
    xlabel="epoch", ylabel="objective", xlim=(0, 12), ylim=(optimum - 0.02, optimum + 0.02)
)
left.set_title("The optimum is in between")
left.legend(loc="upper right")

shown = upper > lower
right.semilogy(epoch[shown], (upper - lower)[shown], label="duality gap")
right.semilogy(epoch[:-1], (upper - optimum)[:-1], "--", color="C2", label="true distance")
right.set(xlabel="epoch", title="The same, in digits", ylim=(1e-8, 2))
right.legend()
plt.show()
