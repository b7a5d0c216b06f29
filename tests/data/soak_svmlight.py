"""Mutated svmlight files in bulk: PYTHONPATH=tests python -m data.soak_svmlight [files] [seed]"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from data.mutants import judge, mutant

if __name__ == "__main__":
    files, seed = (int(text) for text in (sys.argv[1:] + ["100000", "1"][len(sys.argv) - 1 :]))
    rng = np.random.default_rng(seed)
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(files):
            text = mutant(rng)
            try:
                verdicts[judge(Path(folder) / "file", text)] += 1
            except Exception as error:
                sys.exit(f"file {number} of seed {seed}, {text!r}: {type(error).__name__} {error}")
            if number % 1000 == 999:
                print(f"\r{number + 1} of {files}  {dict(verdicts)}", end="", file=sys.stderr, flush=True)
    print(f"\n{files} mutated svmlight files, seed {seed}: {dict(verdicts)}")
