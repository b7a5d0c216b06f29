"""Rows of 58 classes that anybody can make: characters of the standard library's sources, and one-hot clicks."""

import sysconfig
from pathlib import Path

import numpy as np
import scipy.sparse as sp

CLASSES, LINES = 58, 5
FIELDS, ROWS = 25, 60_000


def characters():
    """Which module do five lines come from? tf-idf of 2 to 4 characters, hashed into 2^18 columns."""
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    modules = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"), key=lambda path: -path.stat().st_size)[
        :CLASSES
    ]
    texts, labels = [], []
    for label, path in enumerate(modules):
        lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        parts = ["\n".join(lines[k : k + LINES]) for k in range(0, len(lines), LINES)]
        texts, labels = texts + parts, labels + [label] * len(parts)
    counts = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4), n_features=2**18, alternate_sign=False)
    return TfidfTransformer().fit_transform(counts.transform(texts)).tocsr(), np.array(labels, dtype=float)


def clicks():
    """25 fields of 10 to 60,000 values, frequent ones and rare ones as in language; a linear truth, and noise."""
    rng = np.random.default_rng(0)
    sizes = np.geomspace(10, 60_000, FIELDS).astype(int)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    values = [np.minimum(size * rng.random(ROWS) ** 3, size - 1).astype(int) for size in sizes]
    columns = np.stack([start + value for start, value in zip(starts, values, strict=False)], axis=1).astype(np.int32)
    scores = rng.gumbel(scale=2.0, size=(ROWS, CLASSES)) - 1.5 * np.log1p(np.arange(CLASSES))
    for k in range(FIELDS):
        scores += rng.normal(size=(sizes[k], CLASSES)).astype(np.float32)[values[k]]
    ends = np.arange(0, FIELDS * ROWS + 1, FIELDS, dtype=np.int32)
    X = sp.csr_matrix((np.ones(FIELDS * ROWS), columns.ravel(), ends), shape=(ROWS, starts[-1]))
    return X, scores.argmax(axis=1).astype(float)


MADE = {"characters": characters, "clicks": clicks}
