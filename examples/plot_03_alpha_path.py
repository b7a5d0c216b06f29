"""
Alpha by cross-validation, with the curve
=========================================

Sixteen values of ``alpha`` on five folds are eighty models. They share their epochs: while a row is in the cache all
of them are updated, so that the search costs a small part of eighty fits.
"""

# %%

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np

from cesaro import DualAveragingClassifier, DualAveragingClassifierCV
from cesaro.data import load

a9a = load("a9a")
# That the best alpha is the smallest is worth a warning; here the curve shows it.
warnings.filterwarnings("ignore", ".*the best alpha")
DualAveragingClassifierCV(random_state=0).fit(a9a.X[:2000], a9a.y[:2000])  # compiles
begin = time.perf_counter()
search = DualAveragingClassifierCV(alphas=16, cv=5, random_state=0).fit(a9a.X, a9a.y)
middle = time.perf_counter()
DualAveragingClassifier(alpha=search.alpha_, random_state=0).fit(a9a.X, a9a.y)
end = time.perf_counter()
print(
    f"80 models and the last fit {middle - begin:.2f} s, one fit alone {end - middle:.2f} s"
)

# %%
# The curve is flat over two decades: within one standard error of the best score there is a model with a far larger
# ``alpha``, that is smaller weights. Many would take that one.

results = search.cv_results_
alphas = np.array([setting["alpha"] for setting in results["params"]])
mean = results["mean_test_score"]
error = results["std_test_score"] / np.sqrt(5)
best = np.argmax(mean)
simplest = alphas[mean >= mean[best] - error[best]].max()

figure, ax = plt.subplots()
ax.fill_between(
    alphas, mean - error, mean + error, alpha=0.2, label="standard error over the folds"
)
ax.plot(alphas, mean, "o-", label="accuracy in cross-validation")
ax.axvline(search.alpha_, color="C1", ls="--", lw=1.5, label=f"best: {search.alpha_:.1e}")
ax.axvline(
    simplest, color="C2", ls=":", lw=2, label=f"largest within one error: {simplest:.1e}"
)
ax.set(
    xscale="log",
    xlabel="alpha",
    ylabel="accuracy",
    title="Sixteen alphas, five folds, the same few epochs",
)
ax.legend(loc="lower left")
plt.show()
