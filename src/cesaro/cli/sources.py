"""From DATA on the command line to rows and labels."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from cesaro.cli import screen
from cesaro.cli.ending import Trouble


class Dataset(NamedTuple):
    name: str
    X: Any
    y: Any
    X_test: Any = None
    y_test: Any = None
    test_note: str = ""


def read(source: str) -> Dataset:
    """The rows of a name or of a file."""
    from sklearn.datasets import load_svmlight_file

    folder = Path(os.environ.get("CESARO_DATA", "/work/shared/data/libsvm"))
    places = {"a9a": ("a9a.xz", "a9a.t.xz"), "w8a": ("w8a.xz", None), "ijcnn1": ("ijcnn1.xz", "ijcnn1.t.xz")}
    if source in places:
        import lzma

        train, test = places[source]
        with lzma.open(folder / train) as file:
            X, y = load_svmlight_file(file, zero_based=False)
        if test is None:
            return Dataset(source, X, y)
        with lzma.open(folder / test) as file:
            X_test, y_test = load_svmlight_file(file, zero_based=False, n_features=X.shape[1])
        return Dataset(source, X, y, X_test, y_test, f"{source}.t")
    X, y = load_svmlight_file(source, zero_based=False)
    return Dataset(Path(source).name, X, y)


def with_test(data: Dataset, test: str | None) -> Dataset:
    """The data with the rows of another source to measure on."""
    if test is None:
        return data
    other = read(test)
    X = same_features(other.X, data.X.shape[1], other.name)
    return data._replace(X_test=X, y_test=other.y, test_note=other.name)


def same_features(X: Any, features: int, name: str) -> Any:
    """X with exactly so many columns. A feature that no training row had has weight zero, so leaving it out is exact."""
    if X.shape[1] > features:
        beyond = int((X.indices >= features).sum())
        screen.note(
            f"{name} has {screen.count(beyond, 'entry').replace('entrys', 'entries')} beyond feature {features}, "
            "the last in training; their weight is zero and they are left out."
        )
        return X[:, :features]
    if X.shape[1] < features:
        X = X.copy()
        X.resize(X.shape[0], features)
    return X


def check_task(y: Any, regression: bool) -> None:
    """Refuse a loss that does not go with the labels."""
    import numpy as np

    if regression:
        return
    found = np.unique(y)
    if len(found) < 2:
        raise Trouble(
            f"every row has the label {found[0]:g}: there is nothing to tell apart",
            "a classifier needs two labels at least.",
        )
    if not np.all(found == np.round(found)):
        wrong = found[found != np.round(found)][0]
        raise Trouble(
            f"the labels are not classes: one of them is {wrong:g}",
            "for numbers to be predicted use a regression loss, --loss squared_error.",
        )
