"""python -m cesaro.reproduce [figure1|figure2|figure3|theorems|all ...] [--full] [--out FOLDER]: the paper's experiments."""

import argparse

from cesaro.reproduce.run import FIGURES, reproduce, table


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m cesaro.reproduce", description="The paper's experiments; quick, unless --full."
    )
    parser.add_argument("names", nargs="*", default=["all"], metavar="figure", help=f"{', '.join(FIGURES)} or all")
    parser.add_argument(
        "--full", action="store_true", help="all data sets, epochs and seeds: takes hours with the networks"
    )
    parser.add_argument("--out", default="report", help="the folder of numbers, pictures and the report")
    asked = parser.parse_args()
    path = reproduce(asked.names, quick=not asked.full, out=asked.out)
    if {"figure1", "all"} & set(asked.names):
        print(f"{table(asked.out)}\n")
    print(f"The report: {path}")


if __name__ == "__main__":
    main()
