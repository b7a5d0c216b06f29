"""
A file larger than memory
=========================

``fit_file`` reads rows from disk in blocks and certifies the result as ``fit`` does. Here the budget is a few
megabytes, so that a small file plays the large one; the :doc:`guide </files>` has a file of 4 GB in a budget of 1 GB.
"""

# %%
# A file of svmlight text: 60,000 rows with 30 entries each, among 20,000 columns.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from cesaro import DualAveragingClassifier

rng = np.random.default_rng(0)
rows, columns, entries = 60_000, 20_000, 30
where = (columns * rng.power(0.35, size=(rows, entries))).astype(np.int32)
X = sparse.csr_array(
    (
        np.ones(rows * entries),
        where.ravel(),
        np.arange(0, rows * entries + 1, entries, dtype=np.int32),
    ),
    shape=(rows, columns),
)
X.sum_duplicates()
truth = rng.normal(size=columns)
y = np.where(X @ truth + rng.normal(scale=2.0, size=rows) > 0, 1, -1)

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "rows.svm"
dump_svmlight_file(X, y, str(path), zero_based=False)
print(f"{path.stat().st_size / 1e6:.0f} MB of text")

# %%
# Three budgets. The text is parsed once, into the folder ``cache``; the second and third fit find it there.

budgets = {"all rows at once": 1e9, "memory = 10 MB": 1e7, "memory = 1 MB": 1e6}
models = {}
for name, memory in budgets.items():
    model = DualAveragingClassifier(alpha=1e-4, tol=1e-4, random_state=0)
    models[name] = model.fit_file(path, memory=memory, cache=Path(folder.name) / "cache")
    print(f"{name:17} {model.n_iter_} epochs, relative gap {model.relative_gap_:.1e}")

# %%
# Blocks change the order in which rows are visited, nothing else: the certified gap closes in about the same number
# of epochs.

figure, ax = plt.subplots()
for (name, model), width in zip(models.items(), [9, 5, 1.5], strict=True):
    history = model.history_
    gap = np.minimum.accumulate(history["objective"]) - np.maximum.accumulate(
        history["lower_bound"]
    )
    ax.semilogy(history["epoch"], gap, lw=width, label=name)
ax.set(xlabel="epoch", ylabel="duality gap", title="One curve upon the other")
ax.legend()
plt.show()
folder.cleanup()
