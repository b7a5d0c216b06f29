"""A fit that is killed (kill -9) at random moments resumes to the same bits; so does one from a file, whose cache too."""

import os

import numpy as np
import pytest
from killed_children import KILLS, begin, kill_when, newest
from rows_on_disk import data
from sklearn.datasets import dump_svmlight_file

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")
FIT = """
from checkpointed_fits import long_fit, numbers
for k in range(1, len(sys.argv), 3):
    solver, place, result = sys.argv[k : k + 3]
    np.save(result, numbers(long_fit(solver, place)))
"""
FIT_FILE = """
from checkpointed_fits import numbers
from rows_on_disk import classifier, read_slowly
read_slowly(seconds=0.01, text=4000)
file = sys.argv[1]
for k in range(2, len(sys.argv), 3):
    place, cache, result = sys.argv[k : k + 3]
    model = classifier(tol=0, max_iter=60, checkpoint=place)
    np.save(result, numbers(model.fit_file(file, cache=cache, memory=3e5)))
"""


def flat(work):
    return [word for each in work for word in each]


def test_killed_at_random_moments_every_resume_gives_the_same_bits(tmp_path):
    rng, cache, solvers = np.random.default_rng(KILLS), tmp_path / "kernels", ("anchored", "sc-pda", "pegasos")
    solvers = solvers if KILLS > 3 else solvers[:1]
    whole = [(solver, tmp_path / solver, tmp_path / f"{solver}.npy") for solver in solvers]
    assert begin(FIT, cache, *flat(whole)).wait() == 0
    work = [(solvers[k % len(solvers)], tmp_path / f"{k}", tmp_path / f"{k}.npy") for k in range(KILLS)]
    for one in work:
        epochs, place = int(rng.integers(1, 50)), one[1]
        child = begin(FIT, cache, *one)
        assert kill_when(child, lambda: newest(place) >= epochs, float(rng.uniform(0.0, 0.02))), "it ended before"  # noqa: B023
        assert newest(place) >= epochs
    assert begin(FIT, cache, *flat(work)).wait() == 0
    for solver, _, result in work:
        np.testing.assert_array_equal(np.load(result), np.load(tmp_path / f"{solver}.npy"))


def test_so_does_a_fit_to_a_file_killed_while_its_cache_is_built_or_later(tmp_path):
    rng, kernels, file = np.random.default_rng(KILLS), tmp_path / "kernels", tmp_path / "rows.svm"
    dump_svmlight_file(*data(n=2000), str(file), zero_based=False)
    assert begin(FIT_FILE, kernels, file, tmp_path / "whole", tmp_path / "cache", tmp_path / "whole.npy").wait() == 0
    work = [(tmp_path / f"{k}", tmp_path / f"cache-{k}", tmp_path / f"{k}.npy") for k in range(KILLS)]
    for k, (place, cache, result) in enumerate(work):
        child, early, epochs = (
            begin(FIT_FILE, kernels, file, place, cache, result),
            k % 2 == 0,
            int(rng.integers(1, 50)),
        )
        size = int(rng.integers(1, 16_000))  # of the labels, 8 bytes a row

        def reached(place=place, cache=cache, early=early, epochs=epochs, size=size):
            if early:
                return any(found.stat().st_size >= size for found in cache.glob(".*/y"))
            return newest(place) >= epochs

        assert kill_when(child, reached, float(rng.uniform(0.0, 0.01))), "it ended before"
    assert begin(FIT_FILE, kernels, file, *flat(work)).wait() == 0
    for place, cache, result in work:
        np.testing.assert_array_equal(np.load(result), np.load(tmp_path / "whole.npy"), err_msg=str(place))
        assert not list(cache.glob(".*")), "what the dead process had written is gone"
