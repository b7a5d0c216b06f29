"""cesaro fit on a svmlight file of 1 GB: the most memory it takes that is its own (RssAnon), sampled while it runs.

python benchmarks/cli/one_gigabyte.py [--bytes 1e9] [--folder FOLDER] [-- more options of cesaro fit]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS, ENTRIES, FEATURES = 20_000, 40, 1_000_000  # of a block; a row's entries; columns


def block(rng: np.random.Generator, truth: np.ndarray) -> bytes:
    """Rows as text: few common features and many rare ones, labels by a hidden model with a tenth of them wrong."""
    columns = np.sort((FEATURES ** rng.random((ROWS, ENTRIES))).astype(np.int64), axis=1)
    columns += np.arange(ENTRIES)  # ascending, each once
    values = rng.integers(1, 1000, (ROWS, ENTRIES))
    score = (truth[columns] * values).sum(axis=1)
    labels = np.where((score > 0) ^ (rng.random(ROWS) < 0.1), "+1", "-1")
    lines = (
        f"{label} " + " ".join([f"{column}:0.{value:03d}" for column, value in zip(c, v, strict=True)])
        for label, c, v in zip(labels.tolist(), columns.tolist(), values.tolist(), strict=True)
    )
    return ("\n".join(lines) + "\n").encode()


def write(path: Path, size: int) -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=FEATURES + ENTRIES + 1)
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block(rng, truth))


def own_memory(pid: int) -> int:
    """Bytes of anonymous memory: what the system cannot take back by dropping pages of files."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except FileNotFoundError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=float, default=1e9)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    asked, more = parser.parse_known_args()
    path = asked.folder / f"cesaro_{int(asked.bytes)}.svm"
    if not path.exists():
        part = path.with_suffix(".part")
        write(part, int(asked.bytes))
        part.replace(path)
    command = [sys.executable, "-c", "from cesaro.cli import main; main()", "fit", str(path), "--json"]
    begun, most = time.perf_counter(), 0
    with subprocess.Popen([*command, *(word for word in more if word != "--")]) as process:
        while process.poll() is None:
            most = max(most, own_memory(process.pid))
            time.sleep(0.05)
    print(
        f"file {path.stat().st_size / 1e9:.2f} GB, exit code {process.returncode}, {time.perf_counter() - begun:.0f} s"
    )
    print(f"RssAnon at most {most / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
