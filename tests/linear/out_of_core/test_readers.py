"""Parquet, Arrow and CSV tables as rows."""

import gzip

import numpy as np
import pytest
from rows_on_disk import classifier, data

from cesaro.linear import DualAveragingRegressor


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_are_rows_too(kind, tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    X, y = data()
    table = pa.table({f"x{k}": column for k, column in enumerate(X.T)} | {"target": y.astype(np.int64)})
    path = tmp_path / f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table, 100)
    model, plain = classifier().fit_file(path, cache=tmp_path / "cache", label="target"), classifier().fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert list(model.feature_names_in_) == [f"x{k}" for k in range(X.shape[1])]
    np.testing.assert_array_equal(model.predict_file(path), plain.predict(X))
    np.testing.assert_array_equal(plain.predict_file(path, label="target"), plain.predict(X))
    with pytest.raises(ValueError, match=rf"{X.shape[1] + 1} columns besides 'label', expected {X.shape[1]}.*label="):
        plain.predict_file(path)
    pq.write_table(table.drop_columns(["target"]), tmp_path / "unlabelled.parquet")
    np.testing.assert_array_equal(plain.predict_file(tmp_path / "unlabelled.parquet"), plain.predict(X))
    with pytest.raises(ValueError, match=r"no column 'label'.*label="):
        classifier().fit_file(path, cache=tmp_path / "cache")


def test_columns_of_a_table_are_found_by_name(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pd = pytest.importorskip("pandas")
    X, y = data()
    names = [f"x{k}" for k in range(X.shape[1])]
    model = classifier().fit(pd.DataFrame(X, columns=names), y)
    columns = dict(zip(names, X.T, strict=True)) | {"label": pa.array(["yes"] * len(X)), "more": np.zeros(len(X))}
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({name: columns[name] for name in reversed(columns)}), path)
    np.testing.assert_array_equal(model.predict_file(path), model.predict(pd.DataFrame(X, columns=names)))
    pq.write_table(pa.table(columns).rename_columns([*names[:-1], "other", "label", "more"]), path)
    with pytest.raises(ValueError, match=rf"lacks columns that the model was fitted to: {names[-1]}\. It has"):
        model.predict_file(path)


def test_a_table_must_be_whole_numbers_or_floats(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": ["a", "b"], "label": [0, 1]}), path)
    with pytest.raises(ValueError, match=r"not numbers: x\."):
        classifier().fit_file(path, cache=tmp_path / "cache")
    pq.write_table(pa.table({"x": [1.0, None], "label": [0, 1]}), path)
    with pytest.raises(ValueError, match=r"an empty value in row 2 \(the first is 1\), column 'x'"):
        classifier().fit_file(path, cache=tmp_path / "cache")
    assert not [folder for folder in (tmp_path / "cache").iterdir() if folder.is_dir()]


@pytest.mark.parametrize("comma", [",", "\t", ";"])
@pytest.mark.parametrize("compressed", [False, True])
def test_a_csv_file_with_words_as_labels_is_a_table(comma, compressed, tmp_path):
    pytest.importorskip("pyarrow")
    X, y = data()
    X[0] = np.round(X[0])  # whole numbers first: the types of the first rows do not bind the others
    words = np.where(y > 0, "yes, of course", "no") if comma == ";" else np.where(y > 0, "yes", "no")
    path = tmp_path / "rows.csv"
    lines = [comma.join([*(f"x{k}" for k in range(X.shape[1])), "answer"])]
    lines += [comma.join([*map(repr, row), word]) for row, word in zip(X.tolist(), words, strict=True)]
    text = "\n".join(lines) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    model = classifier().fit_file(path, cache=tmp_path / "cache", label="answer")
    plain = classifier().fit(X, words)
    np.testing.assert_array_equal(model.classes_, plain.classes_)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.predict_file(path), plain.predict(X))
    again = classifier().fit_file(path, cache=tmp_path / "cache", label="answer")  # from the cache
    np.testing.assert_array_equal(again.predict_file(path), plain.predict(X))


def test_words_are_ranked_however_they_come_and_class_weights_know_them(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    X, _ = data()
    words = np.array(["pear", "apple", "fig"])[np.arange(len(X)) % 3]
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({f"x{k}": column for k, column in enumerate(X.T)} | {"label": words}), path)
    weights = {"apple": 2.0, "fig": 0.5, "pear": 1.0}
    model = classifier().set_params(class_weight=weights).fit_file(path, cache=tmp_path / "cache")
    plain = classifier().set_params(class_weight=weights).fit(X, words)
    assert list(model.classes_) == ["apple", "fig", "pear"]
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    with pytest.raises(ValueError, match=r"needs numbers.*\['apple', 'fig', 'pear'\]"):
        DualAveragingRegressor().fit_file(path, cache=tmp_path / "cache")


def test_a_csv_file_that_is_no_table_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.csv"
    path.write_text("x,label\n1,0\n2,1,3\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not a CSV table with a line of names"):
        classifier().fit_file(path, cache=tmp_path / "cache")
    path.write_text("x,label\n" + "1.5,0\n" * 2_000_000 + "one,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be read as CSV further"):
        classifier().fit_file(path, cache=tmp_path / "cache")
    path.write_text("x,town,label\n1,Rome,0\n2,Oslo,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"not numbers: town\..*one column of 0 and 1"):
        classifier().fit_file(path, cache=tmp_path / "cache")
