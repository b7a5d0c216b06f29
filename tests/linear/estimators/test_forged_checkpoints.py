"""A checkpoint with a right checksum and wrong contents gives a CheckpointError or a fit: no other error, no lost process."""

import os
import shutil
import warnings

import numpy as np
import pytest
from checkpointed_fits import Crash, classifier, crash_at, data
from forgeries import write_forged

from cesaro.linear.solvers.anchored import active_rows
from cesaro.storage import checkpoint
from cesaro.storage.states import CheckpointError

FORGERIES = int(os.environ.get("CESARO_FORGERIES", "40"))
CASES = {
    "anchored": (classifier(alpha=1e-5, tol=0.0, max_iter=30), 2, 20),
    "anchored, finished": (classifier(tol=0.0), 2, None),
    "gda": (classifier(solver="gda", tol=0.0), 2, 4),
    "sc-pda, replacement": (classifier(solver="sc-pda", sampling="replacement", tol=0.0), 2, 4),
    "pegasos, ball": (classifier(solver="pegasos", radius=0.3, tol=0.0), 2, 4),
    "gda, three classes": (classifier(solver="gda", tol=0.0), 3, 4),
}


@pytest.fixture(autouse=True)
def saved_after_every_epoch(monkeypatch):
    """Active rows are set apart as soon as they are few, however many columns there are."""
    monkeypatch.setattr(checkpoint, "RARELY", 0.0)
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    monkeypatch.setattr(active_rows, "WIDE", 1)
    monkeypatch.setattr(active_rows, "SPARSE", 10**6)


def stopped_at(model, X, y, place, epoch):
    """The directory of a fit that crashed there, or ended."""
    model = classifier(**model.get_params() | {"checkpoint": place})
    if epoch is None:
        return model.fit(X, y)
    with crash_at(epoch), pytest.raises(Crash):
        model.fit(X, y)
    return None


@pytest.mark.parametrize("case", CASES)
def test_a_forged_checkpoint_is_refused_as_such_or_gone_on_from(case, tmp_path):
    model, classes, epoch = CASES[case]
    X, y, _ = data(n=20_000 if case == "gda" else 400, classes=classes)
    stopped_at(model, X, y, tmp_path / "run", epoch)
    rng, refused = np.random.default_rng(0), 0
    for k in range(FORGERIES):
        place = shutil.copytree(tmp_path / "run", tmp_path / str(k))
        name = write_forged(place, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = classifier(**model.get_params() | {"checkpoint": place}).fit(X, y)
                assert np.isfinite(found.coef_).all(), name
            except CheckpointError as error:
                refused += "another directory" in str(error)
        shutil.rmtree(place)
    assert refused > FORGERIES / 2


@pytest.mark.parametrize("name", ["solver/state/active", "solver/state/apart/which", "solver/state/apart/active"])
def test_rows_that_do_not_exist_are_refused_before_a_kernel_reads_them(name, tmp_path):
    model, (X, y, _) = CASES["anchored"][0], data()
    stopped_at(model, X, y, tmp_path, 20)
    for path in tmp_path.iterdir():
        state, about = checkpoint.read(path)
        state[name][:] = 2**32 - 1
        checkpoint.write(path, state, about)
    with pytest.raises(CheckpointError, match="not different rows"):
        classifier(**model.get_params() | {"checkpoint": tmp_path}).fit(X, y)
