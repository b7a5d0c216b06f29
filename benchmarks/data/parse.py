"""Reading svmlight files, against scikit-learn: python benchmarks/data/parse.py [names of data sets]

Plain text, CPU time, alternating, best of five; the results are compared bit for bit. The last column is our time from the xz
file, which is mostly xz. Data: $CESARO_DATA or ../shared/data beside the repository; a9a is in the package.
"""

import lzma
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from cesaro.data import locate, read_svmlight
from cesaro.data.streams import opened


def seconds(read):
    start = time.process_time()
    read()
    return time.process_time() - start


def race(path, pressed, repeats):
    """Best CPU seconds of ours, scikit-learn's, and ours with xz."""
    X, y = read_svmlight(path)
    A, b = load_svmlight_file(str(path), zero_based=False)
    assert X.data.tobytes() == A.data.tobytes()
    assert y.tobytes() == b.tobytes()
    assert np.array_equal(X.indices, A.indices)
    assert np.array_equal(X.indptr, A.indptr)
    reads = (
        lambda: read_svmlight(path),
        lambda: load_svmlight_file(str(path), zero_based=False),
        lambda: read_svmlight(pressed),
    )
    times = [[seconds(read) for read in reads] for _ in range(repeats)]
    return [min(column) for column in zip(*times, strict=True)]


def files(names, folder):
    """(name, text); the last is random numbers with all their digits, where no shortcut holds."""
    for name in names:
        found = locate(name)
        if found is None:
            print(f"{name} is not here", file=sys.stderr)
            continue
        with opened(found) as (content, _):
            text = content.read()
        yield name, text
    rng = np.random.default_rng(0)
    dump_svmlight_file(rng.standard_normal((20_000, 50)), np.ones(20_000), str(folder / "dense"), zero_based=False)
    yield "20,000 x 50 normal numbers, 16 digits", (folder / "dense").read_bytes()


def main():
    shared = Path(__file__).parents[3] / "shared" / "data"
    if "CESARO_DATA" not in os.environ and shared.is_dir():
        os.environ["CESARO_DATA"] = str(shared)
    print(
        "| data | MB of text | scikit-learn, s | cesaro, s | ratio | MB/s | from xz, s |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, text in files(sys.argv[1:] or ["a9a", "w8a", "ijcnn1", "covtype"], folder):
            plain, pressed = folder / "plain", folder / "plain.xz"
            plain.write_bytes(text)
            pressed.write_bytes(lzma.compress(text, preset=1))
            ours, theirs, with_xz = race(plain, pressed, 5)
            size = len(text) / 1e6
            cells = f"{theirs:.3f} | {ours:.3f} | {theirs / ours:.1f} | {size / ours:.0f} | {with_xz:.3f}"
            print(f"| {name} | {size:.1f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
