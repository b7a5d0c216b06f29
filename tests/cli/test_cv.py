"""cesaro cv: a table of alphas, the best one marked."""

from sklearn.datasets import load_svmlight_file

from cesaro import DualAveragingClassifierCV


def test_json_has_the_search_of_the_estimator(cesaro, files):
    answer = cesaro("cv", files / "two", "--alphas", 5, "--folds", 3, "--json").json
    X, y = load_svmlight_file(str(files / "two"), zero_based=False)
    found = DualAveragingClassifierCV(5, 3, random_state=0).fit(X, y)
    assert answer["alphas"] == found.alphas_.tolist()
    assert answer["mean_score"] == found.cv_results_["mean_test_score"].tolist()
    assert answer["alpha"] == found.alpha_
    assert answer["best_score"] == max(answer["mean_score"])
    assert answer["objective"] == found.objective_


def test_the_table_has_a_line_for_each_alpha_and_marks_the_best(cesaro, files):
    ended = cesaro("cv", files / "two", "--alphas", 5, "--folds", 3, "--test", files / "more")
    answer = cesaro("cv", files / "two", "--alphas", 5, "--folds", 3, "--json").json
    marked = [line for line in ended.out.splitlines() if line.rstrip().endswith("best")]
    assert len(marked) == 1
    assert marked[0].split()[0] == f"{answer['alpha']:.2e}"
    assert sum("●" in line for line in ended.out.splitlines()) == 5
    assert "100 test rows" in ended.out


def test_a_regression_is_scored_by_r_squared(cesaro, files):
    ended = cesaro("cv", files / "numbers", "--loss", "squared_error", "--alphas", 3, "--folds", 3)
    assert ended.code == 0
    assert "R²" in ended.out
