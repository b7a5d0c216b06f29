"""CPU time of a fit at its defaults over its wall time, on wide rows: one thread is asked for, and no other may wake.

    python benchmarks/linear/cpu_over_wall.py [reuters sector debian]        # Markdown on stdout

debian, sector: with all their classes, and as two.
"""

import sys
import time
import warnings

from cells import WIDE, load, present
from many_classes import rows

REPEATS = 5


def ratio(X, y):
    """CPU seconds over wall seconds of several fits, after one that compiles."""
    from cesaro import DualAveragingClassifier

    model = DualAveragingClassifier(random_state=0, n_jobs=1).fit(X, y)
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(REPEATS):
        model.fit(X, y)
    return (time.process_time() - cpu) / (time.perf_counter() - wall)


def main():
    warnings.simplefilter("ignore")
    print("| data | classes | CPU over wall |")
    print("|---|---|---|")
    for name in present(sys.argv[1:] or WIDE):
        for X, y in {len(set(y)): (X, y) for X, y in (load(name), rows(name))}.values():
            print(f"| {name} | {len(set(y))} | {ratio(X, y):.2f} |", flush=True)


if __name__ == "__main__":
    main()
