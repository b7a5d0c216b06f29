"""How an anchored run starts and stops: seeds, Ctrl-C, the clock, warm starts."""

import numpy as np
import pytest
from independent_optimum import objective
from linear_problems import classes, make
from solving import by_anchored

from cesaro import losses
from cesaro.linear.solvers.anchored import kernels


def test_the_same_seed_gives_the_same_bits_and_another_seed_another_path():
    X, y = classes(np.random.default_rng(9), 500, 10)
    one, same, other = (by_anchored(make(X, y, mu=1e-4), seed=seed) for seed in (3, np.random.default_rng(3), 4))
    assert one.w.tobytes() == same.w.tobytes()
    assert one.lower_bound == same.lower_bound
    assert one.w.tobytes() != other.w.tobytes()


def test_an_interrupted_run_leaves_a_usable_fit_and_a_state_to_go_on_from():
    X, y = classes(np.random.default_rng(11), 2000, 20, 3.0)
    problem = make(X, y, mu=1e-5)
    seen = []

    def report(epoch, f, lower):
        seen.append((epoch, f, lower))
        if len(seen) == 3:
            raise KeyboardInterrupt

    fit = by_anchored(problem, tol=1e-9, report=report)
    assert fit.status == "interrupted"
    assert (fit.n_iter, fit.objective, fit.lower_bound) == seen[-1]
    assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-12)
    on = by_anchored(problem, tol=1e-4, start=fit.state)
    assert on.status == "converged"
    assert on.history["lower_bound"][1] >= 0.99 * fit.lower_bound


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("done", [False, True])
def test_a_run_interrupted_before_its_first_evaluation_has_a_point_and_a_true_bound(number, done, monkeypatch):
    X, y = classes(np.random.default_rng(11), 2000, 20, 3.0)
    problem, calls, epoch = make(X, y, mu=1e-5), [], kernels.run_epoch

    def interrupted(rows, record, order, *more):
        calls.append(order)
        if len(calls) == number:
            if done:  # Ctrl-C is heard when the kernel has returned
                epoch(rows, record, order, *more)
            raise KeyboardInterrupt
        return epoch(rows, record, order, *more)

    best = by_anchored(problem, tol=1e-9, max_iter=5000)
    monkeypatch.setattr(kernels, "run_epoch", interrupted)
    fit = by_anchored(problem, tol=1e-9, anchor=2e6)
    assert fit.status == "interrupted"
    assert fit.objective == pytest.approx(objective(problem, fit.w), rel=1e-12)
    assert fit.lower_bound <= best.objective
    if number > 1 or done:
        assert fit.objective < 0.99
        assert fit.lower_bound > 0.0


def test_a_time_limit_ends_the_run_and_max_iter_counts_epochs():
    X, y = classes(np.random.default_rng(12), 2000, 20, 3.0)
    fit = by_anchored(make(X, y, mu=1e-7), tol=1e-12, time_limit=0.0)
    assert fit.status == "time_limit"
    assert np.isfinite(fit.lower_bound)
    fit = by_anchored(make(X, y), tol=0.0, max_iter=7)
    assert (fit.n_iter, fit.status) == (7, "max_iter")
    assert (np.diff(fit.history["epoch"]) > 0).all()
    assert (np.diff(fit.history["objective"]) <= 0).all()
    assert (np.diff(fit.history["lower_bound"]) >= 0).all()


def test_a_warm_start_at_the_optimum_stops_after_the_first_evaluation_and_survives_other_labels():
    X, y = classes(np.random.default_rng(13), 800, 10, 2.0)
    first = by_anchored(make(X, y, mu=1e-3), tol=1e-5)
    again = by_anchored(make(X, y, mu=1e-3), tol=1e-4, start=first.state)
    assert again.n_iter <= 2
    taken = by_anchored(make(X, -y, mu=1e-3), max_iter=0, start=first.state).state.b
    assert np.isfinite(losses.Hinge().conjugate(-taken, -y)).all()
    flipped = by_anchored(make(X, -y, mu=1e-3), tol=1e-5, start=first.state)
    assert flipped.objective == pytest.approx(first.objective, rel=2e-5)
    np.testing.assert_allclose(flipped.w, -first.w, atol=0.05)
    fewer = by_anchored(make(X[:500], y[:500], mu=1e-3), start=first.state)
    assert fewer.status == "converged"
