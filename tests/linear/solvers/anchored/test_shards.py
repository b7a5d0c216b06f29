"""Epochs over shards: over one they are one machine's epoch, many never lower the anchored dual, lost values are replaced."""

import numpy as np
import pytest

from cesaro import losses
from cesaro.dual_form import LOGISTIC
from cesaro.linear.problem.csr import make_rows
from cesaro.linear.problem.problem import Problem
from cesaro.linear.solvers.anchored.dual_state import SolverState
from cesaro.linear.solvers.anchored.initial_prox_weight import second_weight, unit
from cesaro.linear.solvers.anchored.shard_messages import sums
from cesaro.linear.solvers.anchored.shards import MergedState, Shard
from cesaro.linear.solvers.anchored.solver import run_epoch

EACH = [losses.Hinge(), losses.SquaredHinge(), losses.LogLoss(), losses.SquaredError(), losses.Quantile(0.8)]


def a_problem(seed, loss, n=60, d=4, **more):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    y = rng.choice([-1.0, 1.0], n) if type(loss) in losses.CLASSIFICATION.values() else rng.normal(size=n)
    return Problem(make_rows(X, 1.0), y, rng.choice([0.5, 1.0, 2.0], n), loss, 0.05, **more), X


def cut(problem, X, pieces):
    """The problem's rows in so many uneven pieces."""
    edges = np.linspace(0, 1, pieces + 1) ** 1.5 * len(X)
    for low, high in zip(edges[:-1].astype(int), edges[1:].astype(int), strict=True):
        rows = make_rows(X[low:high], problem.rows.bias)
        yield problem._replace(rows=rows, y=problem.y[low:high], v=problem.v[low:high])


def anchored_dual(merged, replies):
    """D - F(h) with the values that the shards hold, by its definition: no L1, no ball."""
    p = np.array([reply.share for reply in replies]) / sum(reply.share for reply in replies)
    kappa, g = merged.prox_weight / merged.n, sum(share * reply.held for share, reply in zip(p, replies, strict=True))
    h = kappa * merged.center + g
    return sum(share * reply.dual for share, reply in zip(p, replies, strict=True)) - h @ h / (
        2.0 * (merged.mu + kappa)
    )


@pytest.mark.parametrize("loss", EACH, ids=repr)
@pytest.mark.parametrize("more", [{}, {"l1": 0.01}, {"radius": 0.4}], ids=["plain", "l1", "ball"])
def test_one_shard_is_one_machines_sweep_to_the_bit(loss, more):
    problem, _ = a_problem(1, loss, **more)
    run, shard = SolverState(problem, 3), Shard(problem, 3)
    merged = MergedState(problem, run.n, run.mean_square, 2.0)
    run.recenter(np.zeros(5), 2.0)
    w = np.zeros(5)
    for number in range(4):
        reply = shard.take(merged.request(1, 1e-3)._replace(w=w))
        f, bound = merged.evaluate(w, [reply])
        assert (f, bound) == pytest.approx(run.evaluate(w, 1e-3), rel=1e-12, abs=1e-13)
        run.recenter(run.center.copy(), 2.0, merged.g)
        average = run_epoch(run, first=number == 0).average.copy()
        np.testing.assert_array_equal(reply.average, average)
        np.testing.assert_array_equal(shard.current.record, run.record)
        merged.merge(sums([reply]), adapt=False)
        run.recenter(average, 2.0)
        w = average


@pytest.mark.parametrize("loss", EACH, ids=repr)
@pytest.mark.parametrize("pieces", [2, 7])
def test_a_round_never_lowers_the_anchored_dual(loss, pieces):
    problem, X = a_problem(2, loss)
    shards = [Shard(part, k) for k, part in enumerate(cut(problem, X, pieces))]
    merged, w = MergedState(problem, 60, 3.0, 5.0), np.zeros(5)
    for number in range(6):
        request = merged.request(2, 1e-3)._replace(w=w)._replace(first=False)
        replies = [shard.take(request) for shard in shards]
        merged.evaluate(w, replies)
        before = anchored_dual(merged, replies)
        after = [shard.take(request._replace(epochs=0)) for shard in shards]
        assert anchored_dual(merged, after) >= before - 1e-12
        assert number > 0 or anchored_dual(merged, after) > before
        merged.merge(sums(replies), adapt=False)
        merged.evaluate(w, after)


def test_the_sum_of_the_changes_is_what_the_values_say():
    problem, X = a_problem(4, losses.Hinge())
    shards = [Shard(part, k) for k, part in enumerate(cut(problem, X, 3))]
    merged, w = MergedState(problem, 60, 3.0, 5.0), np.zeros(5)
    for _ in range(5):
        replies = [shard.take(merged.request(2, 1e-3)._replace(w=w)) for shard in shards]
        merged.evaluate(w, replies)
        merged.merge(sums(replies), adapt=True)
        w = merged.center
    for shard in shards:
        kept = shard.held
        shard.sum_afresh()
        np.testing.assert_allclose(kept, shard.held, atol=1e-14)
    p = np.array([shard.weight for shard in shards]) / sum(shard.weight for shard in shards)
    np.testing.assert_allclose(merged.g, p @ [shard.held for shard in shards], atol=1e-14)


@pytest.mark.parametrize("loss", EACH, ids=repr)
def test_lost_values_are_replaced_by_those_that_the_point_suggests(loss):
    problem, _ = a_problem(5, loss)
    good = Shard(problem, 0)
    merged, w = MergedState(problem, 60, 3.0, 5.0), np.zeros(5)
    for _ in range(60):
        replies = [good.take(merged.request(1, 1e-6)._replace(w=w))]
        f, _ = merged.evaluate(w, replies)
        merged.merge(sums(replies), adapt=True)
        w = merged.center
    fresh = Shard(problem, 1)
    fresh.adopt(w)
    again, proved = merged.evaluate(w, [fresh.take(merged.request(0, 1e-6)._replace(w=w))])
    assert again == pytest.approx(f, rel=1e-2)
    assert proved <= again
    start = merged.evaluate(w, [Shard(problem, 2).take(merged.request(0, 1e-6)._replace(w=w))])[1]
    assert proved > start


@pytest.mark.parametrize("pieces", [1, 3])
def test_the_prox_weight_after_a_round_counts_the_rows_that_moved_in_all_shards(pieces):
    problem, X = a_problem(5, losses.LogLoss(), n=300)
    parts = list(cut(problem, X, pieces))
    shards = [Shard(part, seed) for seed, part in enumerate(parts)]
    merged = MergedState(problem, 300, 3.0, 5.0)
    replies = [shard.take(merged.request(1, 1e-6)) for shard in shards]
    merged.merge(sums(replies), adapt=True)
    units = [unit(shard.current.mean_square, LOGISTIC, shard.current.record) for shard in shards]
    everywhere = np.average(units, weights=[part.v.sum() for part in parts])
    everyone = 300 / problem.rows.d  # has moved
    expected = second_weight(5.0, 3.0, everywhere, everyone, 300 * problem.mu, wide=False)
    assert merged.prox_weight == pytest.approx(expected, rel=1e-12)
