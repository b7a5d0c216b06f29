"""
Rows on a cluster
=================

With Dask the rows stay on the workers. In a round every partition runs a few epochs over its own rows, and the driver
adds up what changed; the duality gap is computed over all rows, so that it is as certain as on one machine. Here the
cluster is two threads of this one.
"""

# %%

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster

from cesaro.data import load
from cesaro.engines.dask import DaskDualAveragingClassifier

cluster = LocalCluster(
    n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
)
client = Client(cluster)
a9a = load("a9a")
rows, labels = a9a.X[:16_000].toarray().astype(np.float32), a9a.y[:16_000]

# %%
# The number of partitions, not of workers, decides how many rounds there are: partitions know nothing of each other
# within a round.

histories, weights = {}, {}
for partitions in (1, 2, 4, 8):
    size = -(-len(rows) // partitions)
    dX, dy = (
        da.from_array(rows, chunks=(size, rows.shape[1])),
        da.from_array(labels, chunks=size),
    )
    model = DaskDualAveragingClassifier(alpha=1e-3, tol=1e-3, random_state=0).fit(dX, dy)
    local = model.to_local()  # an ordinary estimator
    histories[partitions], weights[partitions] = local.history_, local.coef_
    print(
        f"{partitions:2} partitions: gap {local.relative_gap_:.1e}, "
        f"accuracy {local.score(a9a.X_test, a9a.y_test):.4f}"
    )
client.close()
cluster.close()

# %%

figure, ax = plt.subplots()
for partitions, history in histories.items():
    gap = np.minimum.accumulate(history["objective"]) - np.maximum.accumulate(
        history["lower_bound"]
    )
    ax.semilogy(
        history["epoch"],
        gap,
        "o-",
        ms=5,
        label=f"{partitions} partition{'s' * (partitions > 1)}",
    )
ax.set(
    xlabel="round",
    ylabel="duality gap over all rows",
    title="More partitions, more rounds, the same certificate",
)
ax.legend()
plt.show()
