"""Parquet and Arrow tables as rows."""

import numpy as np
import pytest
from rows_on_disk import classifier, data


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
    with pytest.raises(ValueError, match=rf"lacks columns that the model was fitted to: \['{names[-1]}'\]"):
        model.predict_file(path)


def test_a_table_must_be_whole_numbers_or_floats(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": ["a", "b"], "label": [0, 1]}), path)
    with pytest.raises(ValueError, match=r"not numbers: \['x'\]"):
        classifier().fit_file(path, cache=tmp_path / "cache")
    pq.write_table(pa.table({"x": [1.0, None], "label": [0, 1]}), path)
    with pytest.raises(ValueError, match="empty or infinite value in the column 'x'"):
        classifier().fit_file(path, cache=tmp_path / "cache")
    assert not [folder for folder in (tmp_path / "cache").iterdir() if folder.is_dir()]
