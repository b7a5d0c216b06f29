"""A driver of Dask that is killed (kill -9) while its workers live on: another one goes on to the same bits."""

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")
from killed_children import KILLS, begin, kill_when, newest

HERE = str(Path(__file__).parent)
DRIVER = f"""
sys.path.insert(0, {HERE!r})
from checkpointed_fits import numbers
from distributed import Client
from sources import classes, cut
from cesaro.engines.dask import DaskDualAveragingClassifier
with Client(sys.argv[1]) as client:
    for k in range(2, len(sys.argv), 3):
        mode, place, result = sys.argv[k : k + 3]
        settings = {{"alpha": 1e-3, "random_state": 5, "tol": 0, "max_iter": 25}}
        model = DaskDualAveragingClassifier(mode=mode, client=client, checkpoint=place, **settings)
        np.save(result, numbers(model.fit(*cut(*classes(1, n=301), 80)).to_local()))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_at_random_rounds_every_resume_gives_the_same_bits(client, tmp_path):
    rng, kernels, modes = np.random.default_rng(KILLS), tmp_path / "kernels", ("local", "exact")
    address, kills = client.scheduler.address, KILLS if KILLS > 3 else 2
    whole = [word for mode in modes for word in (mode, tmp_path / mode, tmp_path / f"{mode}.npy")]
    assert begin(DRIVER, kernels, address, *whole).wait() == 0
    work = [(modes[k % 2], tmp_path / f"{k}", tmp_path / f"{k}.npy") for k in range(kills)]
    for mode, place, result in work:
        rounds = int(rng.integers(1, 20))
        child = begin(DRIVER, kernels, address, mode, place, result)
        alive = kill_when(child, lambda: newest(place) >= rounds, float(rng.uniform(0.0, 0.02)))  # noqa: B023
        assert alive, "it ended before it was killed"
    assert begin(DRIVER, kernels, address, *(word for each in work for word in each)).wait() == 0
    for mode, _, result in work:
        np.testing.assert_array_equal(np.load(result), np.load(tmp_path / f"{mode}.npy"))
