"""Several models: never worse than zero, the better point and bound of two runs, their time, one BLAS thread."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_info

from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers import joined_fits, parallel
from cesaro.linear.solvers.parallel import TimeBudget
from cesaro.linear.solvers.settings import Settings
from cesaro.losses import Hinge


def test_a_fit_that_is_worse_than_nothing_is_replaced_by_nothing():
    bad = parallel.Fit(np.full(3, np.nan), np.nan, np.nan, 1, {}, "max_iter")
    fit = parallel.safeguarded(1.0, bad)
    assert (fit.w == 0.0).all()
    assert (fit.objective, fit.lower_bound) == (1.0, 0.0)
    worse = parallel.safeguarded(1.0, parallel.Fit(np.ones(3), 1.5, 0.25, 1, {}, "max_iter"))
    assert (worse.w == 0.0).all()
    assert (worse.objective, worse.lower_bound) == (1.0, 0.25)
    good = parallel.safeguarded(1.0, parallel.Fit(np.ones(3), 0.5, -0.1, 1, {}, "max_iter"))
    assert (good.w == 1.0).all()
    assert (good.objective, good.lower_bound) == (0.5, 0.0)


def test_two_runs_in_a_row_keep_the_better_point_and_the_better_bound():
    history = {"epoch": np.array([1]), "time": np.array([2.0]), "objective": np.array([0.6]), "active": np.array([9])}
    first = parallel.Fit(np.zeros(2), 0.5, 0.3, 1, history, "max_iter")
    second = parallel.Fit(np.ones(2), 0.6, 0.4, 1, history, "max_iter")
    for joined in (joined_fits.joined(first, second), joined_fits.joined(second, first)):
        assert (joined.w == 0.0).all()
        assert (joined.objective, joined.lower_bound, joined.n_iter) == (0.5, 0.4, 2)
        np.testing.assert_array_equal(joined.history["epoch"], [1, 2])
        np.testing.assert_array_equal(joined.history["time"], [2.0, 4.0])


def test_a_run_that_goes_on_and_is_interrupted_before_it_has_found_anything_is_the_first_alone():
    def interrupted():
        raise KeyboardInterrupt

    history = {"epoch": np.array([1]), "time": np.array([2.0]), "objective": np.array([0.6]), "active": np.array([9])}
    first = parallel.Fit(np.ones(2), 0.5, 0.3, 1, history, "max_iter")
    alone = joined_fits.continued(first, interrupted)
    assert alone == first._replace(status="interrupted")
    second = parallel.Fit(np.zeros(2), 0.4, 0.2, 3, history, "interrupted")
    both = joined_fits.continued(first, lambda: second)
    assert (both.objective, both.lower_bound, both.n_iter, both.status) == (0.4, 0.3, 4, "interrupted")


@pytest.mark.parametrize("jobs", [1, 2])
def test_blas_has_one_thread_while_a_solver_runs_and_its_own_number_afterwards(jobs):
    rng = np.random.default_rng(0)
    X, seen = sp.random_array((200, 30_000), density=1e-3, rng=rng, format="csr"), []

    def threads():  # of NumPy's BLAS, which multiplies vectors; SciPy's own may be loaded meanwhile
        return [library["num_threads"] for library in threadpool_info() if "numpy" in library["filepath"]]

    before = threads()
    problems = [Problem(make_rows(X), rng.choice([-1.0, 1.0], 200), np.ones(200), Hinge(), 1e-3) for _ in range(3)]
    what = Settings(n_jobs=jobs), [None] * 3, lambda *_: seen.append(threads())
    parallel.solve_all(problems, [1.0] * 3, *what)
    assert len(seen) >= 3
    if not before:
        pytest.skip("NumPy's BLAS is not one whose threads can be told")
    assert all(count == 1 for each in seen for count in each)
    assert threads() == before


def test_no_model_is_begun_that_takes_longer_than_is_left_by_the_shortest_so_far():
    budget = TimeBudget(time.perf_counter() + 100.0, models=10, jobs=2)
    budget.done(150.0)
    assert budget.over
    budget.done(50.0)
    assert not budget.over
    budget.done(120.0)
    assert not budget.over
    assert budget.left == 7
