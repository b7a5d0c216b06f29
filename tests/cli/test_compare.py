"""cesaro compare: one line a solver."""

import pytest


def test_every_solver_has_its_line_in_the_order_asked_for(cesaro, files):
    ended = cesaro("compare", files / "two", "--solvers", "gda,anchored", "--max-iter", 20, "--test", files / "more")
    lines = [line.split() for line in ended.out.splitlines()]
    assert [words[0] for words in lines if words and words[0] in ("anchored", "gda")] == ["gda", "anchored"]
    assert {"objective", "proved", "epochs", "seconds", "train", "test"} <= set(lines[1])


def test_no_solver_is_below_the_best_bound(cesaro, files):
    answer = cesaro("compare", files / "two", "--solvers", "anchored,gda,sc-pda", "--alpha", 0.1, "--json").json
    best = max(row["lower_bound"] for row in answer["results"])
    for row in answer["results"]:
        assert row["above_optimum_at_most"] == row["objective"] - best >= 0
        assert row["above_optimum_at_most"] <= row["gap"] == pytest.approx(row["objective"] - row["lower_bound"])
        assert row["epochs"] <= answer["max_iter"] == 100
    assert answer["results"][0]["converged"]


def test_several_classes_are_shown_as_means(cesaro, files):
    ended = cesaro("compare", files / "three", "--solvers", "anchored", "--max-iter", 20)
    assert ended.code == 0
    assert "means over the one-vs-rest models" in ended.out


def test_an_unknown_solver_is_named_with_those_there_are(cesaro, files):
    ended = cesaro("compare", files / "two", "--solvers", "anchored,newton")
    assert ended.code == 2
    assert "newton is not a solver" in ended.err
    assert "hint: there are anchored, gda" in ended.err
