"""One small cluster of processes for all tests of a module."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def client():
    """The client of a cluster with two workers of one thread each."""
    distributed = pytest.importorskip("distributed")
    import dask

    settings = {
        "distributed.comm.timeouts.connect": "60s",  # a busy machine is slow to answer
        "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": "1", "MALLOC_TRIM_THRESHOLD_": "65536"},
        "distributed.admin.tick.limit": "1h",  # nor is it worth a warning
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
