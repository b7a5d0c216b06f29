"""Files larger than memory: private memory of a fit from a 4 GB svmlight file, and an epoch's cost beside memory's.

    python benchmarks/linear/out_of_core.py                     # 4 GB of text, and about as much for the cache
    python benchmarks/linear/out_of_core.py --gigabytes 0.5 --folder /somewhere/with/room

The file is generated (seeded) and fitted in a process of its own, whose RssAnon is sampled throughout, parsing included.
Then a file of 300 MB, in the page cache: CPU time of an epoch of `fit_file` over that of `fit`, alternating, the least of
several. Everything that was written is removed. Markdown on stdout, progress on stderr.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})

import numpy as np
from numba import njit

from cesaro import DualAveragingClassifier

FEATURES, ENTRIES, CHUNK = 100_000, 40, 200_000
FIT = """
import sys, warnings
from cesaro import DualAveragingClassifier
warnings.simplefilter("ignore")
path, cache, memory = sys.argv[1:]
model = DualAveragingClassifier(alpha=1e-6, tol=1e-2, max_iter=30, random_state=0, verbose=1)
model.fit_file(path, memory=float(memory), cache=cache)
print(f"{model.n_iter_} epochs, proved relative gap {model.relative_gap_:.1e}")
"""


@njit(cache=True)
def write_rows(text, rows, x, w):
    """Rows as svmlight text into the bytes `text`, with labels that `w` gives with noise; their length, the next seed."""
    place, entries, columns, thousandths = 0, ENTRIES, np.empty(ENTRIES, np.int64), np.empty(ENTRIES, np.int64)
    gap = 2 * (w.shape[0] // entries) - 1
    for _ in range(rows):
        column, margin = 0, 0.0
        for k in range(entries):
            x = (x * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
            column = column + 1 + (x >> 33) % gap
            columns[k], thousandths[k] = column, (x >> 20) % 1000
            if column <= w.shape[0]:
                margin += w[column - 1] * thousandths[k]
        noise = ((x >> 25) % 2001 - 1000) * 0.3
        text[place], text[place + 1] = 43 if margin + noise > 0.0 else 45, 49  # +1 or -1
        place += 2
        for k in range(entries):
            if columns[k] <= w.shape[0]:
                text[place] = 32
                place = digits(text, place + 1, columns[k], 1)
                text[place], text[place + 1], text[place + 2] = 58, 48, 46  # :0.
                place = digits(text, place + 3, thousandths[k], 3)
        text[place] = 10
        place += 1
    return place, x


@njit(cache=True)
def digits(text, place, number, least):
    """The decimal digits of a number, at least so many; the place after them."""
    count, rest = 1, number // 10
    while rest > 0:
        count, rest = count + 1, rest // 10
    count = max(count, least)
    for k in range(count - 1, -1, -1):
        text[place + k] = 48 + number % 10
        number //= 10
    return place + count


def generate(path, size):
    """A svmlight file of about `size` bytes."""
    w, text, x, done = np.random.default_rng(0).normal(size=FEATURES), np.empty(CHUNK * 600, np.uint8), 1, 0
    with path.open("wb") as file:
        while done < size:
            length, x = write_rows(text, CHUNK, x, w)
            file.write(text[:length].data)
            done += length
            sys.stderr.write(f"\rwriting {path.name}: {done / 1e9:.2f} of {size / 1e9:.2f} GB")
    sys.stderr.write("\n")


def private(process):
    """RssAnon of a process, in bytes; 0 when it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("RssAnon")), 0)


def largest_memory(path, cache, memory):
    """The largest private memory of a fit from the file, what it printed, and its seconds."""
    began, most = time.perf_counter(), 0
    child = subprocess.Popen(
        [sys.executable, "-c", FIT, path, cache, str(memory)], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    while child.poll() is None:
        most = max(most, private(child.pid))
        time.sleep(0.02)
    if child.returncode:
        raise SystemExit(f"the fit ended with {child.returncode}")
    return most, child.stdout.read().strip(), time.perf_counter() - began


def seconds_of(fit, epochs):
    """CPU seconds of a fit of so many epochs."""
    model = DualAveragingClassifier(alpha=1e-6, tol=0, max_iter=epochs, random_state=0)
    began = time.process_time()
    fit(model)
    return time.process_time() - began


def epoch(path, cache, memory, repeats=5, few=4, more=24):
    """CPU seconds of an epoch, in memory and from the file: what more epochs cost, the least of several."""
    from cesaro.data.svmlight.reader import read_svmlight

    X, y = read_svmlight(path)
    ways = (lambda model: model.fit(X, y), lambda model: model.fit_file(path, memory=memory, cache=cache))
    least = {}
    for turn in range(repeats + 1):  # the first parses and compiles
        for count in (few, more):
            for k, way in enumerate(ways):
                spent = seconds_of(way, count)
                least[k, count] = min(least.get((k, count), math.inf), spent) if turn else math.inf
    return [(least[k, more] - least[k, few]) / (more - few) for k in (0, 1)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--memory", type=float, default=1e9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        large, small, cache = Path(folder) / "large.svm", Path(folder) / "small.svm", Path(folder) / "cache"
        generate(large, options.gigabytes * 1e9)
        size = large.stat().st_size
        most, said, seconds = largest_memory(large, cache, options.memory)
        large.unlink()
        shutil.rmtree(cache)
        print("| file | memory= | largest RssAnon | seconds | fit |\n|---|---|---|---|---|")
        print(f"| {size / 1e9:.2f} GB | {options.memory / 1e9:g} GB | {most / 1e9:.2f} GB | {seconds:.0f} | {said} |\n")
        generate(small, 0.3e9)
        print("| epochs of a 0.3 GB file | fit, CPU s | fit_file, CPU s | throughput |\n|---|---|---|---|")
        for memory in (options.memory, 1e8):
            inside, outside = epoch(small, cache, memory)
            print(f"| memory={memory:g} | {inside:.3f} | {outside:.3f} | {inside / outside:.2f} of fit's |")


if __name__ == "__main__":
    main()
